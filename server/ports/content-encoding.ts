// The Content-Encoding of an answer. Requests ask for none, but many servers send one: names that
// are no coding, gzip for archives that are gzip files, or compression that nobody asked for.
import { pipeline, type Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { OpenedBody } from './exchange.ts'
import { damagedEncoding, encodedError, expandsTooFar, tooLarge } from './failures.ts'

const CODINGS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} satisfies Record<string, () => Transform>

export type Coding = keyof typeof CODINGS

/** Codings of HTTP that cannot be decoded here. */
const UNKNOWN = /^(x-)?compress$|^dc[bz]$|^aes128gcm$|^exi$|^pack200-gzip$/
/**
 * The maximum expansion, which only a file made to fill a disk exceeds. Checked above `FREE_BYTES`.
 */
const MAX_RATIO = 200
const FREE_BYTES = 16 * 1024 ** 2

/**
 * The coding that the bytes of an answer really have; null: they are the file itself. Names that
 * are no coding (`utf-8`, `binary`, `aws-chunked`) are ignored. Servers that call `.tar.gz` an
 * encoding do send the file itself: its name or its type says so.
 *
 * @param names what the file may be called: the ends of its addresses, and what the server calls it.
 * @throws `PortError` for several codings, or one that cannot be decoded.
 */
export function codingOf(
  header: string | string[] | undefined,
  { names: given, type }: { names: readonly string[]; type: string | undefined },
): Coding | null {
  const names = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  if (names.some((name) => UNKNOWN.test(name))) throw encodedError()
  const codings = names.filter((name): name is Coding => Object.hasOwn(CODINGS, name))
  if (codings.length > 1) throw encodedError()
  const [coding] = codings
  if (coding === undefined) return null
  const isFile =
    given.some((name) => /\.(gz|tgz|svgz)$/i.test(name)) ||
    /\bx?-?(gzip|gtar|tgz)\b|tar\+gzip/i.test(type ?? '')
  return isFile && coding.endsWith('gzip') ? null : coding
}

/**
 * The compression of a transfer, which is no property of the file: it is always undone. Null: none.
 * @throws `PortError` as `codingOf` does
 */
export const transferCodingOf = (header: string | string[] | undefined): Coding | null =>
  codingOf(header, { names: [], type: undefined })

/** The decoded bytes of a body, bounded by their number and by how far they expand. */
export function decodedBody(body: OpenedBody, coding: Coding, fileBytes: number): OpenedBody {
  const decoded = decode(body, coding, fileBytes)
  return {
    next: () => decoded.next(),
    // A generator that has not begun would not close the body.
    return: async () => {
      await decoded.return(undefined)
      await body.return?.()
      return { done: true, value: undefined }
    },
    release: () => {},
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* decode(
  body: OpenedBody,
  coding: Coding,
  fileBytes: number,
): AsyncGenerator<Buffer> {
  let [received, given] = [0, 0]
  let decoder: Transform | undefined
  try {
    const first = await body.next()
    const counted = async function* () {
      for (let next = first; !next.done; next = await body.next()) {
        received += next.value.length
        yield next.value
      }
    }
    decoder = decoderOf(coding, first.done ? Buffer.alloc(0) : first.value)
    // The error reaches the reader through the decoder.
    pipeline(counted, decoder, () => {})
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      given += chunk.length
      if (given > fileBytes) throw tooLarge()
      if (given > FREE_BYTES && given > received * MAX_RATIO) throw expandsTooFar()
      yield chunk
    }
  } catch (error) {
    throw isDamage(error) ? damagedEncoding(error) : error
  } finally {
    decoder?.destroy()
    await body.return?.()
  }
}

/** Some servers send deflate without its two bytes of header, against RFC 9110, 8.4.1.2. */
function decoderOf(coding: Coding, first: Buffer): Transform {
  const hasHeader =
    first.length < 2 || (first.readUInt8() % 16 === 8 && first.readUInt16BE() % 31 === 0)
  return coding === 'deflate' && !hasHeader ? createInflateRaw() : CODINGS[coding]()
}

const isDamage = (error: unknown): boolean =>
  error instanceof Error && /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_|ERR__ZSTD)/.test(codeOf(error))

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : ''
