// Files with their results; on a narrow screen a list instead of a table.
import { type Item, type Operation } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { StatusBadge } from './status.tsx'
import { Box, IndexTable, Link, Text, useBreakpoints } from '../../shell/ui/index.ts'
import { changesOf } from './change.ts'
import { isPreview, itemWord } from './operation-status.ts'
import { Changes } from './changes.tsx'
import { serverText } from '../../shell/messages/server-templates.ts'
import { t } from '../../shell/messages/t.ts'

export function ItemsTable({ items, operation }: { items: readonly Item[]; operation: Operation }) {
  const { lgDown: narrow } = useBreakpoints()
  const preview = isPreview(operation)
  const products = operation.kind === 'import'
  return (
    <IndexTable
      resourceName={{ singular: t('file'), plural: t('files') }}
      itemCount={items.length}
      selectable={false}
      condensed={narrow}
      headings={[
        { title: t('File') },
        { title: preview ? t('What would happen') : t('Result') },
        ...(products ? [{ title: t('Product') }] : []),
        { title: preview ? t('What would change') : t('What happened') },
      ]}
    >
      {items.map((item, at) => (
        <IndexTable.Row key={item.position} id={String(item.position)} position={at}>
          {narrow ? (
            <NarrowRow item={item} preview={preview} />
          ) : (
            <WideRow item={item} preview={preview} products={products} />
          )}
        </IndexTable.Row>
      ))}
    </IndexTable>
  )
}

/** In a preview the file still has its old name. */
const nameOf = ({ filename, before }: Item, preview: boolean): string =>
  (preview ? before?.filename : null) ?? filename

function Name({ item, preview }: RowProps) {
  const name = (
    <Text as="span" fontWeight="semibold">
      {nameOf(item, preview)}
    </Text>
  )
  // A file in the trash has no page.
  return item.file_id === null || (item.after?.deleted && item.status === 'done') ? (
    name
  ) : (
    <Link url={`/files/${item.file_id}`} dataPrimaryLink monochrome removeUnderline>
      {name}
    </Link>
  )
}

interface RowProps {
  item: Item
  preview: boolean
}

function WideRow({ item, preview, products }: RowProps & { products: boolean }) {
  return (
    <>
      <IndexTable.Cell>
        <div className="file-name">
          <FileIcon filename={nameOf(item, preview)} />
          <span className="cut" title={nameOf(item, preview)}>
            <Name item={item} preview={preview} />
          </span>
        </div>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <StatusBadge word={itemWord(item, preview)} />
      </IndexTable.Cell>
      {products && <IndexTable.Cell>{item.product_mapped ? t('Mapped') : ''}</IndexTable.Cell>}
      <IndexTable.Cell>
        <div className="happened">
          <Happened item={item} />
        </div>
      </IndexTable.Cell>
    </>
  )
}

function NarrowRow({ item, preview }: RowProps) {
  return (
    <Box padding="400">
      <div className="file-name">
        <FileIcon filename={nameOf(item, preview)} />
        <div className="item-facts">
          <Text as="span" breakWord>
            <Name item={item} preview={preview} />
          </Text>
          <StatusBadge word={itemWord(item, preview)} />
          <Happened item={item} />
        </div>
      </div>
    </Box>
  )
}

function Happened({ item }: { item: Item }) {
  const { error, warnings, attempt, before, after, url } = item
  return (
    <>
      {error && (
        <Text as="p" tone={item.status === 'failed' ? 'critical' : undefined} breakWord>
          {serverText(error.message)}
        </Text>
      )}
      {error && item.status === 'failed' && (
        <Text as="p" variant="bodySm" tone="subdued" breakWord>
          {[error.detail && serverText(error.detail), url, error.code].filter(Boolean).join(' · ')}
        </Text>
      )}
      <Changes changes={changesOf(before, after)} />
      {warnings.map(({ code, message }, at) => (
        <Text key={`${code} ${at}`} as="p" tone="caution" breakWord>
          {serverText(message)}
        </Text>
      ))}
      {attempt > 1 && (
        <Text as="p" variant="bodySm" tone="subdued">
          {t('Tried {attempt, plural, one {# time} other {# times}}', { attempt })}
        </Text>
      )}
    </>
  )
}
