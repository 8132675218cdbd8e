// One file that is being received. When it ends, complete or interrupted, its bytes are moved to
// the blob store, so that workers and other processes of the drop server do not depend on this
// machine.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import type { Database } from '../../core/db/database.ts'
import { hasNoRoom } from '../../core/db/error-classes.ts'
import type { Listener } from '../../core/db/listener.ts'
import type { Logger } from '../../core/log.ts'
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { present } from '../../core/lazy.ts'
import { traced, type SpanOptions } from '../../core/tracing.ts'
import type { StoredBlob } from '../../files/blob-checks.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import type { Confirmations } from './confirmations.ts'
import { DropError } from './errors.ts'
import type { Allowance, DropLimits } from './quota.ts'
import { ContinuedReceiver } from './continued-receiver.ts'
import { releaseBytes, type DroppedBytes } from './dropped-bytes.ts'
import { createReceiver, type ReceivedBytes, type Receiver } from './receiver.ts'
import type { Waker } from './wake.ts'
import {
  commitBytes,
  putFile,
  releaseName,
  takeName,
  type TransferResult,
  type TakenName,
} from './writes.ts'

export interface TransferParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  /** Compares bytes that clients read or continue: a reply waits, as a client reads in parts. */
  blobs: WholeBlobs
  listener: Listener
  /** A folder of this machine; on the store's disk, bytes become blobs without a copy. */
  staging: string
  limits: DropLimits
  waker: Waker
  confirmations: Confirmations
  log: Logger
}

export interface WriteRequest {
  shop: number
  account: string | null
  protocol: 'sftp' | 'ftp' | 'ftps'
  folder: string
  name: string
  /**
   * `truncate`: start with an empty file; `keep`: keep the existing bytes, to append or to write
   * into.
   */
  mode: 'truncate' | 'keep'
  /** With `keep`: the number of existing bytes that are kept. Absent: all. */
  keepBytes?: number
  /** Whether the file must not exist yet. */
  exclusive?: boolean
}

export interface Transfer {
  size(): number
  /** Writes bytes. Returns a promise only if the caller should wait before it sends more. */
  write(position: number, data: Buffer): Promise<void> | undefined
  truncate(size: number): Promise<void>
  /** Reads at most `length` of the bytes that have arrived; empty at the end. */
  read(position: number, length: number): Promise<Buffer>
  /** Waits until the bytes so far are on this machine's disk. */
  sync(): Promise<void>
  modified(at: Date): void
  /** The time that was set, or that of the beginning of the transfer. */
  modifiedAt(): Date
  /**
   * Completes the file; returns its entry's id. Rejects if its bytes could not be stored; the file
   * is then interrupted, as after `abandon`.
   */
  close(): Promise<string>
  /**
   * Ends an interrupted transfer: the received bytes are kept so that the client can resume them,
   * and are not imported.
   */
  abandon(): Promise<void>
}

export interface NamedTransfer extends Transfer {
  readonly writeId: string
  /**
   * Takes the name of the file now; idempotent. Resolves even if that fails: the next call reports
   * it.
   */
  named(): Promise<void>
  /** Does the file have a row, under `writeId`, which shows its size? */
  isNamed(): boolean
}

export interface TransferStart {
  parts: TransferParts
  request: WriteRequest
  process: number
  allowance: Allowance
  /** The location of the shop's new files. */
  location: () => Promise<string>
  /** Runs copies of files one after another in each shop. */
  inTurn: <T>(copy: () => Promise<T>) => Promise<T>
}

/**
 * Starts a transfer. Takes the name immediately if the caller must know whether it is available.
 * Otherwise it is taken when the file is no longer small, because a small file then needs only one
 * statement.
 */
export async function startTransfer(start: TransferStart): Promise<NamedTransfer> {
  const { parts, request, allowance } = start
  const writeId = randomUUID()
  const file = path.join(parts.staging, writeId)
  const name = createName(start, writeId)
  let receiver: Receiver
  try {
    const isEarly = request.mode === 'keep' || request.exclusive
    const before = isEarly ? await name.take() : null
    receiver = receiverOf(start, before, file)
  } catch (error) {
    await name.release().catch(() => {})
    allowance.close()
    throw error
  }
  return transferOf(start, { writeId, file, name, receiver })
}

interface TransferFile {
  writeId: string
  file: string
  name: NameOfTransfer
  receiver: Receiver
}

