// Connections of guarded requests: one undici Client for one request at a time, so that every
// socket event belongs to that request. Clients that ended cleanly are reused, because TLS
// handshakes are expensive.
import type { Socket } from 'node:net'
import { buildConnector, Client, errors } from 'undici'
import { guardedLookup, type AddressRule, type Resolver, type AddressTarget } from './addresses.ts'
import { isSurplus, notReached } from './failures.ts'

const MAX_IDLE = 64
const IDLE_MS = 4000

export interface GuardedConnection {
  readonly client: Client
  readonly key: string
  /** The connection has been used before, so the server may be closing it now. */
  reused: boolean
  /** Called when the socket is connected. */
  onConnected: (() => void) | null
  readonly connected: boolean
  /** Did more bytes arrive than declared? Call it after the end of an answer. */
  hasSurplus(): boolean
  /** Was the socket reset instead of closed? */
  wasReset(): boolean
  /** Can the connection be reused? */
  isClean(): boolean
  destroy(): void
}

export interface Connections {
  /** Takes a connection to the target. `fresh`: never a reused one. */
  take(target: AddressTarget, fresh: boolean): GuardedConnection
  /** Returns a connection after a complete answer. */
  give(connection: GuardedConnection): void
  close(): Promise<void>
}

export function createConnections(resolve: Resolver): Connections {
  const connectors = createConnectors(resolve)
  const idle = new Map<string, { connection: GuardedConnection; timer: NodeJS.Timeout }[]>()
  let idleCount = 0
  let closed = false

  const takeIdle = (key: string): GuardedConnection | null => {
    for (let entry = idle.get(key)?.pop(); entry; entry = idle.get(key)?.pop()) {
      idleCount -= 1
      clearTimeout(entry.timer)
      if (entry.connection.isClean()) return entry.connection
      entry.connection.destroy()
    }
    idle.delete(key)
    return null
  }
  const drop = (connection: GuardedConnection) => {
    const entries = idle.get(connection.key) ?? []
    const entry = entries.find((one) => one.connection === connection)
    if (entry) {
      clearTimeout(entry.timer)
      entries.splice(entries.indexOf(entry), 1)
      idleCount -= 1
    }
    if (entries.length === 0) idle.delete(connection.key)
    connection.destroy()
  }

  return {
    take: (target, fresh) => {
      const found = fresh ? null : takeIdle(target.url.origin)
      if (found) found.reused = true
      return found ?? openConnection(target, connectors(target.rule))
    },
    give: (connection) => {
      if (closed || idleCount >= MAX_IDLE || !connection.isClean()) return connection.destroy()
      const timer = setTimeout(drop, IDLE_MS, connection).unref()
      const entries = idle.get(connection.key)
      if (entries) entries.push({ connection, timer })
      else idle.set(connection.key, [{ connection, timer }])
      idleCount += 1
    },
    close: async () => {
      closed = true
      const open = [...idle.values()].flat().map(({ connection }) => connection)
      open.forEach(drop)
      await Promise.all(open.map(({ client }) => client.destroy()))
    },
  }
}

function openConnection(
  { url, rule }: AddressTarget,
  connect: buildConnector.connector,
): GuardedConnection {
  let socket: Socket | null = null
  let connected = false
  let withheld = false
  const client = new Client(url.origin, {
    // Our own deadlines apply (exchange.ts); undici's have a resolution of one second.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    connect: (options, callback) => {
      socket = connect(options, (error, opened) => {
        if (error) return callback(error, null)
        if (!rule(opened.remoteAddress ?? '')) {
          opened.destroy()
          return callback(notReached(true), null)
        }
        connected = true
        withholdReset(opened, () => (withheld = true))
        connection.onConnected?.()
        callback(null, opened)
      }) as unknown as Socket
    },
  })
  const connection: GuardedConnection = {
    client,
    key: url.origin,
    reused: false,
    onConnected: null,
    get connected() {
      return connected
    },
    hasSurplus: () =>
      socket !== null && (isSurplus(socket.errored) || (withheld && socket.readableLength > 0)),
    wasReset: () =>
      (socket?.errored as NodeJS.ErrnoException | null | undefined)?.code === 'ECONNRESET',
    isClean: () =>
      connected && !withheld && socket !== null && !socket.destroyed && !socket.errored,
    destroy: () => {
      // undici does not destroy a socket that is still connecting: it would hold a file descriptor
      // for minutes.
      if (!connected) socket?.destroy()
      client.destroy().catch(() => {})
    },
  }
  return connection
}

/**
 * Replaces `destroy` of this one socket. At the end of an answer with `Connection: close`, undici
 * destroys the socket and so drops unread bytes: without this, all three kinds of such answers that
 * guarded-fetch.test.ts sends with surplus bytes are accepted as whole files. This one call is
 * delayed until `hasSurplus` has looked; `destroy()` of the connection follows in any case.
 */
function withholdReset(socket: Socket, onWithheld: () => void): void {
  const destroy = socket.destroy.bind(socket)
  socket.destroy = (error?: Error) => {
    if (!(error instanceof errors.InformationalError && error.message === 'reset'))
      return destroy(error)
    onWithheld()
    return socket
  }
}

/** One connector for each rule, each with its own cache of TLS sessions. */
function createConnectors(resolve: Resolver): (rule: AddressRule) => buildConnector.connector {
  const made = new Map<AddressRule, buildConnector.connector>()
  return (rule) => {
    const lookup = guardedLookup(resolve, rule)
    const connector =
      made.get(rule) ??
      buildConnector({
        timeout: 0,
        allowH2: false,
        autoSelectFamily: true,
        lookup,
      } as buildConnector.BuildOptions)
    made.set(rule, connector)
    return connector
  }
}
