// Reads the body of a request or an answer into memory, up to a limit that the caller states.

/**
 * The body of a request; null: it is longer than `maxBytes`. Its rest is unread and its stream is
 * destroyed, so the connection cannot be used again.
 */
export async function readBounded(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
