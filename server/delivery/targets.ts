// The file behind a link or a public address: where its bytes are and what its settings ask of a
// download. Also what the hot path's statements share.
import type pg from 'pg'
import { isRollback } from '../db/error-classes.ts'

export interface Target {
  shop: number
  file: string
  filename: string
  contentType: string
  location: string
  hash: string
  /** Identifies the bytes: location, shop and hash. */
  blob: string
  size: number
  modifiedMs: number
  /** Is the time and client of each download recorded? */
  tracked: boolean
  /** Does the shop want a notification? */
  told: boolean
  /** Its bytes differ from the bytes that were admitted: it is not served. */
  damaged: boolean
}

/** The file of a link. */
export interface LinkTarget extends Target {
  link: string
}

/** A request for a link's file. */
export interface Asker {
  key: string
  client: Buffer
  /** From `sitesOf` (referrers.ts). */
  sites: readonly string[] | null
  now: Date
}

/** Selected from a file `f` and its version `v`, in the order of `targetOf`. */
export const TARGET = `f.shop_id, f.id as file_id, f.filename, v.content_type, v.location,
  encode(v.hash, 'hex') as hash, v.size_bytes, extract(epoch from f.version_since)::float8 * 1000 as modified_ms,
  f.download_tracking, f.download_notification, v.damaged`

export const TARGET_NAMES = `shop_id, file_id, filename, content_type, location, hash, size_bytes, modified_ms,
  download_tracking, download_notification, damaged`

export const TARGET_LENGTH = 11

/**
 * Hides a parameter from the planner. An array's length would otherwise make the planner choose a
 * custom plan for each execution, and planning costs more than execution.
 */
export const opaque = (parameter: string): string => `(select ${parameter})`

/**
 * Numbers or UUIDs as an array parameter. Built here because pg would check each element for
 * characters to quote.
 */
export const plainArray = (values: readonly (number | string)[]): string => `{${values.join(',')}}`

/** Buffers as an array parameter. */
export const bytesArray = (values: readonly Buffer[]): string =>
  `{${values.map((bytes) => `"\\\\x${bytes.toString('hex')}"`).join(',')}}`

/**
 * Has the link `l` no parent, or does its parent `p` still offer the file `f`? A parent that was
 * revoked must not be joined.
 */
export const IN_PARENT = `(l.parent_id is null or p.id is not null and (l.paid or p.pack_id = f.pack_id))`

/** May the file `f` be reached from the sites of the request `a`? */
export const SITE_ALLOWED = `(f.allowed_referrers = '{}' or a.sites is null
  or f.allowed_referrers && string_to_array(a.sites, ' '))`

export function targetOf(row: readonly unknown[]): Target {
  const [
    shop,
    file,
    filename,
    contentType,
    location,
    hash,
    size,
    modifiedMs,
    tracked,
    told,
    damaged,
  ] = row as TargetRow
  const blob = `${location}/${shop}/${hash}`
  return {
    shop,
    file,
    filename,
    contentType,
    location,
    hash,
    blob,
    size,
    modifiedMs,
    tracked,
    told,
    damaged,
  }
}

type TargetRow = [
  number,
  string,
  string,
  string,
  string,
  string,
  number,
  number,
  boolean,
  boolean,
  boolean,
]

/** What identifies the bytes in a log line. */
export const blobFields = ({ shop, location, hash }: Target) => ({ shop, location, hash })

export type Query = (
  name: string,
  text: string,
  values: unknown[],
) => Promise<pg.QueryResult<unknown[]>>

/** A connection on which a statement takes this long is considered lost. */
const QUERY_TIMEOUT_MS = 30_000

/**
 * Named statements are planned once a connection. Rows are arrays: building objects with named
 * columns costs more.
 */
export const openQuery =
  (pool: pg.Pool): Query =>
  (name, text, values) => {
    const config = {
      name: `delivery_${name}`,
      text,
      values,
      rowMode: 'array',
      query_timeout: QUERY_TIMEOUT_MS,
    } as const
    const run = () => pool.query<unknown[]>(config)
    // Each statement is its own transaction, so one that met a deadlock or a serialisation failure
    // can run again.
    return run().catch((error: unknown) => (isRollback(error) ? run() : Promise.reject(error)))
  }
