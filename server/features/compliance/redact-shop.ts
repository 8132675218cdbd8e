// shop/redact: deletes a shop with all rows, bytes, uploads and jobs. Every step is idempotent, so
// an interrupted run can be repeated. The shop's own row is deleted last, because the row of the
// platform's request refers to it, and with it the job.
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { lastOf } from '../../core/present.ts'
import { dropJobs } from '../../core/queue/private-jobs.ts'
import { stopOperations } from '../../engine/lifecycle.ts'
import type { ComplianceParts } from './parts.ts'
import { tablesOfShops, type ShopTable } from './shop-tables.ts'
import { uninstallShop } from '../../storefront/uninstall.ts'

/** How many rows one transaction deletes, so that no lock is held for long. */
const ROW_BATCH = 5000
const UPLOAD_BATCH = 500
/** Tables with the request and the lease of this run, which are deleted with the shop's row. */
const LAST = new Set(['platform_changes', 'background_tasks'])

/**
 * Deletes the shop. Idempotent. Rejects with a `StoreError` if a storage location does not answer.
 */
export async function redactShop(
  parts: ComplianceParts,
  shop: number,
  signal?: AbortSignal,
): Promise<void> {
  const { database, stores, log } = parts
  const scope = forShop(database, shop)
  if ((await scope.query('select 1 from shops where id = :shop')).length === 0) return
  await uninstallShop(parts, shop)
  await scope.transaction(async (tx) => {
    await stopOperations(tx)
    await dropJobs(tx)
  })
  await removeUploads(parts, scope, signal)
  const tables = await tablesOfShops(database)
  let rows = 0
  for (const table of tables)
    if (!LAST.has(table.name)) rows += await deleteRows(scope, table, signal)
  let blobs = 0
  for (const store of stores.values()) blobs += await store.removeShop(shop, signal)
  signal?.throwIfAborted()
  await deleteShop(scope, tables)
  log.info('deleted all data of a shop', { shop, rows, blobs })
}

/** Deletes the files of unfinished and waiting uploads, which only the rows of `uploads` name. */
async function removeUploads(
  { folder }: ComplianceParts,
  scope: ShopScope,
  signal?: AbortSignal,
): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    signal?.throwIfAborted()
    const rows = await scope.query<{ id: string }>(
      `select id from uploads where shop_id = :shop and id > :after order by id limit :limit`,
      { after, limit: UPLOAD_BATCH },
    )
    for (const { id } of rows) await folder.remove(id)
    if (rows.length < UPLOAD_BATCH) return
    after = lastOf(rows).id
  }
}

async function deleteRows(
  scope: ShopScope,
  { name, whole }: ShopTable,
  signal?: AbortSignal,
): Promise<number> {
  // In a table that is divided by month, rows of other shops have the same places in other months.
  const some = `shop_id = :shop and ctid = any(array(select ctid from ${name} where shop_id = :shop
    limit ${ROW_BATCH}))`
  for (let deleted = 0; ;) {
    signal?.throwIfAborted()
    const row = await scope.one<{ rows: number }>(
      `with gone as (delete from ${name} where ${whole ? 'shop_id = :shop' : some} returning shop_id)
       select count(*) as rows from gone where shop_id = :shop`,
    )
    deleted += row.rows
    if (whole || row.rows < ROW_BATCH) return deleted
  }
}

/** Deletes the shop's row, and in the same transaction the rows written in the meantime. */
async function deleteShop(scope: ShopScope, tables: readonly ShopTable[]): Promise<void> {
  await scope.transaction(async (tx) => {
    await dropJobs(tx)
    await tx.query('select 1 from shops where id = :shop for update')
    for (const { name } of tables) await tx.query(`delete from ${name} where shop_id = :shop`)
    await tx.query('delete from shops where id = :shop')
  })
}
