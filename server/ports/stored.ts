// The bytes of files that exist, for plugins: copied to another location and read back there.
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { PortError, type StoredFiles } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { keepBackup } from '../files/backups.ts'
import { keepCopy, locateVersions, pointVersionsAt } from '../files/locations.ts'
import { locateFile } from '../files/list.ts'
import { StoreError, type BlobStore } from '../store/store.ts'
import { storeFailure } from './stage.ts'

const BACKUP = 'backup'

export function createStoredFiles(scope: ShopScope, stores: ReadonlyMap<string, BlobStore>): StoredFiles {
  return {
    backUp: async (fileId, signal) => {
      const found = await locateFile(scope, fileId)
      if (!found) throw portError('file_not_found', false)
      await asPort(() => copy(scope.shop, stores.get(found.location)!, stores.get(BACKUP)!, found.hash, signal))
      await keepBackup(scope, { fileId, hash: found.hash, size_bytes: found.size_bytes, location: BACKUP })
    },
    relocate: async (fileId, location, { keep }, signal) => {
      const target = stores.get(location)
      if (!target) throw portError('location_not_found', false)
      const versions = await locateVersions(scope, fileId)
      const current = versions.find(({ current }) => current)
      if (!current) throw portError('file_not_found', false)
      const wanted = (keep ? [current] : versions).filter((version) => version.location !== location)
      for (const { hash, location: from } of wanted)
        await asPort(() => copy(scope.shop, stores.get(from)!, target, hash, signal))
      if (keep) await keepCopy(scope, fileId, current, location)
      else await pointVersionsAt(scope, fileId, wanted, location)
      return wanted.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    },
  }
}

async function asPort<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw storeFailure(error)
    throw error
  }
}

/** The same bytes in both, as their hash says; read back, since a disk may take bytes and not keep them. */
async function copy(shop: number, from: BlobStore, to: BlobStore, hash: string, signal: AbortSignal): Promise<void> {
  if ((await to.size(shop, hash)) === null) {
    const written = await to.write(shop, await from.read(shop, hash), signal)
    if (written.hash !== hash) throw portError('storage_failed', true)
  }
  const hasher = new Blake3Hasher()
  for await (const chunk of await to.read(shop, hash)) {
    signal.throwIfAborted()
    hasher.update(chunk as Buffer)
  }
  if (hasher.digest('hex') !== hash) throw portError('storage_failed', true)
}

const portError = (code: ErrorCode, retryable: boolean) => new PortError(code, ERRORS[code].message, retryable)
