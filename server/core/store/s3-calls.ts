// The calls to a bucket, with its errors. The operator configures the bucket, so the calls do not
// use the guarded client, which is for addresses that merchants write.
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { createSemaphore, type Semaphore } from '../body-budget.ts'
import type { S3Location } from './address.ts'
import { StoreError } from './store.ts'

const CONNECT_MS = 10_000
/**
 * The time after which an idle connection fails. A provider that joins gigabytes of parts may be
 * silent for minutes.
 */
const SILENT_MS = 180_000
/** How often a call is tried if a retry can help, with growing delays in between. */
const ATTEMPTS = 4

/**
 * Parts uploaded concurrently, over all objects: the number in memory, plus one part for each
 * object that is filling or waiting.
 */
const PART_CONCURRENCY = 12

/** Bytes of each part of an object. */
export interface PartSizes {
  upload: number
  /** Objects above `whole` are copied in parts of `copy`. */
  whole: number
  copy: number
}

const SIZES: PartSizes = {
  // S3 requires at least 5 MB; 10,000 of these parts, the maximum, are 80 GB.
  upload: 8 * 1024 ** 2,
  // The maximum that S3 copies in one call.
  whole: 5 * 1024 ** 3,
  copy: 1024 ** 3,
}

export interface S3Bucket {
  client: S3Client
  sizes: PartSizes
  name: string
  semaphore: Semaphore
  /** Makes a call; rejects with a `StoreError` or the reason of `signal`. */
  call<T>(
    work: (options: { abortSignal?: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
}

/** A client of a bucket, which limits its concurrent calls. No call is made yet. */
export function openBucket(
  { bucket, region, endpoint, pathStyle, credentials }: S3Location,
  sizes: Partial<PartSizes> = {},
): S3Bucket {
  // A download holds a connection as long as its buyer takes, so no download waits for another
  // one's connection.
  const agent = { keepAlive: true, maxSockets: Infinity }
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    // The signature covers the body's SHA-256 already; other providers refuse further checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `Expect: 100-continue` would need a separate connection for each part.
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
    sizes: { ...SIZES, ...sizes },
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

/** Turns an error of the library into a store's error. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  return new StoreError(codeOf(nameOf(error), status), { cause: error })
}

/** The error's name in S3: `NoSuchKey`. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

function codeOf(name: string, status: number | undefined): StoreError['code'] {
  if (FULL.has(name) || status === 507) return 'full'
  // A missing bucket is an outage, not a missing blob.
  if (name === 'NoSuchBucket') return 'unavailable'
  if (status === 404) return 'missing'
  if (status === 401 || status === 403 || name === 'CredentialsProviderError') return 'denied'
  return 'unavailable'
}

/** The result of `work`, or null if the object does not exist. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return null
    throw error
  }
}
