// Named locks across all processes on one database: PostgreSQL's advisory locks on one connection
// per process, with NOTIFY to ask the holder of a lock to release it. PostgreSQL releases the locks
// of a process that dies.
import pg from 'pg'
import { errorFields, type Logger } from '../log.ts'

const WAIT_MS = 20_000
/** A notification is lost when its connection breaks, so waiters also check at this interval. */
const LOOK_MS = 250
const RECONNECT_MS = 500
/** The first number of these advisory locks. */
const CLASS = 728_116

export class LockTimeout extends Error {
  constructor(name: string) {
    super(`The lock ${name} was not released in time`)
    this.name = 'LockTimeout'
  }
}

export interface Locks {
  /**
   * Resolves with a release function once no other process has this lock. `onWanted` is called when
   * another one requests it, and when the connection that holds it is lost. Rejects with
   * `LockTimeout` or the reason of `signal`.
   */
  acquire(name: string, signal: AbortSignal, onWanted: () => unknown): Promise<() => Promise<void>>
  close(): Promise<void>
}

interface Holder {
  onWanted: () => unknown
  /** The connection that holds the lock; null while it is requested. */
  by: pg.Client | null
  /** Another process waits for it. */
  wanted: boolean
}

/** Connects now and rejects if that fails. From then on it reconnects automatically. */
export async function openLocks(url: string, log: Logger): Promise<Locks> {
  const holders = new Map<string, Holder>()
  const sleepers = new Map<string, Set<() => void>>()
  let closed = false
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  const wake = (name: string) => sleepers.get(name)?.forEach((each) => each())

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true })
    const lost = () => {
      if (client !== fresh || closed) return
      client = null
      log.warn('lock connection lost, reconnecting')
      // The broken connection held the locks, so other processes can get them now.
      for (const holder of holders.values()) if (holder.by === fresh) holder.onWanted()
      retry()
    }
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ channel, payload = '' }) => {
      const holder = holders.get(payload)
      if (channel === 'lock_free') wake(payload)
      else if (holder?.by) {
        holder.wanted = true
        holder.onWanted()
      }
    })
    await fresh.connect()
    await fresh.query('listen lock_wanted; listen lock_free')
    client = fresh
  }
  const retry = () => {
    timer = setTimeout(() => void connect().catch(() => !closed && retry()), RECONNECT_MS)
  }

  // One query after another, since all locks share the connection.
  let last: Promise<unknown> = Promise.resolve()
  const ask = <Row extends object>(
    by: pg.Client,
    sql: string,
    values: unknown[],
  ): Promise<Row[]> => {
    const asked = last.then(async () => (await by.query<Row>(sql, values)).rows)
    last = asked.catch(() => {})
    return asked
  }

  const tryLock = async (name: string, holder: Holder): Promise<boolean> => {
    const by = client
    if (!by) return false
    const sql = 'select pg_try_advisory_lock($1, hashtext($2)) as taken'
    const [row] = await ask<{ taken: boolean }>(by, sql, [CLASS, name])
    if (row!.taken) holder.by = by
    else await ask(by, `select pg_notify('lock_wanted', $1)`, [name])
    return row!.taken
  }
  /** Takes the lock if it is free in this process and in all others; otherwise requests it. */
  const attempt = async (name: string, onWanted: () => unknown): Promise<Holder | null> => {
    const present = holders.get(name)
    // Advisory locks are reentrant on a connection, so within the process this map decides.
    if (present) {
      if (present.by) present.onWanted()
      return null
    }
    const holder: Holder = { onWanted, by: null, wanted: false }
    holders.set(name, holder)
    const taken = await tryLock(name, holder).catch((error: unknown) => {
      log.debug('a lock could not be requested', errorFields(error))
      return false
    })
    if (taken) return holder
    holders.delete(name)
    return null
  }
  const release = async (name: string, holder: Holder) => {
    const { by, wanted } = holder
    // PostgreSQL has released the locks of a lost connection.
    if (by === client && by) {
      await ask(by, 'select pg_advisory_unlock($1, hashtext($2))', [CLASS, name]).catch(() => {})
      if (wanted) await ask(by, `select pg_notify('lock_free', $1)`, [name]).catch(() => {})
    }
    holders.delete(name)
    wake(name)
  }
  const sleep = (name: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const of = sleepers.get(name) ?? new Set()
      sleepers.set(name, of)
      const end = () => {
        clearTimeout(look)
        signal.removeEventListener('abort', end)
        of.delete(end)
        if (of.size === 0) sleepers.delete(name)
        resolve()
      }
      const look = setTimeout(end, LOOK_MS)
      of.add(end)
      signal.addEventListener('abort', end, { once: true })
    })

  await connect()
  return {
    acquire: async (name, signal, onWanted) => {
      const until = performance.now() + WAIT_MS
      while (true) {
        signal.throwIfAborted()
        const holder = await attempt(name, onWanted)
        if (holder) return () => release(name, holder)
        if (performance.now() > until) throw new LockTimeout(name)
        await sleep(name, signal)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
