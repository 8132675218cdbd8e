// Receives the bytes of one file. They are gathered into pieces and kept in memory up to a limit;
// above it they are written to a staging file with a random name. A piece is hashed while the
// previous one is written. If a client sends pieces out of order, the file is hashed at the end.
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { createPiecePool, createStagingFile, type Piece } from './staging-file.ts'
import { DropError } from './errors.ts'
import { createGaps } from './gaps.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { freeYoungBuffers } from './young-buffers.ts'

/** Up to this size a file is kept in memory: one write to the store, no staging file. */
export const IN_MEMORY = 256 * 1024
const FIRST_MEMORY = 32 * 1024
/** If more pieces wait to be written, the sender is paused. */
const MAX_QUEUED = 2
/** More than any client leaves that has several parts on the way. */
const MAX_GAPS = 1000

export interface ReceivedBytes {
  /** Up to the first byte that did not arrive. */
  size: number
  /** False: bytes that arrived after a gap were dropped. */
  whole: boolean
  /** The bytes, if they are in memory. */
  bytes: Buffer | null
  /** The hash of a staging file; null: the file must be read to compute it. */
  hash: string | null
}

export interface Receiver {
  /** The known end of the file. */
  size(): number
  inMemory(): boolean
  /**
   * Copies `data`. Returns a promise only if the caller should wait before it sends more. Rejects
   * with `full` and the like, now or in the next call.
   */
  write(position: number, data: Buffer): Promise<void> | undefined
  truncate(size: number): Promise<void>
  /** At most `length` bytes of those that have arrived; empty at the end. */
  read(position: number, length: number): Promise<Buffer>
  /** Waits until the bytes so far are on this machine's disk. */
  sync(): Promise<void>
  /** Waits until everything is written. The staging file stays. */
  finish(): Promise<ReceivedBytes>
  discard(): Promise<void>
}

const POOL = createPiecePool()
/** The buffers of all files that this process receives. */
const MEMORY = createMemoryBudget(8 * 1024 * 1024)

/**
 * `staging`: the path of the staging file, which may contain the first `from.size` bytes already,
 * hashed by `from.hasher`.
 */
export function createReceiver(
  staging: string,
  from?: { size: number; hasher: Blake3Hasher },
): Receiver {
  const hash = createHash(from)
  const gaps = createGaps()
  let size = from?.size ?? 0
  let inMemory = from === undefined
  let current: Piece | null = null
  const disk = createStagingFile(staging, POOL, hash.update)

  /** The piece with room at `position`: the current one, or a new one. */
  const pieceAt = (position: number): Piece => {
    if (current && current.position + current.length === position) {
      if (current.length < current.buffer.length) return current
    }
    if (current) disk.add(current)
    return (current = { buffer: POOL.take(), position, length: 0 })
  }
  const spill = () => {
    inMemory = false
    if (!current) return
    const { buffer, length } = current
    current = { buffer: POOL.take(), position: 0, length }
    buffer.copy(current.buffer, 0, 0, length)
  }
  const keep = (data: Buffer) => {
    const needed = size + data.length
    current ??= { buffer: Buffer.allocUnsafeSlow(FIRST_MEMORY), position: 0, length: 0 }
    let room = current.buffer.length
    while (room < needed) room *= 2
    if (room > current.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(room)
      current.buffer.copy(larger, 0, 0, current.length)
      freeYoungBuffers(current.buffer.length)
      current.buffer = larger
    }
    data.copy(current.buffer, current.length)
    size = current.length = needed
  }
  const giveAway = () => {
    if (inMemory) spill()
    if (current) disk.add(current)
    current = null
  }
  const holder = { spill: giveAway }
  const countMemory = () => MEMORY.used(holder, current?.buffer.length ?? 0)
  const flush = async () => {
    if (current) disk.add(current)
    current = null
    countMemory()
    await disk.settle()
  }
  const truncate = async (to: number) => {
    if (to === size) return
    if (inMemory) spill()
    await flush()
    await disk.truncate(to)
    size = to
    hash.cut(to)
    gaps.cut(to)
  }

  return {
    size: () => size,
    inMemory: () => inMemory,
    write: (position, data) => {
      if (disk.failure()) return Promise.reject(disk.failure()!)
      if (inMemory && position === size && size + data.length <= IN_MEMORY) {
        keep(data)
        countMemory()
        freeYoungBuffers(data.length)
        return POOL.room()
      }
      if (gaps.count() > MAX_GAPS)
        return Promise.reject(new DropError('denied', 'Send the parts of the file in order'))
      if (inMemory) spill()
      gaps.arrived(position, data.length, size)
      for (let taken = 0; taken < data.length;) {
        const piece = pieceAt(position + taken)
        const copied = data.copy(piece.buffer, piece.length, taken)
        piece.length += copied
        taken += copied
      }
      if (data.length > 0) size = Math.max(size, position + data.length)
      countMemory()
      freeYoungBuffers(data.length)
      return disk.pieces() <= MAX_QUEUED ? POOL.room() : disk.below(MAX_QUEUED)
    },
    truncate,
    read: async (position, length) => {
      const end = Math.min(size, position + length)
      if (position >= end) return Buffer.alloc(0)
      if (inMemory) return Buffer.from(current!.buffer.subarray(position, end))
      await flush()
      return disk.read(position, end - position)
    },
    sync: async () => {
      if (inMemory) spill()
      await flush()
      await disk.sync()
    },
    finish: async () => {
      const bytes = current?.buffer.subarray(0, current.length) ?? Buffer.alloc(0)
      // It is complete: it must not become a staging file any more.
      MEMORY.used(holder, 0)
      if (inMemory) return { size, whole: true, bytes, hash: null }
      await flush()
      const gap = gaps.first()
      if (gap !== null) await truncate(gap)
      await disk.close()
      return { size, whole: gap === null, bytes: null, hash: hash.digest(size) }
    },
    discard: async () => {
      // Without a staging file there is nothing to remove.
      if (!inMemory) {
        if (current) POOL.give(current.buffer)
        await disk.discard()
      }
      current = null
      countMemory()
    },
  }
}

/** BLAKE3 of bytes in order; no digest after bytes out of order. */
function createHash(from: { size: number; hasher: Blake3Hasher } | undefined) {
  let hasher = from?.hasher ?? new Blake3Hasher()
  let hashed = from?.size ?? 0
  let inOrder = true
  return {
    update: ({ buffer, position, length }: Piece) => {
      if (position !== hashed) inOrder = false
      if (!inOrder) return
      hasher.update(buffer.subarray(0, length))
      hashed += length
    },
    cut: (to: number) => {
      inOrder = to === 0
      hashed = to
      if (inOrder) hasher = new Blake3Hasher()
    },
    digest: (size: number) => (inOrder && hashed === size ? hasher.digest('hex') : null),
  }
}
