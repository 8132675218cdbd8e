// Sends the response to a request that was allowed: headers, then the bytes, from this process,
// nginx or the bucket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorFields, type Logger } from '../../core/log.ts'
import { StoreError, type BlobStore, type ByteRange } from '../../core/store/store.ts'
import { accelPath, maySendByNginx, type Accel } from './accel.ts'
import {
  closeOpened,
  createByteSender,
  createVerifier,
  DamagedBytes,
  send,
  type SendAllowance,
  type OpenedBytes,
  type Verifier,
} from './bytes.ts'
import type { Answer } from '../../http/conditions.ts'
import type { DailyChecks } from './daily-checks.ts'
import {
  contentDisposition,
  fileHeaders,
  nginxHeaders,
  PRIVATE,
  safeType,
  type Audience,
  type FileDescription,
} from '../../http/headers.ts'
import { refuse, type RefusalContext } from './refusal.ts'
import type { Permit, Revocation } from './revocation.ts'
import { blobFields, type FileTarget } from './targets.ts'
import { createTtlCache } from '../../core/ttl-cache.ts'

export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  now: Date
}

export interface Part {
  target: FileTarget
  /** Null: the whole file. */
  range: ByteRange | null
  audience?: Audience
  /** The headers of a redirect to the bucket; absent: the bytes must not be redirected. */
  redirectHeaders?: Audience
  /** Limits the bytes as they are sent; neither nginx nor a bucket could apply it. */
  allowance?: SendAllowance | undefined
  /** The transfer is ended when this permit is withdrawn. */
  permit?: Permit
}

/** Callbacks of the code that counts downloads. */
export interface ServingCallbacks {
  /** The bytes were opened, and the response begins. */
  begun?(): void
  /** The bytes could not be opened: takes the count back before the error is sent. */
  undo?(): Promise<void>
}

export interface ByteServer {
  /**
   * Sends the bytes and returns how many the socket took; bytes that nginx or a bucket sends count
   * as taken.
   */
  serve(visit: Visit, part: Part, served: ServingCallbacks): Promise<number>
}

/**
 * Files in a bucket from `fromBytes` on are fetched there, at an address that is valid for
 * `seconds`.
 */
export interface BucketRedirect {
  fromBytes: number
  seconds: number
}

/**
 * How long a blob's presence is trusted: each check occupies a thread, and a blob that is in use is
 * not removed.
 */
const CHECKED_TTL_MS = 10_000

