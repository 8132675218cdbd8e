// Files with their results.
import { useMemo } from 'react'
import { type Item, type Operation } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { StatusBadge } from './status.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { Link, Text } from '../../shell/ui/index.ts'
import { changesOf } from './change.ts'
import { isPreview, itemWord } from './operation-status.ts'
import { Changes } from './changes.tsx'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

export function ItemsTable({ items, operation }: { items: readonly Item[]; operation: Operation }) {
  const preview = isPreview(operation)
  const products = operation.kind === 'import'
  const columns = useMemo(() => columnsOf(preview, products), [preview, products])
  return (
    <RecordTable
      names={{ singular: t('file'), plural: t('files') }}
      columns={columns}
      card={CARD}
      rows={items}
      idOf={({ position }) => String(position)}
    />
  )
}

type ColumnId = 'icon' | 'name' | 'result' | 'product' | 'happened'

const CARD: CardLayout<ColumnId> = {
  picture: 'icon',
  lines: ['name', 'result', { facts: ['product'] }, 'happened'],
  gap: '100',
}

const columnsOf = (preview: boolean, products: boolean): Columns<ColumnId, Item> => ({
  icon: { cell: (item) => <FileIcon filename={nameOf(item, preview)} /> },
  name: {
    title: t('File'),
    cell: (item) => (
      <div className="file-name">
        <FileIcon filename={nameOf(item, preview)} />
        <span className="cut" title={nameOf(item, preview)}>
          <Name item={item} preview={preview} />
        </span>
      </div>
    ),
    inCard: (item) => (
      <Text as="span" breakWord>
        <Name item={item} preview={preview} />
      </Text>
    ),
  },
  result: {
    title: preview ? t('What would happen') : t('Result'),
    cell: (item) => <StatusBadge word={itemWord(item, preview)} />,
  },
  product: {
    ...(products ? { title: t('Product') } : {}),
    cell: (item) => (products && item.product_mapped ? t('Mapped') : ''),
  },
  happened: {
    title: preview ? t('What would change') : t('What happened'),
    cell: (item) => (
      <div className="happened">
        <Happened item={item} />
      </div>
    ),
    inCard: (item) => <Happened item={item} />,
  },
})

/** In a preview the file still has its old name. */
const nameOf = ({ filename, before }: Item, preview: boolean): string =>
  (preview ? before?.filename : null) ?? filename

function Name({ item, preview }: { item: Item; preview: boolean }) {
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

function Happened({ item }: { item: Item }) {
  const { error, warnings, attempt, before, after, url } = item
  return (
    <>
      {error && (
        <Text as="p" tone={item.status === 'failed' ? 'critical' : undefined} breakWord>
          {messageText(error)}
        </Text>
      )}
      {error && item.status === 'failed' && (
        <Text as="p" variant="bodySm" tone="subdued" breakWord>
          {[detailText(error), url, error.code].filter(Boolean).join(' · ')}
        </Text>
      )}
      <Changes changes={changesOf(before, after)} />
      {warnings.map((warning, at) => (
        <Text key={`${warning.code} ${at}`} as="p" tone="caution" breakWord>
          {messageText(warning)}
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
