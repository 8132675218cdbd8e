// Maps a client's path to a place in its shop's home. Names are keys of rows: they are never used
// as paths of this machine.
import { DropError } from './errors.ts'

export type Place =
  | { kind: 'virtual'; path: string; children: readonly string[] }
  /** `folder` and `name` are both '' for the home itself. */
  | { kind: 'entry'; folder: string; name: string }

const MAX_PATH_BYTES = 1800
const MAX_FOLDER_BYTES = 700
/** UTF-16 units, as in every channel (decision 92). */
const MAX_NAME = 255
const MAX_DEPTH = 16
/**
 * Refused characters: control characters, the separator of another system, and the result of a
 * wrong encoding.
 */
const REFUSED = /[\u0000-\u001f\u007f\\\ufffd]/

export const homeOf = (shop: number): string => `/uploads/${shop}`

/** The absolute path of `given`, relative to `from`. Throws `bad_name`. */
export function absolutePath(given: string, from: string): string {
  if (Buffer.byteLength(given) > MAX_PATH_BYTES)
    throw new DropError('bad_name', 'The path is too long')
  const parts: string[] = []
  for (const part of (given.startsWith('/') ? given : `${from}/${given}`).split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(checkedName(part))
  }
  const path = `/${parts.join('/')}`
  if (parts.length > MAX_DEPTH || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new DropError('bad_name', 'The path is too long')
  return path
}

/** Is the relative path short enough for clients to reach it, also below their home? */
export const isPathAllowed = (path: string): boolean =>
  path.split('/').length <= MAX_DEPTH - 4 && Buffer.byteLength(path) <= MAX_FOLDER_BYTES

function checkedName(name: string): string {
  if (name.length > MAX_NAME)
    throw new DropError('bad_name', `A name has at most ${MAX_NAME} characters`)
  if (REFUSED.test(name) || !name.isWellFormed())
    throw new DropError(
      'bad_name',
      'A name must be UTF-8, without backslashes and control characters',
    )
  return name
}

/**
 * The place of an absolute path for this shop. Throws `not_found` for everything outside its home.
 */
export function placeOf(path: string, shop: number): Place {
  if (path === '/') return { kind: 'virtual', path, children: ['uploads'] }
  if (path === '/uploads') return { kind: 'virtual', path, children: [String(shop)] }
  const home = homeOf(shop)
  if (path === home) return { kind: 'entry', folder: '', name: '' }
  if (!path.startsWith(`${home}/`)) throw new DropError('not_found')
  return { kind: 'entry', ...splitPath(path.slice(home.length + 1)) }
}

/** Splits a path within the home into folder and name. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/')
  return at < 0
    ? { folder: '', name: path }
    : { folder: path.slice(0, at), name: path.slice(at + 1) }
}

export const joinPath = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`
