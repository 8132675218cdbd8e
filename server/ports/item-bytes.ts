// The bytes of an item, as a file: from an earlier step, or from the item's file.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { PortError, type ByteSource } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { locateFile } from '../files/list.ts'
import { StoreError, type BlobStore, hasBytesOf } from '../core/store/store.ts'
import { readOrRepair, type CheckBlob } from './repair.ts'
import { storeFailure } from './catalog.ts'

export interface BlobPlace {
  hash: string
  location: string
  size_bytes: number
  /** What a virus scanner found in them; absent: they are staged. */
  quarantine?: string | null
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

/** Where bytes are read from, and what checks those that are missing or damaged. */
export interface StoredBytes {
  stores: ReadonlyMap<string, BlobStore>
  check?: CheckBlob | undefined
}

/**
 * Writes the bytes to the file `to`, compares them with their hash, and restores them if they are
 * damaged. Throws `PortError`: `file_damaged`, or what a disk or the storage location reports.
 */
export async function copyOut(
  { shop }: ShopScope,
  { stores, check }: StoredBytes,
  { hash, location, size_bytes }: BlobPlace,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const store = stores.get(location)
  if (!store) throw portError('location_not_found')
  const copy = async () => {
    if (store.copyOut) await store.copyOut(shop, hash, to)
    else await pipeline(await store.read(shop, hash), createWriteStream(to), { signal })
    if (await hasBytesOf(to, { hash, size: size_bytes }, signal)) return true
    await rm(to)
    return null
  }
  try {
    await readOrRepair(copy, { shop, hash, location }, check, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoreError) throw storeFailure(error)
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw portError('storage_full', true)
    throw error
  }
}

export const portError = (code: ErrorCode, retryable = false): PortError =>
  new PortError(code, ERRORS[code].message, retryable)
