// Requests to endpoints that merchants chose. rclone sends them to our proxy as plain http, and the
// proxy uses TLS to the endpoint, so that the proxy sees every answer. It refuses redirects,
// because rclone would follow a redirect to this machine without the proxy.
import {
  request as plainRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent, request as secureRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { present } from '../../core/lazy.ts'

export interface Forwarder {
  /** Answers a request with a full address: `GET http://s3.example.com/bucket/key`. */
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Answers a request for an endpoint of this machine. */
  answerLocal(request: IncomingMessage, response: ServerResponse, endpoint: URL): void
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
        secure: true,
        host: name.replace(/^\[|\]$/g, ''),
        port: Number(port),
        path,
      })
    },
    answerLocal: (request, response, { protocol, hostname, port }) => {
      const secure = protocol === 'https:'
      forward(request, response, {
        secure,
        host: hostname.replace(/^\[|\]$/g, ''),
        port: Number(port || (secure ? 443 : 80)),
        path: request.url ?? '/',
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
  agent?: Agent
  secure: boolean
  host: string
  port: number
  path: string
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { secure, ...target }: Target,
): void {
  const { method } = request
  const headers = endToEnd(request.headers)
  const send = secure ? secureRequest : plainRequest
  const upstream = send({ ...target, method, headers }, (answer) => {
    const asked = { lists: asksForList(method, target.path), method }
    passOn(answer, response, asked).catch(() => response.destroy())
  })
  upstream.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, 'EndpointUnreachable')
  })
  response.once('close', () => upstream.destroy())
  pipeline(request, upstream, () => {})
}

/** Passes an answer on, or one in the form of S3 where rclone would not understand it. */
async function passOn(
  answer: IncomingMessage,
  response: ServerResponse,
  { lists, method }: { lists: boolean; method: string | undefined },
): Promise<void> {
  const { statusCode = 502, headers } = answer
  const refuseWith = (status: number, code: string, message?: string) => {
    answer.destroy()
    refuse(response, status, code, message)
  }
  const isCoded = headers['content-encoding'] !== undefined
  const isRead = !isCoded && method !== 'HEAD' && (lists || statusCode >= 300)
  const first = isRead ? await beginning(answer) : Buffer.alloc(0)
  const text = first.toString('latin1')
  const region = statusCode >= 300 ? regionOf(statusCode, text, headers) : null
  if (region !== null) return refuseWith(400, 'EndpointRegion', `EndpointRegion region=${region}`)
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined)
    return refuseWith(403, 'EndpointRedirects')
  const isPage = statusCode < 500 && statusCode !== 429 && /^\s*<(!doctype html|html)\b/i.test(text)
  const isList = /<(\w+:)?ListBucketResult\b/.test(text)
  if (lists && (isPage || (statusCode === 200 && isRead && !isList)))
    return refuseWith(403, 'EndpointListsNothing')
  response.writeHead(statusCode, endToEnd(headers))
  response.write(first)
  if (answer.readableEnded) response.end()
  else pipeline(answer, response, () => {})
}

/** The region that a provider asks for; '': it does not name it. Null: the region is not the problem. */
function regionOf(status: number, text: string, headers: IncomingHttpHeaders): string | null {
  const named = /<Code>(AuthorizationHeaderMalformed|PermanentRedirect)<\/Code>/.test(text)
  const header = headers['x-amz-bucket-region']
  if (!named && !([301, 307, 400].includes(status) && header !== undefined)) return null
  const region = /<Region>([a-z0-9-]{2,40})<\/Region>/.exec(text)?.[1] ?? String(header ?? '')
  const endpoint = /<Endpoint>[^<]*\bs3[.-]([a-z0-9-]{2,40})\.[^<]*<\/Endpoint>/.exec(text)?.[1]
  return /^[a-z0-9-]{2,40}$/.test(region) ? region : (endpoint ?? '')
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
function refuse(response: ServerResponse, status: number, code: string, message = code): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
}

/** Headers that apply to one connection and must not be forwarded. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
)

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
