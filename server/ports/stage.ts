// Stores bytes in the shop's storage location for plugins: they are staged until the engine commits
// the item.
import { PortError, type Stage, type StagedBlob } from '../../plugins/contract.ts'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { foundIn, typeByStart, watchHead } from './found-type.ts'
import { StoreError, type BlobStore, type ByteSource } from '../core/store/store.ts'

export interface StagePlace {
  store: BlobStore
  /** The shop's internal number. */
  shop: number
  /** The name of the storage location `store`. */
  location: string
}

const FAILURES: Readonly<Record<StoreError['code'], { code: ErrorCode; retryable: boolean }>> = {
  full: { code: 'storage_full', retryable: true },
  denied: { code: 'permission_denied', retryable: false },
  missing: { code: 'storage_failed', retryable: true },
  damaged: { code: 'file_damaged', retryable: false },
  unavailable: { code: 'storage_failed', retryable: true },
}

/**
 * Stores bytes. A `StoreError` becomes a `PortError`; an error of `bytes` itself is thrown
 * unchanged.
 */
export async function stageBytes(
  { store, shop, location }: StagePlace,
  bytes: ByteSource,
  contentType: string | null,
  signal: AbortSignal,
): Promise<StagedBlob> {
  try {
    const watched = watchHead(bytes)
    const { hash, size_bytes } = await store.write(shop, watched, signal)
    const written = { hash, size_bytes }
    const head = watched.head()
    const found = await foundIn(head, { store, shop }, written)
    return { ...written, location, content_type: await typeByStart(contentType, head), ...found }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw storeFailure(error)
  }
}

/** A store's error in the terms of plugins. */
export function storeFailure(error: StoreError): PortError {
  const { code, retryable } = FAILURES[error.code]
  return new PortError(code, ERRORS[code].message, retryable, { cause: error })
}

export function createStage(place: StagePlace): Stage {
  return { write: (bytes, contentType, signal) => stageBytes(place, bytes, contentType, signal) }
}
