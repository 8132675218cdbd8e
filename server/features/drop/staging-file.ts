// The local file that holds a transfer's bytes until they are in the store, and its buffers.
// Buffers are reused: the system would clear new ones page by page, and they would wait for the
// garbage collector.
import fs from 'node:fs'
import { promisify } from 'node:util'
import { hasNoRoom } from '../../core/db/error-classes.ts'
import { DropError } from './errors.ts'

const open = promisify(fs.open)
const close = promisify(fs.close)
const truncate = promisify(fs.ftruncate)
const read = promisify(fs.read)
const sync = promisify(fs.fsync)

export interface Piece {
  buffer: Buffer
  /** The offset of the piece in the file. */
  position: number
  length: number
}

/** The size of written pieces: larger pieces need fewer calls. */
const PIECE_BYTES = 256 * 1024
/** The maximum number of free buffers that are kept; others are returned to the system. */
const MAX_FREE = 8

/**
 * The number of pieces of all files that are filled or wait for the disk, above which senders are
 * paused.
 */
const MAX_USED = 48

export interface PiecePool {
  take(): Buffer
  give(buffer: Buffer): void
  /** Resolves when few enough pieces are used; undefined: now. */
  room(): Promise<void> | undefined
}

export function createPiecePool(): PiecePool {
  const free: Buffer[] = []
  let used = 0
  let waiting: (() => void)[] = []
  return {
    take: () => {
      used++
      return free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    },
    give: (buffer) => {
      used--
      if (free.length < MAX_FREE) free.push(buffer)
      if (used > MAX_USED) return
      const ready = waiting
      waiting = []
      for (const resume of ready) resume()
    },
    room: () =>
      used <= MAX_USED ? undefined : new Promise((resolve) => void waiting.push(resolve)),
  }
}

interface Waiter {
  /** How many pieces may be left. */
  limit: number
  resolve: () => void
  reject: (error: Error) => void
}

/** Writes pieces to the disk, one after another. */
export class StagingFile {
  readonly #file: string
  readonly #pool: PiecePool
  /** Gets each piece while it is written. */
  readonly #seen: (piece: Piece) => void
  readonly #queue: Piece[] = []
  #fd = -1
  #writing = 0
  #running: Promise<void> | null = null
  #failure: DropError | null = null
  #waiting: Waiter[] = []

  constructor(file: string, pool: PiecePool, seen: (piece: Piece) => void) {
    this.#file = file
    this.#pool = pool
    this.#seen = seen
  }

  failure(): DropError | null {
    return this.#failure
  }

  /** The number of pieces that are not written yet. */
  pieces(): number {
    return this.#queue.length + this.#writing
  }

  add(piece: Piece): void {
    this.#queue.push(piece)
    this.#running ??= this.#drain()
  }

  /** Resolves when at most `limit` pieces are left. */
  below(limit: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ limit, resolve, reject })
    this.#wake()
    return promise
  }

  /** Waits until all pieces are written. */
  async settle(): Promise<void> {
    while (!this.#failure && (this.#running || this.#queue.length > 0))
      await (this.#running ??= this.#drain())
    if (this.#failure) throw this.#failure
  }

  /** Waits until the written bytes are on the disk. */
  async sync(): Promise<void> {
    const fd = await this.#opened()
    await sync(fd).catch((error: unknown) => {
      throw (this.#failure = diskError(error))
    })
  }

  async truncate(to: number): Promise<void> {
    try {
      await truncate(await this.#opened(), to)
    } catch (error) {
      throw (this.#failure = diskError(error))
    }
  }

  /** Reads at most `length` bytes. Must be called when everything is written (`settle`). */
  async read(position: number, length: number): Promise<Buffer> {
    try {
      const fd = await this.#opened()
      const into = Buffer.allocUnsafe(length)
      const { bytesRead } = await read(fd, into, 0, length, position)
      return into.subarray(0, bytesRead)
    } catch (error) {
      throw diskError(error)
    }
  }

  async close(): Promise<void> {
    if (this.#fd >= 0) await close(this.#fd)
    this.#fd = -1
  }

  async discard(): Promise<void> {
    for (const { buffer } of this.#queue.splice(0)) this.#pool.give(buffer)
    await this.#running
    await this.close().catch(() => {})
    await fs.promises.rm(this.#file, { force: true })
  }

  async #opened(): Promise<number> {
    if (this.#fd >= 0) return this.#fd
    await close(await open(this.#file, 'a', 0o600))
    return (this.#fd = await open(this.#file, 'r+'))
  }

  async #drain(): Promise<void> {
    try {
      const fd = await this.#opened()
      while (!this.#failure) {
        const piece = this.#queue.shift()
        if (!piece) break
        this.#writing = 1
        const written = writeAll(fd, piece)
        this.#seen(piece)
        await written.finally(() => {
          this.#pool.give(piece.buffer)
          this.#writing = 0
        })
        this.#wake()
      }
    } catch (error) {
      this.#failure = diskError(error)
    } finally {
      this.#running = null
      this.#wake()
    }
  }

  #wake(): void {
    const failure = this.#failure
    const ready = this.#waiting.filter(({ limit }) => failure || this.pieces() <= limit)
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one))
    for (const { resolve, reject } of ready) {
      if (failure) reject(failure)
      else resolve()
    }
  }
}

async function writeAll(fd: number, { buffer, position, length }: Piece): Promise<void> {
  for (let written = 0; written < length;)
    written += await writeOnce(fd, buffer, { from: written, to: length, position })
}

function writeOnce(
  fd: number,
  buffer: Buffer,
  { from, to, position }: { from: number; to: number; position: number },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  fs.write(fd, buffer, from, to - from, position + from, (error, written) =>
    error ? reject(error) : resolve(written),
  )
  return promise
}

const diskError = (error: unknown): DropError =>
  new DropError(hasNoRoom(error) ? 'full' : 'unavailable', undefined, { cause: error })
