// The endings of addresses, which are the extensions of the files there.
import { lookup } from 'mime-types'
import { hasExtension, writtenExtension } from '../../../plugins/contract/index.ts'

/** Endings of programs and pages, not of the files that they send. */
const NO_ENDINGS = new Set(['html', 'htm', 'xhtml', 'php', 'asp', 'aspx', 'ashx', 'jsp', 'cgi'])

/** The extension at the end of an address, as it is written there; '': it has none of a known type. */
export function endingOfAddress(address: string): string {
  const [path = ''] = address.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  const ending = writtenExtension(path)
  const isKnown = lookup(ending) !== false && !NO_ENDINGS.has(ending.toLowerCase())
  return isKnown ? ending : ''
}

/** The name with the ending of the address, unless it has an extension or the address has none. */
export function withEnding(name: string, address: string): string {
  if (name === '' || hasExtension(name)) return name
  const ending = endingOfAddress(address)
  return ending === '' ? name : `${name}.${ending}`
}
