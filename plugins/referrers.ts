// How a site that may lead to a file is written: its host, or `*.` and a host for all that are
// under it.
import { z } from 'zod'
import { UNSAFE_CHARACTERS } from './unsafe-characters.ts'

export const MAX_REFERRERS = 100
const MAX_LENGTH = 300
const HOST = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/

/**
 * As a browser names the host of a site: of an address that was pasted whole, the host alone; other
 * letters in ASCII.
 */
function hostOf(text: string): string {
  const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const [, star = '', rest = ''] = /^(\*\.)?(.*)$/s.exec(bare)!
  // The parser leaves control characters out.
  const host = UNSAFE_CHARACTERS.test(rest) ? null : URL.parse(`http://${rest}`)?.hostname
  return host ? star + host : text
}

export const referringSite = z
  .string()
  .trim()
  .max(MAX_LENGTH)
  .overwrite(hostOf)
  .regex(HOST, 'Write a host, like shop.example.com or *.example.com')
