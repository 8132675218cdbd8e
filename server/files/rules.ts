// The rules for a file's name, tags and settings. Every channel and every change must meet them.
import { lookup as mimeTypeOf } from 'mime-types'
import {
  extensionOf,
  linkProblem,
  LINK_TYPE,
  say,
  tagForm,
  UNSAFE_CHARACTERS,
  type AnyText,
} from '../../plugins/contract/index.ts'
import type { ErrorCode } from '../core/errors.ts'

export { extensionOf, nameKey, tagForm, tagProblem } from '../../plugins/contract/index.ts'

export const MAX_NAME_LENGTH = 255
export const MAX_TAGS = 250
const MAX_URL_LENGTH = 4096

export interface Problem {
  code: ErrorCode
  message: AnyText
}

const SEPARATORS = /[\\/]/

/**
 * Marks of the text's direction that phones, browsers and Windows put around names. Without them a
 * name means the same. Overrides (U+202D, U+202E) make a name read backwards, and are refused.
 */
const MARKS = /[\u200e\u200f\u202a-\u202c\u2066-\u2069]/g

/** The name without invisible marks of direction, in the form in which names are stored. */
export function cleanName(name: string): string {
  const clean = name.replaceAll(MARKS, '')
  return (clean === name ? name : clean.trim()).normalize('NFC')
}

/** The problem of a filename, or null. */
export function filenameProblem(given: string): Problem | null {
  const name = cleanName(given)
  const wrong = (message: AnyText): Problem => ({ code: 'invalid_filename', message })
  if (name.trim() === '') return wrong(say('A filename is required'))
  if (name !== name.trim()) return wrong(say('A filename cannot begin or end with a space'))
  if (name.length > MAX_NAME_LENGTH && [...name].length > MAX_NAME_LENGTH)
    return wrong(say('A filename has at most {count} characters', { count: MAX_NAME_LENGTH }))
  if (!name.isWellFormed()) return wrong(say('This filename is not valid Unicode'))
  if (SEPARATORS.test(name)) return wrong(say('A filename cannot contain / or \\'))
  if (UNSAFE_CHARACTERS.test(name))
    return wrong(say('A filename cannot contain control or text-direction characters'))
  if (name === '.' || name === '..') return wrong(say('This filename is reserved'))
  return null
}

/** The problem of an address to fetch a file from, or null. */
export function urlProblem(text: string): Problem | null {
  const wrong = (message: AnyText): Problem => ({ code: 'invalid_url', message })
  if (text.length > MAX_URL_LENGTH)
    return wrong(say('A URL has at most {count} characters', { count: String(MAX_URL_LENGTH) }))
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return wrong(say('This is not an http or https URL'))
  if (url.username || url.password) return wrong(say('A URL cannot carry a user name or password'))
  return null
}

/** The problem of an address that buyers are sent to, or null. */
export const linkUrlProblem = (text: string): Problem | null =>
  urlProblem(text) ??
  (linkProblem(text) === null
    ? null
    : { code: 'invalid_url', message: say('This address is too long for a link') })

/**
 * An address as a log or a mail may show it: user info, query and fragment may contain secrets.
 * Null: not an address.
 */
export function shownUrl(text: string): string | null {
  const url = URL.parse(text)
  return url && `${url.protocol}//${url.host}${url.pathname}`
}

/** Tags as they are stored: in their form, each once, in the order given. */
export const normalizeTags = (tags: readonly string[]): string[] => [...new Set(tags.map(tagForm))]

/** The texts of a cell or field with tags: commas, semicolons and line breaks separate them. */
export const splitTexts = (text: string): string[] =>
  text
    .normalize('NFC')
    .split(/[,;\r\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** The tags of a text, each once. */
export const splitTags = (text: string): string[] => normalizeTags(splitTexts(text))

/**
 * The media type that a file is served as. Derived from its name, since the source's Content-Type
 * cannot be trusted.
 */
export const contentTypeOf = (filename: string): string =>
  extensionOf(filename) === 'url' ? LINK_TYPE : mimeTypeOf(filename) || 'application/octet-stream'

/** `Report.pdf`, 2 → `Report (2).pdf`, cut to the longest allowed name. */
export function numberedName(filename: string, number: number): string {
  const at = filename.lastIndexOf('.')
  const [stem, end] = at > 0 ? [filename.slice(0, at), filename.slice(at)] : [filename, '']
  const suffix = ` (${number})${end}`
  return [...stem].slice(0, MAX_NAME_LENGTH - [...suffix].length).join('') + suffix
}
