// The platform's privacy requests, as platform changes: each is repeated until it has succeeded.
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import type { FeatureChanges } from '../../storefront/apply-changes.ts'
import { keepPayload, type ChangeReport } from '../../storefront/changes.ts'
import { lastOf } from '../../core/lazy.ts'
import { dropJobs } from '../../core/queue/private-jobs.ts'
import { stopOperations } from '../../engine/lifecycle.ts'
import { uninstallShop } from '../../storefront/uninstall.ts'
import type { Database } from '../../core/db/database.ts'
import type { MakersOf } from '../feature.ts'
import type { CustomerRequest } from './buyer.ts'
import { customerData } from './customer-data.ts'
import type { ComplianceParts } from './parts.ts'
import { redactCustomer } from './redact-customer.ts'

/** The fields that server/storefront/changes.ts takes from the body. */
interface CustomerPayload {
  customer: string | null
  email: string | null
  orders: readonly string[]
}

interface RedactParts extends ComplianceParts {
  storefront: Pick<Storefront, 'hasAccess'>
}

export const complianceChanges = {
  'customer-data':
    (parts: ComplianceParts) =>
    async ({ shop }, { payload }) => {
      await customerData(parts, shop, requestOf(payload))
      return null
    },
  'customer-redact':
    (parts: ComplianceParts) =>
    async ({ shop }, { payload }) => {
      await redactCustomer(parts, shop, requestOf(payload))
      return null
    },
  /**
   * Sent 48 hours after the app was uninstalled: a shop that has reinstalled it keeps its data. The
   * webhook of the uninstallation may have been lost, so the platform is asked. A store that it does
   * not find was deleted, if it is still not found a day later.
   */
  'shop-redact': (parts: RedactParts) => async (scope, change, signal) => {
    const { shop } = scope
    const access =
      (await isInstalled(parts, shop)) &&
      (await parts.storefront.hasAccess(shop, signal).catch(async (error: unknown) => {
        // Between two answers the store may have been there: the day begins again.
        if (missedSince(change) !== undefined) await noteMissed(scope, change, {})
        throw error
      }))
    if (access === true) return null
    const later = access === 'not found' ? await missedAgain(parts, scope, change) : null
    if (later === null) await redactShop(parts, shop, signal)
    return later
  },
} satisfies MakersOf<RedactParts, FeatureChanges>

const MISSED_FOR_MS = 24 * 3600_000
const MISSED_AGAIN_MS = 3600_000

interface MissedStore {
  missed_at?: string
}

const missedSince = ({ payload }: ChangeReport): string | undefined =>
  (payload as MissedStore | null)?.missed_at

const noteMissed = (scope: ShopScope, { noted }: ChangeReport, missed: MissedStore) =>
  keepPayload(scope, { kind: 'shop-redact', subject: '', noted }, missed)

/** When to ask again for a store that was not found; null: for so long that it was deleted. */
async function missedAgain(
  { clock }: ComplianceParts,
  scope: ShopScope,
  change: ChangeReport,
): Promise<Date | null> {
  const now = +clock()
  const since = missedSince(change)
  if (since === undefined)
    await noteMissed(scope, change, { missed_at: new Date(now).toISOString() })
  else if (now - Date.parse(since) >= MISSED_FOR_MS) return null
  return new Date(now + MISSED_AGAIN_MS)
}

const isInstalled = async ({ database }: ComplianceParts, shop: number): Promise<boolean> =>
  (
    await forShop(database, shop).query(
      'select 1 from shops where id = :shop and uninstalled_at is null',
    )
  ).length > 0

function requestOf(payload: unknown): CustomerRequest {
  const { customer = null, email = null, orders = [] } = payload as Partial<CustomerPayload>
  return { email, customerId: customer, orderIds: orders }
}

// shop/redact: deletes a shop with all rows, bytes, uploads and jobs. Every step is idempotent, so
// an interrupted run can be repeated. The shop's own row is deleted last, because the row of the
// platform's request refers to it, and with it the job.

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

// Reads the tables with rows of shops from the live schema, so that every deletion includes the
// tables of later migrations.

interface ShopTable {
  name: string
  /**
   * Whether rows refer to other rows of the table, so that all rows of a shop must be deleted
   * together.
   */
  whole: boolean
}

interface Reference {
  from: string
  to: string
  /** Whether the referenced row cannot be deleted before the row that refers to it. */
  blocks: boolean
}

const TABLES = `
  select c.relname as name from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id' and not a.attisdropped
  where c.relkind in ('r', 'p') and not c.relispartition order by 1`

const REFERENCES = `
  select f.relname as "from", t.relname as "to", k.confdeltype in ('a', 'r') as blocks
  from pg_constraint k
  join pg_class f on f.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
  join pg_namespace n on n.oid = f.relnamespace and n.nspname = current_schema()
  where k.contype = 'f' order by 1, 2`

/** Reads the tables with rows of shops, in the order in which their rows can be deleted. */
async function tablesOfShops({ pool }: Pick<Database, 'pool'>): Promise<ShopTable[]> {
  const { rows: tables } = await pool.query<{ name: string }>(TABLES)
  const { rows: references } = await pool.query<Reference>(REFERENCES)
  const names = tables.map(({ name }) => name)
  return inOrder(names, references).map((name) => ({
    name,
    whole: references.some(({ from, to, blocks }) => blocks && from === name && to === name),
  }))
}

/**
 * Orders the tables: rows are deleted before the rows that they refer to, except where the schema
 * requires the opposite.
 */
function inOrder(names: readonly string[], references: readonly Reference[]): string[] {
  const known = new Set(names)
  const blocks = (from: string, to: string) =>
    references.some((one) => one.blocks && one.from === from && one.to === to)
  const ordered: string[] = []
  const visited = new Set<string>()
  const visit = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const { from, to } of references)
      if (to === name && known.has(from) && !blocks(name, from)) visit(from)
    ordered.push(name)
  }
  names.forEach(visit)
  return ordered
}
