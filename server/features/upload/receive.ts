// Writes received bytes to the upload's file, each piece while the next one arrives, and verifies
// the checksum.
import { say } from '../../../plugins/contract/index.ts'
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { hasNoRoom } from '../../core/db/error-classes.ts'
import { AppError } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'

/** The size of a piece. An upload holds two: one that is filled and one that is written. */
const PIECE = 512 * 1024
/**
 * The bytes of all unfinished pieces of this process: beyond it, pieces are as short as they arrive.
 * A client may pause within a piece for minutes, on hundreds of connections.
 */
const MAX_GATHERED = 32 * 1024 * 1024
let gathered = 0

export const CHECKSUMS = ['sha1', 'sha256', 'md5'] as const

export interface Checksum {
  algorithm: (typeof CHECKSUMS)[number]
  digest: Buffer
}

/** Reads `Upload-Checksum: sha1 <base64>`; throws `malformed_request`. */
export function readChecksum(header: string): Checksum | null {
  if (header === '') return null
  const [, name, text = ''] = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(header) ?? []
  const algorithm = CHECKSUMS.find((one) => one === name)
  if (!algorithm)
    throw new AppError('malformed_request', {
      message: say('Upload-Checksum takes one of {names}', { names: CHECKSUMS.join(', ') }),
    })
  return { algorithm, digest: Buffer.from(text, 'base64') }
}

export interface Chunk {
  bytes: AsyncIterable<Buffer>
  /** The offset at which the bytes begin, and the one at which they must end at the latest. */
  offset: number
  limit: number
  checksum: Checksum | null
}

/**
 * Writes the bytes and returns the new offset. If the connection breaks, the received bytes are
 * kept. With a checksum it is all or nothing: on a mismatch the bytes are removed, and this throws
 * `checksum_mismatch`. Throws `payload_too_large` at the limit.
 */
export async function receiveUpload(
  path: string,
  { bytes, offset, limit, checksum }: Chunk,
): Promise<number> {
  const file = await open(path, 'r+').catch(storageFailed)
  try {
    const hash = checksum && createHash(checksum.algorithm)
    const end = await write(file, limitBytes(bytes, limit - offset), offset, (chunk) =>
      hash?.update(chunk),
    )
    if (!hash || hash.digest().equals(checksum.digest)) return end
    throw new AppError('checksum_mismatch')
  } catch (error) {
    if (checksum) await file.truncate(offset)
    throw error
  } finally {
    await file.close()
  }
}

/** Throws `payload_too_large` instead of giving more bytes than the limit. */
export async function* limitBytes(
  bytes: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<Buffer> {
  let left = limit
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) throw new AppError('payload_too_large')
    yield chunk
  }
}

/** How often a request that sends bytes for hours is noted. */
const NOTE_MS = 60_000

/**
 * Calls `note` with the first bytes and then once a minute while more arrive. A note that fails is
 * made up for by the next one.
 */
export async function* noteArrival(
  bytes: AsyncIterable<Buffer>,
  note: () => Promise<void>,
  clock: () => number = () => performance.now(),
): AsyncGenerator<Buffer> {
  let noted = -Infinity
  for await (const chunk of bytes) {
    const now = clock()
    if (now - noted >= NOTE_MS) {
      noted = now
      note().catch(() => {})
    }
    yield chunk
  }
}

async function write(
  file: FileHandle,
  bytes: AsyncIterable<Buffer>,
  offset: number,
  look: (chunk: Buffer) => void,
): Promise<number> {
  let end = offset
  let running: Promise<void> = Promise.resolve()
  let piece: Buffer[] = []
  let waiting = 0
  const flush = async () => {
    await running
    running = writeAll(file, piece, end).finally(releaseChunks(piece))
    running.catch(() => {})
    end += waiting
    gathered -= waiting
    piece = []
    waiting = 0
  }
  try {
    for await (const chunk of bytes) {
      look(chunk)
      piece.push(chunk)
      waiting += chunk.length
      gathered += chunk.length
      if (waiting >= PIECE || gathered > MAX_GATHERED) await flush()
    }
  } finally {
    try {
      // Keep the bytes that arrived before the connection broke.
      if (waiting > 0) await flush()
      await running
    } finally {
      gathered -= waiting
    }
  }
  return end
}

/**
 * Frees the chunks' memory immediately. A gigabyte of unfreed chunks makes the garbage collector
 * scan the whole heap dozens of times, which costs more than receiving them. Chunks with shared
 * memory are skipped.
 */
export const releaseChunks = (chunks: readonly Buffer[]) => () => {
  for (const { buffer, length } of chunks)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

async function writeAll(file: FileHandle, pieces: Buffer[], position: number): Promise<void> {
  let left = pieces
  let at = position
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, at).catch(storageFailed)
    at += bytesWritten
    let skip = bytesWritten
    while (left.length > 0 && skip >= firstOf(left).length) {
      skip -= firstOf(left).length
      left = left.slice(1)
    }
    if (skip > 0) left = [firstOf(left).subarray(skip), ...left.slice(1)]
  }
}

function storageFailed(cause: NodeJS.ErrnoException): never {
  throw new AppError(hasNoRoom(cause) ? 'storage_full' : 'storage_failed', { cause })
}
