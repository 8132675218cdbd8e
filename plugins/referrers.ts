// The syntax of an allowed referring site: its host, or `*.` and a host for all subdomains.
import { sayPlain } from './texts.ts'
import { z } from 'zod'
import { UNSAFE_CHARACTERS } from './unsafe-characters.ts'

export const MAX_REFERRERS = 100
const MAX_LENGTH = 300
const HOST = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/

/**
 * The host as browsers send it: only the host of a whole address, with other letters in ASCII
 * (punycode).
 */
function hostOf(text: string): string {
  const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const star = bare.startsWith('*.') ? '*.' : ''
  const rest = bare.slice(star.length)
  // The URL parser would drop control characters silently.
  const host = UNSAFE_CHARACTERS.test(rest) ? null : URL.parse(`http://${rest}`)?.hostname
  return host ? star + host : text
}

export const referringSite = z
  .string()
  .trim()
  .max(MAX_LENGTH)
  .overwrite(hostOf)
  .regex(HOST, sayPlain('Enter a host, like shop.example.com or *.example.com'))
