// The state of the list of files in the address: search, filters, order and page. Names are the
// API's.
import { type Query } from '../../shell/client/endpoints.ts'
import { type FileFilter } from '../../shell/client/types.ts'
import {
  day,
  flag,
  flagOrNone,
  listState,
  matching,
  oneOf,
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
} as const
export type FileSort = keyof typeof FILE_SORTS
export const DEFAULT_SORT: FileSort = '-created_at'
const PAGE_SIZE = 50

const SORTS = Object.keys(FILE_SORTS) as FileSort[]
const BYTES = /^\d{1,15}$/
const DAYS = /^[1-9]\d{0,4}$/

export const FILES_STATE = listState({
  /** Words in any order: the API's `find`. */
  search: typed,
  tags: words,
  /** Extensions, or `document`, `image`, `video`, `audio`, `archive`; lower case. */
  type: (text) => words(text.toLowerCase().replaceAll('.', '')),
  mapped: flagOrNone,
  larger_than: whole(BYTES),
  smaller_than: whole(BYTES),
  uploaded_after: day,
  uploaded_before: day,
  older_than_days: whole(DAYS),
  not_downloaded_for_days: whole(DAYS),
  pack: matching(/^pack_[0-9a-f]{32}$/),
  /** The trash instead of the other files. */
  deleted: flag,
  sort: oneOf(SORTS, DEFAULT_SORT),
})

export const { read: readFilesUrlState, write: writeFilesUrlState } = FILES_STATE

export type FilesUrlState = ReturnType<typeof readFilesUrlState>

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
/** The words of a search, as the API's `find` takes them. */
export const findOf = (search: string): string =>
  search.trim().split(/\s+/).slice(0, MAX_WORDS).join(' ')

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
