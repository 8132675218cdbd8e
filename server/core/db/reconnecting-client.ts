// A connection that a process keeps for notifications, or for locks that end with the connection.
// It is opened again when it is lost.
import pg from 'pg'
import type { Logger } from '../log.ts'

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
