// The cursors of the pages walked through, so that "previous" works: the API only points forward. They outlive a reload.

const memory = new Map<string, string>()

/** Remembers that page `page` of `list` begins at `cursor`. */
export function leaveTrail(list: string, page: number, cursor: string): void {
  const key = `trail ${list} ${page}`
  memory.set(key, cursor)
  try {
    sessionStorage.setItem(key, cursor)
  } catch {
    // Storage is full or forbidden in this frame: the trail lasts until the next reload.
  }
}

/** Where page `page` begins; the empty string, the list's beginning, where that is not known. */
export function followTrail(list: string, page: number): string {
  if (page <= 1) return ''
  const key = `trail ${list} ${page}`
  const known = memory.get(key)
  if (known !== undefined) return known
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
