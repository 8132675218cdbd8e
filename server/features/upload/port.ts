// The port through which plugins access complete uploads: read their size, and move their bytes to
// the storage location.
import { PortError, type Uploads } from '../../../plugins/contract.ts'
import type { UploadFolder } from './folder.ts'
import { findUpload } from './rows.ts'
import { isElsewhere } from './sharing.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { StoreError } from '../../core/store/store.ts'
import { foundIn, headOfFile } from '../../ports/found-type.ts'
import { storeFailure, type StagePlace } from '../../ports/stage.ts'

/**
 * Creates the port. Both functions throw `PortError` `upload_lost`, or `uploads_not_shared` where
 * another machine has the bytes: a worker there may succeed. `take` also throws the store's errors.
 * The upload is kept until a sweep removes its file.
 */
export function createUploadPort(
  scope: ShopScope,
  folder: UploadFolder,
  { store, location }: StagePlace,
): Uploads {
  const sizeOf = async (id: string): Promise<number> => {
    const row = await findUpload(scope, id)
    const found = row?.status === 'received' ? await folder.stat(id) : null
    if (!found && row && isElsewhere(folder, row))
      throw new PortError('uploads_not_shared', ERRORS.uploads_not_shared.message, true)
    if (!found || found.size !== row?.size_bytes)
      throw new PortError('upload_lost', ERRORS.upload_lost.message, false)
    return found.size
  }
  return {
    sizeOf,
    take: async (id, signal) => {
      await sizeOf(id)
      try {
        const path = folder.received(id)
        const head = await headOfFile(path)
        const written = await store.adopt(scope.shop, path, signal)
        return {
          ...written,
          location,
          content_type: null,
          ...(await foundIn(head, { store, shop: scope.shop }, written)),
        }
      } catch (error) {
        throw error instanceof StoreError ? storeFailure(error) : error
      }
    },
  }
}
