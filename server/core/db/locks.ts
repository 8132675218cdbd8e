// Named locks across all processes on one database: PostgreSQL's advisory locks on one connection
// per process, with NOTIFY to ask the holder of a lock to release it. They are not leases in a row,
// because PostgreSQL releases the locks of a process that dies immediately: the client of an upload
// that reconnects to another process must not wait for a lease to expire.
import type pg from 'pg'
import { errorFields, type Logger } from '../log.ts'
import { NAMED_LOCKS } from './lock-classes.ts'
import { openReconnecting, type ReconnectingClient } from './listener.ts'
import { firstOf } from '../lazy.ts'

const WAIT_MS = 20_000
/** A notification is lost when its connection breaks, so waiters also check at this interval. */
const POLL_MS = 250

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
  /** Another process waits for the lock. */
  wanted: boolean
}

/** Connects now and rejects if that fails. From then on it reconnects automatically. */
export async function openLocks(url: string, log: Logger): Promise<Locks> {
  const holders = new Map<string, Holder>()
  const sleepers = createSleepers()
  const connection = await openReconnecting(url, {
    log,
    name: 'lock',
    prepare: (client) => client.query('listen lock_wanted; listen lock_free'),
    onNotification: (channel, payload = '') => {
      const holder = holders.get(payload)
      if (channel === 'lock_free') sleepers.wake(payload)
      else if (holder?.by) {
        holder.wanted = true
        holder.onWanted()
      }
    },
    onLost: (client) => {
      // The broken connection held the locks, so other processes can get them now.
      for (const holder of holders.values()) if (holder.by === client) holder.onWanted()
    },
  })
  const server = createLockServer(connection, log)
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
    if (await server.tryLock(name, holder)) return holder
    holders.delete(name)
    return null
  }
  const release = async (name: string, holder: Holder) => {
    await server.unlock(name, holder)
    holders.delete(name)
    sleepers.wake(name)
  }
  return {
    acquire: async (name, signal, onWanted) => {
      const until = performance.now() + WAIT_MS
      while (true) {
        signal.throwIfAborted()
        const holder = await attempt(name, onWanted)
        if (holder) return () => release(name, holder)
        if (performance.now() > until) throw new LockTimeout(name)
        await sleepers.sleep(name, signal)
      }
    },
    close: () => connection.close(),
  }
}

/** The locks in PostgreSQL. Both functions resolve even if the connection is lost. */
function createLockServer(connection: ReconnectingClient, log: Logger) {
  // One query after another, since all locks share the connection.
  let last: Promise<unknown> = Promise.resolve()
  const query = <Row extends object>(
    by: pg.Client,
    sql: string,
    values: unknown[],
  ): Promise<Row[]> => {
    const asked = last.then(async () => (await by.query<Row>(sql, values)).rows)
    last = asked.catch(() => {})
    return asked
  }
  const tryOn = async (by: pg.Client, name: string): Promise<boolean> => {
    // An advisory lock of the session: what the name is for may take minutes, without a transaction.
    const sql = 'select pg_try_advisory_lock($1, hashtext($2)) as taken'
    const { taken } = firstOf(await query<{ taken: boolean }>(by, sql, [NAMED_LOCKS, name]))
    if (!taken) await query(by, `select pg_notify('lock_wanted', $1)`, [name])
    return taken
  }
  return {
    /** Sets the holder's connection if the lock is free; otherwise requests it. */
    tryLock: async (name: string, holder: Holder): Promise<boolean> => {
      const by = connection.current
      if (!by) return false
      const taken = await tryOn(by, name).catch((error: unknown) => {
        log.debug('a lock could not be requested', errorFields(error))
        return false
      })
      if (taken) holder.by = by
      return taken
    },
    unlock: async (name: string, { by, wanted }: Holder): Promise<void> => {
      // PostgreSQL has released the locks of a lost connection.
      if (!by || by !== connection.current) return
      const sql = 'select pg_advisory_unlock($1, hashtext($2))'
      await query(by, sql, [NAMED_LOCKS, name]).catch(() => {})
      if (wanted) await query(by, `select pg_notify('lock_free', $1)`, [name]).catch(() => {})
    },
  }
}

/** Waiters for locks: each is woken when its lock may be free, and at an interval. */
function createSleepers() {
  const sleepers = new Map<string, Set<() => void>>()
  return {
    wake: (name: string) => sleepers.get(name)?.forEach((end) => end()),
    sleep: (name: string, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const same = sleepers.get(name) ?? new Set()
        sleepers.set(name, same)
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          same.delete(end)
          if (same.size === 0) sleepers.delete(name)
          resolve()
        }
        const timer = setTimeout(end, POLL_MS)
        same.add(end)
        signal.addEventListener('abort', end, { once: true })
      }),
  }
}
