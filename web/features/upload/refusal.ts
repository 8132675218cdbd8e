// The server's reason for refusing a file, from the uploader's error.
import { type TusBody } from '@uppy/tus'
import { errorFrom } from '../../shell/client/error.ts'
import { t } from '../../shell/messages/t.ts'

/** Why a file was refused. */
export interface UploadRefusal {
  text: string
  /** The name of the file is taken. */
  taken: boolean
}

/** The refusal with the server's message if there is one; null if the server did not answer. */
export function refusalOf(
  answer: { status: number; body?: Partial<TusBody> } | undefined,
): UploadRefusal | null {
  const status = answer?.status ?? 0
  if (status === 0) return null
  try {
    const { message, details } = errorFrom(
      status,
      JSON.parse(answer?.body?.xhr?.responseText ?? ''),
    )
    return { text: message, taken: details.some(({ code }) => code === 'duplicate_filename') }
  } catch {
    return { text: t('The server refused the upload (status {status})', { status }), taken: false }
  }
}
