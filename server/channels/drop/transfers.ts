// Files that are being received by this process. A transfer takes its name in the database when it
// opens, and gives it bytes from the blob store when it ends: whole or broken off, workers and
// other processes of the drop server need nothing from this machine.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import type { Limits } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { DROP_LOCKS, type Listener } from '../../db/listener.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { Logger } from '../../log.ts'
import { StoreError, type BlobStore } from '../../store/store.ts'
import { findEntry, type DropEntry } from './entries.ts'
import { DropError } from './errors.ts'
import { createReceiver, type Receiver, type Received } from './receiver.ts'
import { numberProcess } from './processes.ts'
import { commitBytes, noteProgress, takeName } from './writes.ts'
import { createQuota, type Quota } from './quota.ts'
import type { Waker } from './wake.ts'

export interface TransferParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  listener: Listener
  /** A folder of this machine; on the store's disk, bytes get their blob's name without a copy. */
  staging: string
  limits: Pick<Limits, 'file_bytes' | 'drop_waiting_bytes'>
  waker: Waker
  log: Logger
}

export interface WriteRequest {
  shop: number
  account: string | null
  protocol: 'sftp' | 'ftp' | 'ftps'
  folder: string
  name: string
  /** `truncate`: from nothing; `keep`: what is there stays, to be appended to or written into. */
  mode: 'truncate' | 'keep'
  /** Only where there is nothing yet. */
  exclusive?: boolean
}

export interface Transfer {
  readonly entry: string
  size(): number
  /** A promise only where the caller should wait before it sends more. */
  write(position: number, data: Buffer): Promise<void> | undefined
  truncate(size: number): Promise<void>
  modified(at: Date): void
  /**
   * The file ended well. Rejects where its bytes could not be kept; then it is as `abandon` leaves
   * it.
   */
  close(): Promise<void>
  /** The transfer broke off: what has come is kept, to be resumed, and never imported. */
  abandon(): Promise<void>
}

export interface Transfers {
  /** The number of this process. */
  process: number
  open(request: WriteRequest): Promise<Transfer>
  close(): Promise<void>
}

const PROGRESS_MS = 1000
const RELEASE_MS = 3000
const LOOK_MS = 50
const LOCATION_MS = 1000
const MOST_LOCATIONS = 10_000

export async function openTransfers(parts: TransferParts): Promise<Transfers> {
  const { database, listener, staging, log } = parts
  await mkdir(staging, { recursive: true, mode: 0o700 })
  const number = await numberProcess(database)
  await listener.hold(number, DROP_LOCKS)
  const open = new Map<string, Transfer>()
  const locationOf = createLocations()
  const quota = createQuota(database, parts.limits.drop_waiting_bytes)
  // Another process resumes a file whose connection here is half dead.
  const stopListening = listener.on('drop_control', (payload) => {
    const [what, id] = payload?.split(' ') ?? []
    if (what === 'release')
      void open
        .get(id!)
        ?.abandon()
        .catch(() => {})
  })
  const timer = setInterval(() => {
    for (const [id, transfer] of open)
      noteProgress(database, id, transfer.size()).catch((error: Error) =>
        log.debug('progress of a drop transfer', { error: error.message }),
      )
  }, PROGRESS_MS)
  return {
    process: number,
    open: async (request) => {
      const scope = forShop(database, request.shop)
      if (request.mode === 'keep') await released(parts, open, scope, request)
      const writeId = randomUUID()
      const before = await takeName(scope, { ...request, process: number, writeId })
      const transfer = await startTransfer({
        parts,
        scope,
        request,
        writeId,
        before,
        quota,
        locationOf,
      })
      const ended = () => open.delete(writeId)
      const watched: Transfer = {
        ...transfer,
        close: () => transfer.close().finally(ended),
        abandon: () => transfer.abandon().finally(ended),
      }
      open.set(writeId, watched)
      return watched
    },
    close: async () => {
      clearInterval(timer)
      stopListening()
      await Promise.allSettled([...open.values()].map((transfer) => transfer.abandon()))
    },
  }
}

/**
 * Waits until nobody writes the file any more: a client that reconnects must find all that it sent
 * before.
 */
