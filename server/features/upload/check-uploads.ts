// Compares files with those of the shop before a byte is sent, by their SHA-256 digests.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { namedWithoutSum, type Sha256Sums } from '../../files/sha256-sums.ts'
import { cleanName, nameKey } from '../../files/rules.ts'

/** A file that a client could send. */
export interface OfferedFile {
  filename: string
  size_bytes: number
  /** 64 hex digits. */
  sha256: string
}

export interface ShopFile {
  /** A bare UUID. */
  id: string
  filename: string
}

export interface ComparedFile {
  /** The file that has the name. */
  named: ShopFile | null
  /** A file that has the bytes: that of the name if it has them, otherwise the oldest. */
  same: ShopFile | null
  /** Whether a file of this size has no digest yet: digests are computed in the background. */
  unsure: boolean
}

/** How long a request waits for the digests of files that have the names and sizes of the offered ones. */
const WAITED_MS = 2000

/**
 * Computes digests that decide whether a file of the same name is unchanged: otherwise a second
 * import of a folder would find all names taken as long as the background task has not come to
 * them. Larger ones are computed for a later request.
 */
export async function computeNamedSums(
  scope: ShopScope,
  sums: Pick<Sha256Sums, 'within'>,
  offered: readonly OfferedFile[],
): Promise<void> {
  const blobs = await namedWithoutSum(
    scope,
    offered.map(({ filename, size_bytes }) => ({
      name_key: nameKey(cleanName(filename)),
      size_bytes,
    })),
  )
  await Promise.all(blobs.map((blob) => sums.within(blob, WAITED_MS)))
}

/** Compares files with those of the shop that are not in the trash; one answer for each, in order. */
export async function compareOffered(
  scope: ShopScope,
  offered: readonly OfferedFile[],
): Promise<ComparedFile[]> {
  const rows = offered.map(({ filename, size_bytes, sha256 }, at) => ({
    at,
    name_key: nameKey(cleanName(filename)),
    size_bytes,
    sha256,
  }))
  return scope.query<ComparedFile>(
    `select case when n.id is not null then json_build_object('id', n.id, 'filename', n.filename)
         end as named, s.same,
       s.same is null and exists (
         select from files f
         join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
         join blobs b on b.shop_id = v.shop_id and b.hash = v.hash
         where f.shop_id = :shop and f.deleted_at is null and f.size_bytes = g.size_bytes
           and b.sha256 is null) as unsure
     from jsonb_to_recordset(:rows::jsonb)
       as g(at int, name_key text collate "C", size_bytes bigint, sha256 text)
     left join files n on n.shop_id = :shop and n.name_key = g.name_key and n.deleted_at is null
     left join lateral (
       select json_build_object('id', f.id, 'filename', f.filename) as same
       from blobs b
       join versions v on v.shop_id = b.shop_id and v.hash = b.hash
       join files f on f.shop_id = v.shop_id and f.id = v.file_id and f.version = v.number
       where b.shop_id = :shop and b.sha256 = decode(g.sha256, 'hex') and f.deleted_at is null
       order by f.name_key <> g.name_key, f.created_at, f.id limit 1
     ) s on true
     order by g.at`,
    { rows: JSON.stringify(rows) },
  )
}
