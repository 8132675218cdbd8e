// Receives the bytes of one file. They are gathered into pieces and kept in memory up to a limit;
// above it they are written to a staging file with a random name. A piece is hashed while the
// previous one is written. If a client sends pieces out of order, the file is hashed at the end.
import v8 from 'node:v8'
import vm from 'node:vm'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { present } from '../../core/lazy.ts'
import { createPiecePool, StagingFile, type Piece } from './staging-file.ts'
import { DropError } from './errors.ts'
import { createGaps } from './gaps.ts'

/** Up to this size a file is kept in memory: one write to the store, no staging file. */
const IN_MEMORY = 256 * 1024
const FIRST_MEMORY = 32 * 1024
/** If more pieces wait to be written, the sender is paused. */
const MAX_QUEUED = 2
/**
 * The maximum number of gaps: more than any client leaves that sends several parts at the same
 * time.
 */
const MAX_GAPS = 1000

export interface ReceivedBytes {
  /** The number of bytes up to the first one that did not arrive. */
  size: number
  /** Whether the file has no gap; otherwise the bytes after the gap were dropped. */
  whole: boolean
  /** The bytes, if they are in memory. */
  bytes: Buffer | null
  /** The hash of a staging file; null: the file must be read to compute it. */
  hash: string | null
  /** The file has the bytes that it had before: there is no staging file. */
  unchanged?: true
}

export interface Receiver {
  /** The known end of the file. */
  size(): number
  inMemory(): boolean
  /**
   * Copies `data`. Returns a promise only if the caller should wait before it sends more. Rejects
   * with an error such as `full`, now or in the next call.
   */
  write(position: number, data: Buffer): Promise<void> | undefined
  truncate(size: number): Promise<void>
  /** Reads at most `length` of the bytes that have arrived; empty at the end. */
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
 * Creates the receiver of one file. `staging`: the path of the staging file, which may contain the
 * first `from.size` bytes already, hashed by `from.hasher`.
 */
export const createReceiver = (
  staging: string,
  from?: { size: number; hasher: Blake3Hasher },
): Receiver => new BufferedReceiver(staging, from)

class BufferedReceiver implements Receiver {
  readonly #hash: ReturnType<typeof createHash>
  readonly #gaps = createGaps()
  readonly #disk: StagingFile
  readonly #holder = { spill: () => this.#giveAway() }
  #size: number
  #inMemory: boolean
  /** The piece that is being filled; in memory, all bytes of the file. */
  #current: Piece | null = null

  constructor(staging: string, from: { size: number; hasher: Blake3Hasher } | undefined) {
    this.#hash = createHash(from)
    this.#disk = new StagingFile(staging, POOL, this.#hash.update)
    this.#size = from?.size ?? 0
    this.#inMemory = from === undefined
  }

  size(): number {
    return this.#size
  }

  inMemory(): boolean {
    return this.#inMemory
  }

