// Connections that send a body up to its last bytes and then wait, as an attacker does.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface UnfinishedBody {
  socket: Socket
  /** What the server has sent. */
  answer(): string
  closed: Promise<unknown>
}

/** Sends a request with `length` bytes announced and all but the last `missing` ones. */
export async function sendUnfinished(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  { length, missing, from = '127.0.0.1' }: { length: number; missing: number; from?: string },
): Promise<UnfinishedBody> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  const all = { Host: '127.0.0.1', 'Content-Length': String(length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(Buffer.alloc(length - missing, 0x20))
  return { socket, answer: () => text, closed }
}

export const WEBHOOK = {
  'Content-Type': 'application/json',
  'X-Shopify-Hmac-Sha256': Buffer.alloc(32, 1).toString('base64'),
  'X-Shopify-Webhook-Id': 'unfinished',
  'X-Shopify-Topic': 'products/update',
}
