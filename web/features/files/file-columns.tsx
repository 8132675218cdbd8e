// What the list of files shows of each: in a row, in a card of a narrow window, and in a tile of the grid.
import { type ReactNode } from 'react'
import { hasWord, searchWords } from '../../../plugins/_page/search-key.ts'
import { type File } from '../../shell/client/types.ts'
import { FileName, Marked } from '../../shell/files/name.tsx'
import {
  type CardLayout,
  type Columns,
  type TileLayout,
} from '../../shell/components/record-columns.ts'
import { Badge, InlineStack, Link, Text, Tooltip } from '../../shell/ui/index.ts'
import { kindText } from '../../shell/files/labels.ts'
import { termsText } from './terms.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { dayText, trashedText } from '../../shell/labels/time.ts'
import { ALL_COLUMNS, LIST_COLUMNS, type ListColumn } from './columns.ts'
import { Found, foundFirst } from './found.tsx'
import { Thumbnail } from './picture.tsx'
import { t } from '../../shell/messages/t.ts'

export type ColumnId = 'icon' | 'name' | 'found' | ListColumn | 'left' | 'terms'

/** The columns in which words are found, and that cards or tiles show. */
const IN_CARDS: readonly ListColumn[] = ['tags', 'products']
const IN_TILES: readonly ListColumn[] = ['products']

export const CARD: CardLayout<ColumnId> = {
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

export const TILE: TileLayout<ColumnId> = {
  picture: 'icon',
  lines: ['name', 'products', 'found'],
  facts: ['terms', 'size'],
}

/** Cards and tiles choose from all of them; the table shows those in `shown`. */
export function columnsOf(
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
  name: nameColumn(trash, find, shown),
  found: {
    cell: (file) => <Found file={file} find={find} shown={IN_CARDS} />,
    inTile: (file) => <Found file={file} find={find} shown={IN_TILES} />,
  },
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
  pack: packColumn(find),
  downloads: {
    title: LIST_COLUMNS.downloads,
    align: 'end',
    tabular: true,
    sort: 'descending',
    cell: (file) => numberText(file.downloads),
    inCard: ({ downloads }) =>
      t('{downloads, plural, one {# download} other {# downloads}}', { downloads }),
  },
  paid_by: PAID_COLUMN,
  uploaded: uploadedColumn(trash),
  visibility: {
    title: LIST_COLUMNS.visibility,
    cell: ({ visibility }) => (visibility === 'public' ? t('Public') : t('Private')),
  },
  left: {
    cell: ({ deleted_at }) => (deleted_at === null ? '' : trashedText(deleted_at, new Date()).left),
  },
  terms: { cell: (file) => termsText(file, new Date()) },
})

const nameColumn = (
  trash: boolean,
  find: string,
  shown: readonly ListColumn[],
): Columns<ColumnId, File>['name'] => ({
  title: t('File'),
  sort: 'ascending',
  cell: (file) => (
    <CutName file={file} trash={trash} find={find}>
      <Withheld file={file} />
      <Found file={file} find={find} shown={shown} />
    </CutName>
  ),
  inCard: (file) => (
    <>
      <Name file={file} trash={trash} find={find} whole />
      <Withheld file={file} />
    </>
  ),
  inTile: (file) => (
    <>
      <TwoLineName file={file} trash={trash} find={find} />
      <Withheld file={file} />
    </>
  ),
})

/** Why nobody can download it. */
const Withheld = ({ file: { problem } }: { file: File }) =>
  problem && (
    <Tooltip content={problem.message}>
      <Badge tone="critical">
        {problem.code === 'file_quarantined' ? t('In quarantine') : t('Damaged')}
      </Badge>
    </Tooltip>
  )

const namesOf = (packs: File['packs']): string => packs.map(({ name }) => name).join(', ')

const packColumn = (find: string): Columns<ColumnId, File>['pack'] => ({
  title: LIST_COLUMNS.pack,
  cut: { width: 'clamp(110px, 11vw, 300px)', whole: ({ packs }) => namesOf(packs) },
  cell: ({ packs }) => packs.length > 0 && <Marked text={namesOf(packs)} find={find} />,
})

const PAID_COLUMN: Columns<ColumnId, File>['paid_by'] = {
  title: LIST_COLUMNS.paid_by,
  align: 'end',
  tabular: true,
  cell: ({ paid_by }) =>
    paid_by === 0 ? '' : t('{orders, plural, one {# order} other {# orders}}', { orders: paid_by }),
}

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
      <OneLineName {...props} />
      {children}
    </div>
  </div>
)

/** Cut in its middle; whole on hover and while its link has the focus. */
const OneLineName = (props: RowProps) => (
  <span className="cut whole-on-focus" title={props.file.filename} data-whole={props.file.filename}>
    <Name {...props} />
  </span>
)

/** Cut after its second line; whole on hover and while its link has the focus. */
const TwoLineName = (props: RowProps) => (
  <div className="whole-on-focus" title={props.file.filename} data-whole={props.file.filename}>
    <div className="two-lines">
      <Name {...props} whole />
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
