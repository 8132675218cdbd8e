// Where a file's bytes are and what its settings ask of a download: what every statement of the hot path gives of a file.
import type pg from 'pg'
import { isRollback } from '../db/error-classes.ts'

export interface Target {
  shop: number
  file: string
  filename: string
  contentType: string
  location: string
  hash: string
  /** Names its bytes among all that there are. */
  blob: string
  size: number
  modifiedMs: number
  /** When and by whom it was downloaded is kept. */
  tracked: boolean
  /** The shop wants to be told. */
  told: boolean
  /** Its bytes are not the ones that were admitted: it is not served. */
  damaged: boolean
}

/** Of a file `f` and its version `v`, in the order of `targetOf`. */
export const TARGET = `f.shop_id, f.id as file_id, f.filename, v.content_type, v.location, encode(v.hash, 'hex') as hash,
  v.size_bytes, extract(epoch from f.version_since)::float8 * 1000 as modified_ms, f.download_tracking, f.download_notification,
  v.damaged`

export const TARGET_NAMES = `shop_id, file_id, filename, content_type, location, hash, size_bytes, modified_ms,
  download_tracking, download_notification, damaged`

export const TARGET_LENGTH = 11

/**
 * A parameter that the planner does not look into. It would take how many there are for a reason to plan the statement anew with
 * each execution, which costs more than to execute it.
 */
export const unseen = (parameter: string): string => `(select ${parameter})`

/** An array of numbers or UUIDs as a parameter. The client of the database would look through each for what must be quoted. */
export const plainArray = (values: readonly (number | string)[]): string => `{${values.join(',')}}`

/** The same of bytes. */
export const bytesArray = (values: readonly Buffer[]): string =>
  `{${values.map((bytes) => `"\\\\x${bytes.toString('hex')}"`).join(',')}}`

/** Is the site of the request `a` one that the file `f` may be reached from? */
export const SITE_ALLOWED = `(f.allowed_referrers = '{}' or a.sites is null
  or f.allowed_referrers && string_to_array(a.sites, ' '))`

export function targetOf(row: readonly unknown[]): Target {
  const [shop, file, filename, contentType, location, hash, size, modifiedMs, tracked, told, damaged] = row as TargetRow
  const blob = `${location}/${shop}/${hash}`
  return { shop, file, filename, contentType, location, hash, blob, size, modifiedMs, tracked, told, damaged }
}

type TargetRow = [number, string, string, string, string, string, number, number, boolean, boolean, boolean]

/** Where and as what the bytes of a target can be found in a log. */
export const whereIs = ({ shop, location, hash }: Target) => ({ shop, location, hash })

export type Query = (name: string, text: string, values: unknown[]) => Promise<pg.QueryResult<unknown[]>>

/** A database that has said nothing for so long is taken to be away: its connection is given up. */
const SILENT_MS = 30_000

/** Named: parsed and planned once a connection. As arrays: a row object's names cost more than they help here. */
export const openQuery =
  (pool: pg.Pool): Query =>
  (name, text, values) => {
    const about = { name: `delivery_${name}`, text, values, rowMode: 'array', query_timeout: SILENT_MS } as const
    const ask = () => pool.query<unknown[]>(about)
    // A statement is a transaction of its own here: one that met another on its way is asked once more.
    return ask().catch((error: unknown) => (isRollback(error) ? ask() : Promise.reject(error)))
  }
