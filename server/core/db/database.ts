// The connection pools. Only server/core/db, the delivery path, the crash sweeps and the start-up
// code may hold a Database: everything else gets a ShopScope (forShop), and lint keeps it so.
import knexFactory, { type Knex } from 'knex'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { firstOf } from '../lazy.ts'
import { poolWaits, type POOLS } from '../totals.ts'

// Counts and sizes stay far below 2^53, so bigint columns are plain numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface Database {
  /** The address of the database, which may lead through a pooler. */
  url: string
  /** The address of the server itself: for LISTEN, locks of a session and migrations. */
  directUrl: string
  /** Query building, transactions, migrations. */
  knex: Knex
  /** Plain pg, for the few hot statements that use prepared plans. */
  pool: pg.Pool
  /** Connections to the server itself: for graphile-worker, which listens. */
  direct: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** The address of the server itself; absent: `url` leads there. */
  directUrl?: string | null
  /** The name that the server shows for the connections. */
  name?: string
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
const RANDOM_PAGE_COST = 1.1

/**
 * graphile-worker listens on one connection, takes one job after another on the second, and
 * completes jobs on the third. Many processes share the connections of the server.
 */
const DIRECT_CONNECTIONS = 3

/**
 * Opens the pools; connects on first use.
 * @param connections the maximum of each pool.
 */
export function openDatabase(
  url: string,
  connections: number,
  log: Logger,
  { directUrl = null, name = 'stevedore' }: DatabaseOptions = {},
): Database {
  const isPooled = directUrl !== null && directUrl !== url
  const open = (poolName: PoolName, config: pg.PoolConfig): pg.Pool => {
    const pool = new MeasuredPool(poolName, config)
    // Without these handlers a restart of PostgreSQL would crash our process.
    pool.on('error', (error) => log.warn('idle database connection lost', { error: error.message }))
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const common = { connectionTimeoutMillis: 10_000, application_name: name }
  const direct = {
    ...common,
    connectionString: directUrl ?? url,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    options: `-c random_page_cost=${RANDOM_PAGE_COST}`,
  }
  // A pooler refuses settings of a session; `keepSettings` gives them to the role.
  const options = isPooled ? { ...common, connectionString: url } : direct
  const pool = open('plain', {
    ...options,
    max: connections,
    ...(isPooled ? { Client: UnnamedClient as never } : {}),
  })
  const directPool = isPooled ? open('direct', { ...direct, max: DIRECT_CONNECTIONS }) : pool
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
  measureKnex(knex)
  return {
    url,
    directUrl: directUrl ?? url,
    knex,
    pool,
    direct: directPool,
    close: async () => {
      await Promise.allSettled([
        knex.destroy(),
        pool.end(),
        ...(isPooled ? [directPool.end()] : []),
      ])
    },
  }
}

/**
 * A connection through a pooler that shares the server's connections between transactions: a
 * statement that was prepared under a name may be on another one.
 */
class UnnamedClient extends pg.Client {
  override query(...given: never[]): never {
    const [config, ...rest] = given as unknown[]
    const isNamed = typeof config === 'object' && config !== null && 'name' in config
    // A query of pg's own class keeps its methods.
    if (isNamed && 'submit' in config) config.name = undefined
    const unnamed = isNamed && !('submit' in config) ? { ...config, name: undefined } : config
    return (super.query as (...all: unknown[]) => never).call(this, unnamed, ...rest)
  }
}

/**
 * Keeps the settings of a session with the role of the direct connection, for connections through a
 * pooler.
 */
export async function keepSettings({ direct }: Database): Promise<void> {
  const { rows } = await direct.query<{ role: string; name: string }>(
    `select quote_ident(current_user) as role, quote_ident(current_database()) as name`,
  )
  const { role, name } = firstOf(rows)
  await direct.query(
    `alter role ${role} in database ${name} set random_page_cost = ${RANDOM_PAGE_COST}`,
  )
  await direct.query(
    `alter role ${role} in database ${name}
     set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`,
  )
}

interface ServerState {
  version: number
  standby: boolean
  read_only: boolean
}

/**
 * Throws where the server is too old (uuidv7() and RETURNING old.* need PostgreSQL 18), or can only
 * be read, which may pass: a standby becomes the primary.
 */
export async function requireServer(database: Pick<Database, 'pool'>): Promise<void> {
  const { rows } = await database.pool.query<ServerState>(
    `select current_setting('server_version_num')::int as version,
       pg_is_in_recovery() as standby,
       current_setting('default_transaction_read_only')::bool as read_only`,
  )
  const { version, standby, read_only } = firstOf(rows)
  if (version < 180_000)
    throw new Error(
      `The server is PostgreSQL ${Math.floor(version / 10_000)}: Stevedore needs version 18 or newer.`,
    )
  if (standby) throw readOnly('The server is a standby, which can only be read: name the primary.')
  if (read_only)
    throw readOnly(
      'The database can only be read (default_transaction_read_only): its disk may be full.',
    )
}

const readOnly = (message: string) => Object.assign(new Error(message), { code: '25006' })

// Counts how often and how long queries wait because all connections of a pool are in use.

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: ReleaseClient,
) => void
type ReleaseClient = (release?: unknown) => void

/** The name of the pool in metrics. */
type PoolName = (typeof POOLS)[number]

/** A pool of pg that counts its waits. A connection that is free costs nothing more. */
class MeasuredPool extends pg.Pool {
  readonly #name: PoolName
  constructor(name: PoolName, config: pg.PoolConfig) {
    super(config)
    this.#name = name
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const isFull = this.idleCount === 0 && this.totalCount >= (this.options.max ?? 0)
    const measured = isFull ? waitOn(this.#name) : null
    if (callback)
      return super.connect((...given) => {
        measured?.()
        callback(...given)
      })
    const client = super.connect()
    return measured ? client.finally(measured) : client
  }
}

/** Starts to measure a wait; the returned function ends it. */
function waitOn(name: PoolName): () => void {
  const begun = performance.now()
  return () => {
    poolWaits.count.add(name)
    poolWaits.seconds.add(name, (performance.now() - begun) / 1000)
  }
}

/** The part of tarn's pool, which knex uses, that is measured. */
interface KnexPool {
  max: number
  numUsed(): number
  on(event: 'acquireRequest', listener: (id: number) => void): void
  on(event: 'acquireSuccess', listener: (id: number) => void): void
  on(event: 'acquireFail', listener: (id: number) => void): void
}

/** Counts the waits of knex's own pool. */
function measureKnex(knex: Knex): void {
  const { pool } = knex.client as { pool: KnexPool }
  const waiting = new Map<number, () => void>()
  pool.on('acquireRequest', (id) => {
    if (pool.numUsed() >= pool.max) waiting.set(id, waitOn('knex'))
  })
  const ended = (id: number) => {
    waiting.get(id)?.()
    waiting.delete(id)
  }
  pool.on('acquireSuccess', ended)
  pool.on('acquireFail', ended)
}
