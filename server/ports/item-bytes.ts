// The bytes of an item, as a file: from an earlier step, or from the item's file.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { PortError, type ByteSource } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { locateFile } from '../files/list.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import { storeFailure } from './stage.ts'
import { present } from '../core/present.ts'

export interface BlobPlace {
  hash: string
  location: string
  size_bytes: number
}

/** The place of an item's bytes. Throws `PortError` `file_not_found`. */
export async function locateItem(
  scope: ShopScope,
  { staged, file }: ByteSource,
): Promise<BlobPlace> {
  const found = staged ?? (file.id && (await locateFile(scope, file.id)))
  if (!found) throw portError('file_not_found')
  return found
}

/**
 * Writes the bytes to the file `to`. Throws `PortError` if a disk or the storage location fails.
 */
export async function copyOut(
  { shop }: ShopScope,
  stores: ReadonlyMap<string, BlobStore>,
  { hash, location }: BlobPlace,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const store = present(stores.get(location), `The location ${location}`)
    if (store.copyOut) await store.copyOut(shop, hash, to)
    else await pipeline(await store.read(shop, hash), createWriteStream(to), { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoreError) throw storeFailure(error)
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw portError('storage_full', true)
    throw error
  }
}

export const portError = (
  code: ErrorCode,
  retryable = false,
  message: string = ERRORS[code].message,
): PortError => new PortError(code, message, retryable)
