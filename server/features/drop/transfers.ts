// The transfers of this process. Each has a row in the database while it is written, so that other
// processes see it and can take it over; a small file gets its row only when it ends.
import { mkdir } from 'node:fs/promises'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { DROP_LOCKS } from '../../core/db/lock-classes.ts'
import { present } from '../../core/lazy.ts'
import { readShop } from '../../files/shop-settings.ts'
import { findEntry, folderId, type DropEntry } from './entries.ts'
import { DropError } from './errors.ts'
import { numberProcess } from './processes.ts'
import { createQuota, quotaLimits, type Quota } from './quota.ts'
import {
  startTransfer,
  type NamedTransfer,
  type Transfer,
  type TransferParts,
  type WriteRequest,
} from './transfer.ts'
import { recordProgress, type TransferSize } from './writes.ts'

export interface Transfers {
  /** The number of this process. */
  process: number
  open(request: WriteRequest): Promise<Transfer>
  space: Quota['space']
  /** Resolves when each open file of the shop has its row. Must be called before rows are read. */
  named(shop: number): Promise<void> | undefined
  close(): Promise<void>
}

const PROGRESS_MS = 1000
/** After this time an open file gets its row, so that it is listed while it is written. */
const SHOWN_MS = 250
const RELEASE_MS = 3000
const POLL_MS = 50
/** How long values are cached that rarely change and that small files need often. */
const FRESH_MS = 1000
const MAX_CACHED = 10_000

interface OpenTransfer {
  shop: number
  transfer: NamedTransfer
  /** The size that its row shows. */
  recorded: number
}

export async function openTransfers(parts: TransferParts): Promise<Transfers> {
  const { database, listener, staging } = parts
  await mkdir(staging, { recursive: true, mode: 0o700 })
  const number = await numberProcess(database)
  await listener.hold(number, DROP_LOCKS)
  const quota = createQuota(database, number, quotaLimits(parts.limits))
  const open = new Map<string, OpenTransfer>()
  const beginnings: Beginnings = {
    parts,
    number,
    open,
    quota,
    locations: createShortCache<string>(),
    folders: createShortCache<true>(),
    inTurn: createTurns<number>(),
  }
  // Another process resumes a file whose connection here is broken.
  const stopListening = listener.on('drop_control', (payload) => {
    const [what, id = ''] = payload?.split(' ') ?? []
    if (what === 'release') void abandonQuietly(open.get(id)?.transfer)
  })
  const timer = setInterval(() => reportProgress(parts, open), PROGRESS_MS)
  return {
    process: number,
    named: (shop) => nameOpen(open, shop),
    space: quota.space,
    open: async (request) => {
      const transfer = await beginTransfer(beginnings, request)
      const id = transfer.writeId
      const shown = setTimeout(() => void transfer.named(), SHOWN_MS)
      open.set(id, { shop: request.shop, transfer, recorded: 0 })
      const ended = () => {
        clearTimeout(shown)
        open.delete(id)
      }
      return {
        ...transfer,
        close: () => transfer.close().finally(ended),
        abandon: () => transfer.abandon().finally(ended),
      }
    },
    close: async () => {
      clearInterval(timer)
      stopListening()
      await Promise.all([...open.values()].map(({ transfer }) => abandonQuietly(transfer)))
    },
  }
}

/** What the beginning of a transfer needs. */
interface Beginnings {
  parts: TransferParts
  /** The number of this process. */
  number: number
  open: ReadonlyMap<string, OpenTransfer>
  quota: Quota
  /** The storage locations of shops, and the folders that exist. */
  locations: ShortCache<string>
  folders: ShortCache<true>
  /** Files that are copied begin one after another in each shop. */
  inTurn: Turns<number>
}

