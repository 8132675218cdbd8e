// A page that was opened before an upgrade of the server: the scripts that it has yet to fetch are
// no longer there. It loads itself again, once, and so gets the new ones.

const RELOADED = 'stevedore-reloaded-at'
/** A script that is missing this soon after a reload is not explained by an upgrade. */
const ONCE_MS = 60_000

/**
 * Whether the page may load itself again, at `now`. The browser's session remembers it, since the
 * page itself can't.
 */
export function mayReload(storage: Pick<Storage, 'getItem' | 'setItem'>, now: number): boolean {
  try {
    const before = Number(storage.getItem(RELOADED) ?? Number.NaN)
    if (now - before < ONCE_MS) return false
    storage.setItem(RELOADED, String(now))
    return true
  } catch {
    // Without a memory it would reload for ever.
    return false
  }
}

export function reloadWhenUpgraded(): void {
  // Vite's own event: a script or style of a lazily loaded part could not be fetched.
  window.addEventListener('vite:preloadError', () => {
    if (mayReload(window.sessionStorage, Date.now())) window.location.reload()
  })
}
