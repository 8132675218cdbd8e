// Tenant scope: the only way to access a shop's rows. Its queries always bind the shop.
import type { Knex } from 'knex'
import { firstOf } from '../present.ts'
import type { Database } from './database.ts'

export type TenantTable =
  | 'api_keys'
  | 'archive_sessions'
  | 'artifacts'
  | 'background_tasks'
  | 'backups'
  | 'blob_locations'
  | 'blobs'
  | 'buyer_pages'
  | 'catalog_mirrors'
  | 'catalog_staged'
  | 'chains'
  | 'created_files'
  | 'cloud_authorizations'
  | 'cloud_files'
  | 'cloud_listings'
  | 'cloud_rejections'
  | 'connections'
  | 'csv_chunks'
  | 'csv_column_mappings'
  | 'csv_problems'
  | 'csv_uploads'
  | 'customer_data'
  | 'deliveries'
  | 'delivery_files'
  | 'demo_orders'
  | 'delivery_runs'
  | 'download_sessions'
  | 'download_notices'
  | 'downloads'
  | 'drop_accounts'
  | 'drop_connections'
  | 'drop_entries'
  | 'drop_settings'
  | 'file_claims'
  | 'file_copies'
  | 'files'
  | 'preview_names'
  | 'idempotency_keys'
  | 'item_batches'
  | 'items'
  | 'flow_triggers'
  | 'licence_keys'
  | 'licence_lists'
  | 'links'
  | 'mappings'
  | 'new_files'
  | 'notices'
  | 'operations'
  | 'order_effects'
  | 'order_lines'
  | 'order_syncs'
  | 'orders'
  | 'outbox'
  | 'pack_products'
  | 'packs'
  | 'past_imports'
  | 'platform_changes'
  | 'prepared_files'
  | 'products'
  | 'public_addresses'
  | 'receiver_failures'
  | 'reviews'
  | 'schedules'
  | 'shop_tokens'
  | 'sync_changes'
  | 'syncs'
  | 'tag_templates'
  | 'token_leases'
  | 'upload_batches'
  | 'uploads'
  | 'variants'
  | 'versions'
  | 'shop_plans'
  | 'webhook_endpoints'
  | 'webhooks'
  | 'workflows'

export type Bindings = Record<string, unknown>

export interface ShopScope {
  /** The shop's internal number. */
  readonly shop: number
  /** A query on one table, limited to this shop. */
  from<Row extends object = Record<string, never>>(
    table: TenantTable,
  ): Knex.QueryBuilder<Row, Row[]>
  /** Inserts rows of this shop. */
  insert(table: TenantTable, rows: object | readonly object[]): Knex.QueryBuilder
  /**
   * SQL with named bindings. It must use `:shop`, which is bound here; arrays are bound as
   * PostgreSQL arrays.
   */
  query<Row extends object>(sql: string, bindings?: Bindings): Promise<Row[]>
  /** The first row of such a query, for one that always gives a row. Throws if it gives none. */
  one<Row extends object>(sql: string, bindings?: Bindings): Promise<Row>
  /**
   * Runs `work` in one transaction (a savepoint inside another one); rolled back when it throws.
   */
  transaction<T>(work: (tx: ShopScope) => Promise<T>): Promise<T>
}

/**
 * The scope of one shop. `shop` is the internal number, as authentication or an operation gives it.
 */
export function forShop(database: Pick<Database, 'knex'>, shop: number): ShopScope {
  return scopeOf(database.knex, shop)
}

function scopeOf(knex: Knex, shop: number): ShopScope {
  if (!Number.isSafeInteger(shop)) throw new TypeError('forShop needs the number of a shop')
  const query: ShopScope['query'] = async <Row extends object>(
    sql: string,
    bindings: Bindings = {},
  ) => {
    if (!/:shop\b/.test(sql))
      throw new Error(`A query without :shop would reach every shop: ${sql}`)
    // A number in the SQL text: as a parameter, PostgreSQL can't infer its type in `select :shop,
    // …`.
    const scoped = sql.replace(/(?<!:):shop\b/g, String(shop))
    const result = await knex.raw<{ rows: Row[] }>(scoped, bindings as never)
    return result.rows
  }
  return {
    shop,
    query,
    one: async (sql, bindings) => firstOf(await query(sql, bindings)),
    from: <Row extends object>(table: TenantTable) =>
      knex(table).where(`${table}.shop_id`, shop) as unknown as Knex.QueryBuilder<Row, Row[]>,
    insert: (table, rows) =>
      knex(table).insert(
        ([] as object[]).concat(rows as object[]).map((row) => ({ ...row, shop_id: shop })),
      ),
    transaction: (work) => knex.transaction((trx) => work(scopeOf(trx, shop))),
  }
}