export function createServing(parts: {
  stores: ReadonlyMap<string, BlobStore>
  accel: Accel | null
  bucketRedirect: BucketRedirect | null
  revocation: Revocation
  log: Logger
  stallMs: number
  checks: Pick<DailyChecks, 'begin' | 'end' | 'enqueue' | 'report'>
}): ByteServer {
  const { stores, log, bucketRedirect, accel, revocation, checks } = parts
  const bytes = createByteSender(stores)
  const checked = createTtlCache<true>(CHECKED_TTL_MS)

  const isSentByNginx = ({ request }: Visit, { target, range, allowance }: Part): boolean =>
    accel !== null &&
    !allowance &&
    target.location === accel.location &&
    maySendByNginx(request, range)

  const describeForNginx = memoized((target, audience) => [
    ...nginxHeaders(target, audience),
    'X-Accel-Redirect',
    accelPath(accel!, target.shop, target.hash),
    'Content-Length',
    '0',
  ])

  /**
   * Rejects if the blob is missing: nginx or the bucket would notice only after the download was
   * counted.
   */
  async function requirePresent({ blob, shop, hash, location, size }: FileTarget): Promise<void> {
    if (checked.get(blob)) return
    if ((await stores.get(location)!.size(shop, hash)) !== size) throw new StoreError('missing')
    checked.set(blob, true)
  }

  const isRedirected = ({ target, range, redirectHeaders, allowance }: Part): boolean =>
    bucketRedirect !== null &&
    redirectHeaders !== undefined &&
    !allowance &&
    range === null &&
    target.size >= bucketRedirect.fromBytes &&
    stores.get(target.location)?.signedAddress !== undefined

  async function redirectToBucket({ response }: Visit, part: Part): Promise<number> {
    const { target, redirectHeaders = PRIVATE } = part
    const { shop, hash, location, filename, contentType } = target
    await requirePresent(target)
    const as = { disposition: contentDisposition(filename), contentType: safeType(contentType) }
    const address = await stores.get(location)!.signedAddress!(shop, hash, {
      ...as,
      expiresSeconds: bucketRedirect!.seconds,
    })
    response.writeHead(302, [
      ...redirectHeaders,
      'Referrer-Policy',
      'no-referrer',
      'Location',
      address,
      'Content-Length',
      '0',
    ])
    response.end()
    return lengthOf(part)
  }

  async function sendByNginx({ response }: Visit, part: Part): Promise<number> {
    await requirePresent(part.target)
    response.writeHead(200, describeForNginx(part.target, part.audience))
    response.end()
    return lengthOf(part)
  }

  async function sendAll(
    { response }: Visit,
    part: Part,
    opened: OpenedBytes,
    verifier: Verifier | null,
  ): Promise<number> {
    response.writeHead(part.range ? 206 : 200, [
      ...describe(part.target, part.audience),
      ...lengthHeaders(part),
    ])
    const watch = () => part.permit && revocation.watch([part.permit], response)
    try {
      if (!('whole' in opened)) watch()
      const { stallMs } = parts
      const sent = await send(response, opened, { stallMs, allowance: part.allowance, verifier })
      // The client has not read all of a small file yet.
      if ('whole' in opened && response.socket?.writableLength) watch()
      return sent
    } catch (error) {
      const what =
        error instanceof DamagedBytes
          ? 'a file was not sent to its end: its bytes are damaged'
          : 'a file could not be read completely'
      log.error(what, { ...blobFields(part.target), ...errorFields(error) })
      response.destroy()
      return 0
    }
  }

  /** Checks the bytes while they are sent; a damaged file is neither sent to its end nor counted. */
  async function sendVerified(
    visit: Visit,
    part: Part,
    opened: OpenedBytes,
    { begun, undo }: ServingCallbacks,
  ): Promise<number> {
    const verifier = createVerifier(part.target)
    // Before the first byte: the client gets a page that says so.
    if ('whole' in opened && !verifier.accepts(opened.whole)) throw new StoreError('missing')
    const sent = await sendAll(visit, part, opened, verifier)
    checks.end(part.target, verifier.result())
    if (verifier.result() !== 'damaged') begun?.()
    else await undo?.()
    return verifier.result() === 'damaged' ? 0 : sent
  }

  return {
    serve: async (visit, part, served) => {
      const { begun, undo } = served
      try {
        const opened = isRedirected(part)
          ? await redirectToBucket(visit, part)
          : isSentByNginx(visit, part)
            ? await sendByNginx(visit, part)
            : await bytes.open(part.target, part.range)
        // The client left while a slow store was opening the bytes: it has received nothing.
        if (typeof opened !== 'number' && visit.response.destroyed) {
          await Promise.all([closeOpened(opened), undo?.()])
          return 0
        }
        if (typeof opened !== 'number' && isWhole(part) && checks.begin(part.target))
          return await sendVerified(visit, part, opened, served)
        begun?.()
        checks.enqueue(part.target)
        return typeof opened === 'number' ? opened : await sendAll(visit, part, opened, null)
      } catch (error) {
        log.error('the bytes of a file are missing', {
          ...blobFields(part.target),
          ...errorFields(error),
        })
        if (error instanceof StoreError && error.code === 'missing') checks.report(part.target)
        await undo?.()
        refuse(visit.request, visit.response, 'unavailable', { headers: ['Retry-After', '60'] })
        return 0
      }
    },
  }
}

const isWhole = ({ target: { size }, range }: Part): boolean =>
  range === null || (range.start === 0 && range.end === size - 1)

export const lengthOf = ({ target, range }: Part): number =>
  range ? range.end - range.start + 1 : target.size

/**
 * Answers without the file's bytes: to HEAD, or if the request's conditions require it (412 and 416
 * send a page).
 */
export function withoutBody(
  visit: Visit,
  part: Part,
  { status }: Answer,
  refused: RefusalContext,
): void {
  const { request, response } = visit
  const { target, audience } = part
  if (status === 412) return refuse(request, response, 'precondition_failed', refused)
  if (status === 416)
    return refuse(request, response, 'range_not_satisfiable', {
      ...refused,
      headers: ['Content-Range', `bytes */${target.size}`, 'Accept-Ranges', 'bytes'],
    })
  response.writeHead(status, [
    ...describe(target, audience),
    ...(status === 304 ? [] : lengthHeaders({ target, range: null })),
  ])
  response.end()
}

export const isBodiless = ({ status }: Answer): boolean =>
  status === 304 || status === 412 || status === 416

const etagOf = (target: FileTarget) => `"${target.hash}"`

export const representation = (target: FileTarget) => ({
  etag: etagOf(target),
  modifiedMs: target.modifiedMs,
  size: target.size,
})

/** Computes headers once per target: a cached link's target is served many times. */
function memoized(make: (target: FileTarget & FileDescription, audience: Audience) => string[]) {
  const computed = new WeakMap<FileTarget, { audience: Audience; headers: string[] }>()
  return (target: FileTarget, audience: Audience = PRIVATE): string[] => {
    const before = computed.get(target)
    if (before?.audience === audience) return before.headers
    const headers = make({ ...target, etag: etagOf(target) }, audience)
    computed.set(target, { audience, headers })
    return headers
  }
}

const describe = memoized(fileHeaders)

function lengthHeaders(part: Part): string[] {
  const { target, range } = part
  const all = ['Content-Length', String(lengthOf(part))]
  return range ? [...all, 'Content-Range', `bytes ${range.start}-${range.end}/${target.size}`] : all
}
