// Sends files outside the queue of uploads: a new version of a file, and files that are made for one order.
import { DefaultHttpStack, Upload } from 'tus-js-client'
import { sessionToken } from '../../shell/client/bridge.ts'
import { call } from '../../shell/client/client.ts'
import { t } from '../../shell/messages/t.ts'
import { readResults } from './calls.ts'
import { directStack } from './direct-stack.ts'
import { repeatRead } from './follow-imports.ts'
import { outcomeOf } from './outcomes.ts'

interface SentFile {
  bytes: File
  filename: string
  /** The id of its batch. */
  batch: string
  signal: AbortSignal
  onProgress: (sent: number) => void
}

const RETRY_DELAYS = [0, 1000, 2000, 4000, 8000, 15_000]

/** Sends the bytes, and returns the id of the upload. Rejects if they could not be sent. */
export function sendBytes(sent: SentFile): Promise<string> {
  const { bytes, filename, batch, signal, onProgress } = sent
  // A listener that is added after the abort is not called.
  signal.throwIfAborted()
  return new Promise<string>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: '/api/uploads',
      retryDelays: RETRY_DELAYS,
      httpStack: directStack(new DefaultHttpStack({}), sessionToken),
      storeFingerprintForResuming: false,
      // If the import is never asked for, the server imports the upload a day later: not over this file.
      metadata: { filename, on_conflict: 'rename', batch },
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

interface PrivateFiles {
  signal: AbortSignal
  /** Gets the bytes of all files that were sent. */
  onProgress: (sent: number) => void
}

/**
 * Imports files that no product gets, and returns their ids. Rejects with the reason of the first that
 * could not be imported.
 */
export async function importPrivately(
  files: readonly File[],
  { signal, onProgress }: PrivateFiles,
): Promise<string[]> {
  if (files.length === 0) return []
  const batch = await call('POST /api/uploads/batches', {
    body: { count: files.length, private: true, notify: false },
  })
  const uploads: string[] = []
  let before = 0
  for (const bytes of files) {
    const from = before
    uploads.push(
      await sendBytes({
        bytes,
        filename: bytes.name,
        batch: batch.id,
        signal,
        onProgress: (sent) => onProgress(from + sent),
      }),
    )
    before += bytes.size
  }
  return untilImported(uploads, signal)
}

const POLL_MS = 500

async function untilImported(uploads: readonly string[], signal: AbortSignal): Promise<string[]> {
  while (true) {
    signal.throwIfAborted()
    const results = await repeatRead(() => readResults(uploads))
    const outcomes = uploads.map((id) => ({
      name: results.get(id)?.filename ?? '',
      outcome: outcomeOf(results.get(id)),
    }))
    for (const { name, outcome } of outcomes)
      if (outcome?.error)
        throw new Error(
          t('{name} could not be imported: {reason}', { name, reason: outcome.error }),
        )
    const files = outcomes.flatMap(({ outcome }) => outcome?.file ?? [])
    if (files.length === uploads.length) return files
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
