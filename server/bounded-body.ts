// Reads a request's body into memory, up to a limit that the caller states.
import type { IncomingMessage } from 'node:http'

/**
 * Null: the body is longer than `mostBytes`. Its rest is unread and the request is destroyed, so
 * the connection cannot be used again.
 */
export async function readBounded(
  request: IncomingMessage,
  mostBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
