// Lets another server send a file: the nginx in front of this process, or the bucket that has the
// bytes. Neither reports how many bytes arrived, so they send only what no session is charged for,
// and all of it counts as sent.
import type { IncomingMessage } from 'node:http'
import { StoreError, type BlobStore, type ByteRange } from '../../core/store/store.ts'
import { createTtlCache } from '../../core/lazy.ts'
import { contentDisposition, nginxHeaders, safeType, type Audience } from '../../http/headers.ts'
import { memoizedHeaders, type Part, type Visit } from './response.ts'
import type { FileTarget } from './targets.ts'

/**
 * Files in a bucket from `fromBytes` on are fetched there, at an address that is valid for
 * `seconds`. `origins`: those of the buckets' addresses.
 */
export interface BucketRedirect {
  fromBytes: number
  seconds: number
  origins: readonly string[]
}

/**
 * How long a blob's presence is trusted: each check occupies a thread, and a blob that is in use is
 * not removed.
 */
const CHECKED_TTL_MS = 10_000

export interface DelegateParts {
  stores: ReadonlyMap<string, BlobStore>
  accel: Accel | null
  bucketRedirect: BucketRedirect | null
}

/**
 * Answers with another server's help. False: this process has to send the bytes. It rejects with a
 * `StoreError` if the bytes are missing. `addDigest` is called only for an answer that has the
 * headers of the file: computing it reads the file.
 */
export type Delegate = (
  visit: Visit,
  part: Part,
  addDigest: (visit: Visit, target: FileTarget) => Promise<void> | void,
) => Promise<boolean>

/** Null: there is no other server. */
export function createDelegate({ stores, accel, bucketRedirect }: DelegateParts): Delegate | null {
  if (accel === null && bucketRedirect === null) return null
  const requirePresent = createPresenceCheck(stores)
  const sendByNginx = accel && createNginxAnswer(accel)
  return async (visit, part, addDigest) => {
    const { target, redirectHeaders } = part
    // A program sends its Range to the bucket too, also one that this process does not grant.
    const isWhole = part.range === null && visit.request.headers.range === undefined
    const large = bucketRedirect !== null && isWhole && target.size >= bucketRedirect.fromBytes
    const store = stores.get(target.location)
    if (large && redirectHeaders && store?.signedAddress) {
      await requirePresent(target)
      const { shop, hash, filename, contentType } = target
      const address = await store.signedAddress(shop, hash, {
        disposition: contentDisposition(filename),
        contentType: safeType(contentType),
        expiresSeconds: bucketRedirect.seconds,
      })
      redirectToBucket(visit, redirectHeaders, address)
      return true
    }
    const { request } = visit
    if (!sendByNginx || target.location !== accel.location || !maySendByNginx(request, part.range))
      return false
    await requirePresent(target)
    await addDigest(visit, target)
    sendByNginx(visit, part)
    return true
  }
}

/**
 * Rejects if the blob is missing: nginx or the bucket would notice only after the download was
 * counted.
 */
function createPresenceCheck(stores: ReadonlyMap<string, BlobStore>) {
  const checked = createTtlCache<true>(CHECKED_TTL_MS)
  return async ({ blob, shop, hash, location, size }: FileTarget): Promise<void> => {
    if (checked.get(blob)) return
    if ((await stores.get(location)?.size(shop, hash)) !== size) throw new StoreError('missing')
    checked.set(blob, true)
  }
}

function createNginxAnswer(accel: Accel) {
  const describe = memoizedHeaders((target, audience) => [
    ...nginxHeaders(target, audience),
    'X-Accel-Redirect',
    accelPath(accel, target.shop, target.hash),
    'Content-Length',
    '0',
  ])
  return ({ response }: Visit, { target, audience }: Part): void => {
    response.writeHead(200, describe(target, audience))
    response.end()
  }
}

function redirectToBucket({ response }: Visit, headers: Audience, address: string): void {
  response.writeHead(302, [
    ...headers,
    'Referrer-Policy',
    'no-referrer',
    'Location',
    address,
    'Content-Length',
    '0',
  ])
  response.end()
}

// Lets the nginx in front of this process send a file: the response has no body, and its
// X-Accel-Redirect header names the blob. Only requests that nginx interprets as we do are passed
// on; this process sends the others.

/**
 * `location`: a storage location on disk; `prefix`: nginx's internal location that serves its
 * folder.
 */
export interface Accel {
  location: string
  prefix: string
}

// Matches one range in the simplest form. For other forms nginx sends several parts or a 416; we send the
// whole file.
const PLAIN_RANGE = /^bytes=(\d+-\d*|-\d+)$/

/**
 * Returns whether nginx may send this response.
 * @param range the part of the file to send; null: the whole file.
 */
function maySendByNginx(request: IncomingMessage, range: ByteRange | null): boolean {
  const { headers } = request
  // nginx would evaluate these against its own ETag and date, after the download was counted.
  if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined)
    return false
  return headers.range === undefined
    ? range === null
    : range !== null && PLAIN_RANGE.test(headers.range)
}

/** The address under which nginx finds a blob (server/core/store/disk-calls.ts). */
const accelPath = ({ prefix }: Accel, shop: number, hash: string): string =>
  `${prefix}/${shop}/${hash}`
