// shop/redact: nothing of an uninstalled shop remains, neither rows nor bytes nor jobs. The platform
// sends it 48 hours after the app was uninstalled; a shop that was installed again is left alone.
import type { UploadFolder } from '../channels/upload/upload.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { dropJobs } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import type { BlobStore } from '../store/store.ts'
import type { ApplyChange } from '../storefront/webhooks/apply.ts'

const AT_A_TIME = 5000
const BYTES_AT_A_TIME = 500

/** Tables that may have millions of rows: deleted in parts, before the rest goes in one statement. */
const LARGE = ['items', 'downloads', 'download_sessions', 'links', 'files', 'products', 'variants']

export interface RedactParts {
  stores: ReadonlyMap<string, BlobStore>
  uploads: UploadFolder
  log: Logger
}

export const redactShop =
  ({ stores, uploads, log }: RedactParts): ApplyChange =>
  async (scope, _change, signal) => {
    const [gone] = await scope.query(
      'select from shops where id = :shop and uninstalled_at is not null',
    )
    if (!gone) return null
    await removeBytes(scope, stores, signal)
    await removeUploads(scope, uploads)
    for (const table of LARGE) await deleteInParts(scope, table, signal)
    await scope.transaction(async (tx) => {
      await dropJobs(tx)
      await tx.query('delete from shops where id = :shop and uninstalled_at is not null')
      // Tables without a foreign key to shops.
      for (const table of await tenantTables(tx))
        await tx.query(`delete from ${table} where shop_id = :shop`)
    })
    log.info('a shop was redacted', { shop: scope.shop })
    return null
  }

/** Before the rows: bytes that a row names can be found again if this is interrupted. */
async function removeBytes(
  scope: ShopScope,
  stores: ReadonlyMap<string, BlobStore>,
  signal: AbortSignal,
): Promise<void> {
  const places = `
    select distinct location, encode(hash, 'hex') as hash from blob_locations where shop_id = :shop
    union select staged ->> 'location', staged ->> 'hash' from items where shop_id = :shop and staged is not null`
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const rows = await scope.query<{ location: string; hash: string }>(
      `select location, hash from (${places}) p where hash is not null and location || '/' || hash > :after
       order by location || '/' || hash limit ${BYTES_AT_A_TIME}`,
      { after },
    )
    for (const { location, hash } of rows) await stores.get(location)?.remove(scope.shop, hash)
    if (rows.length < BYTES_AT_A_TIME) return
    after = `${rows.at(-1)!.location}/${rows.at(-1)!.hash}`
  }
}

async function removeUploads(scope: ShopScope, uploads: UploadFolder): Promise<void> {
  const rows = await scope.query<{ id: string }>('select id from uploads where shop_id = :shop')
  for (const { id } of rows) await uploads.remove(id)
}

async function deleteInParts(scope: ShopScope, table: string, signal: AbortSignal): Promise<void> {
  for (let deleted = AT_A_TIME; deleted === AT_A_TIME;) {
    signal.throwIfAborted()
    const rows = await scope.query(
      `delete from ${table} where ctid in (
         select ctid from ${table} where shop_id = :shop limit ${AT_A_TIME}) and shop_id = :shop returning 1`,
    )
    deleted = rows.length
  }
}

/** Every table with a shop's rows. */
async function tenantTables(tx: ShopScope): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'shop_id' and t.table_type = 'BASE TABLE'
       and :shop > 0 order by 1`,
  )
  return rows.map(({ name }) => name)
}
