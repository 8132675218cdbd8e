// What happens when a plugin needs stored bytes that are missing or damaged: they are checked, which
// restores them from another location or reports them, and read once more.
import type { StoredBlob, Verdict } from '../files/blob-checks.ts'
import { StoreError } from '../core/store/store.ts'

/** Checks a blob, restores it if possible, and records the result. */
export type CheckBlob = (blob: StoredBlob, signal: AbortSignal) => Promise<Verdict>

/**
 * @param read gives null if the bytes are not those of the blob.
 * @param check absent: nothing is restored or reported.
 * @returns null if the bytes are missing or damaged, also after the check.
 */
export async function readOrRepair<T>(
  read: () => Promise<T | null>,
  { shop, hash, location }: StoredBlob,
  check: CheckBlob | undefined,
  signal: AbortSignal,
): Promise<T | null> {
  const found = await unlessMissing(read)
  if (found !== null || !check) return found
  const verdict = await check({ shop, hash, location }, signal)
  return verdict === 'damaged' ? null : unlessMissing(read)
}

async function unlessMissing<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return null
    throw error
  }
}
