// Lets another server send a file: the nginx in front of this process, or the bucket that has the
// bytes. Neither reports how many bytes arrived, so they send only what no session is charged for,
// and all of it counts as sent.
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { createTtlCache } from '../../core/ttl-cache.ts'
import { contentDisposition, nginxHeaders, safeType, type Audience } from '../../http/headers.ts'
import { accelPath, maySendByNginx, type Accel } from './accel.ts'
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
 * `StoreError` if the bytes are missing.
 */
export type Delegate = (visit: Visit, part: Part) => Promise<boolean>

/** Null: there is no other server. */
export function createDelegate({ stores, accel, bucketRedirect }: DelegateParts): Delegate | null {
  if (accel === null && bucketRedirect === null) return null
  const requirePresent = createPresenceCheck(stores)
  const sendByNginx = accel && createNginxAnswer(accel)
  return async (visit, part) => {
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
