// The place in the list to which a person comes back from one of its files.
import { useLayoutEffect } from 'react'

/** The position of the list when the page of a file was opened, until the list is shown again. */
let left: { list: string; top: number } | null = null

/** @param list identifies the rows, with their page and order; null: they are not there yet. */
export function useKeptScroll(list: string | null): void {
  useLayoutEffect(() => {
    if (list === null) return
    const before = left?.list === list ? left : null
    left = null
    // Runs after the browser has scrolled the new page to its top.
    const restoring = before && requestAnimationFrame(() => window.scrollTo({ top: before.top }))
    let top = before?.top ?? window.scrollY
    const note = () => {
      // The next page may have taken this one's place already.
      if (!hasLeft()) top = window.scrollY
    }
    window.addEventListener('scroll', note, { passive: true })
    return () => {
      if (restoring !== null) cancelAnimationFrame(restoring)
      window.removeEventListener('scroll', note)
      if (hasLeft()) left = { list, top }
    }
  }, [list])
}

/** Is the list being left for the page of a file? */
export const hasLeft = () => window.location.pathname.startsWith('/files/')
