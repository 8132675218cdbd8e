// Uploads in the bucket of the primary location, for processes that share no folder. Their bytes
// are objects with random names; a row names each one that counts. The row is written only if the
// upload is at the offset where the object begins, so of two processes that receive the same bytes
// one wins, also if both believe that they hold the upload's lock.
// Why not multipart uploads: docs/decisions/0066.
import { say } from '../../../plugins/contract/index.ts'
import { createHash, randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Pieces } from '../../core/store/s3-pieces.ts'
import { StoreError } from '../../core/store/store.ts'
import { stageBytes } from '../../ports/catalog.ts'
import { uploadLost, type UploadPlace } from './place.ts'
import { limitBytes, releaseChunks, type Chunk } from './receive.ts'
import { EXPIRY_MS, type UploadRow } from './rows.ts'

/** The bucket in the table of folders. An installation has one; it may move to another provider. */
const MARKER = 'b0c4e700-0000-4000-8000-000000000000'
/** The bytes of all uploads of this process that are not in the bucket yet. */
const MEMORY_BYTES = 128 * 1024 * 1024
/** The shortest full piece: with many concurrent uploads, pieces are shorter. */
const MIN_PIECE = 256 * 1024
/** A piece is stored after this time even if it is short: a crash loses what is not stored. */
const SLOW_MS = 10_000
/** Pieces that are requested before they are read. */
const READ_AHEAD = 4

export interface UploadBucket extends UploadPlace {
  /** Its number in the table of folders. */
  number: number
  /** Also removes pieces that no row names. */
  remove(id: string): Promise<void>
  /** The length of a piece; null: the bucket does not have it. */
  sizeOf(id: string, piece: string): Promise<number | null>
  /** The address to which a client may PUT so many bytes as this piece. */
  sign(id: string, piece: string, bytes: number, seconds: number): Promise<string>
  /** Yields the ids of uploads with a piece from before this time, a page at a time. */
  old(before: Date): AsyncGenerator<string[]>
}

export async function openUploadBucket(
  pieces: Pieces,
  { pool }: Pick<Database, 'pool'>,
): Promise<UploadBucket> {
  const { rows } = await pool.query<{ number: number }>(
    `insert into upload_folders (marker) values ($1)
     on conflict (marker) do update set marker = excluded.marker returning number`,
    [MARKER],
  )
  const receiving: ReceiverState = { pieces, uploads: 0 }
  return {
    number: firstOf(rows).number,
    create: () => Promise.resolve(),
    arrived: ({ offset_bytes: size, expires_at }) =>
      Promise.resolve({ size, changed: new Date(expires_at.getTime() - EXPIRY_MS) }),
    offset: ({ offset_bytes }) => Promise.resolve(offset_bytes),
    receive: async (scope, upload, chunk) => {
      receiving.uploads++
      try {
        return await receivePieces(receiving, scope, upload, chunk)
      } finally {
        receiving.uploads--
      }
    },
    finish: () => Promise.resolve(),
    take: async (scope, { id, size_bytes }, to, signal) => {
      const stored = await listPieces(scope, id)
      if (stored.reduce((sum, piece) => sum + piece.size, 0) !== size_bytes) throw uploadLost()
      return stageBytes(to, bytesOf(pieces, id, stored), null, signal)
    },
    remove: (id) => pieces.removeFile(id),
    sizeOf: (id, piece) => pieces.size(`${id}/${piece}`),
    sign: (id, piece, bytes, seconds) => pieces.signedAddress(`${id}/${piece}`, bytes, seconds),
    old: (before) => pieces.old(before),
  }
}

interface ReceiverState {
  pieces: Pieces
  /** The number of uploads that are being received. */
  uploads: number
}

interface StoredPiece {
  name: string
  size: number
}

/** Fills one piece while the previous one is sent. Returns the new offset. */
async function receivePieces(
  receiving: ReceiverState,
  scope: ShopScope,
  { id }: UploadRow,
  { bytes, offset, limit, checksum }: Chunk,
): Promise<number> {
  const hash = checksum && createHash(checksum.algorithm)
  const record = async (first: number, pieces: readonly StoredPiece[]) => {
    try {
      await recordPieces(scope, id, first, pieces)
    } catch (error) {
      // If the answer was lost, the rows may have been written: the sweep removes the objects if not.
      if (!(error instanceof AppError)) writer.unrecorded = []
      throw error
    }
  }
  const writer = new PieceWriter(receiving, id, offset, checksum ? null : record)
  try {
    for await (const chunk of limitBytes(bytes, limit - offset)) {
      hash?.update(chunk)
      await writer.add(chunk)
    }
    const end = await writer.finish()
    if (!hash) return end
    if (!hash.digest().equals(checksum.digest)) throw new AppError('checksum_mismatch')
    if (writer.unrecorded.length > 0) await record(offset, writer.unrecorded)
    return end
  } catch (error) {
    await writer.discard()
    throw error
  }
}

type Record = (first: number, pieces: readonly StoredPiece[]) => Promise<void>

