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
  /** Its offset in the file. */
  position: number
  length: number
}

/** The size of written pieces: larger pieces need fewer calls. */
const PIECE_BYTES = 256 * 1024
/** Free buffers that are kept; others are returned to the system. */
const MAX_FREE = 8

/** Pieces of all files that are filled or wait for the disk: above this, senders are paused. */
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

/** Writes pieces to the disk, one after another; `seen` gets each piece while it is written. */
export function createStagingFile(file: string, pool: PiecePool, seen: (piece: Piece) => void) {
  let fd = -1
  const queue: Piece[] = []
  let writing = 0
  let running: Promise<void> | null = null
  let failure: DropError | null = null
  let waiting: { limit: number; resolve: () => void; reject: (error: Error) => void }[] = []
  const pieces = () => queue.length + writing
  const wake = () => {
    const ready = waiting.filter(({ limit }) => failure || pieces() <= limit)
    waiting = waiting.filter((one) => !ready.includes(one))
    for (const { resolve, reject } of ready) {
      if (failure) reject(failure)
      else resolve()
    }
  }
  const opened = async () => {
    if (fd >= 0) return
    await close(await open(file, 'a', 0o600))
    fd = await open(file, 'r+')
  }
  const drain = async () => {
    try {
      await opened()
      while (queue.length > 0 && !failure) {
        const piece = queue.shift()!
        writing = 1
        const written = writeAll(fd, piece)
        seen(piece)
        await written.finally(() => {
          pool.give(piece.buffer)
          writing = 0
        })
        wake()
      }
    } catch (error) {
      failure = diskError(error)
    } finally {
      running = null
      wake()
    }
  }
  const drained = async () => {
    while (!failure && (running || queue.length > 0)) await (running ??= drain())
    if (failure) throw failure
  }
  const closed = async () => {
    if (fd >= 0) await close(fd)
    fd = -1
  }
  return {
    failure: () => failure,
    pieces,
    add: (piece: Piece) => {
      queue.push(piece)
      running ??= drain()
    },
    /** Resolves when at most `limit` pieces are left. */
    below: (limit: number): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push({ limit, resolve, reject })
      wake()
      return promise
    },
    settle: drained,
    /** Waits until the written bytes are on the disk. */
    sync: async () => {
      await opened()
      await sync(fd).catch((error: unknown) => {
        throw (failure = diskError(error))
      })
    },
    truncate: async (to: number) => {
      try {
        await opened()
        await truncate(fd, to)
      } catch (error) {
        throw (failure = diskError(error))
      }
    },
    /** At most `length` bytes; call it when everything is written (`settle`). */
    read: async (position: number, length: number): Promise<Buffer> => {
      try {
        await opened()
        const into = Buffer.allocUnsafe(length)
        const { bytesRead } = await read(fd, into, 0, length, position)
        return into.subarray(0, bytesRead)
      } catch (error) {
        throw diskError(error)
      }
    },
    close: closed,
    discard: async () => {
      for (const { buffer } of queue.splice(0)) pool.give(buffer)
      await running
      await closed().catch(() => {})
      await fs.promises.rm(file, { force: true })
    },
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
