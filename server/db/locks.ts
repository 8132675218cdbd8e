// Locks by name over all processes on one database: PostgreSQL's advisory locks on one connection of this process, with
// NOTIFY to ask whoever holds one to let go. A process that dies lets go of all of its own.
import pg from 'pg'
import { errorFields, type Logger } from '../log.ts'

const WAIT_MS = 20_000
/** A notification may get lost with its connection: look anyway, this often. */
const LOOK_MS = 250
const RECONNECT_MS = 500
/** The first number of these advisory locks. */
const CLASS = 728_116

export class LockTimeout extends Error {
  constructor(name: string) {
    super(`The lock ${name} was not let go in time`)
    this.name = 'LockTimeout'
  }
}

export interface Locks {
  /**
   * Resolves, with how to let go, once nobody else has this name. `onWanted` is called when someone else asks for it
   * afterwards, and when the connection that holds it is lost. Rejects with `LockTimeout`, or the reason of `signal`.
   */
  acquire(name: string, signal: AbortSignal, onWanted: () => unknown): Promise<() => Promise<void>>
  close(): Promise<void>
}

interface Holder {
  onWanted: () => unknown
  /** The connection that has the lock; null while it is being asked for. */
  by: pg.Client | null
  /** Another process waits for it. */
  wanted: boolean
}

/** Connects at once and rejects when it can't; from then on it keeps itself connected. */
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
      log.warn('connection of the locks lost, connecting again')
      // Others can have them now.
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

  // One after another: the connection is everybody's.
  let last: Promise<unknown> = Promise.resolve()
  const ask = <Row extends object>(by: pg.Client, sql: string, values: unknown[]): Promise<Row[]> => {
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
  /** Takes the name if it is free here and elsewhere; asks for it if not. */
  const attempt = async (name: string, onWanted: () => unknown): Promise<Holder | null> => {
    const present = holders.get(name)
    // The connection that asks again would get its own lock again: within the process this map decides.
    if (present) {
      if (present.by) present.onWanted()
      return null
    }
    const holder: Holder = { onWanted, by: null, wanted: false }
    holders.set(name, holder)
    const taken = await tryLock(name, holder).catch((error: unknown) => {
      log.debug('a lock could not be asked for', errorFields(error))
      return false
    })
    if (taken) return holder
    holders.delete(name)
    return null
  }
  const release = async (name: string, holder: Holder) => {
    const { by, wanted } = holder
    // What a lost connection held is free already.
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
