// Tenant scope: the only way to access a shop's rows. Its queries always bind the shop. Below: the
// look-up that gives a scope's shop.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { firstOf } from '../lazy.ts'
import type { Database } from './database.ts'
import { isRollback, isDatabaseUnavailable } from './error-classes.ts'

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

// Repeats a transaction that another one rolled back.

const TRIES = 5

/**
 * Runs `work` in a transaction, up to 5 times if a deadlock, a serialization failure or a filename
 * taken in the meantime rolls it back. Every attempt starts from the beginning.
 */
export const retryTransaction = <T>(
  scope: ShopScope,
  work: (tx: ShopScope) => Promise<T>,
): Promise<T> => retryRolledBack(() => scope.transaction(work))

/** As `retryTransaction`, for work that opens its transaction itself. */
export async function retryRolledBack<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isRollback(error) || attempt === TRIES) throw error
    }
  }
}

// Many rows in one statement: a value that all rows share is bound once, the others are one JSON
// recordset. Parsing columns row by row is what takes the time in such a statement.

export interface SharedRows<Name extends string> {
  /** The recordset, as `o`, for the FROM clause. */
  from: string
  /** The SQL of a column's value, with its type. */
  value(name: Name): string
  bindings: Record<string, unknown>
}

/**
 * @param types the SQL type of every column; a column that no row has is null
 * @param own columns that differ, or may differ, between rows: these are not compared
 */
export function sharedRows<Name extends string>(
  rows: readonly Readonly<Partial<Record<NoInfer<Name>, unknown>>>[],
  types: Readonly<Record<Name, string>>,
  own: readonly NoInfer<Name>[],
): SharedRows<Name> {
  const names = Object.keys(types) as Name[]
  const first = firstOf(rows)
  const given = names.filter(
    (name) =>
      own.includes(name) || rows.some((row) => !sameValue(row[name] ?? null, first[name] ?? null)),
  )
  const bindings: Record<string, unknown> = {}
  for (const name of names)
    if (!given.includes(name)) bindings[`same_${name}`] = bound(first[name] ?? null, types[name])
  bindings.own_rows = JSON.stringify(
    given.length === names.length ? rows : rows.map((row) => picked(row, given)),
  )
  return {
    from: `jsonb_to_recordset(:own_rows::jsonb) as o(${given.map((name) => `${name} ${types[name]}`).join(', ')})`,
    value: (name) => (given.includes(name) ? `o.${name}` : `:same_${name}::${types[name]}`),
    bindings,
  }
}

function picked<Name extends string>(
  row: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
) {
  const own: Record<string, unknown> = {}
  for (const name of names) if (row[name] !== undefined) own[name] = row[name]
  return own
}

const bound = (value: unknown, type: string): unknown =>
  type === 'jsonb' && value !== null ? JSON.stringify(value) : value

const sameValue = (a: unknown, b: unknown): boolean => a === b || isDeepStrictEqual(a, b)

// Shops by their platform domain: the look-up that gives the shop of a scope.

export interface Shop {
  id: number
  domain: string
  name: string
  demo: boolean
}

/** The installed shop of that domain, or null. */
export async function findShop(
  database: Pick<Database, 'pool'>,
  domain: string,
): Promise<Shop | null> {
  const { rows } = await database.pool.query<Shop>(
    'select id, domain, name, demo from shops where domain = $1 and uninstalled_at is null',
    [domain],
  )
  return rows[0] ?? null
}

/** The shop of that domain, also after it was uninstalled, or null. */
export async function findKnownShop(
  database: Pick<Database, 'knex'>,
  domain: string,
): Promise<number | null> {
  const [row] = await database.knex<{ id: number; domain: string }>('shops').where({ domain })
  return row?.id ?? null
}

/**
 * The shop of that domain. A missing one is created as not installed: a session token alone does not
 * prove that the app is installed, because it stays valid for a minute after the app was uninstalled.
 * The platform's first offline token installs it (server/storefront/shop-tokens.ts).
 */
export async function registerShop(
  database: Pick<Database, 'pool'>,
  domain: string,
): Promise<Shop> {
  const { rows } = await database.pool.query<Shop>(
    `with added as (
       insert into shops (domain, name, uninstalled_at) values ($1, $2, now())
       on conflict (domain) do nothing returning id, domain, name, demo
     )
     select * from added union all select id, domain, name, demo from shops where domain = $1
     limit 1`,
    [domain, domain.split('.')[0]],
  )
  // Another process may have added the row after this statement began.
  return rows[0] ?? registerShop(database, domain)
}

/**
 * The shop of that domain, created if missing and reinstalled if uninstalled, without the platform. An existing shop
 * keeps its name and settings. `demo` can't change, since the prefix of its API keys depends on it.
 */
export async function ensureShop(
  database: Pick<Database, 'pool'>,
  shop: { domain: string; name?: string; demo?: boolean; settings?: Record<string, unknown> },
): Promise<Shop> {
  const there = await findShop(database, shop.domain)
  if (there) return there
  const { rows } = await database.pool.query<Shop>(
    `insert into shops (domain, name, demo, settings) values ($1, $2, $3, $4)
     on conflict (domain) do update set
       uninstalled_at = null,
       installed_at = case when shops.uninstalled_at is null then shops.installed_at else now() end
     returning id, domain, name, demo`,
    [
      shop.domain,
      shop.name ?? shop.domain.split('.')[0],
      shop.demo ?? false,
      JSON.stringify(shop.settings ?? {}),
    ],
  )
  return firstOf(rows)
}

// Work for many rows, usually of different shops, of which one must not stop the others.

/**
 * Calls `work` for each row, one after another. Throws the first error, but only after the last
 * row, unless the database is unavailable: then the other rows would fail too.
 */
export async function attemptEach<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = []
  for (const row of rows)
    await work(row).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      errors.push(error)
    })
  if (errors.length > 0) throw errors[0]
}

// Locks of a shop by name, held until a transaction ends: for what has no row that could be locked.

/**
 * Waits until no other transaction of the shop holds the lock, and holds it until `tx` ends. It is
 * an advisory lock: the comment at each call gives the reason (test/advisory-locks.test.ts). A lock
 * keeps its name in the next release: processes of both versions exclude each other.
 * @param tx a transaction; outside of one the lock would end with its own statement
 * @param name one for each use, or an id that no other use locks
 */
export async function lockUntilCommit(tx: ShopScope, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended(:name, :shop))', { name })
}
