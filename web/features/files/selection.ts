// The selection of the list of files: single files of any page, or all that match.
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type File, type FileFilter, type Selection } from '../../shell/client/types.ts'
import { useRead } from '../../shell/client/reads.ts'
import { useKept, useRestored } from '../../shell/url-state/kept-over-reload.ts'
import { hasLeft } from './kept-scroll.ts'
import { DEFAULT_SORT, type FilesUrlState, filesQuery, filterOf, listOf } from './url-state.ts'

/**
 * The ticked files of one list, each as it was last loaded, in the order in which they were ticked.
 */
export interface TickedFiles {
  list: string
  files: ReadonlyMap<string, File>
  /** All that match, on every page. */
  all: boolean
}

/**
 * A click as the list reports it: on one row, on a range of rows with Shift (in its direction), on
 * the page's checkbox, or on "all". Or Shift with an arrow key: the range from `anchor` to `from`
 * becomes the one from `anchor` to `to`.
 */
export type Click =
  | { kind: 'one'; id: string; on: boolean }
  | { kind: 'range'; from: number; to: number; on: boolean }
  | { kind: 'extent'; anchor: number; from: number; to: number }
  | { kind: 'page'; on: boolean }
  | { kind: 'all' }

/**
 * The ticked files after a click. Unticking one of "all" leaves the rest of this page. `whole`: the
 * page, in the order in which its checkbox ticks.
 */
export function selectionAfter(
  { list, ...ticked }: TickedFiles,
  click: Click,
  shown: readonly File[],
  whole: readonly File[] = shown,
): TickedFiles {
  if (click.kind === 'all') return { list, files: filesOf(whole), all: true }
  if (click.kind === 'extent') {
    const { anchor, from, to } = click
    const files = new Map(ticked.all ? filesOf(whole) : ticked.files)
    for (const { id } of rangeOf(shown, { from: anchor, to: from })) files.delete(id)
    for (const file of rangeOf(shown, { from: anchor, to })) files.set(file.id, file)
    return { list, files, all: false }
  }
  const meant =
    click.kind === 'page'
      ? whole
      : click.kind === 'one'
        ? shown.filter(({ id }) => id === click.id)
        : rangeOf(shown, click)
  const files = new Map(ticked.all ? filesOf(click.kind === 'page' ? [] : whole) : ticked.files)
  for (const file of meant) {
    if (click.on) files.set(file.id, file)
    else files.delete(file.id)
  }
  return { list, files, all: false }
}

const rangeOf = (shown: readonly File[], { from, to }: { from: number; to: number }): File[] =>
  from <= to ? shown.slice(from, to + 1) : shown.slice(to, from + 1).toReversed()

/** The files of an action: which, how many, and those that are loaded here. */
export interface ActionFiles {
  select: Selection
  count: number
  /** All of them; if all that match are selected, those on the page. */
  files: readonly File[]
  /** Does `files` contain all of them? */
  known: boolean
  /** The list in which they were ticked. */
  list: { filter: FileFilter; total: number; isExact?: boolean }
}

const NONE: readonly File[] = []

/** The ticked files of a list that was left for the page of a file, until a list is shown again. */
let kept: TickedFiles | null = null

/** The ticked files as they are kept when the page reloads itself. */
type ReloadedTicks = Omit<TickedFiles, 'files'> & { files: readonly File[] }

/** The state of the ticked files; it survives the visit of a file's page. */
function useTicked(list: string) {
  const restored = useRestored('ticked files') as ReloadedTicks | undefined
  const state = useState<TickedFiles>(() =>
    restored?.list === list
      ? { ...restored, files: filesOf(restored.files) }
      : kept?.list === list
        ? kept
        : { list, files: new Map(), all: false },
  )
  const [ticked] = state
  const reloaded = useMemo(
    () => (ticked.files.size > 0 ? { ...ticked, files: [...ticked.files.values()] } : undefined),
    [ticked],
  )
  useKept('ticked files', reloaded)
  const last = useRef(ticked)
  useLayoutEffect(() => {
    last.current = ticked
  }, [ticked])
  useLayoutEffect(() => {
    kept = null
    return () => {
      kept = hasLeft() ? last.current : null
    }
  }, [])
  return state
}

/**
 * Other filters are another list with its own selection, so that no hidden file stays ticked;
 * another page or order is the same list.
 */
export function useSelection(
  urlState: FilesUrlState,
  shown: readonly File[] = NONE,
  { total: listed, isExact }: { total: number; isExact: boolean } = { total: 0, isExact: true },
) {
  const list = listOf(urlState)
  const nothing: TickedFiles = { list, files: new Map(), all: false }
  const [state, setTicked] = useTicked(list)
  const ticked = state.list === list ? state : nothing
  const total = useExactTotal(urlState, ticked.all && !isExact) ?? listed
  // The page's checkbox ticks in the order of creation, as a filter does; in a sorted list, in the
  // list's order.
  const whole = urlState.sort === DEFAULT_SORT ? shown.toReversed() : shown
  const onPage = shown.filter(({ id }) => ticked.all || ticked.files.has(id)).length
  // Uses the list's newest data of a file.
  const fresh = new Map(shown.map((file) => [file.id, file]))
  const files = ticked.all
    ? whole
    : [...ticked.files.values()].map((file) => fresh.get(file.id) ?? file)
  const count = ticked.all ? total : files.length
  const known = !ticked.all || total === shown.length
  const chosen: ActionFiles = {
    select: ticked.all ? { filter: filterOf(urlState) } : { file_ids: files.map(({ id }) => id) },
    count,
    files,
    known,
    list: { filter: filterOf(urlState), total, isExact },
  }
  return {
    isTicked: (id: string) => ticked.all || ticked.files.has(id),
    all: ticked.all,
    count,
    /** How many of them are on this page. */
    onPage,
    chosen,
    click: (click: Click) => setTicked(selectionAfter(ticked, click, shown, whole)),
    clear: () => setTicked(nothing),
  }
}

/** The number of all files that match: an action on them says how many it changes. */
function useExactTotal(urlState: FilesUrlState, enabled: boolean): number | undefined {
  const query = { ...filesQuery({ ...urlState, cursor: '' }), limit: 1, exact: true }
  return useRead('GET /api/files', { query, enabled }).data?.total
}

export type FileSelection = ReturnType<typeof useSelection>

const filesOf = (files: readonly File[]) => new Map(files.map((file) => [file.id, file]))
