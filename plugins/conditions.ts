// The words that plugins and the server share about a file: how its name is compared, what a tag
// may be, and the conditions that steps and rules are made of.
import { z } from 'zod'
import type { FileView } from './file-view.ts'
import { UNSAFE_CHARACTERS } from './unsafe-characters.ts'

const MAX_TAG_LENGTH = 100

/**
 * What is wrong with a tag, or null. Commas and semicolons separate tags in CSV files, so a tag
 * can't contain them.
 */
export function tagProblem(tag: string): { code: 'invalid_tag'; message: string } | null {
  const wrong = (message: string) => ({ code: 'invalid_tag', message }) as const
  if (tag.trim() === '') return wrong('A tag cannot be empty')
  if (tag.length > MAX_TAG_LENGTH) return wrong(`A tag has at most ${MAX_TAG_LENGTH} characters`)
  if (/[,;]/.test(tag)) return wrong('A tag cannot contain , or ;')
  if (!tag.isWellFormed() || UNSAFE_CHARACTERS.test(tag))
    return wrong('A tag cannot contain control characters')
  return null
}

/**
 * What a name is compared, searched and sorted by: the same on every database, whatever its locale.
 */
export const nameKey = (filename: string): string =>
  filename.normalize('NFC').toLowerCase().normalize('NFC')

/** What comes after the last dot, in lower case; '' where there is none. */
export function extensionOf(filename: string): string {
  const at = filename.lastIndexOf('.')
  return at > 0 ? nameKey(filename.slice(at + 1)) : ''
}

/** Groups of types that a person would look for, by extension. */
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
  image: [
    'jpg',
    'jpeg',
    'png',
    'gif',
    'svg',
    'webp',
    'avif',
    'tif',
    'tiff',
    'bmp',
    'heic',
    'psd',
    'ai',
    'eps',
  ],
  video: ['mp4', 'mov', 'avi', 'webm', 'mkv', 'm4v', 'wmv'],
  audio: ['mp3', 'wav', 'aac', 'flac', 'ogg', 'm4a', 'aiff', 'opus'],
  archive: ['zip', 'rar', '7z', 'tar', 'gz', 'tgz', 'bz2', 'xz'],
}

/** Extensions for the groups and the extensions that a person wrote. */
export const extensionsOf = (types: readonly string[]): string[] =>
  types.flatMap(
    (type) => TYPE_GROUPS[type.toLowerCase()] ?? [extensionOf(`x.${type.replace(/^\./, '')}`)],
  )

/** A tag as an option of a plugin. */
export const tag = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const problem = tagProblem(value)
    if (problem)
      context.addIssue({ code: 'custom', message: problem.message, params: { code: problem.code } })
  })

/** Text to look for. PostgreSQL knows no character 0, and half a character is none. */
const sought = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'This cannot be looked for')

const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(sought(100)).max(50),
)

/** As JSON, or as a query parameter. */
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

/** Conditions over what a draft has too. Values come as query parameters or as JSON. */
export const conditionFields = {
  search: sought(255)
    .optional()
    .meta({ title: 'Name contains', description: 'The name contains this, in any case' }),
  type: list
    .optional()
    .meta({ title: 'Type', description: 'Extensions, or document, image, video, audio, archive' }),
  tags: list.optional().meta({ title: 'Tags', description: 'Has all of these tags' }),
  mapped: flag
    .optional()
    .meta({ title: 'Mapped', description: 'Is mapped to a product, or is not' }),
  larger_than: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ title: 'Larger than', description: 'Bytes' }),
  smaller_than: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ title: 'Smaller than', description: 'Bytes' }),
}

export const conditionSchema = z.strictObject(conditionFields)

/**
 * Does the condition hold of this file or draft? A draft without bytes is neither large nor small.
 */
export function matchesCondition(file: FileView, condition: Condition): boolean {
  const { search, type, tags, mapped, larger_than, smaller_than } = condition
  if (search && !nameKey(file.filename).includes(nameKey(search))) return false
  if (type && !extensionsOf(type).includes(extensionOf(file.filename))) return false
  if (tags && !tags.every((one) => file.tags.includes(one))) return false
  if (mapped !== undefined && file.mappings.length > 0 !== mapped) return false
  if (larger_than !== undefined && !(file.size_bytes !== null && file.size_bytes > larger_than))
    return false
  if (smaller_than !== undefined && !(file.size_bytes !== null && file.size_bytes < smaller_than))
    return false
  return true
}

/**
 * What must hold of an item's file for a step to apply; every condition given, over fields that a
 * draft has too.
 */
export interface Condition {
  /** The name contains this, in any case. */
  search?: string | undefined
  /** Extensions, or document, image, video, audio, archive: one of these. */
  type?: readonly string[] | undefined
  /** Has all of these. */
  tags?: readonly string[] | undefined
  mapped?: boolean | undefined
  /** Bytes. */
  larger_than?: number | undefined
  smaller_than?: number | undefined
}
