// A saved view as a state of the list, and back.
import { type ListColumn, readColumns, writeColumns } from './columns.ts'
import {
  DEFAULT_SORT,
  FILE_SORTS,
  type FileSort,
  filterOf,
  type FilesUrlState,
  readFilesUrlState,
  writeMore,
  writeFilesUrlState,
} from './url-state.ts'
import { FURTHER } from '../../shell/files/further-conditions.ts'
import { type SavedView, type ViewContent } from '../../shell/views/view-calls.ts'

const isFileSort = (sort: string): sort is FileSort => Object.hasOwn(FILE_SORTS, sort)

/** The list that the view shows. */
export function stateOf({ id, filter, sort, columns }: SavedView): FilesUrlState {
  const { name_contains: contains, find = '', search = find, ...conditions } = filter ?? {}
  const own = Object.entries(conditions).filter(([name]) => !FURTHER.has(name))
  return {
    ...readFilesUrlState(''),
    ...Object.fromEntries(own),
    more: writeMore(conditions),
    search,
    ...(contains === undefined ? {} : { contains }),
    sort: sort !== null && isFileSort(sort) ? sort : DEFAULT_SORT,
    columns: columns === null ? [] : writeColumns(columns),
    view: id,
  }
}

/** What a view of this list is saved with. */
export function contentOf(
  urlState: FilesUrlState,
  columns: readonly ListColumn[] | null,
): ViewContent {
  const filter = filterOf({ ...urlState, deleted: false })
  return { filter, sort: urlState.sort, columns: columns && [...columns] }
}

/** Does the list show something else than the view, which was opened? */
export function isModified(urlState: FilesUrlState, view: SavedView): boolean {
  const shown = (state: FilesUrlState) => {
    const columns = readColumns(state.columns)
    return writeFilesUrlState({
      ...state,
      rows: 50,
      page: 1,
      cursor: '',
      view: '',
      search: state.search.trim(),
      tags: state.tags.toSorted(),
      type: state.type.toSorted(),
      columns: columns ? writeColumns(columns) : [],
    })
  }
  return shown(urlState) !== shown(stateOf(view))
}

export const addressOf = (urlState: FilesUrlState): string =>
  `/files${writeFilesUrlState(urlState)}`
