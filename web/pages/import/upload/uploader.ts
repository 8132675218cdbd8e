// Uppy without its dashboard: sends files in pieces, resumes where it stopped, and retries while
// the network or the server is unavailable. Each request has its own session token: a token is valid
// for a minute, and an upload may take hours.
import Uppy from '@uppy/core'
import { getSafeFileId } from '@uppy/core/utils'
import Tus, { type TusBody } from '@uppy/tus'
import { sessionToken } from '../../../client/bridge.ts'
import { type ChosenFile } from '../../../url-state/chosen-files.ts'
import { type UploadMeta } from './rows.ts'

const ENDPOINT = '/api/uploads'
/** Files that are sent concurrently: more only share the same bandwidth. */
const CONCURRENCY = 4
const SECOND = 1000
/** About ten minutes; restarts whenever bytes were sent. */
const DELAYS = [0, 1, 2, 4, 8, ...Array.from({ length: 38 }, () => 15)].map(
  (seconds) => seconds * SECOND,
)

/** What a request ended with, as far as it is known; 0: no answer. */
const statusOf = (error: { originalResponse?: { getStatus(): number } | null }): number =>
  error.originalResponse?.getStatus() ?? 0

/**
 * A refusal that another try does not change. Too old a token (401) and too many requests (429)
 * pass.
 */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 408, 409, 423, 425, 429].includes(status)

export type Uploader = ReturnType<typeof createUploader>

const nameOf = (shop: string) => `stevedore-${shop}`

/** Uppy's own id of a file: the same file, chosen again, has it again. */
export const idOf = (shop: string, { data, path }: ChosenFile): string =>
  getSafeFileId(
    { name: data.name, type: data.type, data, meta: { relativePath: path } } as never,
    nameOf(shop),
  )

/** `shop`: so that what one shop has begun is not gone on with in another. */
export function createUploader(shop: string) {
  return new Uppy<UploadMeta, TusBody>({ id: nameOf(shop), autoProceed: true }).use(
    Tus<UploadMeta, TusBody>,
    {
      endpoint: ENDPOINT,
      limit: CONCURRENCY,
      retryDelays: DELAYS,
      removeFingerprintOnSuccess: true,
      allowedMetaFields: ['filename', 'on_conflict', 'batch'],
      onBeforeRequest: async (request) => {
        request.setHeader('authorization', `Bearer ${await sessionToken()}`)
      },
      onShouldRetry: (error, _attempt, _options, next) => {
        const status = statusOf(error)
        if (isFinal(status)) return false
        // Uppy would give up on these two; it waits by itself for a network that the browser knows
        // to be away.
        return status === 401 || status === 429 ? true : next(error)
      },
    },
  )
}
