// Web pages and messages that servers send instead of a file. The check of a CSV file has the same rules, so
// that it says what the import will do.
import { hasExtension, isPageType } from '../contract.ts'
import { mismatchOf } from './contents.ts'

/** A web page under a name that promises nothing: from an address, likely a sign-in page. */
export const isUnnamedPage = (filename: string, found: string | undefined): boolean =>
  found === 'text/html' && !hasExtension(filename)

/**
 * Whether it is a web page, a message or text instead of the expected file: servers send one to clients
 * that are not signed in, or for an address that has expired.
 * @param type as the server claims
 * @param found by the first bytes; absent: not known
 */
export function isUnexpectedPage(
  filename: string,
  type: string | null,
  found: string | undefined,
): boolean {
  if (found !== undefined) {
    const kind = mismatchOf(filename, found)?.kind
    return kind !== undefined && kind !== 'other'
  }
  if (!isPageType(type)) return false
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  return extension !== undefined && !['html', 'htm', 'xhtml'].includes(extension)
}
