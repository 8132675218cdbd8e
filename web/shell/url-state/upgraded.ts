// Reloads a page that was opened before an upgrade of the server, once, when a script that it still
// has to load no longer exists.
import { mayReload, storeKept } from './kept-over-reload.ts'
import { leaveUnasked } from './leaving.ts'
import { isDialogOpen } from './dialog-open.ts'
import { isUploading } from './uploading.ts'

const unloaded = new WeakSet<Error>()

/** Could a part of the page not be loaded? */
export const isLoadError = (error: Error): boolean => unloaded.has(error)

/**
 * Reloads the page once if a part of it is gone, because the server was upgraded while it was open.
 * Drafts and ticked rows are kept; an open dialog or an upload would be lost, so they prevent it.
 */
export function reloadWhenUpgraded(): void {
  // Vite's event: a script or style of a lazily loaded part could not be loaded.
  window.addEventListener('vite:preloadError', ({ payload }) => {
    unloaded.add(payload)
    // Before the failed part says so in a dialog itself.
    const mustStay = holdsMore()
    void reloadIfReached(() => !mustStay && mayReload(storage, Date.now()))
  })
}

const storage = () => window.sessionStorage

const holdsMore = (): boolean => isUploading() || isDialogOpen()

/**
 * Reloads the page if the server answers: without a connection the browser would show its own page
 * instead, and uploads would be lost.
 */
export async function reloadIfReached(may: () => boolean = () => true): Promise<void> {
  const { pathname, search } = window.location
  const answer = await fetch(pathname, { cache: 'no-store' }).catch(() => null)
  if (!answer?.ok || !may() || !storeKept(storage, pathname + search)) return
  leaveUnasked()
  window.location.reload()
}
