// The state of one control connection.
import { type Socket, createServer, type AddressInfo, type Server } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { present } from '../../../core/lazy.ts'
import type { Session } from '../sessions.ts'
import { clientOf } from '../addresses.ts'
import { type FtpOptions, encrypted } from './options.ts'

/**
 * A file whose data connection has ended. A client that disconnects ends it in the same way, so the
 * file is known to be complete only when the client shows that it is still connected.
 */
export interface UnconfirmedFile {
  /** Records that the file is complete. `soon`: a moment later, together with others. */
  confirm(soon: boolean): Promise<void>
  markInterrupted(): Promise<void>
}

/** The state that verbs read and change. */
export interface State {
  options: FtpOptions
  socket: Socket
  /** The client's address. */
  client: string
  /** Frees the place of the connection among those that have not signed in. */
  signedIn: () => void
  secure: SecureContext
  isEncrypted: boolean
  /** Whether data connections are encrypted (PROT P). */
  dataEncrypted: boolean
  /**
   * The client has sent OPTS UTF8 ON or a name in UTF-8: the account's encoding of names is not
   * used.
   */
  sendsUtf8: boolean
  username: string | null
  triesLeft: number
  session: Session | null
  folder: string
  /** The offset at which the next transfer begins (REST). */
  offset: number
  renameFrom: string | null
  passive: PassiveListener
  /** The running transfer's data connection. */
  data: Socket | null
  /** The last file that ended, until the client shows that it is still connected. */
  unconfirmed: UnconfirmedFile | null
  /** Whether the control connection is gone; a file may end after it. */
  isClosed: boolean
  reply(code: number, text: string | readonly string[]): void
  /** Ends the connection after the last reply. */
  end(): void
}

/** The session, for verbs that only a signed-in client can use. */
export const sessionOf = ({ session }: State): Session => present(session, 'The session')

export type Verb = (state: State, argument: string) => void | Promise<void>

// The data connections of one control connection: passive only, and only from the control
// connection's own address.

const CONNECT_MS = 20_000
const STALL_MS = 120_000
const MAX_ATTEMPTS = 50

export class DataError extends Error {}

interface PassiveListener {
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
