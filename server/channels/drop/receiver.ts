// Bytes of one file that is being received: hashed in order as they come, in memory while they are
// few, in a staging file under a random name from then on. Clients may send pieces out of order;
// what cannot be hashed in order is hashed from the file in the end.
import fs from 'node:fs'
import { promisify } from 'node:util'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { DropError } from './errors.ts'

const open = promisify(fs.open)
const close = promisify(fs.close)
const truncate = promisify(fs.ftruncate)

/** Up to this size a file is kept in memory: one write to the store, no staging file. */
const IN_MEMORY = 256 * 1024
/** Written in pieces of this size: fewer calls. */
const PIECE = 512 * 1024
/** More than this is not taken before the disk has followed. */
const MOST_QUEUED = 4 * 1024 * 1024
/** Pieces that are ahead of the hash are remembered up to this sum. */
const MOST_AHEAD = 8 * 1024 * 1024

export interface Received {
  size: number
  /** Of bytes in memory. */
  bytes: Buffer | null
  /** Of a staging file; null where it must be read for it. */
  hash: string | null
}

export interface Receiver {
  /** The end of the file, as far as it is known. */
  size(): number
  /**
   * A promise only where the caller should wait before it sends more. Rejects with `full` and the
   * like, now or at the next call.
   */
  write(position: number, data: Buffer): Promise<void> | undefined
  truncate(size: number): Promise<void>
  /** Waits for the disk. The staging file stays. */
  finish(): Promise<Received>
  discard(): Promise<void>
}

/**
 * `staging`: the path of a file that may hold the first `from.size` bytes already, which
 * `from.hasher` has seen.
 */
export function createReceiver(
  staging: string,
  from?: { size: number; hasher: Blake3Hasher },
): Receiver {
  let hasher = from?.hasher ?? new Blake3Hasher()
  let hashed = from?.size ?? 0
  let size = hashed
  let inOrder = true
  const ahead = new Map<number, Buffer>()
  let aheadBytes = 0

  let fd = -1
  let memory: Buffer[] | null = from ? null : []
  let queue: { position: number; pieces: Buffer[]; bytes: number }[] = []
  let queued = 0
  let running: Promise<void> | null = null
  let failure: Error | null = null

  const hash = (position: number, data: Buffer) => {
    if (!inOrder) return
    if (position < hashed) inOrder = false
    else if (position > hashed) {
      ahead.set(position, data)
      aheadBytes += data.length
      if (aheadBytes > MOST_AHEAD) inOrder = false
    } else {
      hasher.update(data)
      hashed += data.length
      for (let next = ahead.get(hashed); next; next = ahead.get(hashed)) {
        ahead.delete(hashed)
        aheadBytes -= next.length
        hasher.update(next)
        hashed += next.length
      }
    }
    if (!inOrder) ahead.clear()
  }
  const enqueue = (position: number, data: Buffer) => {
    const last = queue.at(-1)
    queued += data.length
    if (last && last.position + last.bytes === position && last.bytes < PIECE) {
      last.pieces.push(data)
      last.bytes += data.length
    } else queue.push({ position, pieces: [data], bytes: data.length })
  }
  const drain = async () => {
    try {
      if (fd < 0)
        fd = await open(staging, 'a+', 0o600).then(
          async (a) => (await close(a), open(staging, 'r+')),
        )
      while (queue.length > 0 && !failure) {
        const { position, pieces, bytes } = queue.shift()!
        await writeAll(fd, pieces, position)
        queued -= bytes
      }
    } catch (error) {
      failure = diskError(error)
    } finally {
      running = null
    }
  }
  const spill = () => {
    let position = 0
    for (const data of memory!) {
      enqueue(position, data)
      position += data.length
    }
    memory = null
  }
  const settle = async () => {
    while (!failure && (running || queue.length > 0)) await (running ??= drain())
    if (failure) throw failure
  }

  return {
    size: () => size,
    write: (position, data) => {
      if (failure) return Promise.reject(failure)
      if (memory && (position !== size || size + data.length > IN_MEMORY)) spill()
      hash(position, data)
      size = Math.max(size, position + data.length)
      if (memory) return void memory.push(data)
      enqueue(position, data)
      if (queued >= PIECE) running ??= drain()
      if (queued < MOST_QUEUED) return undefined
      return (running ?? Promise.resolve()).then(() => {
        if (failure) throw failure
      })
    },
    truncate: async (to) => {
      if (to === size) return
      if (memory) spill()
      if (queue.length === 0) enqueue(0, Buffer.alloc(0))
      await settle()
      await truncate(fd, to).catch((error: unknown) => {
        throw (failure = diskError(error))
      })
      size = to
      if (to === 0) {
        hasher = new Blake3Hasher()
        hashed = 0
        inOrder = true
      } else inOrder = false
      ahead.clear()
      aheadBytes = 0
    },
    finish: async () => {
      if (memory) return { size, bytes: Buffer.concat(memory), hash: null }
      await settle()
      if (fd >= 0) await close(fd)
      fd = -1
      return { size, bytes: null, hash: inOrder && hashed === size ? hasher.digest('hex') : null }
    },
    discard: async () => {
      queue = []
      // What never left memory has no file.
      if (memory) return void (memory = null)
      await running
      if (fd >= 0) await close(fd).catch(() => {})
      fd = -1
      await fs.promises.rm(staging, { force: true })
    },
  }
}

async function writeAll(fd: number, pieces: readonly Buffer[], position: number): Promise<void> {
  const total = pieces.reduce((sum, { length }) => sum + length, 0)
  let written = await writev(fd, pieces, position)
  if (written === total) return
  const rest = Buffer.concat(pieces)
  while (written < total) written += await writev(fd, [rest.subarray(written)], position + written)
}

function writev(fd: number, pieces: readonly Buffer[], position: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  fs.writev(fd, pieces, position, (error, written) => (error ? reject(error) : resolve(written)))
  return promise
}

function diskError(error: unknown): DropError {
  const { code } = error as NodeJS.ErrnoException
  return new DropError(code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'unavailable', undefined, {
    cause: error,
  })
}
