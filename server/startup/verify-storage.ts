// Compares rows and bytes: every row of blob_locations must have its blob with its length, and its
// hash if requested; every blob must have a row. It continues after an interruption where it was.
import type { Database } from '../core/db/database.ts'
import type { Logger } from '../core/log.ts'
import type { BlobStore } from '../core/store/store.ts'
import { checkBlob, isWhole, type StoredBlob } from '../files/blob-checks.ts'
import { computeSum, storeSums } from '../files/sha256-sums.ts'
import { isStillLocated, readLocatedBlobs, type LocatedBlob } from '../files/located-blobs.ts'
import { forShop } from '../core/db/for-shop.ts'
import { knownIn, ORPHAN_MS } from './upkeep.ts'
import type { Pace } from './pace.ts'

export interface VerifyParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  log: Logger
}

export interface VerifyOptions {
  /** Reads all bytes and compares their hash. */
  hash: boolean
  /** Restores from the other locations, and reports to the merchants what cannot be restored. */
  repair: boolean
  pace: Pace
  signal: AbortSignal
  /** Called after each page, and at the end: what to continue from. */
  progress(state: VerifyState): Promise<void>
}

export type StorageProblem = StoredBlob & { found: 'missing' | 'damaged'; restored: boolean }

/** Where it is, and what it has found so far. It is stored as JSON. */
export interface VerifyState {
  hash: boolean
  /** The last row that was compared; null: none, or all were. */
  after: StoredBlob | null
  rowsDone: boolean
  /** The locations whose blobs were all listed. */
  listed: string[]
  rows: number
  bytes: number
  missing: number
  damaged: number
  restored: number
  /** Blobs without a row. The upkeep removes them. */
  orphans: number
  /** The first of each. */
  problems: StorageProblem[]
  orphaned: StoredBlob[]
}

/** How many lengths are read concurrently. */
const CONCURRENCY = 8
const MAX_NAMED = 1000

export const emptyState = (hash: boolean): VerifyState => ({
  hash,
  after: null,
  rowsDone: false,
  listed: [],
  rows: 0,
  bytes: 0,
  missing: 0,
  damaged: 0,
  restored: 0,
  orphans: 0,
  problems: [],
  orphaned: [],
})

/** Continues `state`, and returns it. Throws the reason of `signal`, after `progress`. */
export async function verifyStorage(
  parts: VerifyParts,
  options: VerifyOptions,
  state: VerifyState,
): Promise<VerifyState> {
  try {
    if (!state.rowsDone) await verifyRows(parts, options, state)
    for (const [location, store] of parts.stores)
      if (!state.listed.includes(location))
        await listOrphans(parts, options, state, location, store)
  } finally {
    await options.progress(state)
  }
  return state
}

async function verifyRows(
  parts: VerifyParts,
  options: VerifyOptions,
  state: VerifyState,
): Promise<void> {
  for (;;) {
    const page = await readLocatedBlobs(parts.database.pool, state.after)
    const last = page.at(-1)
    if (!last) break
    const width = options.hash ? 1 : CONCURRENCY
    for (let at = 0; at < page.length; at += width) {
      options.signal.throwIfAborted()
      const some = page.slice(at, at + width)
      const problems = await Promise.all(some.map((blob) => verifyBlob(parts, options, blob)))
      for (const [n, { shop, hash, location, size_bytes }] of some.entries()) {
        addResult(state, size_bytes, problems[n] ?? null)
        state.after = { shop, hash, location }
      }
      await options.pace.done(some.length, options.hash ? sumOf(some) : 0, options.signal)
    }
    await options.progress(state)
  }
  state.rowsDone = true
  state.after = null
}

const sumOf = (blobs: readonly LocatedBlob[]) =>
  blobs.reduce((sum, { size_bytes }) => sum + size_bytes, 0)

function addResult(state: VerifyState, bytes: number, problem: StorageProblem | null): void {
  state.rows++
  state.bytes += bytes
  if (!problem) return
  state[problem.found]++
  if (problem.restored) state.restored++
  if (state.problems.length < MAX_NAMED) state.problems.push(problem)
}

/** Null: the blob is as it should be, or its row was deleted in the meantime. */
async function verifyBlob(
  { database, stores, log }: VerifyParts,
  { hash: reads, repair, signal }: VerifyOptions,
  { size_bytes, summed, ...blob }: LocatedBlob,
): Promise<StorageProblem | null> {
  const store = stores.get(blob.location)
  if (!store) throw new Error(`There is no storage location ${blob.location}.`)
  const size = await store.size(blob.shop, blob.hash)
  const compare = () =>
    summed ? isWhole(store, blob, signal) : isWholeNow(database, store, blob, signal)
  if (size === size_bytes && (!reads || (await compare()))) return null
  if (!(await isStillLocated(database.pool, blob))) return null
  const found = size === null ? 'missing' : 'damaged'
  if (!repair) return { ...blob, found, restored: false }
  const clock = () => new Date()
  const verdict = await checkBlob({ database, stores, log, clock }, blob, signal)
  return { ...blob, found, restored: verdict === 'restored' }
}

/** Reads the bytes once for both digests. */
async function isWholeNow(
  database: Database,
  store: BlobStore,
  blob: StoredBlob,
  signal: AbortSignal,
): Promise<boolean> {
  const sum = await computeSum(store, blob, signal)
  if (sum) await storeSums(forShop(database, blob.shop), [sum])
  return sum !== null
}

async function listOrphans(
  { database: { pool } }: VerifyParts,
  { signal, progress }: VerifyOptions,
  state: VerifyState,
  location: string,
  store: BlobStore,
): Promise<void> {
  const found: StoredBlob[] = []
  let count = 0
  for await (const { shop, hash } of store.orphans(ORPHAN_MS, knownIn(pool, location, signal))) {
    count++
    if (found.length < MAX_NAMED) found.push({ shop, hash, location })
  }
  state.orphans += count
  state.orphaned.push(...found.slice(0, MAX_NAMED - state.orphaned.length))
  state.listed.push(location)
  await progress(state)
}
