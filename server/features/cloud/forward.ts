// Requests to endpoints that merchants chose. rclone sends them to our proxy as plain http, and the
// proxy uses TLS to the endpoint, so that the proxy sees every answer. It refuses redirects,
// because rclone would follow a redirect to this machine without the proxy.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request as secureRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { present } from '../../core/present.ts'

export interface Forwarder {
  /** Answers a request with a full address: `GET http://s3.example.com/bucket/key`. */
  answer(request: IncomingMessage, response: ServerResponse): void
  close(): void
}

/** @param certificate trusted in place of the system's authorities, for tests. */
export function createForwarder(
  dial: (host: string, port: number) => Socket,
  certificate: string | undefined,
): Forwarder {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  agent.createConnection = ({ host, port }, done) => {
    try {
      const name = present(host, 'The host of the request')
      return connectSecurely({
        socket: dial(name, Number(port)),
        servername: isIP(name) === 0 ? name : '',
        ...(certificate === undefined ? {} : { ca: certificate }),
      })
    } catch (error) {
      done?.(error as Error, undefined as never)
      return null
    }
  }
  return {
    answer: (request, response) => {
      const target = TARGET.exec(request.url ?? '')?.groups
      if (target?.name === undefined) return void response.writeHead(400).end()
      const { name, port = '443', path = '/' } = target
      forward(request, response, {
        agent,
        host: name.replace(/^\[|\]$/g, ''),
        port: Number(port),
        path,
      })
    },
    close: () => agent.destroy(),
  }
}

const IDLE_MS = 60_000
/**
 * Forwarded exactly as written: the signature covers this text, and parsing it as a URL could
 * change it.
 */
const TARGET =
  /^http:\/\/(?<name>\[[\da-f:.]+\]|[^/?#:@[\]]+)(?::(?<port>\d{1,5}))?(?<path>\/.*)?$/i

interface Target {
  agent: Agent
  host: string
  port: number
  path: string
}

function forward(request: IncomingMessage, response: ServerResponse, target: Target): void {
  const { method } = request
  const headers = endToEnd(request.headers)
  const upstream = secureRequest({ ...target, method, headers }, (answer) => {
    const { statusCode = 502 } = answer
    if (statusCode >= 300 && statusCode < 400 && answer.headers.location !== undefined) {
      answer.resume()
      return refuse(response, 403, 'EndpointRedirects')
    }
    const send = (first: Buffer = Buffer.alloc(0)) => {
      response.writeHead(statusCode, endToEnd(answer.headers))
      response.write(first)
      if (answer.readableEnded) response.end()
      else pipeline(answer, response, () => {})
    }
    const isCoded = answer.headers['content-encoding'] !== undefined
    if (statusCode !== 200 || isCoded || !asksForList(method, target.path)) return send()
    beginning(answer).then(
      (first) => {
        if (/<(\w+:)?ListBucketResult\b/.test(first.toString('latin1'))) return send(first)
        answer.destroy()
        refuse(response, 502, 'EndpointListsNothing')
      },
      () => response.destroy(),
    )
  })
  upstream.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, 'EndpointUnreachable')
  })
  response.once('close', () => upstream.destroy())
  pipeline(request, upstream, () => {})
}

/**
 * Does the request ask for a list of objects? rclone would read any other document as an empty
 * list.
 */
const asksForList = (method: string | undefined, path: string): boolean =>
  method === 'GET' && /[?&](list-type|delimiter|max-keys|prefix)=/.test(path)

const BEGINNING_BYTES = 2048
const pieceOf = (answer: IncomingMessage) => answer.read() as Buffer | null

/** Reads the first bytes of an answer; the others are read after them. */
async function beginning(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      answer.off('readable', read).off('end', done).off('error', reject)
      resolve()
    }
    const read = () => {
      for (let piece = pieceOf(answer); piece; piece = pieceOf(answer)) {
        pieces.push(piece)
        size += piece.length
        if (size >= BEGINNING_BYTES) return done()
      }
    }
    answer.on('readable', read).once('end', done).once('error', reject)
  })
  return Buffer.concat(pieces)
}

/** An error in the form of S3, which rclone logs and which is then mapped to one of our codes. */
function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

/** Headers that apply to one connection and must not be forwarded. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
)

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
