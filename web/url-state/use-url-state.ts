// Stores a list's state in the address, so that reload, back and a shared address show the same.
import { useCallback, useEffect, useMemo } from 'react'
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location'
import { cursorOf, rememberCursor } from './cursor-history.ts'

interface Place {
  page: number
  cursor: string
}

export interface UrlState<P extends Place> {
  place: P
  /**
   * Changes search, filter or order, and returns to the first page. `replace`: without a new
   * history entry.
   */
  go: (change: Partial<P>, options?: { replace?: boolean }) => void
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

export function useUrlState<P extends Place>(
  read: (search: string) => P,
  write: (place: P) => string,
): UrlState<P> {
  const path = usePathname()
  const search = useSearch()
  const place = useMemo(() => read(search), [read, search])
  const list = path + write({ ...place, page: 1, cursor: '' })
  useEffect(() => {
    last.set(path, write(place))
    if (place.cursor !== '') rememberCursor(list, place.page, place.cursor)
  }, [path, list, place, write])
  const to = useCallback(
    (next: P, options?: { replace?: boolean }) => navigate(path + write(next), options),
    [path, write],
  )
  return {
    place,
    // Based on the current address: a search that was typed before a filter was chosen arrives
    // after it.
    go: (change, options) =>
      to({ ...read(window.location.search), ...change, page: 1, cursor: '' }, options),
    pages: (next) => ({
      hasNext: Boolean(next),
      hasPrevious: place.cursor !== '',
      onNext: () => next && to({ ...place, page: place.page + 1, cursor: next }),
      onPrevious: () => {
        const cursor = cursorOf(list, place.page - 1)
        to({ ...place, page: cursor === '' ? 1 : place.page - 1, cursor })
      },
    }),
  }
}
