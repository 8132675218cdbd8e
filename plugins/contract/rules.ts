// Email addresses as people type them and orders contain them. Some carriers gave addresses that
// break the standard's rule about dots (`a..b@…`, `name.@…`), and their mail arrives.
import { z } from 'zod'
import { sayPlain, say } from './text.ts'

const MAX_ADDRESS_LENGTH = 320
const LOCAL = String.raw`[\p{L}\p{N}.!#$%&'*+/=?^_\x60{|}~-]{1,64}`
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`
const ADDRESS = new RegExp(`^${LOCAL}@(?:${LABEL}\\.)+${LABEL}$`, 'u')

/**
 * The schema of one address.
 * @param problem what to do instead, as a sentence
 */
export const emailAddress = (problem: string) =>
  z
    .string()
    .trim()
    .max(MAX_ADDRESS_LENGTH, `An address has at most ${MAX_ADDRESS_LENGTH} characters`)
    .regex(ADDRESS, problem)
    .meta({ format: 'email' })

// The syntax of an allowed referring site: its host, or `*.` and a host for all subdomains.

export const MAX_REFERRERS = 100
const MAX_SITE_LENGTH = 300
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
  .max(MAX_SITE_LENGTH)
  .overwrite(hostOf)
  .regex(HOST, sayPlain('Enter a host, like shop.example.com or *.example.com'))

// Characters that no name, tag or host may contain.

/** The warning about a name whose marks of direction were removed. */
export const NAME_CLEANED = say('Invisible characters were removed from its name')

// Control characters, line separators, and the marks that can make a name read backwards (`exe.fdp`).

export const UNSAFE_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const EACH_UNSAFE = new RegExp(UNSAFE_CHARACTERS, 'g')

/** They take no room, and may be within a word. */
const MARKS_OF_DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A text as it is drawn on one line: line breaks and control characters become spaces, and marks of
 * direction are removed.
 */
export const onOneLine = (text: string): string =>
  text
    .replace(MARKS_OF_DIRECTION, '')
    .replace(EACH_UNSAFE, ' ')
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim()
