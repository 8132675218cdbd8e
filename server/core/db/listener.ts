// LISTEN/NOTIFY on one connection per process, which reconnects. Notifications are hints only:
// after a reconnect every handler is called once with null, since some may have been missed.
import pg from 'pg'
import type { Logger } from '../log.ts'
import { present } from '../lazy.ts'
import { WORKER_LOCKS, type HeldLocks } from './lock-classes.ts'

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

// A connection that a process keeps for notifications, or for locks that end with the connection.
// It is opened again when it is lost.

const RECONNECT_MS = 500
const CONNECT_MS = 10_000

export interface ReconnectingOptions {
  log: Logger
  /** What the connection is for, in the log. */
  name: string
  /** Called for each new connection before it is used. If it rejects, another one is opened. */
  prepare(client: pg.Client): Promise<unknown>
  onNotification(channel: string, payload: string | undefined): void
  onLost?(client: pg.Client): void
  /** Called after a reconnect, before which notifications may have been missed. */
  onReconnected?(): void
}

export interface ReconnectingClient {
  /** The connection; null while it is lost. */
  readonly current: pg.Client | null
  close(): Promise<void>
}

/** Connects now and rejects if that fails. From then on it reconnects automatically. */
export async function openReconnecting(
  url: string,
  { log, name, prepare, onNotification, onLost, onReconnected }: ReconnectingOptions,
): Promise<ReconnectingClient> {
  let closed = false
  let current: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  const connect = async () => {
    const fresh = await openClient(url, {
      prepare,
      onNotification,
      onEnd: (client) => lose(client),
    })
    // Nothing else would end a connection that was opened during `close`.
    if (closed) await fresh.end().catch(() => {})
    else current = fresh
  }
  const lose = (client: pg.Client) => {
    if (current !== client || closed) return
    current = null
    log.warn(`${name} connection lost, reconnecting`)
    onLost?.(client)
    retry()
  }
  const retry = () => {
    timer = setTimeout(() => {
      connect().then(
        () => !closed && onReconnected?.(),
        () => !closed && retry(),
      )
    }, RECONNECT_MS)
  }
  await connect()
  return {
    get current() {
      return current
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await current?.end().catch(() => {})
    },
  }
}

async function openClient(
  url: string,
  {
    prepare,
    onNotification,
    onEnd,
  }: Pick<ReconnectingOptions, 'prepare' | 'onNotification'> & { onEnd(client: pg.Client): void },
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
  })
  client.on('error', () => onEnd(client))
  client.on('end', () => onEnd(client))
  client.on('notification', ({ channel, payload }) => onNotification(channel, payload))
  try {
    await client.connect()
    await prepare(client)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