async function beginTransfer(
  { parts, number, open, quota, locations, folders, inTurn }: Beginnings,
  request: WriteRequest,
): Promise<NamedTransfer> {
  const { shop, folder } = request
  const scope = forShop(parts.database, shop)
  if (request.mode === 'keep' || request.exclusive) await nameOpen(open, shop)
  const before =
    request.mode === 'keep' ? await releaseWriter(parts.database, open, scope, request) : null
  if (folder !== '')
    await folders(`${shop}/${folder}`, () => folderId(scope, folder).then(() => true))
  const location = () =>
    locations(String(shop), async () => (await readShop(scope)).settings.storage_location)
  const allowance = await quota.open(shop)
  // Its row does not count while this process writes it.
  const copied = Math.min(before?.size_bytes ?? 0, request.keepBytes ?? Infinity)
  if (copied > 0 && !allowance.take(copied)) {
    allowance.close()
    throw new DropError('quota')
  }
  const copyInTurn = <T>(copy: () => Promise<T>) => inTurn(shop, copy)
  const about = { parts, request, process: number, allowance, location }
  return startTransfer({ ...about, inTurn: copyInTurn })
}

/** Resolves when each open file of the shop has its row; undefined: each has one. */
function nameOpen(
  open: ReadonlyMap<string, OpenTransfer>,
  shop: number,
): Promise<void> | undefined {
  const unnamed = [...open.values()].filter((one) => one.shop === shop && !one.transfer.isNamed())
  if (unnamed.length === 0) return undefined
  return Promise.all(unnamed.map(({ transfer }) => transfer.named())).then(() => {})
}

/** Writes the sizes that have changed into the rows of the open files. */
function reportProgress(
  { database, log }: TransferParts,
  open: ReadonlyMap<string, OpenTransfer>,
): void {
  const sizes: TransferSize[] = []
  for (const one of open.values()) {
    const size = one.transfer.size()
    if (!one.transfer.isNamed() || size === one.recorded) continue
    one.recorded = size
    sizes.push({ writeId: one.transfer.writeId, size })
  }
  if (sizes.length > 0)
    recordProgress(database, sizes).catch((error: Error) =>
      log.debug('the progress of drop transfers could not be recorded', { error: error.message }),
    )
}

const abandonQuietly = (transfer: Transfer | undefined): Promise<void> | undefined =>
  transfer?.abandon().catch(() => {})

/**
 * Ends another connection's transfer of the file and waits for its bytes: a client that reconnects
 * must find all bytes that it has sent. Returns the file; null: there is none.
 */
async function releaseWriter(
  database: Database,
  open: ReadonlyMap<string, OpenTransfer>,
  scope: ShopScope,
  { folder, name }: WriteRequest,
): Promise<DropEntry | null> {
  const until = Date.now() + RELEASE_MS
  for (let first = true; Date.now() < until; first = false) {
    const entry = await findEntry(scope, folder, name)
    if (entry?.state !== 'writing') return entry
    const own = open.get(present(entry.write_id, 'The writer of a file'))
    if (own) await abandonQuietly(own.transfer)
    else if (first)
      await database.pool.query(`select pg_notify('drop_control', $1)`, [
        `release ${entry.write_id}`,
      ])
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return findEntry(scope, folder, name)
}

/** Runs work of one key one after another. */
type Turns<K> = <T>(key: K, work: () => Promise<T>) => Promise<T>

function createTurns<K>(): Turns<K> {
  const last = new Map<K, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    last.set(key, settled)
    void settled.then(() => last.get(key) === settled && last.delete(key))
    return mine
  }
}

/** A cache of values by key, at most a second old. */
type ShortCache<T> = (key: string, read: () => Promise<T>) => Promise<T>

function createShortCache<T>(): ShortCache<T> {
  const known = new Map<string, { value: T; until: number }>()
  return async (key, read) => {
    const before = known.get(key)
    if (before && before.until > performance.now()) return before.value
    const value = await read()
    if (known.size > MAX_CACHED) known.clear()
    known.set(key, { value, until: performance.now() + FRESH_MS })
    return value
  }
}
