// Detects a CSV file's encoding: a byte-order mark decides, then zero bytes (UTF-16), then whether
// all of it is valid UTF-8. Any other file was written by a spreadsheet on Windows.
import { isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** How many bytes from the start of the file are searched for zero bytes. */
const HEAD_BYTES = 64 * 1024
/**
 * ASCII in UTF-16 has a zero in every second byte. A line with few ASCII characters still has its
 * separators.
 */
const ZEROS_OF_UTF16 = 0.05

export interface EncodingDetector {
  /** The next bytes of the file, in order. */
  add(bytes: Buffer): void
  result(): Encoding
}

export function createEncodingDetector(): EncodingDetector {
  let head = Buffer.alloc(0)
  let rest = Buffer.alloc(0)
  let utf8 = true
  return {
    add: (bytes) => {
      if (head.length < HEAD_BYTES)
        head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)])
      if (!utf8) return
      const joined = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
      const end = wholeCharacters(joined)
      utf8 = isUtf8(joined.subarray(0, end))
      rest = Buffer.from(joined.subarray(end))
    },
    result: () =>
      markOf(head) ?? zerosOf(head) ?? (utf8 && rest.length === 0 ? 'utf-8' : 'windows-1252'),
  }
}

function markOf(head: Buffer): Encoding | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return null
}

function zerosOf(head: Buffer): Encoding | null {
  const zeros = [0, 0]
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at % 2]!++
  const [even, odd] = zeros as [number, number]
  const enough = (head.length / 2) * ZEROS_OF_UTF16
  if (odd > enough && even * 4 < odd) return 'utf-16le'
  if (even > enough && odd * 4 < even) return 'utf-16be'
  return null
}

/**
 * The offset of an incomplete last character, which the next bytes may complete; the length if the
 * last character is complete.
 */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Decodes bytes that arrive in pieces; drops the byte-order mark. */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
