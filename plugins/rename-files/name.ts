// Splits names, and makes text valid in a name.
import { sayPlain, UNSAFE_CHARACTERS } from '../contract/index.ts'

const MAX_LENGTH = 255
const UNSAFE = new RegExp(UNSAFE_CHARACTERS, 'g')

/**
 * Splits `Guide.PDF` into `Guide` and `.PDF`. A name that begins with its only dot has no
 * extension.
 */
export function partsOfName(filename: string): { stem: string; extension: string } {
  const at = filename.lastIndexOf('.')
  return at > 0
    ? { stem: filename.slice(0, at), extension: filename.slice(at) }
    : { stem: filename, extension: '' }
}

/** Makes a text valid in a name: slashes become hyphens, and forbidden characters are removed. */
export const fitForName = (text: string): string =>
  text.replace(/[\\/]/g, '-').replace(/\s+/g, ' ').replace(UNSAFE, '').trim().toWellFormed()

/** The problem of a merchant's own pattern, which is refused, not corrected. */
export function textProblem(text: string): string | null {
  if (/[\\/]/.test(text)) return sayPlain('A filename cannot contain / or \\')
  if (!text.isWellFormed()) return sayPlain('This is not valid Unicode')
  if (UNSAFE_CHARACTERS.test(text))
    return sayPlain('A filename cannot contain control or text-direction characters')
  return null
}

/**
 * Joins a name and cuts it to the longest allowed one; the extension stays complete. '' if nothing
 * is left of the stem.
 */
export function joinedName(stem: string, extension: string): string {
  const room = MAX_LENGTH - [...extension].length
  const whole = stem.normalize('NFC').trim()
  const cut = whole.length <= room ? whole : [...whole].slice(0, room).join('').trimEnd()
  return cut === '' ? '' : cut + extension
}
