// The files of one page, with the selection.
import { type CSSProperties, useMemo } from 'react'
import { type File } from '../../shell/client/types.ts'
import { FileName, Marked } from '../../shell/files/name.tsx'
import { type FileSort } from './url-state.ts'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable, type RowSelection } from '../../shell/components/record-table.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { Badge, InlineStack, Link, Text, Tooltip, useBreakpoints } from '../../shell/ui/index.ts'
import { kindText, productTitles } from '../../shell/files/labels.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { dayText, trashedText } from '../../shell/labels/time.ts'
import { type BulkMenu } from './bulk-actions.tsx'
import { Thumbnail } from './picture.tsx'
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
  const { files, trash, find, selection, sort, onSort } = props
  const { lgDown: narrow } = useBreakpoints()
  const clicks = useRowClicks(files, selection)
  const [column, direction] = columnOf(sort)
  const columns = useMemo(() => columnsOf(trash, find), [trash, find])
  return (
    <div {...(narrow ? {} : clicks.props)}>
      <RecordTable
        names={NAMES}
        columns={columns}
        card={CARD}
        narrow={narrow}
        rows={files}
        idOf={({ id }) => id}
        selection={useTableSelection(props, clicks.onSelectionChange)}
        sorting={{
          column,
          direction,
          onSort: (chosen, towards) => onSort(sortFor(chosen, towards)),
        }}
      />
    </div>
  )
}

const NAMES = { singular: t('file'), plural: t('files') }

const labelOf = ({ filename }: File): string => t('Select {filename}', { filename })

function useTableSelection(
  { files, total, selection, menu }: Props,
  onSelectionChange: ReturnType<typeof useRowClicks>['onSelectionChange'],
): RowSelection<File> {
  return {
    isSelected: ({ id }) => selection.isTicked(id),
    label: labelOf,
    onTick: useStable(({ id }, on) => selection.click({ kind: 'one', id, on })),
    bar: <SelectedBar selection={selection} shown={files.length} total={total} menu={menu} />,
    table: {
      selectedItemsCount: selection.all ? 'All' : selection.count,
      onSelectionChange: useStable(onSelectionChange),
      hasMoreItems: total > files.length,
      paginatedSelectAllActionText: t('Select all {total, plural, one {# file} other {# files}}', {
        total,
      }),
      paginatedSelectAllText: t('All {total, plural, one {# file} other {# files}} selected', {
        total,
      }),
      promotedBulkActions: menu.foremost,
      bulkActions: menu.groups,
    },
  }
}

type ColumnId =
  | 'icon'
  | 'name'
  | 'type'
  | 'size'
  | 'tags'
  | 'products'
  | 'downloads'
  | 'uploaded'
  | 'left'

const CARD: CardLayout<ColumnId> = {
  picture: 'icon',
  lines: ['name', { facts: ['size', 'downloads', 'uploaded', 'left'] }, 'products', 'tags'],
  gap: '050',
  dense: true,
}

const columnsOf = (trash: boolean, find: string): Columns<ColumnId, File> => ({
  icon: { cell: (file) => <Thumbnail file={file} /> },
  name: {
    title: t('File'),
    sort: 'ascending',
    cell: (file) => <CutName file={file} trash={trash} find={find} />,
    inCard: (file) => <Name file={file} trash={trash} find={find} whole />,
  },
  type: { title: t('Type'), cell: (file) => kindText(file.filename, file.content_type) },
  size: {
    title: t('Size'),
    align: 'end',
    tabular: true,
    sort: 'descending',
    cell: (file) => sizeText(file.size_bytes),
  },
  tags: { title: t('Tags'), cell: (file) => <Tags tags={file.tags} find={find} /> },
  products: { title: t('Products'), cell: (file) => <Products file={file} find={find} /> },
  downloads: {
    title: t('Downloads'),
    align: 'end',
    cell: (file) => numberText(file.downloads),
    inCard: ({ downloads }) =>
      t('{downloads, plural, one {# download} other {# downloads}}', { downloads }),
  },
  uploaded: {
    title: trash ? t('Deleted') : t('Uploaded'),
    // The server cannot sort by the time of deletion.
    ...(trash ? {} : { sort: 'descending' }),
    cell: (file) =>
      file.deleted_at === null ? dayText(file.upload_date) : <Trashed at={file.deleted_at} />,
    inCard: (file) =>
      file.deleted_at === null
        ? dayText(file.upload_date)
        : t('deleted {deleted}', { deleted: trashedText(file.deleted_at, new Date()).deleted }),
  },
  left: {
    cell: ({ deleted_at }) => (deleted_at === null ? '' : trashedText(deleted_at, new Date()).left),
  },
})

interface RowProps {
  file: File
  trash: boolean
  find: string
}

const CutName = (props: RowProps) => (
  <div className="file-name">
    <Thumbnail file={props.file} />
    <span
      className="cut"
      style={{ '--cut': 'clamp(160px, 18vw, 420px)' } as CSSProperties}
      title={props.file.filename}
    >
      <Name {...props} />
    </span>
  </div>
)

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
