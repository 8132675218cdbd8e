// LISTEN/NOTIFY on one connection per process, which reconnects. Notifications are hints only:
// after a reconnect every handler is called once with null, since some may have been missed.
import type pg from 'pg'
import type { Logger } from '../log.ts'
import { WORKER_LOCKS, type HeldLocks } from './lock-classes.ts'
import { openReconnecting } from './reconnecting-client.ts'
import { present } from '../present.ts'

export type NotificationChannel =
  | 'operation_progress'
  | 'operation_control'
  | 'link_changed'
  | 'buyer_page_changed'
  | 'drop_control'
  | 'drop_files'
type Handler = (payload: string | null) => void

export interface Listener {
  /** Calls `handler` for every notification on the channel. Returns a function that stops it. */
  on(channel: NotificationChannel, handler: Handler): () => void
  /**
   * Holds an advisory lock (`locks`, number) on this connection and on each one after it: other
   * processes see in pg_locks whether this one is connected, without waiting for a heartbeat.
   */
  hold(lock: number, locks?: HeldLocks, mode?: 'exclusive' | 'shared'): Promise<void>
  close(): Promise<void>
}

interface HeldLock {
  locks: number
  lock: number
  mode: 'exclusive' | 'shared'
}

const CHANNELS: readonly NotificationChannel[] = [
  'operation_progress',
  'operation_control',
  'link_changed',
  'buyer_page_changed',
  'drop_control',
  'drop_files',
]

/** Connects now and rejects if that fails. From then on it reconnects automatically. */
export async function openListener(url: string, log: Logger): Promise<Listener> {
  const handlers = new Map<NotificationChannel, Set<Handler>>(
    CHANNELS.map((channel) => [channel, new Set()]),
  )
  const held: HeldLock[] = []
  // An advisory lock of the session: PostgreSQL releases it when the connection ends.
  const take = (from: pg.Client, { locks, lock, mode }: HeldLock) =>
    from.query(`select pg_advisory_lock${mode === 'shared' ? '_shared' : ''}($1, $2)`, [
      locks,
      lock,
    ])
  const connection = await openReconnecting(url, {
    log,
    name: 'notification',
    prepare: async (client) => {
      await client.query(CHANNELS.map((channel) => `listen ${channel}`).join(';'))
      for (const lock of held) await take(client, lock)
    },
    onNotification: (channel, payload) => {
      for (const handler of handlers.get(channel as NotificationChannel) ?? [])
        handler(payload ?? null)
    },
    onReconnected: () => handlers.forEach((set) => set.forEach((handler) => handler(null))),
  })
  return {
    on: (channel, handler) => {
      const added = present(handlers.get(channel), channel)
      added.add(handler)
      return () => added.delete(handler)
    },
    hold: async (lock, locks = WORKER_LOCKS, mode = 'exclusive') => {
      held.push({ locks, lock, mode })
      if (connection.current) await take(connection.current, { locks, lock, mode })
    },
    close: () => connection.close(),
  }
}
