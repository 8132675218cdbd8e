// Which place has the bytes of an upload. An installation that changes from a folder to the bucket,
// or back, has uploads in both for a while.
import type { UploadBucket } from './bucket.ts'
import { folderPlace, type UploadFolder } from './folder.ts'
import type { UploadPlace } from './place.ts'
import type { UploadRow } from './rows.ts'

/**
 * Adds the bucket of the primary location.
 * @param useBucket whether new uploads begin in the bucket; otherwise it only has earlier ones
 */
export const withBucket = (
  folder: UploadFolder,
  bucket: UploadBucket,
  useBucket: boolean,
): UploadFolder => ({
  ...folder,
  bucket,
  useBucket,
  remove: async (id) => {
    await folder.remove(id)
    await bucket.remove(id)
  },
})

/** The place of this process that has the upload's bytes. */
export const uploadPlace = (folder: UploadFolder, upload: Pick<UploadRow, 'folder'>): UploadPlace =>
  bucketOf(folder, upload) ?? folderPlace(folder)

/** The bucket, if it has the upload's bytes. */
export const bucketOf = (
  { bucket }: Pick<UploadFolder, 'bucket'>,
  { folder }: Pick<UploadRow, 'folder'>,
): UploadBucket | null => (bucket && folder === bucket.number ? bucket : null)

/** Removes the bytes where this process keeps them. */
export const removeBytes = (
  folder: UploadFolder,
  upload: Pick<UploadRow, 'id' | 'folder'>,
): Promise<void> => (bucketOf(folder, upload) ?? folder).remove(upload.id)
