// The cursors of visited pages: the API's cursors only point forward, and "previous" needs them.
// They survive a reload.

const memory = new Map<string, string>()

/** Remembers that page `page` of `list` begins at `cursor`. */
export function rememberCursor(list: string, page: number, cursor: string): void {
  const key = `cursors ${list} ${page}`
  memory.set(key, cursor)
  try {
    sessionStorage.setItem(key, cursor)
  } catch {
    // Storage is full or forbidden in this frame: the cursors last until the next reload.
  }
}

/** The cursor at which page `page` begins; the empty string (the beginning of the list) if it is unknown. */
export function cursorOf(list: string, page: number): string {
  if (page <= 1) return ''
  const key = `cursors ${list} ${page}`
  const known = memory.get(key)
  if (known !== undefined) return known
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
