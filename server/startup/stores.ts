// Opens the configured storage locations.
import { ConfigError } from '../core/config-error.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { LocationConfig } from '../core/store/address.ts'
import { createDiskStore } from '../core/store/disk.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import type { Config } from './config.ts'

/**
 * Opens the stores, by the names of their locations. Throws `ConfigError` if a bucket refuses
 * access or does not exist, or if a folder cannot be made. A bucket that does not answer is an
 * outage, and a folder that can only be read still serves downloads: both are only logged.
 */
export async function openStores(
  storage: Config['storage'],
  log: Logger,
): Promise<ReadonlyMap<string, BlobStore>> {
  const opened = Object.entries(storage).map(async ([name, location]: [string, LocationConfig]) => {
    const store = warnOfFailedWrites(await openStore(name, location), name, log)
    const judge = location.kind === 'disk' ? judgeFolder : judgeBucket
    await store.check?.().catch((error: unknown) => judge(name, error, log))
    return [name, store] as const
  })
  return new Map(await Promise.all(opened))
}

async function openStore(name: string, location: LocationConfig): Promise<BlobStore> {
  if (location.kind === 'disk') return openDisk(name, location)
  // Loaded only if it is used: the library takes a fifth of a second and 35 MB.
  const { createS3Store } = await import('../core/store/s3.ts')
  return createS3Store(location)
}

function openDisk(name: string, location: { folder: string }): BlobStore {
  try {
    return createDiskStore(location)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([
      `STORAGE_${name.toUpperCase()}: the folder can't be used (${reason}); without this setting it is in DATA_DIR`,
    ])
  }
}

/** A folder that can only be read: files in it can still be downloaded. */
function judgeFolder(name: string, error: unknown, log: Logger): void {
  if (!(error instanceof StoreError)) throw error
  reportFailedWrite(error, name, log)
}

/** Statuses that mean a wrong address or wrong keys, not an outage. */
const WRONG = new Set([301, 307, 400, 404])

function judgeBucket(name: string, error: unknown, log: Logger): void {
  if (!(error instanceof StoreError)) throw error
  const cause = error.cause as
    | { name?: string; message?: string; $metadata?: { httpStatusCode?: number } }
    | undefined
  const reason = `${cause?.name}: ${cause?.message}`
  if (error.code === 'denied' || WRONG.has(cause?.$metadata?.httpStatusCode ?? 0))
    throw new ConfigError([`STORAGE_${name.toUpperCase()}: the bucket can't be used (${reason})`])
  log.warn('a storage location does not answer', { location: name, reason, ...errorFields(error) })
}

// Logs failed writes of a storage location for its operator: the merchant sees them in the results
// of an operation, which the operator does not read.

const ADVICE: Readonly<Record<StoreError['code'], string>> = {
  full: 'a storage location is full: make room, then retry the failed files',
  denied: 'a storage location refuses writes: check its permissions, then retry the failed files',
  missing: 'a storage location cannot be written',
  damaged: 'a storage location returned other bytes than were written: check its disk',
  unavailable: 'a storage location cannot be written: check its disk or bucket',
}
/** A full disk fails every file of an import: one line a minute is enough. */
const RETRY_MS = 60_000

function reportFailedWrite({ code, cause }: StoreError, location: string, log: Logger): void {
  log.error(ADVICE[code], { location, error: cause instanceof Error ? cause.message : null })
}

/** The store, with each kind of failed write logged at most once a minute. */
function warnOfFailedWrites(store: BlobStore, location: string, log: Logger): BlobStore {
  const lastAt = new Map<StoreError['code'], number>()
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof StoreError) report(error)
      throw error
    }
  }
  const report = (error: StoreError) => {
    const now = performance.now()
    if (now - (lastAt.get(error.code) ?? -Infinity) < RETRY_MS) return
    lastAt.set(error.code, now)
    reportFailedWrite(error, location, log)
  }
  return {
    ...store,
    write: (...given) => watch(store.write(...given)),
    adopt: (...given) => watch(store.adopt(...given)),
    take: (...given) => watch(store.take(...given)),
  }
}
