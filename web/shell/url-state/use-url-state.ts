// Stores a list's state in the address, so that reload, back and a shared address show the same.
import { useCallback, useEffect, useMemo } from 'react'
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location'
import type { PagePosition } from './list-state.ts'

/** How a list's address has its state. */
export interface ListState<P> {
  read: (address: string) => P
  write: (urlState: P) => string
}

export interface UrlState<P extends PagePosition> {
  urlState: P
  /**
   * Changes search, filter or order, and returns to the first page. `replace`: without a new
   * history entry.
   */
  go: (change: Partial<P>, options?: { replace?: boolean }) => void
  /** Moves to a page that begins at `cursor`. */
  turn: (page: number, cursor: string) => void
  /** The cursor of a page that was visited before; '' if it is unknown. */
  known: (page: number) => string
  /** Moves by one page; `next`: the cursor from the API. */
  pages: (next: string | null | undefined) => {
    hasNext: boolean
    hasPrevious: boolean
    onNext(): void
    onPrevious(): void
  }
}

const last = new Map<string, string>()

/** The last address of a list, for the way back from the page of one of its rows. */
export const lastSeen = (path: string): string => path + (last.get(path) ?? '')

/** The state of the list that the page’s address names, and functions that change the address. */
export function useUrlState<P extends PagePosition>({ read, write }: ListState<P>): UrlState<P> {
  const path = usePathname()
  const search = useSearch()
  const urlState = useMemo(() => read(search), [read, search])
  const list = path + write({ ...urlState, page: 1, cursor: '' })
  useEffect(() => {
    last.set(path, write(urlState))
    if (urlState.cursor !== '') rememberCursor(list, urlState.page, urlState.cursor)
  }, [path, list, urlState, write])
  const to = useCallback(
    (next: P, options?: { replace?: boolean }) => navigate(path + write(next), options),
    [path, write],
  )
  // Based on the current address: a search that was typed before a filter was chosen arrives after
  // it.
  const go = useCallback<UrlState<P>['go']>(
    (change, options) =>
      to({ ...read(window.location.search), ...change, page: 1, cursor: '' }, options),
    [read, to],
  )
  const turn = (page: number, cursor: string) =>
    to({ ...urlState, page: cursor === '' ? 1 : page, cursor })
  const known = (page: number) => cursorOf(list, page)
  return {
    urlState,
    go,
    turn,
    known,
    pages: (next) => ({
      hasNext: Boolean(next),
      hasPrevious: urlState.cursor !== '',
      onNext: () => next && turn(urlState.page + 1, next),
      onPrevious: () => turn(urlState.page - 1, known(urlState.page - 1)),
    }),
  }
}

// The cursors of visited pages: the API's cursors only point forward, and "previous" needs them.
// They survive a reload.

const memory = new Map<string, string>()

/** Remembers that page `page` of `list` begins at `cursor`. */
export function rememberCursor(list: string, page: number, cursor: string): void {
  const key = `cursors ${list} ${page}`
  memory.set(key, cursor)
  try {
    sessionStorage.setItem(key, cursor)
  } catch {
    // Storage is full or forbidden in this frame: the cursors last until the next reload.
  }
}

/** The cursor at which page `page` begins; the empty string (the beginning of the list) if it is unknown. */
export function cursorOf(list: string, page: number): string {
  if (page <= 1) return ''
  const key = `cursors ${list} ${page}`
  const known = memory.get(key)
  if (known !== undefined) return known
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
