// The proxy of rclone, on loopback: it connects to checked addresses only, so that neither a name
// that resolves to this network nor a redirect reaches internal hosts.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, isIP, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  addressRules,
  guardedLookup,
  isServicePort,
  resolveByServers,
} from '../../ports/addresses.ts'
import { createForwarder, type Forwarder } from './forward.ts'

/** Opens the socket of a tunnel. Tests redirect host names of providers to their emulators. */
export type Dial = (host: string, port: number) => Socket

export interface GuardProxy {
  /** Variables for a child that opens tunnels to providers' addresses. */
  tunnels: Readonly<Record<string, string>>
  /** Variables for a child whose endpoint a merchant chose: it opens no tunnel. */
  forwards: Readonly<Record<string, string>>
  /**
   * The address that stands for an endpoint of this machine, for a child that would reach it without the
   * proxy, as Go does.
   */
  localEndpoint(endpoint: string): Promise<string>
  close(): Promise<void>
}

const CONNECT_MS = 10_000
/** rclone keeps idle connections for a minute. */
const KEEP_ALIVE_MS = 70_000

/** Connects to public addresses only, on ports of storage services. Exported for tests of providers, which allow addresses of their emulator. */
export const guardedDial: Dial = (host, port) => {
  const { standard } = addressRules(false)
  const literal = isIP(host) !== 0
  if (!isServicePort(port) || (literal && !standard(host))) throw new Error('blocked')
  return connect({ host, port, lookup: guardedLookup(resolveByServers, standard) })
}

export interface GuardOptions {
  dial?: Dial | undefined
  /** The certificate that is trusted instead of the system's authorities. */
  certificate?: string | undefined
}

export async function openGuardProxy(options: GuardOptions = {}): Promise<GuardProxy> {
  const { dial = guardedDial, certificate } = options
  const forwarder = createForwarder((host, port) => dialed(dial, host, port), certificate)
  const users = { tunnels: createUser(), forwards: createUser() }
  const sockets = new Set<Duplex>()
  const server = createServer((request, response) => {
    if (users.forwards.is(request)) forwarder.answer(request, response)
    else response.writeHead(403).end()
  })
  // Uploads may take any time.
  server.requestTimeout = 0
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    client.on('error', () => client.destroy())
    if (!users.tunnels.is(request))
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    tunnel(request.url ?? '', client, dial)
  })
  const port = await listenLocally(server)
  const local = new Map<string, Promise<{ server: Server; port: number }>>()
  return {
    localEndpoint: async (endpoint) => {
      const url = new URL(endpoint)
      const known = local.get(url.origin) ?? openLocal(forwarder, url, sockets)
      local.set(url.origin, known)
      return `http://127.0.0.1:${(await known).port}${url.pathname.replace(/\/$/, '')}`
    },
    tunnels: users.tunnels.environment(port),
    forwards: users.forwards.environment(port),
    close: async () => {
      const others = (await Promise.all(local.values())).map((one) => one.server)
      const closed = Promise.all(
        [server, ...others].map((one) => new Promise((resolve) => one.close(resolve))),
      )
      for (const socket of sockets) socket.destroy()
      forwarder.close()
      await closed
    },
  }
}

async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return (server.address() as AddressInfo).port
}

/** Requests keep their Host, which their signatures cover: it is an address of this machine too. */
async function openLocal(forwarder: Forwarder, endpoint: URL, sockets: Set<Duplex>) {
  const server = createServer((request, response) =>
    forwarder.answerLocal(request, response, endpoint),
  )
  server.requestTimeout = 0
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return { server, port: await listenLocally(server) }
}

/** Creates a user with a password that other programs of this machine do not know. */
function createUser() {
  const password = randomBytes(24).toString('hex')
  const expected = Buffer.from(`Basic ${Buffer.from(`rclone:${password}`).toString('base64')}`)
  return {
    is: ({ headers }: IncomingMessage): boolean => {
      const given = Buffer.from(headers['proxy-authorization'] ?? '')
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    environment: (port: number) => {
      const url = `http://rclone:${password}@127.0.0.1:${port}`
      return { HTTPS_PROXY: url, HTTP_PROXY: url }
    },
  }
}

/**
 * Opens the socket. Throws if the address is blocked; the socket fails if connecting takes too
 * long.
 */
function dialed(dial: Dial, host: string, port: number): Socket {
  const socket = dial(host, port)
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('timeout')))
  socket.once('connect', () => socket.setTimeout(0))
  return socket
}

function tunnel(address: string, client: Duplex, dial: Dial): void {
  const refuse = () => client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  const target = URL.parse(`tunnel://${address}`)
  if (!target || target.port === '') return void refuse()
  let socket: Socket
  try {
    socket = dialed(dial, target.hostname.replace(/^\[|\]$/g, ''), Number(target.port))
  } catch {
    return void refuse()
  }
  let connected = false
  socket.once('connect', () => {
    connected = true
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(client).pipe(socket)
  })
  socket.on('error', () => {
    if (connected) client.destroy()
    else client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  socket.once('close', () => client.destroy())
  client.once('close', () => socket.destroy())
}
