// The bytes of files that exist, for plugins: copied to the backup location and read back there.
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { PortError, type StoredFiles } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { keepBackup } from '../files/backups.ts'
import { locateFile } from '../files/list.ts'
import { StoreError, type BlobStore } from '../store/store.ts'
import { storeFailure } from './stage.ts'

const BACKUP = 'backup'

export function createStoredFiles(scope: ShopScope, stores: ReadonlyMap<string, BlobStore>): StoredFiles {
  return {
    backUp: async (fileId, signal) => {
      const found = await locateFile(scope, fileId)
      if (!found) throw portError('file_not_found', false)
      try {
        await copy(scope.shop, stores.get(found.location)!, stores.get(BACKUP)!, found.hash, signal)
      } catch (error) {
        if (error instanceof StoreError) throw storeFailure(error)
        throw error
      }
      await keepBackup(scope, { fileId, hash: found.hash, size_bytes: found.size_bytes, location: BACKUP })
    },
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