/** What changes while the file is open. */
interface Progress {
  modifiedAt: Date | null
  /** Why a byte was refused: the file is not imported. */
  refused: DropError | null
}

function transferOf(start: TransferStart, begun: TransferFile): NamedTransfer {
  const { writeId, name, receiver } = begun
  const began = new Date()
  const progress: Progress = { modifiedAt: null, refused: null }
  let ending: Promise<string> | null = null
  const end = (clean: boolean) =>
    (ending ??= traced('receive a file', spanOf(start, receiver, began, clean), () =>
      endTransfer(start, begun, progress, clean),
    ))
  return {
    writeId,
    isNamed: () => name.isTaken(),
    named: async () => void (await (ending ?? name.take()).catch(() => {})),
    size: () => receiver.size(),
    write: (position, data) => {
      if (ending) return Promise.reject(new DropError('interrupted'))
      const problem = refusalAt(start, begun, progress, position + data.length)
      if (problem) return Promise.reject(problem)
      const wait = receiver.write(position, data)
      if (receiver.inMemory() || name.isTaken()) return wait
      return Promise.all([name.take(), wait]).then(() => {})
    },
    truncate: async (size) => {
      if (size > receiver.size())
        throw new DropError('denied', 'A file can only be extended by writing to it')
      await receiver.truncate(size)
    },
    read: (position, length) =>
      ending ? Promise.reject(new DropError('interrupted')) : receiver.read(position, length),
    sync: () => (ending ? Promise.reject(new DropError('interrupted')) : receiver.sync()),
    modified: (at) => void (progress.modifiedAt = at),
    modifiedAt: () => progress.modifiedAt ?? began,
    close: () => end(true),
    abandon: async () => void (await end(false)),
  }
}

/** Each transfer has a separate trace: the import of its file begins later, with others. */
const spanOf = (
  { request }: TransferStart,
  receiver: Receiver,
  begun: Date,
  clean: boolean,
): SpanOptions => ({
  kind: 'job',
  begun,
  fields: {
    'stevedore.shop': request.shop,
    'stevedore.protocol': request.protocol,
    'stevedore.bytes': receiver.size(),
    'stevedore.complete': clean,
  },
})

/** The reason to refuse bytes up to `end`, or null. */
function refusalAt(
  { parts, allowance }: TransferStart,
  { receiver, name }: TransferFile,
  progress: Progress,
  end: number,
): DropError | null {
  const limit = parts.limits.file_bytes
  if (end > limit)
    progress.refused ??= new DropError('too_large', `A file has at most ${limit} bytes`)
  const growth = end - receiver.size()
  if (!progress.refused && growth > 0 && !allowance.take(growth))
    progress.refused = new DropError('quota')
  return progress.refused ?? name.failure()
}

/**
 * Stores the received bytes; returns the entry's id, or an empty text if nothing was received.
 * @param clean the client has completed the file
 */
async function endTransfer(
  start: TransferStart,
  { file, name, receiver }: TransferFile,
  progress: Progress,
  clean: boolean,
): Promise<string> {
  const { parts, request, allowance } = start
  try {
    const received = await receiver.finish()
    if (!received.whole) progress.refused ??= new DropError('interrupted', HAS_GAP)
    if (!clean && received.size === 0 && !name.isTaken()) return ''
    const blob = received.unchanged
      ? bytesOf(await name.take())
      : await stored(start, received, file)
    const { modifiedAt, refused } = progress
    const { protocol } = request
    const id = await name.giveBytes({ clean: clean && !refused, modifiedAt, protocol, ...blob })
    if (clean && refused) throw refused
    if (clean && protocol === 'sftp') parts.waker.wake(request.shop)
    return id
  } catch (error) {
    await name.release().catch(() => {})
    throw asDropError(error)
  } finally {
    allowance.close()
    // The bytes have become a blob by now, or are not needed.
    await receiver.discard()
  }
}

const HAS_GAP = 'A part of the file did not arrive: send the file again'

type NameOfTransfer = ReturnType<typeof createName>

