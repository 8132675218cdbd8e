// The data connections of one control connection: passive only, and only from the control
// connection's own address.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import type { SecureContext, TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { clientOf } from '../addresses.ts'
import { encrypted } from './options.ts'
import { present } from '../../../core/present.ts'

const CONNECT_MS = 20_000
const STALL_MS = 120_000
const MAX_ATTEMPTS = 50

export class DataError extends Error {}

export interface PassiveListener {
  /** Listens for the next data connection; returns the port. */
  listen(): Promise<number>
  /** Waits for the client's connection. Throws `DataError` if it does not connect in time. */
  take(secure: SecureContext | null): Promise<Socket>
  isReady(): boolean
  close(): void
}

export function createPassive(
  control: Socket,
  ports: { first: number; last: number } | null,
): PassiveListener {
  const client = clientOf(control)
  let server: Server | null = null
  let connecting: Promise<Socket> | null = null
  const close = () => {
    server?.close()
    server = null
    void connecting?.then((socket) => socket.destroy()).catch(() => {})
    connecting = null
  }
  const waitFor = (listening: Server): Promise<Socket> => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const timer = setTimeout(
      () => reject(new DataError('No data connection was opened')),
      CONNECT_MS,
    )
    let isTaken = false
    listening.on('connection', (socket) => {
      socket.on('error', () => {})
      // Another address must not receive or send the client's bytes.
      if (clientOf(socket) !== client || isTaken) return void socket.destroy()
      isTaken = true
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
      server = await listenWithin(present(control.localAddress, 'The local address'), ports)
      connecting = waitFor(server)
      return (server.address() as AddressInfo).port
    },
    isReady: () => connecting !== null,
    take: async (secure) => {
      if (!connecting) throw new DataError('Send EPSV or PASV first')
      const socket = await connecting.finally(() => {
        server?.close()
        server = null
        connecting = null
      })
      if (!secure) return socket
      return handshaken(encrypted(socket, secure))
    },
    close,
  }
}

/**
 * Waits for the handshake: if an empty listing ended before it, the client would see a broken
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
  for (let attempt = 0; ; attempt++) {
    const server = createServer({ noDelay: true, pauseOnConnect: true })
    server.listen(ports ? randomInt(ports.first, ports.last + 1) : 0, host)
    try {
      await once(server, 'listening')
      server.on('error', () => {})
      return server
    } catch (error) {
      if (
        (error as NodeJS.ErrnoException).code !== 'EADDRINUSE' ||
        !ports ||
        attempt >= MAX_ATTEMPTS
      )
        throw new DataError('No port is free for a data connection')
    }
  }
}
