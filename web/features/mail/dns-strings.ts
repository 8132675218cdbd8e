// The text of a DNS record as its strings: each has at most 255 characters (RFC 1035). Most forms of
// providers split a longer text themselves; zone files and some forms do not.

const MAX_STRING = 255

/** The strings in quotation marks; null: the text fits into one. */
export function quotedStrings(text: string): string | null {
  if (text.length <= MAX_STRING) return null
  const count = Math.ceil(text.length / MAX_STRING)
  return Array.from({ length: count }, (_, at) => at * MAX_STRING)
    .map((from) => `"${text.slice(from, from + MAX_STRING)}"`)
    .join(' ')
}
