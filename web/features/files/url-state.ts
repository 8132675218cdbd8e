// The state of the list of files in the address: search, filters, order and page. Names are the
// API's.
import { type Query } from '../../shell/client/endpoints.ts'
import { type FileFilter } from '../../shell/client/types.ts'
import { furtherOf, isFilter } from '../../shell/files/further-conditions.ts'
import {
  flag,
  flagOrNone,
  listState,
  matching,
  oneOf,
  trimmed,
  typed,
  whole,
  words,
} from '../../shell/url-state/list-state.ts'
import { t } from '../../shell/messages/t.ts'

export const FILE_SORTS = {
  '-created_at': t('Newest first'),
  created_at: t('Oldest first'),
  filename: t('Name A–Z'),
  '-filename': t('Name Z–A'),
  '-size_bytes': t('Largest first'),
  size_bytes: t('Smallest first'),
  '-downloads': t('Most downloads first'),
  downloads: t('Fewest downloads first'),
} as const
export type FileSort = keyof typeof FILE_SORTS
export const DEFAULT_SORT: FileSort = '-created_at'

/** How many rows a page may have; the first is the default. */
export const PAGE_SIZES = [50, 25, 100] as const
const PAGE_SIZE = PAGE_SIZES[0]
export const STORAGES = ['primary', 'backup'] as const

const SORTS = Object.keys(FILE_SORTS) as FileSort[]
const BYTES = /^\d{1,15}$/
const DAYS = /^[1-9]\d{0,4}$/
/** A day, or a time, which only views that were saved over the API have. */
const moment = matching(/^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2}))?$/)
const idOf = (prefix: string) => matching(new RegExp(`^${prefix}_[0-9a-f]{32}$`))

function jsonObject(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return isFilter(value) && Object.keys(furtherOf(value)).length > 0 ? text.trim() : ''
  } catch {
    return ''
  }
}

/** The conditions of the filter “More conditions”. */
export const moreOf = ({ more }: Pick<FilesUrlState, 'more'>): FileFilter =>
  more === '' ? {} : furtherOf(JSON.parse(more) as FileFilter)

/** As the address holds them. */
export const writeMore = (filter: FileFilter): string => {
  const further = furtherOf(filter)
  return Object.keys(further).length === 0 ? '' : JSON.stringify(further)
}

export const FILES_STATE = listState({
  /** Words in any order: the API's `find`. */
  search: typed,
  contains: trimmed,
  tags: words,
  /** Extensions, or `document`, `image`, `video`, `audio`, `archive`; lower case. */
  type: (text) => words(text.toLowerCase().replaceAll('.', '')),
  mapped: flagOrNone,
  larger_than: whole(BYTES),
  smaller_than: whole(BYTES),
  uploaded_after: moment,
  uploaded_before: moment,
  older_than_days: whole(DAYS),
  not_downloaded_for_days: whole(DAYS),
  product: matching(/^[\w:/.-]{1,255}$/),
  pack: idOf('pack'),
  storage: oneOf(STORAGES, ''),
  backed_up: flagOrNone,
  delivered: flagOrNone,
  released: flagOrNone,
  quarantined: flagOrNone,
  connection: idOf('connection'),
  drop_account: idOf('account'),
  licence_list: idOf('licences'),
  /** The conditions of the filter “More conditions”, as JSON. */
  more: jsonObject,
  /** The trash instead of the other files. */
  deleted: flag,
  sort: oneOf(SORTS, DEFAULT_SORT),
  rows: (text) => PAGE_SIZES.find((size) => String(size) === text.trim()) ?? PAGE_SIZE,
  /** The saved view that was opened, and its columns. */
  view: idOf('saved'),
  columns: words,
})

export const { read: readFilesUrlState, write: writeFilesUrlState } = FILES_STATE

export type FilesUrlState = ReturnType<typeof readFilesUrlState>

/** The trash has a separate address: `deleted` is not in it. */
export const inTrash = ({ read, write }: typeof FILES_STATE): typeof FILES_STATE => ({
  read: (address) => ({ ...read(address), deleted: true }),
  write: (state) => write({ ...state, deleted: false }),
})

/** Where an old address of the trash, `/files?deleted=true`, leads; null: it is another list. */
export const trashAddress = (urlState: FilesUrlState): string | null =>
  urlState.deleted ? '/trash' + inTrash(FILES_STATE).write(urlState) : null

/** What the address holds beside the filter. */
const SHOWN = { sort: DEFAULT_SORT, page: 1, cursor: '', rows: PAGE_SIZE, view: '', columns: [] }

/** Identifies the list, without its page, its order and its columns. */
export const listOf = (urlState: FilesUrlState): string =>
  writeFilesUrlState({ ...urlState, ...SHOWN, search: urlState.search.trim() })

/** The API's query for this state. */
export function filesQuery(urlState: FilesUrlState): Query {
  const { sort, cursor, rows } = urlState
  const { any, ...conditions } = filterOf(urlState)
  return { ...conditions, ...(any && { any: JSON.stringify(any) }), sort, cursor, limit: rows }
}

/** The search and filters as a filter of an operation. */
export function filterOf({
  search,
  contains,
  deleted,
  more,
  ...urlState
}: FilesUrlState): FileFilter {
  const said = Object.entries({
    ...urlState,
    ...moreOf({ more }),
    search: search.trim(),
    name_contains: contains,
    deleted: deleted || null,
  })
  return Object.fromEntries(
    said.filter(
      ([name, value]) =>
        !Object.hasOwn(SHOWN, name) &&
        value !== null &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}

/** Does a search or a filter narrow the list? The trash is a separate list. */
export const isNarrowed = (urlState: FilesUrlState): boolean =>
  Object.keys(filterOf({ ...urlState, deleted: false })).length > 0

/** The state of the list without search and filters, in the same order. */
export const withoutFilters = ({ deleted, sort, rows }: FilesUrlState): FilesUrlState => ({
  ...readFilesUrlState(''),
  deleted,
  sort,
  rows,
})

/** `51–100 of 1,234 files`, or `51–100 of more than 10,000 files` */
export function rangeText(
  page: number,
  shown: number,
  total: number,
  rows: number = PAGE_SIZE,
  isExact = true,
): string {
  if (shown === 0 || (page === 1 && shown === total))
    return t('{total, plural, one {# file} other {# files}}', { total })
  const first = (page - 1) * rows + 1
  if (!isExact)
    return t('{first, number}–{last, number} of more than {total, number} files', {
      first,
      last: first + shown - 1,
      total,
    })
  return t('{first, number}–{last, number} of {total, plural, one {# file} other {# files}}', {
    first,
    last: first + shown - 1,
    total,
  })
}