  write(position: number, data: Buffer): Promise<void> | undefined {
    const failure = this.#disk.failure()
    if (failure) return Promise.reject(failure)
    const end = this.#size + data.length
    if (this.#inMemory && position === this.#size && end <= IN_MEMORY) {
      this.#keep(data)
      this.#countMemory()
      freeYoungBuffers(data.length)
      return POOL.room()
    }
    if (this.#gaps.count() > MAX_GAPS)
      return Promise.reject(new DropError('denied', 'Send the parts of the file in order'))
    if (this.#inMemory) this.#spill()
    this.#gaps.arrived(position, data.length, this.#size)
    for (let taken = 0; taken < data.length;) {
      const piece = this.#pieceAt(position + taken)
      const copied = data.copy(piece.buffer, piece.length, taken)
      piece.length += copied
      taken += copied
    }
    if (data.length > 0) this.#size = Math.max(this.#size, position + data.length)
    this.#countMemory()
    freeYoungBuffers(data.length)
    return this.#disk.pieces() <= MAX_QUEUED ? POOL.room() : this.#disk.below(MAX_QUEUED)
  }

  async truncate(to: number): Promise<void> {
    if (to === this.#size) return
    if (this.#inMemory) this.#spill()
    await this.#flush()
    await this.#disk.truncate(to)
    this.#size = to
    this.#hash.cut(to)
    this.#gaps.cut(to)
  }

  async read(position: number, length: number): Promise<Buffer> {
    const end = Math.min(this.#size, position + length)
    if (position >= end) return Buffer.alloc(0)
    if (this.#inMemory) {
      const { buffer } = present(this.#current, 'The piece in memory')
      return Buffer.from(buffer.subarray(position, end))
    }
    await this.#flush()
    return this.#disk.read(position, end - position)
  }

  async sync(): Promise<void> {
    if (this.#inMemory) this.#spill()
    await this.#flush()
    await this.#disk.sync()
  }

  async finish(): Promise<ReceivedBytes> {
    const bytes = this.#current?.buffer.subarray(0, this.#current.length) ?? Buffer.alloc(0)
    // It is complete: it must not become a staging file any more.
    MEMORY.used(this.#holder, 0)
    if (this.#inMemory) return { size: this.#size, whole: true, bytes, hash: null }
    await this.#flush()
    const gap = this.#gaps.first()
    if (gap !== null) await this.truncate(gap)
    await this.#disk.close()
    const size = this.#size
    return { size, whole: gap === null, bytes: null, hash: this.#hash.digest(size) }
  }

  async discard(): Promise<void> {
    // Without a staging file there is nothing to remove.
    if (!this.#inMemory) {
      if (this.#current) POOL.give(this.#current.buffer)
      await this.#disk.discard()
    }
    this.#current = null
    this.#countMemory()
  }

  /** Returns the piece with room at `position`: the current one, or a new one. */
  #pieceAt(position: number): Piece {
    const current = this.#current
    if (current && current.position + current.length === position) {
      if (current.length < current.buffer.length) return current
    }
    if (current) this.#disk.add(current)
    return (this.#current = { buffer: POOL.take(), position, length: 0 })
  }

  /** Appends to the bytes in memory. */
  #keep(data: Buffer): void {
    const needed = this.#size + data.length
    const current = (this.#current ??= {
      buffer: Buffer.allocUnsafeSlow(FIRST_MEMORY),
      position: 0,
      length: 0,
    })
    let room = current.buffer.length
    while (room < needed) room *= 2
    if (room > current.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(room)
      current.buffer.copy(larger, 0, 0, current.length)
      freeYoungBuffers(current.buffer.length)
      current.buffer = larger
    }
    data.copy(current.buffer, current.length)
    this.#size = current.length = needed
  }

  /** Ends keeping all bytes in memory: from now on they are written to the staging file. */
  #spill(): void {
    this.#inMemory = false
    if (!this.#current) return
    const { buffer, length } = this.#current
    this.#current = { buffer: POOL.take(), position: 0, length }
    buffer.copy(this.#current.buffer, 0, 0, length)
  }

  /** Gives the buffer to the staging file, because other files need the memory. */
  #giveAway(): void {
    if (this.#inMemory) this.#spill()
    if (this.#current) this.#disk.add(this.#current)
    this.#current = null
  }

  async #flush(): Promise<void> {
    if (this.#current) this.#disk.add(this.#current)
    this.#current = null
    this.#countMemory()
    await this.#disk.settle()
  }

  #countMemory(): void {
    MEMORY.used(this.#holder, this.#current?.buffer.length ?? 0)
  }
}

/** Hashes bytes in order; after bytes out of order there is no hash. */
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

// Frees the buffers of sockets soon. V8 sees each as a small young object and starts no young
// collection; their bytes then cause a full collection about every 20 MB, which costs more than
// receiving them.

/** The maximum number of received bytes whose buffers wait to be freed. */
const MAX_UNFREED_BYTES = 2 * 1024 * 1024

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as (how: { type: 'minor' }) => void

let waiting = 0

/** Counts bytes that were received in buffers that are no longer used. */
function freeYoungBuffers(bytes: number): void {
  waiting += bytes
  if (waiting < MAX_UNFREED_BYTES) return
  waiting = 0
  collect({ type: 'minor' })
}

// Limits the memory of files that are being received: above the limit, the buffers of those that
// have waited longest are written to their staging files.

export interface Holder {
  /** Writes the buffers of the file to its staging file. */
  spill(): void
}

export interface MemoryBudget {
  /** Records that the holder has just used its buffers, and their bytes; 0: it has none. */
  used(holder: Holder, bytes: number): void
  /** The bytes of all holders. */
  held(): number
}

export function createMemoryBudget(limit: number): MemoryBudget {
  /** The bytes of each holder, in the order of the last use. */
  const holders = new Map<Holder, number>()
  let held = 0
  const remove = (holder: Holder) => {
    held -= holders.get(holder) ?? 0
    holders.delete(holder)
  }
  return {
    used: (holder, bytes) => {
      remove(holder)
      if (bytes === 0) return
      holders.set(holder, bytes)
      held += bytes
      for (const oldest of holders.keys()) {
        if (held <= limit) break
        remove(oldest)
        oldest.spill()
      }
    },
    held: () => held,
  }
}