class PieceWriter {
  /** Pieces that are in the bucket and have no row. */
  unrecorded: StoredPiece[] = []
  readonly #receiving: ReceiverState
  readonly #id: string
  /** Null: the caller records the pieces. */
  readonly #record: Record | null
  /** The offset of the bytes that wait. */
  #offset: number
  #waiting: Buffer[] = []
  #bytes = 0
  #since = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(receiving: ReceiverState, id: string, offset: number, record: Record | null) {
    this.#receiving = receiving
    this.#id = id
    this.#offset = offset
    this.#record = record
  }

  /** Resolves when the caller may read more. */
  async add(chunk: Buffer): Promise<void> {
    if (this.#bytes === 0) this.#since = performance.now()
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    const { pieces, uploads } = this.#receiving
    // Half of the memory is for the pieces that are being sent.
    const full = Math.max(MIN_PIECE, Math.min(pieces.bytes, MEMORY_BYTES / 2 / uploads))
    if (this.#bytes >= full || performance.now() - this.#since > SLOW_MS) await this.#send()
  }

  /** Waits until all bytes are stored; returns their end. */
  async finish(): Promise<number> {
    if (this.#bytes > 0) await this.#send()
    await this.#sending
    return this.#offset
  }

  /** Removes what does not count. */
  async discard(): Promise<void> {
    await this.#sending.catch(() => {})
    const names = this.unrecorded.map(({ name }) => `${this.#id}/${name}`)
    // The sweep removes what is left.
    await this.#receiving.pieces.remove(names).catch(() => {})
  }

  async #send(): Promise<void> {
    await this.#sending
    const body = Buffer.concat(this.#waiting, this.#bytes)
    releaseChunks(this.#waiting)()
    this.#sending = this.#store(this.#offset, body)
    this.#sending.catch(() => {})
    this.#offset += body.length
    this.#waiting = []
    this.#bytes = 0
  }

  async #store(first: number, body: Buffer): Promise<void> {
    const piece = { name: randomUUID(), size: body.length }
    this.unrecorded.push(piece)
    await this.#receiving.pieces.write(`${this.#id}/${piece.name}`, body).catch(storageFailed)
    if (!this.#record) return
    await this.#record(first, [piece])
    this.unrecorded = []
  }
}

export function storageFailed(cause: unknown): never {
  const isFull = cause instanceof StoreError && cause.code === 'full'
  throw new AppError(isFull ? 'storage_full' : 'storage_failed', { cause })
}

/**
 * Writes the rows of pieces that follow each other from `first`, and postpones the expiry. Throws
 * `conflict` if the upload is not at this offset.
 */
export async function recordPieces(
  scope: ShopScope,
  id: string,
  first: number,
  pieces: readonly StoredPiece[],
): Promise<void> {
  const end = pieces.reduce((sum, { size }) => sum + size, first)
  const recorded = await scope.query(
    `with moved as (
       update uploads set offset_bytes = :end::bigint,
         expires_at = now() + :expiry * interval '1 millisecond'
       where shop_id = :shop and id = :id and status = 'uploading' and offset_bytes = :first::bigint
       returning id)
     insert into upload_pieces (shop_id, upload_id, first_byte, size_bytes, name)
     select :shop, moved.id, :first::bigint + coalesce(sum(size) over before, 0), size, name
     from moved, unnest(:sizes::bigint[], :names::uuid[]) with ordinality as piece (size, name, n)
     window before as (order by n rows between unbounded preceding and 1 preceding)
     returning name`,
    {
      id,
      first,
      end,
      expiry: EXPIRY_MS,
      sizes: pieces.map(({ size }) => size),
      names: pieces.map(({ name }) => name),
    },
  )
  if (recorded.length === 0)
    throw new AppError('conflict', { message: say('The upload is not at this offset') })
}

const listPieces = (scope: ShopScope, id: string): Promise<StoredPiece[]> =>
  scope.query<StoredPiece>(
    `select name, size_bytes as size from upload_pieces
     where shop_id = :shop and upload_id = :id order by first_byte`,
    { id },
  )

function missingIsLost(error: unknown): never {
  throw error instanceof StoreError && error.code === 'missing' ? uploadLost() : error
}

/** The bytes of the pieces. The next ones are requested while one is read: they may be short. */
async function* bytesOf(
  pieces: Pieces,
  id: string,
  stored: readonly StoredPiece[],
): AsyncGenerator<Uint8Array> {
  const requested: Promise<Readable>[] = []
  const request = (piece: StoredPiece | undefined) => {
    if (!piece) return
    const read = pieces.read(`${id}/${piece.name}`).catch(missingIsLost)
    read.catch(() => {})
    requested.push(read)
  }
  for (const piece of stored.slice(0, READ_AHEAD)) request(piece)
  try {
    for (const [at, { size }] of stored.entries()) {
      let left = size
      for await (const chunk of await firstOf(requested)) {
        left -= (chunk as Buffer).length
        yield chunk as Buffer
      }
      if (left !== 0) throw new StoreError('unavailable')
      void requested.shift()
      request(stored[at + READ_AHEAD])
    }
  } finally {
    for (const read of requested) read.then((stream) => stream.destroy()).catch(() => {})
  }
}
