// Keeps the way out of a page shut while something on it is not saved. It listens before anyone who
// follows the address does, so it is loaded with the page itself: listeners of the window are
// called in the order in which they came.

interface Guard {
  /** The address that is not left. */
  here: string
  /** Is told where someone wants to go. */
  onLeave: (url: string) => void
}

let guard: Guard | null = null

window.addEventListener('beforeunload', (event) => {
  if (guard) event.preventDefault()
})

// Back and forward have happened by now: the page's own address is put back before anyone hears of
// it.
window.addEventListener('popstate', (event) => {
  if (!guard) return
  event.stopImmediatePropagation()
  const { pathname, search } = window.location
  window.history.pushState(null, '', guard.here)
  guard.onLeave(pathname + search)
})

document.addEventListener(
  'click',
  (event) => {
    const anchor = (event.target as Element | null)?.closest?.(
      'a[href]',
    ) as HTMLAnchorElement | null
    if (!guard || !anchor || anchor.origin !== window.location.origin || anchor.target === '_blank')
      return
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    event.stopImmediatePropagation()
    guard.onLeave(anchor.pathname + anchor.search)
  },
  true,
)

/**
 * Blocks navigation from now on and calls `onLeave` with its target, until the returned function
 * is called.
 */
export function guardLeaving(onLeave: (url: string) => void): () => void {
  const mine = { here: window.location.href, onLeave }
  guard = mine
  return () => {
    if (guard === mine) guard = null
  }
}
