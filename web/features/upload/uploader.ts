// Uppy without its dashboard: sends files in pieces, resumes where it stopped, and retries while
// the network or the server is unavailable. Each request has its own session token: a token is
// valid for a minute, and an upload may take hours.
import Uppy from '@uppy/core'
import { getSafeFileId } from '@uppy/core/utils'
import Tus, { type TusBody } from '@uppy/tus'
import { DefaultHttpStack } from 'tus-js-client'
import { sessionToken } from '../../shell/client/bridge.ts'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { directStack } from './direct-stack.ts'
import { type UploadMeta } from './rows.ts'

const ENDPOINT = '/api/uploads'
/** Files that are sent concurrently: more only share the same bandwidth. */
const CONCURRENCY = 4
const SECOND = 1000
/** About ten minutes; restarts when bytes were sent. */
const DELAYS = [0, 1, 2, 4, 8, ...Array.from({ length: 38 }, () => 15)].map(
  (seconds) => seconds * SECOND,
)

interface Failure {
  originalResponse?: { getStatus(): number; getBody(): string } | null
}

/** The server's machines do not share their uploads: only its operator can change that. */
const isNotShared = (error: Failure): boolean =>
  error.originalResponse?.getBody().includes('"uploads_not_shared"') ?? false

/** The status of a request that failed; 0: no answer. */
const statusOf = (error: Failure): number => error.originalResponse?.getStatus() ?? 0

/**
 * A refusal that a retry does not change. An expired token (401) and too many requests (429) are
 * temporary.
 */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 408, 409, 423, 425, 429].includes(status)

export type Uploader = ReturnType<typeof createUploader>

const nameOf = (shop: string) => `stevedore-${shop}`

/** Uppy's id of a file: the same file gets the same id when it is chosen again. */
export const idOf = (shop: string, { data, path }: ChosenFile): string =>
  getSafeFileId(
    { name: data.name, type: data.type, data, meta: { relativePath: path } } as never,
    nameOf(shop),
  )

/** `shop`: uploads of one shop are not resumed in another. */
export function createUploader(shop: string) {
  return new Uppy<UploadMeta, TusBody>({ id: nameOf(shop), autoProceed: true }).use(
    Tus<UploadMeta, TusBody>,
    {
      endpoint: ENDPOINT,
      limit: CONCURRENCY,
      retryDelays: DELAYS,
      httpStack: directStack(new DefaultHttpStack({}), sessionToken),
      removeFingerprintOnSuccess: true,
      allowedMetaFields: ['filename', 'on_conflict', 'batch'],
      // The choice may have changed since the upload was created.
      headers: ({ meta }) => ({ 'upload-on-conflict': meta.on_conflict }),
      onBeforeRequest: async (request) => {
        request.setHeader('authorization', `Bearer ${await sessionToken()}`)
      },
      onShouldRetry: (error, _attempt, _options, next) => {
        const status = statusOf(error)
        if (isFinal(status) || isNotShared(error)) return false
        // Uppy itself would give up on these two; it waits on its own only while the browser
        // reports no network.
        return status === 401 || status === 429 ? true : next(error)
      },
    },
  )
}