/** The name of a transfer, which has a row after the name was taken. */
function createName({ parts, request, process }: TransferStart, writeId: string) {
  const { database } = parts
  const release = (bytes: DroppedBytes | null) => releaseBytes(parts, request.shop, bytes)
  const began = performance.now()
  let taking: Promise<TakenName> | null = null
  let failure: DropError | null = null
  const take = () =>
    (taking ??= takeName(database, { ...request, process, writeId })
      .then(async (taken) => {
        await release(taken.dropped)
        return taken
      })
      .catch(failed))
  const failed = (error: unknown): never => {
    failure = asDropError(error)
    throw failure
  }
  return {
    take,
    isTaken: () => taking !== null,
    failure: () => failure,
    /** Nothing names the bytes if this rejects, and nothing names the earlier ones if not. */
    giveBytes: async (ended: TransferResult): Promise<string> => {
      const { shop, folder, name, account } = request
      try {
        if (taking === null) {
          const openSeconds = (performance.now() - began) / 1000
          const placing = { ...ended, shop, folder, name, account, openSeconds }
          const { id, dropped } = await putFile(database, placing)
          await release(dropped)
          return id
        }
        const { id } = await taking
        const dropped = await commitBytes(database, { shop, id, writeId }, ended)
        if (dropped === null) throw new DropError('interrupted')
        await release(dropped)
        return id
      } catch (error) {
        await release({ ...ended, placed: ended.placed ?? null })
        throw error
      }
    },
    /** Releases the name, unless another transfer has taken it. */
    release: async () => {
      const taken = await taking
      if (taken) await releaseName(database, { shop: request.shop, id: taken.id, writeId })
    },
  }
}

/** @param before the file whose name was taken; null: it was not taken yet. */
function receiverOf(start: TransferStart, before: TakenName | null, file: string): Receiver {
  const { parts, request } = start
  const size = before?.size_bytes ?? 0
  const { keepBytes: keep = size } = request
  if (!before?.hash || keep === 0) return createReceiver(file)
  if (keep > size) throw new DropError('denied', 'A file can only be extended by writing to it')
  const { hash } = before
  const store = parts.stores.get(present(before.location, 'The location of a received file'))
  if (!store) throw new DropError('unavailable')
  const blob = { shop: request.shop, hash, location: present(before.location, 'Its location') }
  const readFrom = async (start: number, end: number) => {
    await ensureWhole(parts, blob)
    return store.read(request.shop, hash, { start, end })
  }
  return new ContinuedReceiver({
    size,
    keep,
    load: () =>
      start.inTurn(async () =>
        createReceiver(file, await loadExisting(await readFrom(0, keep - 1), file)),
      ),
    read: async (position, length) =>
      length === 0
        ? Buffer.alloc(0)
        : Buffer.concat(
            await Array.fromAsync<Buffer>(await readFrom(position, position + length - 1)),
          ),
  })
}

/** Throws `DropError` `unavailable` if the bytes are damaged and there is no good copy. */
export async function ensureWhole(
  { blobs }: Pick<TransferParts, 'blobs'>,
  blob: StoredBlob,
): Promise<void> {
  await blobs.ensure(blob).catch((error: unknown) => {
    const isLost = error instanceof StoreError && error.code === 'damaged'
    if (isLost) throw new DropError('unavailable', 'The stored bytes are damaged: send it again')
    throw asDropError(error)
  })
}

/** Copies a file's bytes to the staging file and hashes them: the receiver appends to it. */
async function loadExisting(source: Readable, file: string) {
  const hasher = new Blake3Hasher()
  let size = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hasher.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(source, counted, createWriteStream(file, { mode: 0o600 })).catch(
    async (error: unknown) => {
      await rm(file, { force: true })
      throw asDropError(error)
    },
  )
  return { size, hasher }
}

type ReceivedBlob = Pick<TransferResult, 'hash' | 'location' | 'size_bytes' | 'placed'>

const bytesOf = ({ hash, location, size_bytes, placed }: TakenName): ReceivedBlob => ({
  hash,
  location,
  size_bytes,
  placed,
})

async function stored(
  { parts: { stores }, request: { shop }, location }: TransferStart,
  { bytes, hash, size }: ReceivedBytes,
  file: string,
): Promise<ReceivedBlob> {
  const name = await location()
  const store = stores.get(name)
  if (!store) throw new DropError('unavailable')
  const known = hash === null ? undefined : { hash, size_bytes: size }
  const written = bytes
    ? await store.write(shop, oneChunk(bytes))
    : await store.adopt(shop, file, undefined, known)
  return { ...written, location: name }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

function asDropError(error: unknown): DropError {
  if (error instanceof DropError) return error
  const full = hasNoRoom(error) || (error instanceof StoreError && error.code === 'full')
  return new DropError(full ? 'full' : 'unavailable', undefined, { cause: error })
}
