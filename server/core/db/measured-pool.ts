// Counts how often and how long queries wait because all connections of a pool are in use.
import type { Knex } from 'knex'
import pg from 'pg'
import { poolWaits, type POOLS } from '../totals.ts'

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: ReleaseClient,
) => void
type ReleaseClient = (release?: unknown) => void

/** The name of the pool in metrics. */
export type PoolName = (typeof POOLS)[number]

/** A pool of pg that counts its waits. A connection that is free costs nothing more. */
export class MeasuredPool extends pg.Pool {
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
export function measureKnex(knex: Knex): void {
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
