// The state of the list of files in the address: search, filters, order and page. Names are the
// API's.
import { toQuery } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { type FileFilter } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export const FILE_SORTS = {
  '-created_at': t('Newest first'),
  created_at: t('Oldest first'),
  filename: t('Name A–Z'),
  '-filename': t('Name Z–A'),
  '-size_bytes': t('Largest first'),
  size_bytes: t('Smallest first'),
} as const
export type FileSort = keyof typeof FILE_SORTS
export const DEFAULT_SORT: FileSort = '-created_at'
const PAGE_SIZE = 50

export interface FilesUrlState {
  /** Words in any order: the API's `find`. */
  search: string
  tags: string[]
  /** Extensions, or `document`, `image`, `video`, `audio`, `archive`; lower case. */
  type: string[]
  mapped: boolean | null
  /** Bytes. */
  larger_than: number | null
  smaller_than: number | null
  /** YYYY-MM-DD */
  uploaded_after: string
  uploaded_before: string
  older_than_days: number | null
  not_downloaded_for_days: number | null
  /** A pack's id. */
  pack: string
  /** The trash instead of the other files. */
  deleted: boolean
  sort: FileSort
  /** From 1; the page that `cursor` leads to. */
  page: number
  cursor: string
}

/** Reads the address's query. Invalid values are ignored, because anybody can write an address. */
export function readFilesUrlState(search: string): FilesUrlState {
  const params = new URLSearchParams(search)
  const text = (name: string) => params.get(name)?.trim() ?? ''
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name)) ? text(name) : '')
  const whole = (name: string) => (/^\d{1,15}$/.test(text(name)) ? Number(text(name)) : null)
  const days = (name: string) => (/^[1-9]\d{0,4}$/.test(text(name)) ? Number(text(name)) : null)
  const cursor = text('cursor')
  return {
    search: params.get('search') ?? '',
    tags: wordsIn(text('tags')),
    type: wordsIn(text('type').toLowerCase().replaceAll('.', '')),
    mapped: text('mapped') === 'true' ? true : text('mapped') === 'false' ? false : null,
    larger_than: whole('larger_than'),
    smaller_than: whole('smaller_than'),
    uploaded_after: day('uploaded_after'),
    uploaded_before: day('uploaded_before'),
    older_than_days: days('older_than_days'),
    not_downloaded_for_days: days('not_downloaded_for_days'),
    pack: /^pack_[0-9a-f]{32}$/.test(text('pack')) ? text('pack') : '',
    deleted: text('deleted') === 'true',
    sort: Object.hasOwn(FILE_SORTS, text('sort')) ? (text('sort') as FileSort) : DEFAULT_SORT,
    page: cursor === '' ? 1 : Math.max(2, whole('page') ?? 2),
    cursor,
  }
}

/** The query that `readFilesUrlState` reads; defaults are left out. */
export function writeFilesUrlState(urlState: FilesUrlState): string {
  return toQuery({
    ...urlState,
    deleted: urlState.deleted || null,
    sort: urlState.sort === DEFAULT_SORT ? null : urlState.sort,
    page: urlState.cursor === '' ? null : urlState.page,
  })
}

/** Identifies the list, without its page and its order. */
export const listOf = (urlState: FilesUrlState): string =>
  writeFilesUrlState({
    ...urlState,
    search: urlState.search.trim(),
    sort: DEFAULT_SORT,
    page: 1,
    cursor: '',
  })

/** The API's query for this state. */
export function filesQuery({ page: _page, search, ...urlState }: FilesUrlState): Query {
  return {
    ...urlState,
    deleted: urlState.deleted || null,
    find: findOf(search),
    limit: PAGE_SIZE,
  }
}

/** The API takes this many words. */
const MAX_WORDS = 8
const findOf = (search: string): string => search.trim().split(/\s+/).slice(0, MAX_WORDS).join(' ')

/** The search and filters as a filter of an operation. */
export function filterOf({
  page: _page,
  cursor: _cursor,
  sort: _sort,
  search,
  ...urlState
}: FilesUrlState): FileFilter {
  const said = Object.entries({
    ...urlState,
    deleted: urlState.deleted || null,
    find: findOf(search),
  })
  return Object.fromEntries(
    said.filter(
      ([, value]) =>
        value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

/** Does a search or a filter narrow the list? The trash is a separate list. */
export const isNarrowed = (urlState: FilesUrlState): boolean =>
  Object.keys(filterOf({ ...urlState, deleted: false })).length > 0

/** The same list without search and filters, in the same order. */
export const withoutFilters = (urlState: FilesUrlState): FilesUrlState => ({
  ...readFilesUrlState(''),
  deleted: urlState.deleted,
  sort: urlState.sort,
})

/** `51–100 of 1,234 files` */
export function rangeText(page: number, shown: number, total: number): string {
  if (shown === 0 || (page === 1 && shown === total))
    return t('{total, plural, one {# file} other {# files}}', { total })
  const first = (page - 1) * PAGE_SIZE + 1
  return t('{first, number}–{last, number} of {total, plural, one {# file} other {# files}}', {
    first,
    last: first + shown - 1,
    total,
  })
}

/** The words of a comma-separated list, each once. */
export const wordsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
]
