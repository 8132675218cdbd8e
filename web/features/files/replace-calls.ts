// Replaces a file by one of this computer: uploads it, and imports it as the file's next version.
import { Upload, DefaultHttpStack } from 'tus-js-client'
import { call } from '../../shell/client/client.ts'
import { sessionToken } from '../../shell/client/bridge.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { useRead } from '../../shell/client/reads.ts'
import { t } from '../../shell/messages/t.ts'
import { directStack } from '../upload/direct-stack.ts'

interface ReplacingUpload {
  bytes: File
  /** The name of the file that is replaced: that of the new bytes does not matter. */
  filename: string
  signal: AbortSignal
  onProgress: (sent: number) => void
}

const RETRY_DELAYS = [0, 1000, 2000, 4000, 8000, 15_000]

/** Sends the bytes, and returns the id of the upload. Rejects if they could not be sent. */
async function sendBytes({ bytes, filename, signal, onProgress }: ReplacingUpload) {
  const batch = await call('POST /api/uploads/batches', { body: {} })
  // A listener that is added after the abort is not called.
  signal.throwIfAborted()
  return new Promise<string>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: '/api/uploads',
      retryDelays: RETRY_DELAYS,
      httpStack: directStack(new DefaultHttpStack({}), sessionToken),
      storeFingerprintForResuming: false,
      // If the import is never asked for, the server imports the upload a day later: not over this file.
      metadata: { filename, on_conflict: 'rename', batch: batch.id },
      onBeforeRequest: async (request) => {
        request.setHeader('authorization', `Bearer ${await sessionToken()}`)
      },
      onProgress,
      onError: () =>
        reject(new Error(t('The file could not be sent. Check your connection and try again.'))),
      onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''),
    })
    signal.addEventListener('abort', () => {
      void upload.abort(true).catch(() => undefined)
      reject(new DOMException('cancelled', 'AbortError'))
    })
    upload.start()
  })
}

/** The links of the file then deliver the new bytes. */
export const useReplaceByUpload = (id: string) =>
  useChangeOf([['file', id], ['files']], async (upload: ReplacingUpload) => {
    const upload_id = await sendBytes(upload)
    return call('POST /api/files/{id}/versions', { path: { id }, body: { upload_id } })
  })

/** How many buyers an email about a new version reaches. */
export const useBuyersOf = (id: string) =>
  useRead('GET /api/files/{id}/buyers', { path: { id }, key: ['file', id, 'buyers'] })
