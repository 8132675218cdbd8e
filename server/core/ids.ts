// Typed ids at every boundary: `file_…`, `import_…`, `op_…`, `link_…` outside, the bare UUIDv7
// inside.
import { createHash } from 'node:crypto'
import { AppError } from './errors.ts'

export type IdPrefix =
  | 'file'
  | 'import'
  | 'op'
  | 'link'
  | 'key'
  | 'notice'
  | 'message'
  | 'workflow'
  | 'schedule'
  | 'review'
  | 'csv'
  | 'columns'
  | 'move'
  | 'upload'
  | 'batch'
  | 'pack'
  | 'template'
  | 'account'
  | 'dropped'
  | 'connection'
  | 'feed'
  | 'run'
  | 'webhook'
  | 'delivery'
  | 'answer'
  | 'licences'
  | 'rule'
  | 'saved'
  | 'licence'
  | 'backup'
  | 'trigger'
  | 'change'

/** `file` + a UUID → `file_0199…` (32 hex digits). */
export function toPublicId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid.replaceAll('-', '')}`
}

/** 32 hex digits → the UUID. */
export const uuidOfHex = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** An import is `import_…`, any other operation `op_…`; with the other prefix it is not found. */
export const toOperationId = (kind: 'import' | 'bulk', uuid: string): string =>
  toPublicId(kind === 'import' ? 'import' : 'op', uuid)

/** The UUID in a typed id, or null if its prefix is not one of these. */
export function parsePublicId(prefixes: IdPrefix | readonly IdPrefix[], id: string): string | null {
  const match =
    /^([a-z]+)_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id)
  if (!match || !([] as IdPrefix[]).concat(prefixes).includes(match[1] as IdPrefix)) return null
  return match.slice(2).join('-')
}

/**
 * A UUID that no row has, the same one for the same text: its version is 8, those of rows are 7.
 */
export function unknownUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** As `parsePublicId`; throws `not_found`, since a malformed id identifies nothing. */
export function requirePublicId(prefixes: IdPrefix | readonly IdPrefix[], id: string): string {
  const uuid = parsePublicId(prefixes, id)
  if (uuid === null) throw new AppError('not_found')
  return uuid
}
