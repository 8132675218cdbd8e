// The number of files that are being uploaded, for all pages: uploads continue on other pages of
// the app and end with the tab, so the page asks before it is closed.
import { useSyncExternalStore } from 'react'

let remaining = 0
const listeners = new Set<() => void>()

window.addEventListener('beforeunload', (event) => {
  if (remaining > 0) event.preventDefault()
})

/** `count`: files that are not uploaded yet. */
export function setUploading(count: number): void {
  if (count === remaining) return
  remaining = count
  listeners.forEach((listener) => listener())
}

/** How many files are being uploaded. */
export const useUploading = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => remaining,
  )

export const isUploading = (): boolean => remaining > 0
