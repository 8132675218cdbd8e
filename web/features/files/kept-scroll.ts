// The place in the list to which a person comes back from one of its files.
import { useLayoutEffect } from 'react'

/** Where the list of an address was left, until it is shown again. */
let left: { address: string; top: number } | null = null

const address = () => window.location.pathname + window.location.search

/** @param shown are the rows there? */
export function useKeptScroll(shown: boolean): void {
  useLayoutEffect(() => {
    if (!shown) return
    const here = address()
    const before = left
    left = null
    // After the page has been arrived at, which scrolls to its top.
    const restoring =
      before?.address === here
        ? requestAnimationFrame(() => window.scrollTo({ top: before.top }))
        : 0
    let top = before?.address === here ? before.top : window.scrollY
    const note = () => {
      if (address() === here) top = window.scrollY
    }
    window.addEventListener('scroll', note, { passive: true })
    return () => {
      cancelAnimationFrame(restoring)
      window.removeEventListener('scroll', note)
      // Only for the way back from the page of a file.
      if (window.location.pathname.startsWith('/files/')) left = { address: here, top }
    }
  }, [shown])
}
