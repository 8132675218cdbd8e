// Encodings of file names of FTP clients that know no UTF-8: of scanners, machines and old programs.
// The Encoding Standard decodes all of them; they are encoded by the inverse of that.
import type { NameEncoding } from '../../../plugins/_page/name-encodings.ts'

export interface NameCodec {
  /** Decodes a line. UTF-8 is recognised in any encoding. */
  decode(bytes: Buffer): string
  encode(text: string): Buffer
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8; null: the bytes are not UTF-8. */
function utf8(bytes: Buffer): string | null {
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}

const codecs = new Map<NameEncoding, NameCodec>()

export function nameCodec(encoding: NameEncoding): NameCodec {
  const made = codecs.get(encoding) ?? (encoding === 'utf-8' ? UTF_8 : codecOf(encoding))
  codecs.set(encoding, made)
  return made
}

const UTF_8: NameCodec = {
  decode: (bytes) => bytes.toString('utf8'),
  encode: (text) => Buffer.from(text, 'utf8'),
}

function codecOf(encoding: NameEncoding): NameCodec {
  const decoder = new TextDecoder(encoding)
  let table: Map<string, Buffer> | null = null
  return {
    decode: (bytes) => utf8(bytes) ?? decoder.decode(bytes),
    encode: (text) => {
      const known = (table ??= inverse(encoding))
      const pieces = Array.from(text, (character) => known.get(character) ?? QUESTION)
      return Buffer.concat(pieces)
    },
  }
}

const QUESTION = Buffer.from('?')

/** The bytes of each character that has one byte or two; the first bytes that decode to it. */
function inverse(encoding: string): Map<string, Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const table = new Map<string, Buffer>()
  const add = (...bytes: number[]) => {
    const given = Buffer.from(bytes)
    try {
      const text = decoder.decode(given)
      if ([...text].length === 1 && !table.has(text)) table.set(text, given)
      return true
    } catch {
      return false
    }
  }
  for (let first = 0; first < 256; first++) {
    if (add(first)) continue
    for (let second = 0x30; second < 256; second++) add(first, second)
  }
  return table
}
