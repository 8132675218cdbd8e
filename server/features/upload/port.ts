// The port through which plugins access complete uploads: read their size, and move their bytes to
// the storage location.
import { PortError } from '../../../plugins/contract/index.ts'
import type { Uploads } from '../../../plugins/take-upload/port.ts'
import type { UploadFolder } from './folder.ts'
import { uploadLost } from './place.ts'
import { uploadPlace } from './places.ts'
import { findUpload, type UploadRow } from './rows.ts'
import { isElsewhere } from './sharing.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { StoreError } from '../../core/store/store.ts'
import { storeFailure, type StagePlace } from '../../ports/catalog.ts'

export interface UploadPortParts {
  scope: ShopScope
  uploads: UploadFolder
  place: StagePlace
}

/**
 * Creates the port. Both functions throw `PortError` `upload_lost`, or `uploads_not_shared` where
 * another machine has the bytes: a worker there may succeed. `take` also throws the store's errors.
 * The upload is kept until a sweep removes its file.
 */
export function createUploadPort({ scope, uploads: folder, place }: UploadPortParts): Uploads {
  const complete = async (id: string): Promise<UploadRow> => {
    const row = await findUpload(scope, id)
    const found = row?.status === 'received' ? await uploadPlace(folder, row).arrived(row) : null
    if (!found && row && isElsewhere(folder, row))
      throw new PortError('uploads_not_shared', ERRORS.uploads_not_shared.message, true)
    if (!found || found.size !== row?.size_bytes) throw uploadLost()
    return row
  }
  return {
    sizeOf: async (id) => (await complete(id)).size_bytes,
    take: async (id, signal) => {
      const row = await complete(id)
      try {
        const bytes = await uploadPlace(folder, row).take(scope, row, place, signal)
        return { ...bytes, reserved: true }
      } catch (error) {
        throw error instanceof StoreError ? storeFailure(error) : error
      }
    },
  }
}
