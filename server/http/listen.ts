// The server's port, the time limits of its connections, and what answers at addresses that are no
// endpoints of the API.
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
  type IncomingMessage,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Context, Next } from 'koa'
import { AppError } from '../core/errors.ts'
import { portProblem } from '../core/port-problem.ts'
import { standaloneBody } from './errors.ts'

/** Longer than the longest wait for an operation's end, during which no bytes are sent. */
const STALL_MS = 300_000
/** In this time a client reads the answer to bytes that are no HTTP. */
const ANSWER_MS = 2000

/**
 * Listens, and resolves with the server once it does. Rejects with a sentence if the port cannot be used.
 * A connection that is idle for `stallMs` is closed; the duration of a whole request is not
 * limited, since an upload may take hours. `setting`: the variable that names the port.
 */
export async function listen(
  app: RequestListener,
  port: number,
  host: string,
  stallMs = STALL_MS,
  setting = 'PORT',
): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 0 },
    app,
  )
  server.setTimeout(stallMs)
  // Unknown expectations are ignored: Node would answer 417 without a body.
  server.on('checkExpectation', app)
  answerUnreadable(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Error(portProblem(error, { setting, port, host }), { cause: error })),
    )
    server.listen(port, host, resolve)
  })
  return server
}

/**
 * Answers bytes that are no HTTP with the standard error body: no request exists for them, so the app
 * is not called.
 */
function answerUnreadable(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => answers.set(socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy()
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endSoon(socket, head(408, 0))
    else {
      const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request'
      const refusal = new AppError(code)
      const body = JSON.stringify(standaloneBody(refusal))
      const type = 'Content-Type: application/json; charset=utf-8\r\n'
      endSoon(socket, head(refusal.status, Buffer.byteLength(body), type) + body)
    }
  })
}

/**
 * Sends the last answer and closes the connection, also if the client does not close its half: Node
 * no longer limits the time of a connection that it has reported.
 */
function endSoon(socket: Duplex, answer: string): void {
  setTimeout(() => socket.destroy(), ANSWER_MS).unref()
  socket.end(answer)
}

const head = (status: number, length: number, more = '') =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: ${length}\r\n${more}\r\n`

// What answers at an address is found by one look-up of the path: nothing else is called to find out
// that an address is not its own.

interface MountPath {
  /**
   * Exact paths, and prefixes of one or two segments, which end with `/`: `/samples/`. Paths are
   * compared as they were sent: neither case, percent-encoding nor doubled slashes are changed.
   */
  path: string | readonly string[]
}

/** Answers within Koa: behind metrics, the form of errors, and compression. */
export interface Mount extends MountPath {
  /** The label of metrics and logs; absent: as that of the page, or of the API. */
  route?: string
  /** Calls `next` for an address below its prefix that is not its own. */
  handle(ctx: Context, next: Next): unknown
}

/** Answers Node's own request before Koa: the hot path, and signatures over raw bodies. */
export interface RawMount extends MountPath {
  raw: true
  /**
   * The label of metrics and logs; absent: the path. A function returns null for an address below
   * its prefix that is not its own.
   */
  route?: string | ((url: string) => string | null)
  /** Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Finds the mount of a path. Throws if a path is listed twice. */
export function mountsByPath<M extends MountPath>(
  mounts: readonly M[],
): (path: string) => M | undefined {
  const byPath = new Map<string, M>()
  for (const mount of mounts)
    for (const path of [mount.path].flat()) {
      if (byPath.has(path)) throw new Error(`The address ${path} is listed twice`)
      byPath.set(path, mount)
    }
  return (path) => {
    const found = byPath.get(path)
    if (found) return found
    const first = path.indexOf('/', 1) + 1
    if (first === 0) return undefined
    const second = path.indexOf('/', first) + 1
    const below = second === 0 ? undefined : byPath.get(path.slice(0, second))
    return below ?? byPath.get(path.slice(0, first))
  }
}

/** Koa middleware of all mounts. */
export function mounted(mounts: readonly Mount[]) {
  const of = mountsByPath(mounts)
  return (ctx: Context, next: Next): unknown => {
    const mount = of(ctx.path)
    return mount ? mount.handle(ctx, next) : next()
  }
}

// Origins whose pages may call the API from a browser. What a feature does for one is only called
// for requests that name it.

export type Origins = Readonly<Record<string, (ctx: Context, next: Next) => unknown>>

/** Koa middleware, before authentication: a preflight carries no token. */
export function apiOrigins(origins: Origins) {
  const byOrigin = new Map(Object.entries(origins))
  return (ctx: Context, next: Next): unknown => {
    if (!ctx.path.startsWith('/api/')) return next()
    ctx.vary('Origin')
    const allow = byOrigin.get(ctx.get('Origin'))
    return allow ? allow(ctx, next) : next()
  }
}