async function released(
  { database }: TransferParts,
  open: ReadonlyMap<string, Transfer>,
  scope: ShopScope,
  { folder, name }: WriteRequest,
): Promise<void> {
  const until = Date.now() + RELEASE_MS
  for (let first = true; Date.now() < until; first = false) {
    const entry = await findEntry(scope, folder, name)
    if (entry?.state !== 'writing') return
    const own = open.get(entry.write_id!)
    if (own) await own.abandon().catch(() => {})
    else if (first)
      await database.pool.query(`select pg_notify('drop_control', $1)`, [
        `release ${entry.write_id}`,
      ])
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

interface Start {
  parts: TransferParts
  scope: ShopScope
  request: WriteRequest
  writeId: string
  before: Pick<DropEntry, 'id' | 'hash' | 'location' | 'size_bytes'>
  quota: Quota
  locationOf: LocationOf
}

async function startTransfer(start: Start): Promise<Transfer> {
  const { parts, scope, request, writeId, before, quota } = start
  const file = path.join(parts.staging, writeId)
  const allowance = await quota.open(request.shop)
  let receiver: Receiver
  try {
    receiver = createReceiver(
      file,
      before.hash === null ? undefined : await broughtBack(start, file),
    )
  } catch (error) {
    allowance.close()
    throw error
  }
  let modifiedAt: Date | null = null
  let ending: Promise<void> | null = null
  let refused: DropError | null = null
  const end = async (clean: boolean) => {
    try {
      const received = await receiver.finish()
      const blob = await stored(start, received, file)
      const kept = {
        writeId,
        id: before.id,
        clean: clean && !refused,
        modifiedAt,
        protocol: request.protocol,
        ...blob,
      }
      if (!(await commitBytes(scope, kept))) throw new DropError('interrupted')
      if (clean && refused) throw refused
      if (clean && request.protocol === 'sftp') parts.waker.wake(scope.shop)
    } catch (error) {
      throw asDropError(error)
    } finally {
      allowance.close()
      // The bytes have the blob's name by now; or they are nobody's.
      await receiver.discard()
    }
  }
  return {
    entry: before.id,
    size: () => receiver.size(),
    write: (position, data) => {
      if (ending) return Promise.reject(new DropError('interrupted'))
      const most = parts.limits.file_bytes
      if (position + data.length > most)
        refused ??= new DropError('too_large', `A file has at most ${most} bytes`)
      const growth = position + data.length - receiver.size()
      if (!refused && growth > 0 && !allowance.take(growth)) refused = new DropError('quota')
      return refused ? Promise.reject(refused) : receiver.write(position, data)
    },
    truncate: async (size) => {
      if (size > receiver.size()) throw new DropError('denied', 'A file grows by writing')
      await receiver.truncate(size)
    },
    modified: (at) => void (modifiedAt = at),
    close: () => (ending ??= end(true)),
    abandon: () => (ending ??= end(false)),
  }
}

/** Copies the file's bytes to the staging file and hashes them: the receiver appends to it. */
async function broughtBack({ parts, scope, before }: Start, file: string) {
  const store = parts.stores.get(before.location!)
  if (!store) throw new DropError('unavailable')
  const hasher = new Blake3Hasher()
  let size = 0
  const source = await store.read(scope.shop, before.hash!)
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

interface StoredBytes {
  hash: string | null
  location: string | null
  size_bytes: number
}

async function stored(
  { parts: { stores }, scope, locationOf }: Start,
  { bytes, hash, size }: Received,
  file: string,
): Promise<StoredBytes> {
  const location = await locationOf(scope)
  const store = stores.get(location)
  if (!store) throw new DropError('unavailable')
  const known = hash === null ? undefined : { hash, size_bytes: size }
  const written = bytes
    ? await store.write(scope.shop, oneChunk(bytes))
    : await store.adopt(scope.shop, file, undefined, known)
  return { ...written, location }
}

type LocationOf = (scope: ShopScope) => Promise<string>

/** Where a shop's new files go, as it was at most a second ago: small files ask for it often. */
function createLocations(): LocationOf {
  const known = new Map<number, { location: string; until: number }>()
  return async (scope) => {
    const before = known.get(scope.shop)
    if (before && before.until > performance.now()) return before.location
    const location = (await readShop(scope)).settings.storage_location
    if (known.size > MOST_LOCATIONS) known.clear()
    known.set(scope.shop, { location, until: performance.now() + LOCATION_MS })
    return location
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

function asDropError(error: unknown): DropError {
  if (error instanceof DropError) return error
  const full = error instanceof StoreError && error.code === 'full'
  return new DropError(full ? 'full' : 'unavailable', undefined, { cause: error })
}
