// Rules about a file that plugins and the server share: valid tags, and the values of conditions.
import { z } from 'zod'
import { nameKey } from '../_page/name-key.ts'
import { ownValue } from '../_page/own-value.ts'
import { textIssue, say, sayPlain, type AnyText } from './text.ts'
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

// The next step after errors that any plugin may report, because ports and the engine raise them. A
// plugin's own `advice` overrides entries with the same code.

const COMMON: Readonly<Record<string, string>> = {
  url_not_accessible:
    'Open the URLs that were not accessible in a private browser window. If they open, choose Retry Failed. Otherwise correct them and import those files again.',
  duplicate_filename:
    'Rename the files whose names are taken, or choose what happens to taken names, and import them again.',
  file_too_large: 'Split the files that are too large, or contact support.',
  sha256_mismatch:
    'Compare the files at their addresses with the given SHA-256: they were changed or damaged. Correct the hash or the file, and import them again.',
  empty_file: 'Replace the files that are empty.',
  web_page:
    'Replace the addresses that lead to web pages by those that download the files, or connect the cloud folder.',
  file_in_use: 'Choose Retry Failed once the other operation on those files has ended.',
  permission_denied: 'Correct the access that was refused, then choose Retry Failed.',
  memory_limit: 'Replace the files that take too much memory with smaller or simpler ones.',
  time_limit: 'Replace the files that take too long with smaller or simpler ones.',
  processor_crashed:
    'Replace the files that could not be opened: buyers may not be able to open them either.',
  upload_lost: 'Upload the files whose bytes are missing again.',
  file_not_found:
    'Leave out the deleted files, or restore them from the trash and choose Retry Failed.',
  workflow_broken: 'Correct the workflow, then start it again.',
  file_quota: 'Delete files that are not needed, then choose Retry Failed.',
  storage_quota:
    'Delete files or backups permanently, or ask for more storage, then choose Retry Failed.',
  storage_full: 'Make room in the storage location, then choose Retry Failed.',
  file_damaged: 'Upload the file again as a new version.',
  file_quarantined: 'Delete the files, or release them from quarantine if they are harmless.',
  scanner_unavailable: 'Choose Retry Failed once the virus scanner runs again.',
  storage_failed: 'Choose Retry Failed: the storage location may answer by now.',
  storefront_unavailable: 'Choose Retry Failed: the storefront may answer by now.',
}

/** All advice for a plugin's errors, by code. */
export const adviceOf = (plugin: {
  advice?: Readonly<Record<string, string>>
}): Readonly<Record<string, string>> => ({
  ...COMMON,
  ...plugin.advice,
})
