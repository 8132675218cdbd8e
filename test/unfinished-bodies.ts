// Connections that send a body up to its last bytes and then wait, as an attacker does.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface UnfinishedBody {
  socket: Socket
  /** What the server has sent. */
  answer(): string
  closed: Promise<unknown>
}

export interface Unfinished {
  /** The bytes that are announced, and how many of them are not sent. */
  length: number
  missing: number
  /** What the body begins with. */
  start?: string
  /** The address of the client. */
  from?: string
  /** Sends the body in chunks, without its length. */
  chunked?: boolean
}

/** Rows of a table. Hundreds of bodies share the bytes that they send. */
const FILL = Buffer.alloc(1024 ** 2, `${'a'.repeat(1022)},${'b'.repeat(1024)}\n`)

function* bodyOf({ length, missing, start = '' }: Unfinished): Generator<Buffer> {
  yield Buffer.from(start)
  const end = length - missing - start.length
  for (let sent = 0; sent < end; sent += FILL.length) yield FILL.subarray(0, end - sent)
}

/** Sends a request with all bytes of its body but the last `missing` ones. */
export async function sendUnfinished(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Unfinished,
): Promise<UnfinishedBody> {
  const { length, from = '127.0.0.1', chunked = false } = body
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  const framing = chunked
    ? { 'Transfer-Encoding': 'chunked' }
    : { 'Content-Length': String(length) }
  const all = { Host: '127.0.0.1', ...framing, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  if (chunked) socket.write(`${length.toString(16)}\r\n`)
  for (const piece of bodyOf(body)) socket.write(piece)
  return { socket, answer: () => text, closed }
}

export const WEBHOOK = {
  'Content-Type': 'application/json',
  'X-Shopify-Hmac-Sha256': Buffer.alloc(32, 1).toString('base64'),
  'X-Shopify-Webhook-Id': 'unfinished',
  'X-Shopify-Topic': 'products/update',
}
