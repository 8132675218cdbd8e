// Rules about a file that plugins and the server share: valid tags, and the values of conditions.
import { nameKey } from '../_page/name-key.ts'
import { ownValue } from '../_page/own-value.ts'
import { textIssue, say, sayPlain, type AnyText } from './text.ts'
import { z } from 'zod'
import { UNSAFE_CHARACTERS } from './rules.ts'

const MAX_TAG_LENGTH = 100

/**
 * The problem of a tag, or null. Commas and semicolons separate tags in CSV files, so a tag cannot
 * contain them. Judged in the form in which tags are stored: NFC turns U+037E into a semicolon.
 */
export function tagProblem(given: string): { code: 'invalid_tag'; message: AnyText } | null {
  const tag = tagForm(given)
  const wrong = (message: AnyText) => ({ code: 'invalid_tag', message }) as const
  if (tag === '') return wrong(sayPlain('A tag cannot be empty'))
  if (tag.length > MAX_TAG_LENGTH)
    return wrong(say('A tag has at most {count} characters', { count: MAX_TAG_LENGTH }))
  if (/[,;]/.test(tag)) return wrong(sayPlain('A tag cannot contain , or ;'))
  if (!tag.isWellFormed() || UNSAFE_CHARACTERS.test(tag))
    return wrong(sayPlain('A tag cannot contain control characters'))
  return null
}

/** The part after the last dot, in lower case; '' if there is none. */
export function extensionOf(filename: string): string {
  const at = filename.lastIndexOf('.')
  return at > 0 ? nameKey(filename.slice(at + 1)) : ''
}

/** `.pdf`, `.7z`, `.procreate`, and `.001` after another one; `Guide v1.2` has none. */
const NAME_ENDING =
  /\.(?=[0-9]*\p{L})[0-9\p{L}\p{M}]{1,16}$|(?<=\.(?=[0-9]*\p{L})[0-9\p{L}\p{M}]{1,16})\.[0-9]{3}$/u

/** The extension as it is written, by which a device knows how to open the file; '': there is none. */
export const writtenExtension = (filename: string): string =>
  NAME_ENDING.exec(filename)?.[0].slice(1) ?? ''

export const hasExtension = (filename: string): boolean => writtenExtension(filename) !== ''

/** The extensions of images, the group `image`. */
export const IMAGE_EXTENSIONS: readonly string[] = [
  ['jpg', 'jpeg', 'jpe', 'jfif', 'mpo', 'jps', 'jxl', 'jxr', 'wdp', 'hdp'],
  ['jp2', 'j2k', 'jpf', 'jpx', 'jpm', 'jph'],
  ['png', 'apng', 'gif', 'webp', 'avif', 'avifs', 'heic', 'heif', 'hif', 'tif', 'tiff'],
  ['bmp', 'dib', 'ico', 'cur', 'tga', 'pcx', 'qoi', 'ppm', 'pgm', 'pbm', 'pnm', 'exr', 'hdr'],
  ['dng', 'cr2', 'cr3', 'nef', 'arw', 'orf', 'rw2', 'raf', 'pef', 'srw', 'x3f'],
  ['svg', 'svgz', 'psd', 'psb', 'xcf', 'kra', 'ai', 'eps'],
].flat()

/** Groups of extensions that people search for. */
export const TYPE_GROUPS: Record<string, readonly string[]> = {
  document: [
    'pdf',
    'doc',
    'docx',
    'xls',
    'xlsx',
    'ppt',
    'pptx',
    'odt',
    'ods',
    'odp',
    'txt',
    'md',
    'rtf',
    'csv',
    'epub',
    'mobi',
  ],
  image: IMAGE_EXTENSIONS,
  video: ['mp4', 'mov', 'avi', 'webm', 'mkv', 'm4v', 'wmv'],
  audio: ['mp3', 'wav', 'aac', 'flac', 'ogg', 'm4a', 'aiff', 'opus'],
  archive: ['zip', 'rar', '7z', 'tar', 'gz', 'tgz', 'bz2', 'xz'],
}

/** Expands a merchant's list of groups and extensions into extensions. */
export const extensionsOf = (types: readonly string[]): string[] =>
  types.flatMap(
    (type) =>
      ownValue(TYPE_GROUPS, type.toLowerCase()) ?? [extensionOf(`x.${type.replace(/^\./, '')}`)],
  )

/** The form in which a tag is stored and compared: é is one tag, however it was typed. */
export const tagForm = (tag: string): string => tag.trim().normalize('NFC')

/** A tag as an option of a plugin. */
export const tag = z
  .string()
  .overwrite(tagForm)
  .superRefine((value, context) => {
    const problem = tagProblem(value)
    if (problem) context.addIssue(textIssue(problem.message, { code: problem.code }))
  })

/**
 * Text to search for, in the form of names and tags, whose length counts. PostgreSQL stores neither NUL
 * nor half a surrogate pair.
 */
export const searchText = (max: number) =>
  z
    .string()
    .normalize('NFC')
    .max(max)
    .refine(
      (text) => text.isWellFormed() && !text.includes('\u0000'),
      sayPlain('This cannot be searched for'),
    )

/** A list of texts, as JSON or, separated by commas, as a query parameter. */
export const textList = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(searchText(100)).max(50),
)

/** A boolean, as JSON or as a query parameter. */
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

const DECIMAL = /^[+-]?\d{1,16}(?:\.\d{1,16})?$/

/**
 * A number, as JSON or as a query parameter. Only texts are converted: `Number` would take null, an
 * empty text and `[]` for 0, and true for 1.
 */
export const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value),
    schema,
  )
