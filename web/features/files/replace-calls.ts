// Replaces a file by one of this computer: uploads it, and imports it as the file's next version.
import { call } from '../../shell/client/client.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { useRead } from '../../shell/client/reads.ts'
import { sendBytes } from '../upload/private-files.ts'

interface ReplacingUpload {
  bytes: File
  /** The name of the file that is replaced: that of the new bytes does not matter. */
  filename: string
  signal: AbortSignal
  onProgress: (sent: number) => void
}

/** The links of the file then deliver the new bytes. */
export const useReplaceByUpload = (id: string) =>
  useChangeOf([['file', id], ['files']], async (upload: ReplacingUpload) => {
    const batch = await call('POST /api/uploads/batches', { body: {} })
    const upload_id = await sendBytes({ ...upload, batch: batch.id })
    return call('POST /api/files/{id}/versions', { path: { id }, body: { upload_id } })
  })

/** How many buyers an email about a new version reaches. */
export const useBuyersOf = (id: string) =>
  useRead('GET /api/files/{id}/buyers', { path: { id }, key: ['file', id, 'buyers'] })
