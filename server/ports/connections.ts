// Connections of guarded requests, each for one request at a time, so that every socket event belongs
// to that request. Those whose answers ended cleanly are reused, because TLS handshakes are expensive.
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { guardedLookup, type AddressRule, type Resolver, type AddressTarget } from './addresses.ts'
import { notReached } from './failures.ts'

const MAX_IDLE = 64
/** How long a connection is kept without a request. */
export const IDLE_MS = 4000

/** The request that has the connection. */
export interface ConnectionUser {
  /** The socket is connected, or was already. */
  onConnected(): void
  onBytes(bytes: Buffer): void
  /** The connection is over. Null: the server closed it; an error: it failed or was never open. */
  onClosed(error: Error | null): void
}

export interface Connections {
  /** Takes a connection to the target. `fresh`: never a reused one. */
  take(target: AddressTarget, fresh: boolean): GuardedConnection
  /** Returns a connection after a complete answer. */
  give(connection: GuardedConnection): void
  close(): void
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
      return found ?? new GuardedConnection(target, connectors(target.rule))
    },
    give: (connection) => {
      if (closed || idleCount >= MAX_IDLE || !connection.isClean()) return connection.destroy()
      connection.rest()
      const timer = setTimeout(drop, IDLE_MS, connection).unref()
      const entries = idle.get(connection.key)
      if (entries) entries.push({ connection, timer })
      else idle.set(connection.key, [{ connection, timer }])
      idleCount += 1
    },
    close: () => {
      closed = true
      for (const { connection } of [...idle.values()].flat()) drop(connection)
    },
  }
}

export class GuardedConnection {
  readonly key: string
  /** The host and port that requests name. */
  readonly host: string
  /** The connection has been used before, so the server may be closing it now. */
  reused = false
  connected = false
  #user: ConnectionUser | null = null
  #isOver = false
  readonly #socket: Socket

  constructor({ url, rule }: AddressTarget, connect: buildConnector.connector) {
    this.key = url.origin
    this.host = url.host
    const { protocol, host, port } = url
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    this.#socket = connect({ protocol, host, hostname, port }, (error, opened) => {
      if (error) return this.#close(error)
      if (rule(opened.remoteAddress ?? '')) return this.#open(opened)
      opened.destroy()
      this.#close(notReached(true))
    }) as unknown as Socket
  }

  /** Gives the connection to a request, until its answer is complete or it is destroyed. */
  use(user: ConnectionUser): void {
    this.#user = user
    if (this.connected) user.onConnected()
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  pause(isPaused: boolean): void {
    if (isPaused) this.#socket.pause()
    else this.#socket.resume()
  }

  /** Ends the use of a connection that is kept. */
  rest(): void {
    this.#user = null
  }

  isClean(): boolean {
    return this.connected && !this.#isOver && !this.#socket.destroyed
  }

  destroy(): void {
    this.#user = null
    this.#isOver = true
    this.#socket.destroy()
  }

  #open(socket: Socket): void {
    this.connected = true
    socket
      .on('data', (bytes: Buffer) => {
        if (this.#user) this.#user.onBytes(bytes)
        // Bytes that no request has asked for.
        else this.destroy()
      })
      .on('end', () => this.#close(null))
      .on('error', (error) => this.#close(error))
      .on('close', () => this.#close(null))
    this.#user?.onConnected()
  }

  #close(error: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    const user = this.#user
    if (user) user.onClosed(error)
    else this.destroy()
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
