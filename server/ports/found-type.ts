// The media type of bytes, detected from their beginning. Their name and their server's claim are
// ignored.
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { addressInShortcut, isPageType, MAX_SHORTCUT_BYTES } from '../../plugins/contract/index.ts'
import type { BlobStore, ByteSource, WrittenBlob } from '../core/store/store.ts'

/** The number of bytes that the detection of any format needs. */
export const HEAD_BYTES = 4100

export interface WatchedBytes extends ByteSource {
  /** The beginning of the bytes, once all of them have been read. */
  head(): Buffer
}

/** Passes the bytes on and copies their beginning, because the buffers are reused. */
export function watchHead(bytes: ByteSource): WatchedBytes {
  const parts: Buffer[] = []
  let left = HEAD_BYTES
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of bytes) {
        if (left > 0) parts.push(Buffer.from(chunk.subarray(0, left)))
        left -= Math.min(left, chunk.length)
        yield chunk
      }
    },
    release: (chunks) => bytes.release?.(chunks),
    head: () => Buffer.concat(parts),
  }
}

export async function headOfFile(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const load = () => import('file-type')
let library: ReturnType<typeof load> | undefined

export interface DetectedContent {
  /** The media type of the bytes; absent: not detected. */
  found_type?: string
  /** Do the bytes end before their format does? */
  cut_off?: true
  /** The address in an internet shortcut. */
  link_url?: string
}

/** What a blob is, by its first bytes and, in some formats, its end. */
export async function foundIn(
  head: Buffer,
  { store, shop }: { store: Pick<BlobStore, 'read'>; shop: number },
  { hash, size_bytes: size }: Pick<WrittenBlob, 'hash' | 'size_bytes'>,
): Promise<DetectedContent> {
  const read = async (start: number, end: number) =>
    end < head.length
      ? head.subarray(start, end + 1)
      : Buffer.concat(await Array.fromAsync<Buffer>(await store.read(shop, hash, { start, end })))
  const cut = size > 0 && (await isCutOff(head, { size, read }))
  const found = await contentOf(head)
  const address = size <= MAX_SHORTCUT_BYTES ? addressInShortcut(head.toString()) : null
  return {
    ...found,
    ...(cut ? { cut_off: true } : {}),
    ...(address === null ? {} : { link_url: address }),
  }
}

/** The media type of the bytes, also of text; absent if it cannot be detected. */
export async function contentOf(head: Buffer): Promise<DetectedContent> {
  const text = head.toString('latin1')
  const found = await foundType(head, text)
  return found.found_type === undefined && head.length > 0 && isText(head, text) ? TEXT : found
}

/**
 * The media type of the bytes by their signature; absent if they have none.
 *
 * @param text the bytes as Latin-1: to make it for each question costs more than the answers.
 */
export async function foundType(
  head: Buffer,
  text: string = head.toString('latin1'),
): Promise<{ found_type?: string }> {
  // The library takes the mark of UTF-16 for the beginning of an MP3 file.
  const wide = utf16Text(head)
  const written = typeOfText(wide ?? text) ?? (wide === null ? null : 'text/plain')
  if (written !== null) return { found_type: written }
  // Loaded at first use, since it is large; importing it again costs as much as detecting.
  const { fileTypeFromBuffer } = await (library ??= load())
  // Detection may treat a beginning as a truncated file.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found?.mime === 'video/mp4' && isHeif(head)) return { found_type: 'image/heif' }
  if (found) return { found_type: found.mime }
  // Readers accept a document whose header is not at its beginning.
  const isDocument = text.slice(0, 1024).includes('%PDF-')
  return isDocument ? { found_type: 'application/pdf' } : {}
}

/** HEIF has the container of MP4. The library knows few of its brands, and only as the first one. */
function isHeif(head: Buffer): boolean {
  const brands = head.toString('latin1', 8, Math.min(head.readUInt32BE(0), 256))
  return /^(?:.{4})*(?:mif[12]|msf1|miaf|1pic|he[iv][cmsx]|avc[is]|j2ki|jpeg)/s.test(brands)
}

/** The type of text that is nothing else. */
const TEXT: DetectedContent = { found_type: 'text/plain' }

/**
 * The media type that a server claims, unless its bytes show that they are no web page. Null: not
 * known.
 * @param head the first bytes of the file
 */
export async function typeByStart(claimed: string | null, head: Buffer): Promise<string | null> {
  if (!isPageType(claimed)) return claimed
  const text = head.toString('latin1')
  const { found_type: found } = await foundType(head, text)
  if (found !== undefined) return found === 'text/html' ? claimed : found
  return isText(head, text) ? claimed : null
}

/** Text has no control characters but tabs, line ends and escapes. */
const CONTROL = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]/
const isText = (head: Buffer, text: string): boolean => !CONTROL.test(text) && !isShortCode(head)

