// The files of one page; on a narrow screen a list instead of a table.
import { type CSSProperties } from 'react'
import { type File } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { FileName, Marked } from '../../shell/files/name.tsx'
import { type FileSort } from './url-state.ts'
import {
  Badge,
  BlockStack,
  Checkbox,
  IndexTable,
  InlineStack,
  Link,
  Text,
  Tooltip,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { kindText, productTitles } from '../../shell/files/labels.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { dayText, trashedText } from '../../shell/labels/time.ts'
import { type BulkMenu } from './bulk-actions.tsx'
import { SelectedBar } from './selected-bar.tsx'
import { useRowClicks } from './row-clicks.ts'
import { type FileSelection } from './selection.ts'
import { columnOf, sortFor } from './sorting.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  files: readonly File[]
  /** The number of files on all pages. */
  total: number
  /** Files in the trash have no page of their own. */
  trash: boolean
  /** The words that were searched for. */
  find: string
  selection: FileSelection
  menu: BulkMenu
  sort: FileSort
  onSort: (sort: FileSort) => void
}

export function FilesTable(props: Props) {
  const { lgDown: narrow } = useBreakpoints()
  return narrow ? <NarrowTable {...props} /> : <WideTable {...props} />
}

const NAMES = { singular: t('file'), plural: t('files') }

function NarrowTable({ files, total, trash, find, selection, menu }: Props) {
  return (
    <>
      <SelectedBar selection={selection} shown={files.length} total={total} menu={menu} />
      <IndexTable
        resourceName={NAMES}
        itemCount={files.length}
        selectable={false}
        condensed
        headings={[{ title: t('File') }]}
      >
        {files.map((file, position) => (
          <IndexTable.Row key={file.id} id={file.id} position={position}>
            <NarrowRow file={file} trash={trash} find={find} selection={selection} />
          </IndexTable.Row>
        ))}
      </IndexTable>
    </>
  )
}

function WideTable({ files, total, trash, find, selection, menu, sort, onSort }: Props) {
  const [sortColumnIndex, sortDirection] = columnOf(sort)
  const rows = useRowClicks(files, selection)
  return (
    <div {...rows.props}>
      <IndexTable
        resourceName={NAMES}
        itemCount={files.length}
        selectedItemsCount={selection.all ? 'All' : selection.count}
        onSelectionChange={rows.onSelectionChange}
        hasMoreItems={total > files.length}
        paginatedSelectAllActionText={t(
          'Select all {total, plural, one {# file} other {# files}}',
          { total },
        )}
        paginatedSelectAllText={t('All {total, plural, one {# file} other {# files}} selected', {
          total,
        })}
        promotedBulkActions={menu.foremost}
        bulkActions={menu.groups}
        headings={[
          { title: t('File'), defaultSortDirection: 'ascending' },
          { title: t('Type') },
          { title: t('Size'), alignment: 'end' },
          { title: t('Tags') },
          { title: t('Products') },
          { title: t('Downloads'), alignment: 'end' },
          { title: trash ? t('Deleted') : t('Uploaded') },
        ]}
        // The server cannot sort by the time of deletion.
        sortable={[true, false, true, false, false, false, !trash]}
        sortColumnIndex={sortColumnIndex}
        sortDirection={sortDirection}
        onSort={(column, direction) => onSort(sortFor(column, direction))}
      >
        {files.map((file, position) => (
          <IndexTable.Row
            key={file.id}
            id={file.id}
            position={position}
            selected={selection.isTicked(file.id)}
            accessibilityLabel={t('Select {filename}', { filename: file.filename })}
          >
            <WideRow file={file} trash={trash} find={find} />
          </IndexTable.Row>
        ))}
      </IndexTable>
    </div>
  )
}

/** `whole`: it is broken into lines instead of cut. */
function Name({ file, trash, find, whole = false }: RowProps & { whole?: boolean }) {
  const name = (
    <Text as="span" fontWeight="semibold" breakWord={whole}>
      {whole ? (
        <Marked text={file.filename} find={find} />
      ) : (
        <FileName filename={file.filename} find={find} />
      )}
    </Text>
  )
  return trash ? (
    name
  ) : (
    <Link url={`/files/${file.id}`} dataPrimaryLink monochrome removeUnderline>
      {name}
    </Link>
  )
}

