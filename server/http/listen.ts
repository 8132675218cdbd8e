// The server's port and the time limits of its connections.
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
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