/** The text of bytes that have the mark of UTF-16, and only characters of texts; null: they have not. */
function utf16Text(head: Buffer): string | null {
  const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-16be'
  if (encoding === 'utf-16be' && !(head[0] === 0xfe && head[1] === 0xff)) return null
  // The last character may be cut off.
  const text = new TextDecoder(encoding).decode(head.subarray(0, head.length & ~1))
  return CONTROL.test(text) || /[\ufffd\p{Cn}\p{Co}]/u.test(text.slice(0, -1)) ? null : text
}

/** The type of a text that begins as such; null: it begins as none. */
function typeOfText(text: string): string | null {
  if (isPage(text)) return 'text/html'
  if (isJson(text)) return 'application/json'
  return isDrawing(text) ? 'image/svg+xml' : null
}

/** Few bytes may have no control character by chance: then most of them are ASCII in text. */
const isShortCode = (head: Buffer): boolean =>
  head.length < 200 && !isUtf8(head) && head.filter((byte) => byte > 127).length * 2 > head.length

/** Text has no signature: HTML is detected by its first tag, which in XHTML follows a declaration. */
const isPage = (text: string): boolean =>
  /^(?:\uFEFF|ï»¿)?(?:\s|<\?xml[^>]{0,200}\?>|<!--[^]{0,1000}?-->)*<(?:!doctype\s+html|html|head|body)[\s>]/i.test(
    text,
  )

/** A drawing: its first tag may follow a declaration, comments and a document type. */
const isDrawing = (text: string): boolean =>
  /^(?:ï»¿)?(?:\s|<\?xml[^>]{0,200}\?>|<!--[^]{0,1000}?-->|<!DOCTYPE\s+svg[^>]{0,500}>)*<svg[\s>]/i.test(
    text,
  )

/** JSON as a server sends it: a list or an object, which is not empty. */
const isJson = (text: string): boolean =>
  /^(?:ï»¿)?\s*(?:\{\s*"|\[\s*[{["])/.test(text.slice(0, 200))

// Whether bytes end before their format does: a client that cancels a transfer may end it like one
// that has sent everything, and a truncated file would be sold. Only formats whose end is known.

export interface FileTail {
  size: number
  /** Reads the bytes from `start` to `end`, both included. */
  read(start: number, end: number): Promise<Buffer>
}

/** A document ends with %%EOF within its last kilobyte; some programs add bytes to it. */
const PDF_TAIL = 4096
/** The directory of an archive ends with this record, and a comment of 64 KB at most. */
const ZIP_TAIL = 65_557
const ZIP_END = Buffer.from('PK\x05\x06', 'latin1')
const MAX_BOXES = 10_000

/** @param head the first bytes, at least 12 unless the file is shorter. */
export async function isCutOff(head: Buffer, ending: FileTail): Promise<boolean> {
  if (head.subarray(0, 1024).includes('%PDF-'))
    return !(await tailOf(ending, PDF_TAIL)).includes('%%EOF')
  if (head.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    return !(await tailOf(ending, ZIP_TAIL)).includes(ZIP_END)
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') return isFilmCutOff(ending)
  return false
}

const tailOf = ({ size, read }: FileTail, bytes: number): Promise<Buffer> =>
  read(Math.max(0, size - bytes), size - 1)

/** MP4, MOV and M4A are boxes, each with its size in front (ISO 14496-12, 4.2). */
async function isFilmCutOff({ size, read }: FileTail): Promise<boolean> {
  let at = 0
  for (let box = 0; at < size && box < MAX_BOXES; box++) {
    if (at + 8 > size) return true
    const header = await read(at, Math.min(at + 16, size) - 1)
    const short = header.readUInt32BE()
    // A size of 0 means: up to the end of the file.
    if (short === 0) return false
    if (short === 1 && header.length < 16) return true
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short
    // These bytes are no box: they follow the film.
    if (length < 8) return false
    at += length
  }
  return at > size
}
