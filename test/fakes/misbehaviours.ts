// Faults of an origin, by the first part of the path. Each is a few lines on the raw response or
// its socket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { contentOf, contentSlices, drained } from './content.ts'

interface Call {
  request: IncomingMessage
  response: ServerResponse
  /** The rest of the path. */
  rest: readonly string[]
  query: URLSearchParams
  /** The number of requests for this path so far, from 1. */
  nth: number
}

const SIX_GB = 6 * 1024 ** 3
const OCTETS = 'application/octet-stream'

/** Writes `text` and bytes to the socket, bypassing the HTTP layer, in one write. */
const raw = (response: ServerResponse, head: readonly string[], ...bytes: readonly Buffer[]) => {
  const socket = response.socket!
  socket.write(Buffer.concat([Buffer.from(head.join('\r\n') + '\r\n\r\n'), ...bytes]))
  return socket
}

export const misbehaviours: Readonly<Record<string, (call: Call) => void | Promise<void>>> = {
  /** /status/CODE */
  status: ({ response, rest }) => void response.writeHead(Number(rest[0])).end('No file'),
  /** /flaky/TIMES/SIZE/SEED answers 503 this many times, then serves. */
  flaky: ({ response, rest, nth }) => {
    if (nth <= Number(rest[0])) return void response.writeHead(503).end()
    response
      .writeHead(200, { 'content-type': OCTETS })
      .end(contentOf(Number(rest[1]), rest[2] ?? ''))
  },
  /** /no-head/SIZE/SEED serves GET only. */
  'no-head': ({ request, response, rest }) => {
    if (request.method === 'HEAD') return void response.writeHead(405).end()
    response.writeHead(200, { 'content-length': Number(rest[0]), 'content-type': OCTETS })
    response.end(contentOf(Number(rest[0]), rest[1] ?? ''))
  },
  /** /page/any-name: a sign-in page instead of a file. */
  page: ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end('<h1>Please sign in</h1>'),

  /** /redirect?to=URL[&status=302] */
  redirect: ({ response, query }) =>
    void response
      .writeHead(Number(query.get('status') ?? 302), { location: query.get('to') ?? '' })
      .end('Moved'),
  /** /hops/N/SIZE/SEED redirects N times, then serves. */
  hops: ({ response, rest: [hops, size, seed] }) => {
    const next =
      Number(hops) > 1 ? `/hops/${Number(hops) - 1}/${size}/${seed}` : `/bytes/${size}/${seed}`
    response.writeHead(302, { location: next }).end()
  },
  /** /loop redirects to itself. */
  loop: ({ request, response }) => void response.writeHead(301, { location: request.url }).end(),
  'redirect-nowhere': ({ response }) => void response.writeHead(302).end(),

  /**
   * /short/DECLARED/SENT: declares more than it sends, then closes; with ?open it keeps the
   * connection open.
   */
  short: ({ response, rest, query }) => {
    const head = ['HTTP/1.1 200 OK', `content-length: ${rest[0]}`]
    const socket = raw(response, head, contentOf(Number(rest[1]), 'short'))
    if (!query.has('open')) socket.end()
  },
  /**
   * /long/DECLARED/SENT: sends more than it declares. ?close: with `Connection: close`; ?later: in
   * a separate write.
   */
  long: async ({ response, rest, query }) => {
    const head = [
      'HTTP/1.1 200 OK',
      `content-length: ${rest[0]}`,
      ...(query.has('close') ? ['connection: close'] : []),
    ]
    const bytes = contentOf(Number(rest[1]), 'long')
    const first = query.has('later') ? bytes.subarray(0, Number(rest[0])) : bytes
    const socket = raw(response, head, first)
    if (query.has('later')) socket.write(bytes.subarray(first.length))
    if (query.has('close')) socket.end()
  },
  /** /cut/SIZE/SENT ends the connection in the middle; ?chunked and ?unframed have no length. */
  cut: async ({ response, rest, query }) => {
    if (!query.has('chunked') && !query.has('unframed'))
      response.setHeader('content-length', Number(rest[0]))
    if (query.has('unframed')) {
      response.useChunkedEncodingByDefault = false
      response.setHeader('connection', 'close')
    }
    response.writeHead(200)
    await new Promise<void>((resolve) =>
      response.write(contentOf(Number(rest[1]), 'cut'), () => resolve()),
    )
    if (query.has('unframed')) response.socket!.resetAndDestroy()
    else response.destroy()
  },
  /** /chunked/SIZE/SEED: the bytes of content.ts in chunks of all sizes, without a length. */
  chunked: async ({ response, rest }) => {
    const bytes = contentOf(Number(rest[0]), rest[1] ?? '')
    response.writeHead(200)
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 90_001)
      if (!response.write(bytes.subarray(at, at + size))) await drained(response)
    response.end()
  },
  /** /reset breaks the connection before any answer. */
  reset: ({ response }) => void response.socket!.resetAndDestroy(),
  /** /drip/MS sends a byte every so many milliseconds without end. */
  drip: ({ response, rest }) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    const timer = setInterval(() => response.write('.'), Number(rest[0]))
    response.once('close', () => clearInterval(timer))
  },
  /** /silent never answers. */
  silent: () => {},
  /** /silent-body sends headers and some bytes, and then nothing more. */
  'silent-body': ({ response }) =>
    void response.writeHead(200, { 'content-length': 1000 }).write('begin'),

  /** /huge declares 6 GB; /huge?chunked sends them without a length, until the client closes. */
  huge: async ({ request, response, query }) => {
    response.writeHead(200, query.has('chunked') ? {} : { 'content-length': SIX_GB })
    if (request.method === 'HEAD') return void response.end()
    for (const slice of contentSlices(SIX_GB, 'huge')) {
      if (response.destroyed) return
      if (!response.write(slice)) await drained(response)
    }
    response.end()
  },
  /**
   * /gzip/SIZE/any-name is compressed although the client did not accept it; /gzip/SIZE/a.tgz is
   * how servers mislabel archives.
   */
  gzip: ({ response, rest }) =>
    void response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync(contentOf(Number(rest[0]), 'gzip'))),
  /** /unframed/SIZE/SEED ends with the connection, as HTTP/1.0 does. */
  unframed: ({ response, rest }) =>
    void raw(response, ['HTTP/1.0 200 OK'], contentOf(Number(rest[0]), rest[1] ?? '')).end(),
  /** /not-http */
  'not-http': ({ response }) => void response.socket!.end('220 ready for file transfer\r\n'),
  /** /goodbye/SIZE/SEED announces keep-alive and closes the connection with the response. */
  goodbye: ({ response, rest }) => {
    const bytes = contentOf(Number(rest[0]), rest[1] ?? '')
    raw(
      response,
      ['HTTP/1.1 200 OK', `content-length: ${bytes.length}`, 'connection: keep-alive'],
      bytes,
    ).end()
  },
}
