// What a ZIP file of all files of a page contains: decides it, counts its files, and computes the
// checksums that it needs.
import { crc32 } from 'node:zlib'
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { DamagedEntry, eachPiece } from './archive-reading.ts'
import type { Bytes } from './bytes.ts'
import type {
  ArchiveAsker,
  ArchiveCounter,
  ArchiveEntry,
  PlannedEntry,
} from './counting/archive-counter.ts'
import type { DailyChecks } from './daily-checks.ts'
import type { BlobTarget } from './targets.ts'
import { layoutZip, type ZipLayout } from './zip.ts'

export type Archive = ZipLayout<ArchiveEntry> & {
  modifiedMs: number
  entries: readonly ArchiveEntry[]
}

export interface ContentParts {
  counter: ArchiveCounter
  stores: ReadonlyMap<string, BlobStore>
  bytes: Bytes
  checks: Pick<DailyChecks, 'isSuspect' | 'report' | 'withdraw'>
}

/** Files may change between the plan and the count; then both are repeated. */
const MAX_ATTEMPTS = 3

/** Counts the download of each file that has downloads left; null: there is none. */
export async function chargeArchive(
  parts: ContentParts,
  asker: ArchiveAsker,
): Promise<Archive | null> {
  const { counter } = parts
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Usually every checksum is known, and nothing needs to be planned.
    const charged = await counter.charge(asker)
    if (charged.length > 0) {
      await revertUnlessPresent(parts, asker, charged)
      return archiveOf(charged)
    }
    const planned = await counter.plan(asker)
    if (planned.length === 0) return null
    await requirePresent(parts, planned)
    await ensureChecksums(parts, planned)
  }
  return null
}

/** The ZIP file that the client would get now. Null: no file has downloads left. */
export async function planArchive(
  parts: ContentParts,
  asker: ArchiveAsker,
): Promise<Archive | null> {
  const planned = await parts.counter.plan(asker)
  if (planned.length === 0) return null
  const added = await ensureChecksums(parts, planned)
  const entries = added ? await parts.counter.plan(asker) : planned
  return archiveOf(entries.map((one) => ({ ...one, crc32: one.crc32 ?? 0 })))
}

export function archiveOf(entries: readonly ArchiveEntry[]): Archive {
  const modifiedMs = Math.max(...entries.map((entry) => entry.modifiedMs))
  return { ...layoutZip(entries), modifiedMs, entries }
}

/** Computes the checksums that are not known yet, each once for a blob. False: all were known. */
async function ensureChecksums(
  { counter, bytes, checks }: ContentParts,
  planned: readonly PlannedEntry[],
): Promise<boolean> {
  const missing = new Map(planned.filter((one) => one.crc32 === null).map((one) => [one.hash, one]))
  for (const entry of missing.values())
    await counter.storeChecksum(
      entry.shop,
      entry.hash,
      await checksumOf(bytes, entry).catch(async (error: unknown) => {
        if (!(error instanceof DamagedEntry)) throw error
        await checks.withdraw(entry)
        throw new StoreError('missing')
      }),
    )
  return missing.size > 0
}

/** If bytes are missing, takes the count back and rejects with a `StoreError`. */
async function revertUnlessPresent(
  parts: ContentParts,
  asker: ArchiveAsker,
  entries: readonly ArchiveEntry[],
): Promise<void> {
  try {
    await requirePresent(parts, entries)
  } catch (error) {
    await parts.counter.revertCount(asker, entries)
    throw error
  }
}

/**
 * Rejects with a `StoreError` if a blob is missing or has another length, and reports each of them;
 * or if damage was found in one that is not withdrawn yet.
 */
async function requirePresent(
  { stores, checks }: ContentParts,
  entries: readonly PlannedEntry[],
): Promise<void> {
  const sizes = entries.map(({ location, shop, hash }) => stores.get(location)?.size(shop, hash))
  const found = await Promise.all(sizes)
  const lost = entries.filter((entry, at) => found[at] !== entry.size)
  lost.forEach((entry) => checks.report(entry))
  if (lost.length > 0 || entries.some((entry) => checks.isSuspect(entry)))
    throw new StoreError('missing')
}

/** The CRC-32 of a blob, for which it is read once. Rejects with `DamagedEntry`. */
export async function checksumOf(bytes: Bytes, entry: BlobTarget): Promise<number> {
  let sum = 0
  const whole = [{ at: 0, length: entry.size, entry }]
  await eachPiece(bytes, whole, { start: 0, end: entry.size - 1 }, (piece) => {
    sum = crc32(piece, sum)
    return Promise.resolve(true)
  })
  return sum
}
