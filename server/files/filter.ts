// The selection language: one filter of files, compiled to SQL here and nowhere else. Lists use it now; bulk operations,
// schedules and exports select by the same words.
import { z } from 'zod'
import type { Bindings } from '../db/for-shop.ts'
import { extensionOf, nameKey } from './rules.ts'

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
  image: ['jpg', 'jpeg', 'png', 'gif', 'svg', 'webp', 'avif', 'tif', 'tiff', 'bmp', 'heic', 'psd', 'ai', 'eps'],
  video: ['mp4', 'mov', 'avi', 'webm', 'mkv', 'm4v', 'wmv'],
  audio: ['mp3', 'wav', 'aac', 'flac', 'ogg', 'm4a', 'aiff', 'opus'],
  archive: ['zip', 'rar', '7z', 'tar', 'gz', 'tgz', 'bz2', 'xz'],
}

const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(z.string().max(100)).max(50),
)
const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
const day = z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'Send a date, like 2026-01-31')

/** Every condition must hold. Values come as query parameters or as JSON. */
export const filterFields = {
  search: z.string().max(255).optional().meta({ description: 'The name contains this, in any case' }),
  type: list.optional().meta({ description: 'Extensions, or document, image, video, audio, archive' }),
  tags: list.optional().meta({ description: 'Has all of these tags' }),
  mapped: flag.optional().meta({ description: 'Is mapped to a product, or is not' }),
  larger_than: z.coerce.number().int().min(0).optional().meta({ description: 'Bytes' }),
  smaller_than: z.coerce.number().int().min(0).optional().meta({ description: 'Bytes' }),
  uploaded_before: day.optional(),
  uploaded_after: day.optional(),
}

export type FileFilter = z.output<z.ZodObject<typeof filterFields>>

/** A condition on `files`, with its bindings (all named `f_…`). Trash is excluded. */
export function compileFilter(filter: FileFilter): { sql: string; bindings: Bindings } {
  const conditions = ['files.deleted_at is null']
  const bindings: Bindings = {}
  const add = (name: string, value: unknown, sql: string) => {
    if (value === undefined) return
    bindings[name] = value
    conditions.push(sql)
  }
  const { search, type, tags, mapped } = filter
  add('f_search', search ? `%${likeLiteral(nameKey(search))}%` : undefined, 'files.name_key like :f_search')
  add('f_types', type && extensionsOf(type), 'files.extension = any(:f_types)')
  add('f_tags', tags && tags.length > 0 ? tags : undefined, 'files.tags @> :f_tags::text[]')
  if (mapped !== undefined) conditions.push(`files.mapping_state ${mapped ? '=' : '<>'} 'mapped'`)
  add('f_larger', filter.larger_than, 'files.size_bytes > :f_larger')
  add('f_smaller', filter.smaller_than, 'files.size_bytes < :f_smaller')
  add('f_before', filter.uploaded_before, 'files.created_at < :f_before::timestamptz')
  add('f_after', filter.uploaded_after, 'files.created_at >= :f_after::timestamptz')
  return { sql: conditions.join(' and '), bindings }
}

const likeLiteral = (text: string) => text.replace(/[\\%_]/g, '\\$&')

const extensionsOf = (types: readonly string[]): string[] =>
  types.flatMap((type) => TYPE_GROUPS[type.toLowerCase()] ?? [extensionOf(`x.${type.replace(/^\./, '')}`)])
