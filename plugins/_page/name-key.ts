// The comparison of names of files and tags: the page asks about a name as the server stores it.

/**
 * The form in which names are compared and sorted: the same on every database, regardless
 * of its locale.
 */
export const nameKey = (filename: string): string =>
  filename.normalize('NFC').toLowerCase().normalize('NFC')
