// The data connections of one control connection: passive only, and only from the control
// connection's own address.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import type { SecureContext, TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { clientOf } from '../addresses.ts'
import { encrypted } from './options.ts'

const CONNECT_MS = 20_000
const STALL_MS = 120_000
const TRIES = 50

export class DataError extends Error {}

export interface Passive {
  /** The port that waits for the next data connection. */
  listen(): Promise<number>
  /** The client's connection, which may still be coming. Throws `DataError` if none comes. */
  take(secure: SecureContext | null): Promise<Socket>
  isReady(): boolean
  close(): void
}

export function createPassive(
  control: Socket,
  ports: { first: number; last: number } | null,
): Passive {
  const client = clientOf(control)
  let server: Server | null = null
  let coming: Promise<Socket> | null = null
  const close = () => {
    server?.close()
    server = null
    void coming?.then((socket) => socket.destroy()).catch(() => {})
    coming = null
  }
  const waitFor = (listening: Server): Promise<Socket> => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const timer = setTimeout(
      () => reject(new DataError('No data connection was opened')),
      CONNECT_MS,
    )
    listening.on('connection', (socket) => {
      socket.on('error', () => {})
      // Nobody else may receive or send a client's bytes.
      if (clientOf(socket) !== client) return void socket.destroy()
      clearTimeout(timer)
      listening.close()
      socket.setTimeout(STALL_MS, () =>
        socket.destroy(new DataError('The data connection stalled')),
      )
      resolve(socket)
    })
    listening.once('close', () => reject(new DataError('No data connection was opened')))
    promise
      .catch(() => {})
      .finally(() => clearTimeout(timer))
      .catch(() => {})
    return promise
  }
  return {
    listen: async () => {
      close()
      server = await listenWithin(control.localAddress!, ports)
      coming = waitFor(server)
      return (server.address() as AddressInfo).port
    },
    isReady: () => coming !== null,
    take: async (secure) => {
      if (!coming) throw new DataError('Send EPSV or PASV first')
      const socket = await coming.finally(() => {
        server?.close()
        server = null
        coming = null
      })
      if (!secure) return socket
      return handshaken(encrypted(socket, secure))
    },
    close,
  }
}

/**
 * Wait for the handshake: an empty listing that ended during it would reach the client as a broken
 * connection.
 */
async function handshaken(tls: TLSSocket): Promise<TLSSocket> {
  tls.on('error', () => {})
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  tls.once('secure', () => resolve(tls))
  tls.once('close', () => reject(new DataError('The data connection could not be encrypted')))
  return promise
}

async function listenWithin(
  host: string,
  ports: { first: number; last: number } | null,
): Promise<Server> {
  for (let tried = 0; ; tried++) {
    // One waiting connection: further ones would be refused.
    const server = createServer({ noDelay: true, pauseOnConnect: true })
    server.listen(ports ? randomInt(ports.first, ports.last + 1) : 0, host)
    try {
      await once(server, 'listening')
      server.on('error', () => {})
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || !ports || tried >= TRIES)
        throw new DataError('No port is free for a data connection')
    }
  }
}
