// The connection pools. Only server/db, the delivery path, the crash sweeps and the start-up code
// may hold a Database: everything else gets a ShopScope (forShop), and lint keeps it so.
import knexFactory, { type Knex } from 'knex'
import pg from 'pg'
import type { Logger } from '../log.ts'

// Counts and sizes stay far below 2^53, so bigint columns are plain numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface Database {
  url: string
  /** Query building, transactions, migrations. */
  knex: Knex
  /** Plain pg, for the few hot statements that use prepared plans and for graphile-worker. */
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * After this time PostgreSQL ends an idle transaction, and with it the locks of a hanging process,
 * so that its successor can work. (The hanging process itself cannot close its connection.)
 */
const IDLE_TRANSACTION_MS = 30_000

/**
 * Tables in use are cached or on SSDs: random reads cost little more than sequential ones, so the
 * planner should prefer indexes to table scans.
 */
const PLANNING = '-c random_page_cost=1.1'

/**
 * Opens both pools; connects on first use.
 * @param connections the maximum of each pool.
 */
export function openDatabase(url: string, connections: number, log: Logger): Database {
  const options = {
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    options: PLANNING,
  }
  const pool = new pg.Pool({ ...options, max: connections })
  // Without these handlers a restart of PostgreSQL would crash our process.
  pool.on('error', (error) => log.warn('idle database connection lost', { error: error.message }))
  pool.on('connect', (client) => client.on('error', () => {}))
  const knex = knexFactory({
    client: 'pg',
    connection: options,
    pool: { min: 0, max: connections },
    acquireConnectionTimeout: 20_000,
    log: {
      warn: (text: unknown) => log.debug('knex', { text: String(text) }),
      error: (text: unknown) => log.debug('knex', { text: String(text) }),
    },
  })
  return {
    url,
    knex,
    pool,
    close: async () => {
      await Promise.allSettled([knex.destroy(), pool.end()])
    },
  }
}

/** Throws where the server is too old: uuidv7() and RETURNING old.* need PostgreSQL 18. */
export async function requireServerVersion(database: Database): Promise<void> {
  const { rows } = await database.pool.query<{ server_version_num: string }>(
    'show server_version_num',
  )
  const version = Number(rows[0]!.server_version_num)
  if (version < 180_000)
    throw new Error(
      `The server is PostgreSQL ${Math.floor(version / 10_000)}: Stevedore needs version 18 or newer.`,
    )
}
