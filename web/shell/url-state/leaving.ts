// Prevents navigation while a page has unsaved changes. It is loaded with the page itself, because
// it must listen before others: the window calls listeners in the order in which they were added.

interface Guard {
  /** The current address. */
  here: string
  onLeave: LeaveHandler
}

/** Called with the target of a blocked navigation; `onStay`: if the person stays on the page. */
type LeaveHandler = (url: string, onStay?: () => void) => void

let guard: Guard | null = null

window.addEventListener('beforeunload', (event) => {
  if (guard) event.preventDefault()
})

// Back and forward have already changed the address: restore it before other listeners see it.
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
    if (isHere(anchor.pathname + anchor.search)) return
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    event.stopImmediatePropagation()
    guard.onLeave(anchor.pathname + anchor.search)
  },
  true,
)

/** The page that is open: going to it loses nothing. */
const isHere = (url: string) => url === window.location.pathname + window.location.search

/** Blocks navigation and calls `onLeave` with its target, until the returned function is called. */
export function guardLeaving(onLeave: LeaveHandler): () => void {
  const mine = { here: window.location.href, onLeave }
  guard = mine
  return () => {
    if (guard === mine) guard = null
  }
}

/** Goes to another page, as a link does: a page with unsaved changes asks first. */
export function goTo(url: string, onStay?: () => void): void {
  if (isHere(url)) return
  if (guard) guard.onLeave(url, onStay)
  else window.history.pushState(null, '', url)
}

/** The changes of the page are kept over its reload: the browser does not ask. */
export function leaveUnasked(): void {
  guard = null
}
