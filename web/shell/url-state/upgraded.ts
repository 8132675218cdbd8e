// Reloads a page that was opened before an upgrade of the server, once, when a script that it still
// has to load no longer exists.

const RELOADED = 'stevedore-reloaded-at'
/** A script that is missing this soon after a reload has another cause than an upgrade. */
const ONCE_MS = 60_000

/**
 * May the page reload itself at `now`? Stored in the browser's session, because the reload clears
 * the page's memory.
 */
export function mayReload(storage: Pick<Storage, 'getItem' | 'setItem'>, now: number): boolean {
  try {
    const before = Number(storage.getItem(RELOADED) ?? Number.NaN)
    if (now - before < ONCE_MS) return false
    storage.setItem(RELOADED, String(now))
    return true
  } catch {
    // The page would reload for ever if the attempt were not stored.
    return false
  }
}

const unloaded = new WeakSet<Error>()

/** Could a part of the page not be loaded? */
export const isLoadError = (error: Error): boolean => unloaded.has(error)

/** Reloads the page once if a part of it is gone, because the server was upgraded while it was open. */
export function reloadWhenUpgraded(): void {
  // Vite's event: a script or style of a lazily loaded part could not be loaded.
  window.addEventListener('vite:preloadError', ({ payload }) => {
    unloaded.add(payload)
    void reloadIfReached(() => mayReload(window.sessionStorage, Date.now()))
  })
}

/**
 * Reloads the page if the server answers: without a connection the browser would show its own page
 * instead, and uploads would be lost.
 */
export async function reloadIfReached(may: () => boolean = () => true): Promise<void> {
  const answer = await fetch(window.location.pathname, { cache: 'no-store' }).catch(() => null)
  if (answer?.ok && may()) window.location.reload()
}
