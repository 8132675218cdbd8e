// The results of files whose bytes have arrived, from the server's answer about each upload.
import { type UploadResult } from './calls.ts'
import { type Outcome } from './rows.ts'
import { t } from '../../shell/messages/t.ts'

export interface ArrivedUpload {
  /** The queue's id of the file. */
  id: string
  batch: string
  /** The upload's own id. */
  upload: string
}

/** The outcome of a file; null while its import has not processed it. */
export function outcomeOf(result: UploadResult | undefined): Outcome | null {
  if (!result)
    return failed(t('The server no longer knows this upload: look at the import’s details'))
  if (result.status === 'done') {
    const { file_id: file, products } = result
    return { status: 'done', error: null, code: null, file, products }
  }
  if (result.status !== 'failed' && result.status !== 'skipped') return null
  const { error } = result
  // A cancelled file has no error.
  if (!error) return failed(t('The import was cancelled before it reached this file'))
  return failed([error.message, error.detail].filter(Boolean).join(': '), error.code)
}

export const unknownOutcome = ({ message }: Error): Outcome =>
  failed(t('The result could not be read: {message}', { message }))

function failed(error: string, code: string | null = null): Outcome {
  return { status: 'failed', error, code, file: null, products: [] }
}
