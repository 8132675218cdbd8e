// A web server that imports fetch from, on a real socket: it serves known bytes by path, and
// misbehaves on request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { contentSlices, drained } from './content.ts'
import { misbehaviours } from './misbehaviours.ts'

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
}

export interface Origin {
  /** Without a trailing slash. */
  url: string
  port: number
  /** The last 1,000 requests, oldest first. */
  requests: SeenRequest[]
  /** The number of requests for each path (with its query). */
  count(path: string): number
  total: number
  connections: number
  atOnce: number
  mostAtOnce: number
  close(): Promise<void>
}

/**
 * Serves by path: `/bytes/SIZE/SEED[/any-name]` the bytes of content.ts; `/text/TEXT` that text; `/together/N/…` the rest
 * once N such requests are waiting; and the paths of `misbehaviours.ts`. `port` 0 uses any free
 * one.
 */
export async function startOrigin({ port = 0, host = '127.0.0.1' } = {}): Promise<Origin> {
  const counts = new Map<string, number>()
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    note(request, response)
    const path = request.url!
    if (path.startsWith('/together/')) return meet(request, response)
    serve(request, response, path, counts.get(path)!).catch(() => response.destroy())
  })
  const note = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!
    counts.set(path, (counts.get(path) ?? 0) + 1)
    origin.total += 1
    origin.atOnce += 1
    origin.mostAtOnce = Math.max(origin.mostAtOnce, origin.atOnce)
    response.once('close', () => (origin.atOnce -= 1))
    origin.requests.push({ method: request.method!, path, headers: request.headers })
    if (origin.requests.length > 1000) origin.requests.shift()
  }
  const waiting: (() => void)[] = []
  const meet = (request: IncomingMessage, response: ServerResponse) => {
    const [, , few, ...rest] = request.url!.split('/')
    waiting.push(
      () => void serve(request, response, `/${rest.join('/')}`, 1).catch(() => response.destroy()),
    )
    if (waiting.length >= Number(few)) for (const go of waiting.splice(0)) go()
  }
  server.on('connection', (socket: Socket) => {
    origin.connections += 1
    socket.on('error', () => {})
  })
  const origin: Origin = {
    url: '',
    port: 0,
    requests: [],
    count: (path) => counts.get(path) ?? 0,
    total: 0,
    connections: 0,
    atOnce: 0,
    mostAtOnce: 0,
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
  server.listen(port, host)
  await once(server, 'listening')
  origin.port = (server.address() as AddressInfo).port
  origin.url = `http://${host.includes(':') ? `[${host}]` : host}:${origin.port}`
  return origin
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  nth: number,
): Promise<void> {
  request.resume()
  const url = new URL(path, 'http://origin')
  const [kind = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent)
  if (kind === 'bytes') return sendContent(request, response, Number(rest[0]), rest[1] ?? '')
  if (kind === 'text') return void response.end(rest[0] ?? '')
  const misbehave = misbehaviours[kind]
  if (!misbehave)
    return void response
      .writeHead(404, { 'content-type': 'text/plain' })
      .end('There is nothing here')
  await misbehave({ request, response, rest, query: url.searchParams, nth })
}

async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  size: number,
  seed: string,
): Promise<void> {
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' })
  if (request.method === 'HEAD') return void response.end()
  response.cork()
  for (const slice of contentSlices(size, seed)) {
    if (!response.write(slice)) {
      response.uncork()
      await drained(response)
    }
  }
  response.uncork()
  response.end()
}
