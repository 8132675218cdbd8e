// What happens when a plugin needs stored bytes that are missing or damaged: they are checked, which
// restores them from another location or reports them, and read once more.
import type { StoredBlob, Verdict } from '../files/blob-checks.ts'
import { StoreError } from '../core/store/store.ts'

/** Checks a blob, restores it if possible, and records the result. */
export type CheckBlob = (blob: StoredBlob, signal: AbortSignal) => Promise<Verdict>

/**
 * @param read gives null if the bytes are not those of the blob.
 * @param check absent: nothing is restored or reported.
 * @throws `StoreError` `missing` or `damaged`, if the check could not restore the bytes.
 */
export async function readOrRepair<T>(
  read: () => Promise<T | null>,
  { shop, hash, location }: StoredBlob,
  check: CheckBlob | undefined,
  signal: AbortSignal,
): Promise<T> {
  const found = await orProblem(read)
  if (!(found instanceof StoreError)) return found
  const verdict = check && (await check({ shop, hash, location }, signal))
  if (!verdict || verdict === 'damaged') throw found
  const again = await orProblem(read)
  if (again instanceof StoreError) throw again
  return again
}

async function orProblem<T>(read: () => Promise<T | null>): Promise<T | StoreError> {
  try {
    return (await read()) ?? new StoreError('damaged')
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return error
    throw error
  }
}
