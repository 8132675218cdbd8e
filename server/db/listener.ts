// LISTEN/NOTIFY on one connection per process, which reconnects. Notifications are hints only:
// after a reconnect every handler is called once with null, since some may have been missed.
import pg from 'pg'
import type { Logger } from '../log.ts'

export type NotificationChannel =
  | 'operation_progress'
  | 'operation_control'
  | 'link_changed'
  | 'buyer_page_changed'
  | 'drop_control'
  | 'drop_files'
type Handler = (payload: string | null) => void

const RECONNECT_MS = 500
/** The first number of the advisory locks by which workers show that they are connected. */
export const WORKER_LOCKS = 728_115
/** The same for the drop server's processes. */
export const DROP_LOCKS = 728_116

export interface Listener {
  /** Calls `handler` for every notification on the channel. Returns a function that stops it. */
  on(channel: NotificationChannel, handler: Handler): () => void
  /** Holds an advisory lock (`locks`, number) on this connection and on each one after it. */
  hold(lock: number, locks?: typeof WORKER_LOCKS | typeof DROP_LOCKS): Promise<void>
  close(): Promise<void>
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
  let closed = false
  let client: pg.Client | null = null
  const held: [locks: number, lock: number][] = []
  const take = (from: pg.Client, lock: [number, number]) =>
    from.query('select pg_advisory_lock($1, $2)', lock)
  let timer: NodeJS.Timeout | undefined

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true })
    const lost = () => {
      if (client !== fresh || closed) return
      client = null
      log.warn('notification connection lost, reconnecting')
      retry()
    }
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel as NotificationChannel) ?? [])
        handler(payload ?? null)
    })
    await fresh.connect()
    await fresh.query(CHANNELS.map((channel) => `listen ${channel}`).join(';'))
    for (const lock of held) await take(fresh, lock)
    client = fresh
  }
  const retry = () => {
    timer = setTimeout(() => {
      connect().then(
        () => handlers.forEach((set) => set.forEach((handler) => handler(null))),
        () => !closed && retry(),
      )
    }, RECONNECT_MS)
  }

  await connect()
  return {
    on: (channel, handler) => {
      handlers.get(channel)!.add(handler)
      return () => handlers.get(channel)!.delete(handler)
    },
    hold: async (lock, locks = WORKER_LOCKS) => {
      held.push([locks, lock])
      if (client) await take(client, [locks, lock])
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
