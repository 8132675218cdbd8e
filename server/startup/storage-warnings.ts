// Logs failed writes of a storage location for its operator: the merchant sees them in the results
// of an operation, which the operator does not read.
import type { Logger } from '../core/log.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'

const ADVICE: Readonly<Record<StoreError['code'], string>> = {
  full: 'a storage location is full: make room, then retry the failed files',
  denied: 'a storage location refuses writes: check its permissions, then retry the failed files',
  missing: 'a storage location cannot be written',
  damaged: 'a storage location returned other bytes than were written: check its disk',
  unavailable: 'a storage location cannot be written: check its disk or bucket',
}
/** A full disk fails every file of an import: one line a minute is enough. */
const RETRY_MS = 60_000

export function reportFailedWrite(
  { code, cause }: StoreError,
  location: string,
  log: Logger,
): void {
  log.error(ADVICE[code], { location, error: cause instanceof Error ? cause.message : null })
}

/** The store, with each kind of failed write logged at most once a minute. */
export function warnOfFailedWrites(store: BlobStore, location: string, log: Logger): BlobStore {
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
