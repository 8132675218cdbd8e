// Whether files are on their way up, for all pages: uploads continue on other pages of the app
// and end when the tab is closed, so the page asks before it closes.
import { useSyncExternalStore } from 'react'

let remaining = 0
const listeners = new Set<() => void>()

window.addEventListener('beforeunload', (event) => {
  if (remaining > 0) event.preventDefault()
})

/** `count` files are not up yet; 0: all is well. */
export function setUploading(count: number): void {
  if (count === remaining) return
  remaining = count
  listeners.forEach((listener) => listener())
}

/** How many files are on their way. */
export const useUploading = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => remaining,
  )
