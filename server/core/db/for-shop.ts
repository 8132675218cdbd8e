// Tenant scope: the only way to access a shop's rows. Its queries always bind the shop.
import type { Knex } from 'knex'
import { firstOf } from '../present.ts'
import type { Database } from './database.ts'

export type Bindings = Record<string, unknown>

export interface ShopScope {
  /** The shop's internal number. */
  readonly shop: number
  /** A query on one table with a `shop_id`, limited to this shop. */
  from<Row extends object = Record<string, never>>(table: string): Knex.QueryBuilder<Row, Row[]>
  /** Inserts rows of this shop. */
  insert(table: string, rows: object | readonly object[]): Knex.QueryBuilder
  /**
   * SQL with named bindings. It must use `:shop`, which is bound here; arrays are bound as
   * PostgreSQL arrays.
   */
  query<Row extends object>(sql: string, bindings?: Bindings): Promise<Row[]>
  /** The first row of such a query, for one that always gives a row. Throws if it gives none. */
  one<Row extends object>(sql: string, bindings?: Bindings): Promise<Row>
  /** The first row of such a query; null if it gives none. */
  first<Row extends object>(sql: string, bindings?: Bindings): Promise<Row | null>
  /** Does such a query give a row? */
  has(sql: string, bindings?: Bindings): Promise<boolean>
  /**
   * SQL that reads and writes no rows of shops: a function, given values, the database's own tables.
   * It may do without `:shop`, which is bound here too.
   */
  withoutRows<Row extends object>(sql: string, bindings?: Bindings): Promise<Row[]>
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
  const run = async <Row extends object>(sql: string, bindings: Bindings = {}) => {
    // The shop is a number in the SQL text: of a parameter PostgreSQL cannot infer the type in
    // `select :shop, …`.
    const scoped = sql.replace(/(?<!:):shop\b/g, String(shop))
    const result = await knex.raw<{ rows: Row[] }>(scoped, bindings as never)
    return result.rows
  }
  const query: ShopScope['query'] = async <Row extends object>(
    sql: string,
    bindings?: Bindings,
  ) => {
    if (!/:shop\b/.test(sql))
      throw new Error(`A query without :shop would reach every shop: ${sql}`)
    return run<Row>(sql, bindings)
  }
  return {
    shop,
    query,
    withoutRows: run,
    one: async (sql, bindings) => firstOf(await query(sql, bindings)),
    first: async <Row extends object>(sql: string, bindings?: Bindings) =>
      (await query<Row>(sql, bindings))[0] ?? null,
    has: async (sql, bindings) => (await query(sql, bindings)).length > 0,
    from: <Row extends object>(table: string) =>
      knex(table).where(`${table}.shop_id`, shop) as unknown as Knex.QueryBuilder<Row, Row[]>,
    insert: (table, rows) =>
      knex(table).insert(
        ([] as object[]).concat(rows as object[]).map((row) => ({ ...row, shop_id: shop })),
      ),
    transaction: (work) => knex.transaction((trx) => work(scopeOf(trx, shop))),
  }
}
