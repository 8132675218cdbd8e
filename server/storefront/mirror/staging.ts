// From staged rows to the mirror: one transaction replaces the old rows with those that a refresh
// has read, so that readers never see a mixture. Only rows that differ are written.
import { nameKey } from '../../../plugins/contract/index.ts'
import { otherSkuKeys, partsKey, skuKey } from '../../core/sku-key.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { isWanted } from '../../core/outbox/webhook-events.ts'
import { NEW_LEASE } from '../../core/queue/lease.ts'
import type { CatalogRow } from '../whole-catalog.ts'
import { endRefresh, recordMirrorChange, type Refresh, type RefreshResult } from './mirror-lease.ts'
import { productCreated, raiseCreated } from './created-products.ts'

/** Removes rows that an interrupted refresh left. */
export async function clearStaged(scope: ShopScope): Promise<void> {
  await scope.query('delete from catalog_staged where shop_id = :shop')
}

export async function stage(
  scope: ShopScope,
  { lease }: Refresh,
  rows: readonly CatalogRow[],
): Promise<void> {
  await stageRows(scope, lease.number, rows)
}

async function stageRows(
  scope: ShopScope,
  lease: number,
  rows: readonly CatalogRow[],
): Promise<void> {
  if (rows.length === 0) return
  await scope.query(
    `insert into catalog_staged (shop_id, lease, kind, id, data)
     select :shop, :lease, r ->> 'kind', r ->> 'id', r from jsonb_array_elements(:rows::jsonb) r
     on conflict do nothing`,
    { lease, rows: storable(JSON.stringify(rows.map(keyed))) },
  )
}

// PostgreSQL cannot store character 0 in text.
const storable = (json: string) => json.replaceAll('\\u0000', '')

const keyed = (row: CatalogRow) =>
  row.kind === 'product'
    ? { ...row, title_key: nameKey(row.title), tag_keys: row.tags.map(nameKey) }
    : {
        ...row,
        sku: textOf(row.sku),
        sku_key: keyOf(row.sku),
        sku_others: othersOf(row.sku),
        barcode: textOf(row.barcode),
        barcode_key: keyOf(row.barcode),
      }

const textOf = (code: string | null) => (code?.trim() ? code : null)
const keyOf = (code: string | null) => (code?.trim() && skuKey(code)) || null
function othersOf(code: string | null): string[] | null {
  const others = otherSkuKeys(keyOf(code) ?? '').map(partsKey)
  return others.length > 0 ? others : null
}

/**
 * Replaces the mirror by the staged rows. Throws if fewer rows are staged than were read: the table
 * is unlogged, and a crash of the database empties it. Throws `LeaseLost`.
 */
export async function swap(scope: ShopScope, begun: Refresh, read: number): Promise<RefreshResult> {
  return scope.transaction(async (tx) => {
    const lease = begun.lease.number
    await begun.lease.hold(tx)
    const [{ staged } = { staged: 0 }] = await tx.query<{ staged: number }>(
      'select count(*) as staged from catalog_staged where shop_id = :shop and lease = :lease',
      { lease },
    )
    if (staged !== read) throw new Error(`Of ${read} rows of the catalog ${staged} are staged`)
    // The statistics describe the old rows; with them the planner would choose nested loops over
    // all pairs of rows. For the same reason variants have no foreign key: docs/decisions/0015.
    await tx.query(`select set_config('enable_nestloop', 'off', true), :shop`)
    const removed = await changed(
      tx,
      REMOVE_VARIANTS,
      lease,
      await changed(tx, REMOVE_PRODUCTS, lease),
    )
    const products = await tx.query<WrittenProduct>(WRITE_PRODUCTS, { lease })
    await tellCreated(tx, products)
    const variants = await tx.query<WrittenRow>(WRITE_VARIANTS, { lease })
    await clearStaged(tx)
    const written = [...products, ...variants]
    const refreshed = {
      matchable: written.filter(({ matchable }) => matchable).length,
      changed: removed + written.length > 0,
    }
    await endRefresh(tx, refreshed)
    return refreshed
  })
}

/**
 * Writes one product as the platform has it now; `rows` are its own and its variants', null: the
 * platform has no such product any more. Does nothing if there is no mirror yet.
 */