interface RowProps {
  file: File
  trash: boolean
  find: string
}

function WideRow({ file, trash, find }: RowProps) {
  return (
    <>
      <IndexTable.Cell>
        <div className="file-name">
          <FileIcon filename={file.filename} contentType={file.content_type} />
          <span
            className="cut"
            style={{ '--cut': 'clamp(160px, 18vw, 420px)' } as CSSProperties}
            title={file.filename}
          >
            <Name file={file} trash={trash} find={find} />
          </span>
        </div>
      </IndexTable.Cell>
      <IndexTable.Cell>{kindText(file.filename, file.content_type)}</IndexTable.Cell>
      <IndexTable.Cell className="tabular">
        <Text as="span" alignment="end" numeric>
          {sizeText(file.size_bytes)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Tags tags={file.tags} find={find} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Products file={file} find={find} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text as="span" alignment="end" numeric>
          {numberText(file.downloads)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>
        {file.deleted_at === null ? dayText(file.upload_date) : <Trashed at={file.deleted_at} />}
      </IndexTable.Cell>
    </>
  )
}

function NarrowRow({ file, trash, find, selection }: RowProps & { selection: FileSelection }) {
  const facts = [
    sizeText(file.size_bytes),
    t('{downloads, plural, one {# download} other {# downloads}}', { downloads: file.downloads }),
    file.deleted_at === null
      ? dayText(file.upload_date)
      : t('deleted {deleted}', { deleted: trashedText(file.deleted_at, new Date()).deleted }),
    ...(file.deleted_at === null ? [] : [trashedText(file.deleted_at, new Date()).left]),
  ]
  return (
    <div style={{ padding: 'var(--p-space-300) var(--p-space-400)' }}>
      <div className="file-name">
        {/* The row is a link to the file; its checkbox is not. */}
        <span onClick={(event) => event.stopPropagation()}>
          <Checkbox
            label={t('Select {filename}', { filename: file.filename })}
            labelHidden
            checked={selection.isTicked(file.id)}
            onChange={(on) => selection.click({ kind: 'one', id: file.id, on })}
          />
        </span>
        <FileIcon filename={file.filename} contentType={file.content_type} />
        <BlockStack gap="050">
          <Name file={file} trash={trash} find={find} whole />
          <Text as="span" variant="bodySm" tone="subdued">
            {facts.join(' · ')}
          </Text>
          <Products file={file} find={find} />
          <Tags tags={file.tags} find={find} />
        </BlockStack>
      </div>
    </div>
  )
}

function Trashed({ at }: { at: string }) {
  const { deleted, left } = trashedText(at, new Date())
  return (
    <>
      <Text as="p">{deleted}</Text>
      <Text as="p" variant="bodySm" tone="subdued">
        {left}
      </Text>
    </>
  )
}

const SHOWN_TAGS = 2
const isFound = (tag: string, find: string): boolean =>
  find.toLowerCase().split(/\s+/).includes(tag.toLowerCase())

function Tags({ tags, find }: { tags: readonly string[]; find: string }) {
  if (tags.length === 0) return null
  const rest = tags.slice(SHOWN_TAGS)
  return (
    <InlineStack gap="100" wrap={false}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <Badge key={tag} tone={isFound(tag, find) ? 'attention' : undefined}>
          {tag}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Tooltip content={rest.join(', ')}>
          <Badge>{`+${rest.length}`}</Badge>
        </Tooltip>
      )}
    </InlineStack>
  )
}

function Products({ file, find }: { file: File; find: string }) {
  const [first, ...rest] = productTitles(file.mappings)
  if (first === undefined)
    return (
      <Text as="span" tone="subdued">
        {t('Not mapped')}
      </Text>
    )
  return (
    <InlineStack gap="100" wrap={false} blockAlign="center">
      <span className="cut product" title={first}>
        <Marked text={first} find={find} />
      </span>
      {rest.length > 0 && (
        <Tooltip content={rest.join(', ')}>
          <Badge>{`+${rest.length}`}</Badge>
        </Tooltip>
      )}
    </InlineStack>
  )
}
