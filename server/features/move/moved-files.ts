// Which file of the shop came from which address of another app. The items of imports are no memory
// for this: they are deleted after 90 days. Addresses are stored hashed, because they may contain
// secrets.
import { createHash } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { inSlices } from '../../core/turn.ts'

export interface MovedFile {
  position: number
  url: string
  refs: readonly string[]
  expiry_days: number | null
}

const addressHash = (url: string): string => createHash('sha256').update(url).digest('hex')

/**
 * Of the addresses, those whose file the shop has, or is importing. A file in the trash does not
 * count: the import was undone, or the file was deleted.
 */
export async function presentAddresses(
  scope: ShopScope,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  const byHash = new Map<string, string>()
  await inSlices(urls, (url) => byHash.set(addressHash(url), url))
  const rows = await scope.query<{ address: string }>(
    `select distinct encode(m.address, 'hex') as address from moved_files m
     left join files f on f.shop_id = m.shop_id and f.id = m.file_id
     left join operations o on o.shop_id = m.shop_id and o.id = m.operation_id
     where m.shop_id = :shop
       and m.address in (select decode(h, 'hex') from unnest(:hashes::text[]) h)
       and (f.id is not null and f.deleted_at is null
         or m.file_id is null and o.status in ('queued', 'running', 'paused'))`,
    { hashes: [...byHash.keys()] },
  )
  return new Set(rows.flatMap(({ address }) => byHash.get(address) ?? []))
}

/** Notes what an import was started for. */
export async function noteMovedFiles(
  tx: ShopScope,
  operation: string,
  files: readonly MovedFile[],
): Promise<void> {
  const rows = files.map(({ url, ...file }) => ({ ...file, address: addressHash(url) }))
  await tx.query(
    `insert into moved_files (shop_id, operation_id, position, address, refs, expiry_days)
     select :shop, :operation, position, decode(address, 'hex'), refs, expiry_days
     from jsonb_to_recordset(:rows::jsonb)
       as g(position int, address text, refs text[], expiry_days int)`,
    { operation, rows: JSON.stringify(rows) },
  )
}

/** When the import has ended: the files that it created. A retry adds more. */
export async function completeMovedFiles(tx: ShopScope, { id }: { id: string }): Promise<void> {
  await tx.query(
    `update moved_files m set file_id = i.file_id from items i
     where m.shop_id = :shop and m.operation_id = :id and i.shop_id = m.shop_id
       and i.operation_id = m.operation_id and i.position = m.position and i.status = 'done'
       and exists (select from files f where f.shop_id = m.shop_id and f.id = i.file_id)`,
    { id },
  )
}
