// rclone's way out: a proxy on loopback that connects to checked addresses alone, so that neither
// a name that resolves to this network nor a redirect leads inside.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, isIP, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  addressRules,
  guardedLookup,
  isServicePort,
  resolveBySystem,
} from '../../ports/addresses.ts'

/** Opens the socket for a tunnel. Tests lead names of providers to their emulators. */
export type Dial = (host: string, port: number) => Socket

export interface GuardProxy {
  /** Variables for a child that is to use it. */
  environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

const CONNECT_MS = 10_000

/** Public addresses alone, on ports of storage services. */
export const guardedDial: Dial = (host, port) => {
  const { standard } = addressRules(false)
  const literal = isIP(host) !== 0
  if (!isServicePort(port) || (literal && !standard(host))) throw new Error('blocked')
  return connect({ host, port, lookup: guardedLookup(resolveBySystem, standard) })
}

export async function openGuardProxy(dial: Dial = guardedDial): Promise<GuardProxy> {
  // Other programs of this machine do not know it.
  const password = randomBytes(24).toString('hex')
  const expected = Buffer.from(`Basic ${Buffer.from(`rclone:${password}`).toString('base64')}`)
  const sockets = new Set<Duplex>()
  const server = createServer((_, response) => response.writeHead(403).end())
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    sockets.add(client)
    client.once('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    const given = Buffer.from(request.headers['proxy-authorization'] ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    tunnel(request.url ?? '', client, dial)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  server.unref()
  const url = `http://rclone:${password}@127.0.0.1:${port}`
  return {
    environment: { HTTPS_PROXY: url, HTTP_PROXY: url },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function tunnel(address: string, client: Duplex, dial: Dial): void {
  const refuse = () => client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  const target = URL.parse(`tunnel://${address}`)
  if (!target || target.port === '') return void refuse()
  let socket: Socket
  try {
    socket = dial(target.hostname.replace(/^\[|\]$/g, ''), Number(target.port))
  } catch {
    return void refuse()
  }
  socket.setTimeout(CONNECT_MS, () => socket.destroy())
  let connected = false
  socket.once('connect', () => {
    connected = true
    socket.setTimeout(0)
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
