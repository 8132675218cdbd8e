// The calls to a bucket, with its errors. The bucket is the operator's own setting, so they go
// straight to it: not through the guarded client, which is for addresses that merchants write.
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { createSemaphore, type Semaphore } from '../semaphore.ts'
import type { S3Location } from './address.ts'
import { StoreError } from './store.ts'

const CONNECT_MS = 10_000
/**
 * A connection on which nothing moves. Putting gigabytes together at the other end may be silent
 * for minutes.
 */
const SILENT_MS = 180_000
/** Each is tried this often where trying again can help, with waits that grow in between. */
const ATTEMPTS = 4

/**
 * Parts uploaded concurrently, over all objects: the number in memory, plus one part for each
 * object that is filling or waiting.
 */
const PART_CONCURRENCY = 12

export interface S3Bucket {
  client: S3Client
  name: string
  semaphore: Semaphore
  /** Makes a call; what it rejects with is a `StoreError`, or the reason of `signal`. */
  call<T>(
    work: (options: { abortSignal?: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
}

export function openBucket({
  bucket,
  region,
  endpoint,
  pathStyle,
  credentials,
}: S3Location): S3Bucket {
  // Every download holds a connection for as long as its buyer takes, so none waits for another.
  const agent = { keepAlive: true, maxSockets: Infinity }
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    // The signature covers the body's SHA-256 already; checksums beyond that are what other makers'
    // buckets refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Would need a separate connection for each part.
    expectContinueHeader: false,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  return {
    client,
    name: bucket,
    semaphore: createSemaphore(PART_CONCURRENCY),
    call: async (work, signal) => {
      signal?.throwIfAborted()
      try {
        return await work(signal ? { abortSignal: signal } : {})
      } catch (error) {
        signal?.throwIfAborted()
        throw storeErrorOf(error)
      }
    },
  }
}

const FULL = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'InsufficientStorage',
  'InsufficientCapacity',
])

/** What an error of the library means to a store. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  return new StoreError(codeOf(nameOf(error), status), { cause: error })
}

/** As S3 calls it: `NoSuchKey`. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

function codeOf(name: string, status: number | undefined): StoreError['code'] {
  if (FULL.has(name) || status === 507) return 'full'
  // A bucket that is gone is no blob that is gone.
  if (name === 'NoSuchBucket') return 'unavailable'
  if (status === 404) return 'missing'
  if (status === 401 || status === 403 || name === 'CredentialsProviderError') return 'denied'
  return 'unavailable'
}

/** What `work` gives, or null where there is no such thing. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return null
    throw error
  }
}
