// The file of a link or a public address: where its bytes are, and the settings that affect a
// download. Also the SQL that the statements of the hot path share.
import type pg from 'pg'
import {
  DELIVERY_SETTINGS,
  FILE_SETTINGS,
  type DeliverySettingName,
  type FileSettings,
} from '../../../plugins/contract/index.ts'
import { retryRolledBack } from '../../core/db/for-shop.ts'
import { sha256Of } from '../../files/digests.ts'
import type { Client } from '../../core/client-address.ts'
import { isInPack } from '../../files/pack-places.ts'

/** Settings that each download depends on, by their names in delivery. */
type DeliverySettings = {
  [Name in DeliverySettingName as (typeof FILE_SETTINGS)[Name]['delivery']]: FileSettings[Name]
}

/** Where bytes are. */
export interface BlobTarget {
  shop: number
  location: string
  hash: string
  /** Identifies the bytes: location, shop and hash. */
  blob: string
  size: number
}

export interface FileTarget extends DeliverySettings, BlobTarget {
  file: string
  filename: string
  contentType: string
  modifiedMs: number
  /** The file's bytes differ from those that were admitted: the file is not served. */
  damaged: boolean
  /**
   * The SHA-256 digest of the bytes, as 64 hex digits. Null: not computed yet; `ByteServer` computes
   * it.
   */
  sha256: string | null
}

/** The file of a link. */
export interface LinkTarget extends FileTarget {
  link: string
}

/** A request for a link's file. */
export interface Asker {
  key: string
  client: Client
  /** From `sitesOf` (referrers.ts). */
  sites: readonly string[] | null
  now: Date
  /**
   * Where the requested part begins, if the client presents the strong ETag of its copy: it may
   * continue from another network.
   */
  offset?: number | null
  /** Does the request ask for a part that does not begin with the first byte? */
  later?: boolean
  /** The browser (`viewerOf`), which may have a session of the link's view. */
  viewer?: Buffer | null
  /** What the link asks for (`Gate.asks`), if the request has the answer. */
  opened?: string | null
}

/** Selected from a file `f` and its version `v`, in the order of `fileTargetOf`. */
export const TARGET = `f.shop_id, f.id as file_id, f.filename, v.content_type, v.location,
  encode(v.hash, 'hex') as hash, v.size_bytes,
  extract(epoch from f.version_since)::float8 * 1000 as modified_ms,
  v.damaged, ${sha256Of('f.shop_id', 'v.hash')} as sha256, ${DELIVERY_SETTINGS.map((name) => `f.${name}`).join(', ')}`

export const TARGET_NAMES = `shop_id, file_id, filename, content_type, location, hash, size_bytes, modified_ms,
  damaged, sha256, ${DELIVERY_SETTINGS.join(', ')}`

const OWN_COLUMNS = 10
export const TARGET_LENGTH = OWN_COLUMNS + DELIVERY_SETTINGS.length

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
 * SQL: the bytes that a link serves of its file `f`, as `v`: the buyer's own copy if a workflow
 * made one, else the current version. No row while the workflow has not prepared the file, or has
 * no earlier copy and has not prepared the new version.
 */
export const LINK_BYTES_OF = (l: string): string => `lateral (
    select x.shop_id, coalesce(p.hash, x.hash) as hash,
      coalesce(p.location, x.location) as location,
      coalesce(p.size_bytes, x.size_bytes) as size_bytes,
      coalesce(p.content_type, x.content_type) as content_type,
      case when p.hash is null then x.damaged else p.damaged or x.quarantined end as damaged
    from versions x left join prepared_files p on p.shop_id = ${l}.shop_id and p.link_id = ${l}.id
    where x.shop_id = f.shop_id and x.file_id = f.id and x.number = f.version
      and (p.link_id is null or p.status = 'ready' and (p.hash is not null or not p.stale))
    limit 1) v`
export const LINK_BYTES = LINK_BYTES_OF('l')

/**
 * Has the link `l` no parent, or does its parent `p` still offer the file `f`? A parent that was
 * revoked must not be joined.
 */
export const IN_PARENT = `(l.parent_id is null or p.id is not null
  and (l.paid or ${isInPack('l.shop_id', 'p.pack_id', 'f.id')}))`

/**
 * The sites of a request as one text: PostgreSQL's nested arrays must be rectangular. Hosts contain no
 * space.
 */
export const joinSites = (sites: readonly string[] | null): string | null =>
  sites && sites.join(' ')

/** SQL: may the file `f` be reached from these sites (`joinSites`) of a request? */
export const siteAllowed = (sites: string): string =>
  `(f.allowed_referrers = '{}' or ${sites} is null
    or f.allowed_referrers && string_to_array(${sites}, ' '))`

export function fileTargetOf(row: readonly unknown[]): FileTarget {
  const [shop, file, filename, contentType, location, hash, size, modifiedMs, damaged, sha256] =
    row as OwnColumns
  const own = { shop, file, filename, contentType, location, hash, size, modifiedMs, damaged }
  const settings = Object.fromEntries(
    DELIVERY_SETTINGS.map((name, at) => [FILE_SETTINGS[name].delivery, row[OWN_COLUMNS + at]]),
  ) as unknown as DeliverySettings
  return { ...own, sha256, ...settings, blob: `${location}/${shop}/${hash}` }
}

export const linkTargetOf = (row: readonly unknown[], link: unknown): LinkTarget => ({
  ...fileTargetOf(row),
  link: link as string,
})

type OwnColumns = [
  ...[number, string, string, string, string, string, number, number, boolean],
  sha256: string | null,
]

/** Identifies the bytes in a log line. */
export const blobFields = ({ shop, location, hash }: BlobTarget) => ({ shop, location, hash })

export type Query = (
  name: string,
  text: string,
  values: unknown[],
) => Promise<pg.QueryResult<unknown[]>>

/** A connection on which a statement takes this long is considered lost. */
export const QUERY_TIMEOUT_MS = 30_000

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
    // Each statement is its own transaction, so it can run again.
    return retryRolledBack(() => pool.query<unknown[]>(config))
  }