export async function swapProduct(
  scope: ShopScope,
  id: string,
  rows: readonly CatalogRow[] | null,
): Promise<RefreshResult> {
  return scope.transaction(async (tx) => {
    const [mirror] = await tx.query<{ lease: number }>(
      `select ${NEW_LEASE} as lease from catalog_mirrors
       where shop_id = :shop and finished_at is not null for update`,
    )
    if (!mirror) return { matchable: 0, changed: false }
    const { lease } = mirror
    await stageRows(tx, lease, rows ?? [])
    const gone = `and not exists (select from catalog_staged s where ${STAGED}`
    const removed = [
      ...(await tx.query(
        `delete from products p where shop_id = :shop and id = :id ${gone} and s.id = p.id)
          returning 1`,
        { lease, id },
      )),
      ...(await tx.query(
        `delete from variants v where shop_id = :shop and product_id = :id ${gone} and s.id = v.id)
          returning 1`,
        { lease, id },
      )),
    ]
    const products = await tx.query<WrittenProduct>(WRITE_PRODUCTS, { lease })
    await tellCreated(tx, products)
    const written = [...products, ...(await tx.query<WrittenRow>(WRITE_VARIANTS, { lease }))]
    await tx.query('delete from catalog_staged where shop_id = :shop and lease = :lease', { lease })
    const refreshed = {
      matchable: written.filter(({ matchable }) => matchable).length,
      changed: removed.length + written.length > 0,
    }
    if (refreshed.changed) await recordMirrorChange(tx)
    return refreshed
  })
}

/** `matchable`: files that matched nothing before may match this row. */
interface WrittenRow {
  matchable: boolean
}

interface WrittenProduct extends WrittenRow {
  /** Of a new product, if a receiver wants to know of it. */
  created: string | null
}

async function tellCreated(tx: ShopScope, products: readonly WrittenProduct[]): Promise<void> {
  const ids = products.flatMap(({ created }) => created ?? [])
  if (ids.length > 0) await raiseCreated(tx, ids)
}

const changed = async (tx: ShopScope, sql: string, lease: number, before = 0) =>
  before + (await tx.query(`${sql} returning 1`, { lease })).length

const STAGED = 's.shop_id = :shop and s.lease = :lease'
const REMOVE_PRODUCTS = `delete from products p where p.shop_id = :shop
  and not exists (select from catalog_staged s where ${STAGED} and s.kind = 'product'
    and s.id = p.id)`
const REMOVE_VARIANTS = `delete from variants v where v.shop_id = :shop
  and not exists (select from catalog_staged s where ${STAGED} and s.kind = 'variant'
    and s.id = v.id)`

const WRITE_PRODUCTS = `
  insert into products as p (shop_id, id, title, title_key, handle, status, image_url, tags,
    tag_keys)
  select :shop, r.*
    from catalog_staged s,
      jsonb_to_record(s.data) as r(id text, title text, title_key text, handle text,
    status text, image_url text, tags text[], tag_keys text[])
  where ${STAGED} and s.kind = 'product'
  on conflict (shop_id, id) do update
    set (title, title_key, handle, status, image_url, tags, tag_keys) =
    (excluded.title, excluded.title_key, excluded.handle, excluded.status, excluded.image_url,
      excluded.tags, excluded.tag_keys)
  where (p.title, p.handle, p.status, p.image_url, p.tags) is distinct from
    (excluded.title, excluded.handle, excluded.status, excluded.image_url, excluded.tags)
  returning (old.title_key, old.tag_keys) is distinct from (new.title_key,
    new.tag_keys) as matchable,
    -- The first catalog is no event.
    case when old.id is null and ${isWanted(`'${productCreated.name}'`)}
      and exists (select from catalog_mirrors m where m.shop_id = :shop and m.finished_at is not null)
      then new.id end as created`

const WRITE_VARIANTS = `
  insert into variants as v (shop_id, id, product_id, position, title, sku, sku_key, sku_others,
    barcode, barcode_key)
  select :shop, r.*
    from catalog_staged s,
      jsonb_to_record(s.data) as r(id text, product_id text, position int, title text,
    sku text, sku_key text, sku_others text[], barcode text, barcode_key text)
  where ${STAGED} and s.kind = 'variant'
  on conflict (shop_id, id) do update
    set (product_id, position, title, sku, sku_key, sku_others, barcode, barcode_key) =
    (excluded.product_id, excluded.position, excluded.title, excluded.sku, excluded.sku_key,
      excluded.sku_others, excluded.barcode, excluded.barcode_key)
  -- The keys too: a version of the program may compare SKUs in another form than the one before.
  where (v.product_id, v.position, v.title, v.sku, v.barcode, v.sku_key, v.sku_others,
      v.barcode_key)
    is distinct from (excluded.product_id, excluded.position, excluded.title, excluded.sku,
      excluded.barcode, excluded.sku_key, excluded.sku_others, excluded.barcode_key)
  returning new.sku is not null
    and (old.product_id, old.sku, old.sku_key, old.sku_others)
      is distinct from (new.product_id, new.sku, new.sku_key, new.sku_others) as matchable`
