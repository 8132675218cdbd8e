// A link as a file: its bytes are an internet shortcut, whose address buyers are sent to. Also for the
// page, which makes such a file and says what is wrong with an address while it is typed.

/** The media type of files whose name ends in `.url`. */
export const LINK_TYPE = 'application/internet-shortcut'
/** A larger file is no shortcut. */
export const MAX_SHORTCUT_BYTES = 4096
const MAX_ADDRESS = 2000
const ENDING = /\.url$/i

export const isLinkFile = (contentType: string | null): boolean => contentType === LINK_TYPE

export const isLinkName = (filename: string): boolean => ENDING.test(filename)

/** The name with the ending that makes the file a link. */
export const linkFilename = (name: string): string => (isLinkName(name) ? name : `${name}.url`)

/** The name as buyers see it: `Course` for `Course.url`. */
export const nameForBuyers = (filename: string): string => filename.replace(ENDING, '') || filename

export type LinkProblem = 'not_http' | 'too_long' | 'password'

/** Why buyers cannot be sent to this address; null: they can. */
export function linkProblem(text: string): LinkProblem | null {
  if (text.length > MAX_ADDRESS) return 'too_long'
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[\u0000-\u001f\u007f]/.test(text))
    return 'not_http'
  if (url.username || url.password) return 'password'
  return url.href.length > MAX_ADDRESS ? 'too_long' : null
}

/**
 * The address in the form in which it is stored and shown: its host in ASCII. Null: it is none.
 * Exported for tests.
 */
export const linkAddressOf = (text: string): string | null =>
  linkProblem(text) === null ? (URL.parse(text)?.href ?? null) : null

/** The bytes of a link. */
export const shortcutText = (address: string): string =>
  `[InternetShortcut]\r\nURL=${linkAddressOf(address) ?? address}\r\n`

/** The address in the text of a shortcut; null: it is none, or has no address for buyers. */
export function addressInShortcut(text: string): string | null {
  const [head = '', ...lines] = text
    .replace(/^\ufeff/, '')
    .trim()
    .split(/\r?\n|\r/)
  if (head.trim().toLowerCase() !== '[internetshortcut]') return null
  const end = lines.findIndex((line) => line.startsWith('['))
  const own = end < 0 ? lines : lines.slice(0, end)
  const address = own.flatMap((line) => /^url=(.*)$/i.exec(line.trim())?.[1] ?? [])[0]
  return address === undefined ? null : linkAddressOf(address.trim())
}
