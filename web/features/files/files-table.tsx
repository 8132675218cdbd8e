// The files of one page, with the selection.
import { type ReactNode, useMemo } from 'react'
import { hasWord, searchWords } from '../../../plugins/_page/search-key.ts'
import { type File } from '../../shell/client/types.ts'
import { FileName, Marked } from '../../shell/files/name.tsx'
import { ALL_COLUMNS, LIST_COLUMNS, type ListColumn } from './columns.ts'
import { type FileSort } from './url-state.ts'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable, type RowSelection } from '../../shell/components/record-table.tsx'
import { type SelectionMenu } from '../../shell/components/selection-bar.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { Badge, InlineStack, Link, Text, Tooltip, useBreakpoints } from '../../shell/ui/index.ts'
import { kindText } from '../../shell/files/labels.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { dayText, trashedText } from '../../shell/labels/time.ts'
import { Found, foundFirst } from './found.tsx'
import { Thumbnail } from './picture.tsx'
import { SelectedBar } from './selected-bar.tsx'
import { useRowClicks } from './row-clicks.ts'
import { type FileSelection } from './selection.ts'
import { columnOf, sortFor } from './sorting.ts'
import './files-table.css'
import { t } from '../../shell/messages/t.ts'

interface Props {
  files: readonly File[]
  /** The number of files on all pages. */
  total: number
  /** False: there are more. */
  isExact: boolean
  /** Files in the trash have no page of their own. */
  trash: boolean
  /** The words that were searched for. */
  find: string
  /** The columns after the name; must be the same array while they do not change. */
  columns: readonly ListColumn[]
  selection: FileSelection
  menu: SelectionMenu
  sort: FileSort
  onSort: (sort: FileSort) => void
}

export function FilesTable(props: Props) {
  const { files, trash, find, columns: shown, selection, sort, onSort } = props
  const { lgDown: narrow } = useBreakpoints()
  const clicks = useRowClicks(files, selection)
  const [column, direction] = columnOf(sort)
  const columns = useMemo(() => columnsOf(trash, find, shown), [trash, find, shown])
  return (
    <div {...(narrow ? {} : clicks.props)}>
      <RecordTable
        names={NAMES}
        columns={columns}
        card={CARD}
        rows={files}
        idOf={({ id }) => id}
        selection={useTableSelection(props, narrow, clicks)}
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
  { files, total, isExact, selection, menu }: Props,
  narrow: boolean,
  { onTick }: ReturnType<typeof useRowClicks>,
): RowSelection<File> {
  const onPage = useStable(() =>
    selection.click({ kind: 'page', on: selection.onPage < files.length }),
  )
  return {
    isSelected: ({ id }) => selection.isTicked(id),
    isSelecting: selection.count > 0,
    label: labelOf,
    onTick: useStable((file, on) =>
      narrow ? selection.click({ kind: 'one', id: file.id, on }) : onTick(file),
    ),
    onPage,
    bar: (
      <SelectedBar
        selection={selection}
        total={total}
        isExact={isExact}
        menu={menu}
        narrow={narrow}
        onPage={onPage}
        shown={files.length}
      />
    ),
  }
}

type ColumnId = 'icon' | 'name' | 'found' | ListColumn | 'left'

/** The columns in which words are found and that cards show. */
const IN_CARDS: readonly ListColumn[] = ['tags', 'products']

const CARD: CardLayout<ColumnId> = {
  picture: 'icon',
  lines: [
    'name',
    'found',
    { facts: ['size', 'downloads', 'uploaded', 'left'] },
    'products',
    'tags',
  ],
  gap: '050',
  dense: true,
}

/** Cards show all of them; the table those in `shown`. */
function columnsOf(
  trash: boolean,
  find: string,
  shown: readonly ListColumn[],
): Columns<ColumnId, File> {
  const all = everyColumn(trash, find, shown)
  const hidden = ALL_COLUMNS.filter((column) => !shown.includes(column))
  return {
    ...all,
    ...Object.fromEntries(hidden.map((column) => [column, { ...all[column], title: undefined }])),
  }
}

const everyColumn = (
  trash: boolean,
  find: string,
  shown: readonly ListColumn[],
): Columns<ColumnId, File> => ({
  icon: { cell: (file) => <Icon file={file} /> },
  name: {
    title: t('File'),
    sort: 'ascending',
    cell: (file) => (
      <CutName file={file} trash={trash} find={find}>
        <Found file={file} find={find} shown={shown} />
      </CutName>
    ),
    inCard: (file) => <Name file={file} trash={trash} find={find} whole />,
  },
  found: { cell: (file) => <Found file={file} find={find} shown={IN_CARDS} /> },
  size: {
    title: LIST_COLUMNS.size,
    align: 'end',
    tabular: true,
    sort: 'descending',
    cell: (file) => sizeText(file.size_bytes),
  },
  tags: {
    title: LIST_COLUMNS.tags,
    cell: (file) => <Tags tags={foundFirst.tags(file)} find={find} />,
  },
  products: {
    title: LIST_COLUMNS.products,
    cell: (file) => <Products file={file} find={find} />,
  },
  pack: {
    title: LIST_COLUMNS.pack,
    cut: { width: 'clamp(110px, 11vw, 300px)', whole: ({ pack }) => pack?.name },
    cell: ({ pack }) => pack && <Marked text={pack.name} find={find} />,
  },
  downloads: {
    title: LIST_COLUMNS.downloads,
    align: 'end',
    tabular: true,
    sort: 'descending',
    cell: (file) => numberText(file.downloads),
    inCard: ({ downloads }) =>
      t('{downloads, plural, one {# download} other {# downloads}}', { downloads }),
  },
  uploaded: uploadedColumn(trash),
  visibility: {
    title: LIST_COLUMNS.visibility,
    cell: ({ visibility }) => (visibility === 'public' ? t('Public') : t('Private')),
  },
  left: {
    cell: ({ deleted_at }) => (deleted_at === null ? '' : trashedText(deleted_at, new Date()).left),
  },
})

const uploadedColumn = (trash: boolean): Columns<ColumnId, File>['uploaded'] => ({
  title: trash ? t('Deleted') : LIST_COLUMNS.uploaded,
  // The server cannot sort by the time of deletion.
  ...(trash ? {} : { sort: 'descending' }),
  cell: (file) =>
    file.deleted_at === null ? dayText(file.upload_date) : <Trashed at={file.deleted_at} />,
  inCard: (file) =>
    file.deleted_at === null
      ? dayText(file.upload_date)
      : t('deleted {deleted}', { deleted: trashedText(file.deleted_at, new Date()).deleted }),
})

interface RowProps {
  file: File
  trash: boolean
  find: string
}

/** The column of the type: the picture or icon, with the type in words on hover and for screen readers. */
const Icon = ({ file }: Pick<RowProps, 'file'>) => {
  const kind = kindText(file.filename, file.content_type)
  return (
    <span title={kind} className="file-kind">
      <Thumbnail file={file} />
      <Text as="span" visuallyHidden>
        {kind}
      </Text>
    </span>
  )
}

const CutName = ({ children, ...props }: RowProps & { children: ReactNode }) => (
  <div className="file-name">
    <Thumbnail file={props.file} />
    <div>
      <span
        className="cut whole-on-focus"
        title={props.file.filename}
        data-whole={props.file.filename}
      >
        <Name {...props} />
      </span>
      {children}
    </div>
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
  searchWords(find).some((word) => hasWord(tag, word))

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
  const [first, ...rest] = foundFirst.products(file)
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
