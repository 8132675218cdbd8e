// From what was granted to the answer: the headers, then the bytes, from us, from the nginx in front of us, or from the bucket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorFields, type Logger } from '../log.ts'
import { StoreError, type BlobStore, type ByteRange } from '../store/store.ts'
import { accelPath, mayHandOver, type Accel } from './accel.ts'
import { createBytes, send, type Allowance, type Opened } from './bytes.ts'
import type { Answer } from './conditions.ts'
import {
  contentDisposition,
  fileHeaders,
  handedHeaders,
  PRIVATE,
  safeType,
  type Audience,
  type Described,
} from './headers.ts'
import { createLately } from './lately.ts'
import { refuse, type Refused } from './refusal.ts'
import type { Permit, Revocation } from './revocation.ts'
import { whereIs, type Target } from './targets.ts'

export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  now: Date
}

export interface Part {
  target: Target
  /** Null: the whole file. */
  range: ByteRange | null
  audience?: Audience
  /** The headers with which a bucket's own address may be given in place of the bytes; absent: it may not. */
  away?: Audience
  /** What is sent must be asked for on the way, and be known: nginx would do neither. */
  allowance?: Allowance | undefined
  /** What ends the bytes on their way when it is withdrawn. */
  permit?: Permit
}

/** What whoever counts wants to know. */
export interface Served {
  /** The bytes are there, and the answer begins. */
  begun?(): void
  /** They are not: takes the count back, before an answer that says so. */
  undo?(): Promise<void>
}

export interface Serving {
  /** Answers with the bytes; gives how many the socket took. Those that others send in our place are taken to arrive. */
  serve(visit: Visit, part: Part, served: Served): Promise<number>
}

/** Large files of a bucket are fetched from the bucket: from so many bytes on, at an address that is good for so long. */
export interface Leading {
  fromBytes: number
  seconds: number
}

/** So long a blob that was there is taken to be: each look costs a thread, and nothing removes one that is being downloaded. */
const FOUND_MS = 10_000

export function createServing(parts: {
  stores: ReadonlyMap<string, BlobStore>
  accel: Accel | null
  leading: Leading | null
  revocation: Revocation
  log: Logger
  stallMs: number
  /** Called for each blob whose bytes are about to be sent. */
  sending(target: Target): void
}): Serving {
  const { stores, log, leading, accel, revocation } = parts
  const bytes = createBytes(stores)
  const found = createLately<true>(FOUND_MS)

  const isHandedOver = ({ request }: Visit, { target, range, allowance }: Part): boolean =>
    accel !== null && !allowance && target.location === accel.location && mayHandOver(request, range)

  const describeHanded = remembered((target, audience) => [
    ...handedHeaders(target, audience),
    'X-Accel-Redirect',
    accelPath(accel!, target.shop, target.hash),
    'Content-Length',
    '0',
  ])

  /** Whoever sends it in our place would say that it is not there after we have counted. */
  async function requireThere({ blob, shop, hash, location, size }: Target): Promise<void> {
    if (found.get(blob)) return
    if ((await stores.get(location)!.size(shop, hash)) !== size) throw new StoreError('missing')
    found.set(blob, true)
  }

  const isLed = ({ target, range, away, allowance }: Part): boolean =>
    leading !== null &&
    away !== undefined &&
    !allowance &&
    range === null &&
    target.size >= leading.fromBytes &&
    stores.get(target.location)?.signedAddress !== undefined

  /** Rejects where the blob is not there. */
  async function leadAway({ response }: Visit, part: Part): Promise<number> {
    const { target, away = PRIVATE } = part
    const { shop, hash, location, filename, contentType } = target
    await requireThere(target)
    const as = { disposition: contentDisposition(filename), contentType: safeType(contentType) }
    const address = await stores.get(location)!.signedAddress!(shop, hash, { ...as, expiresSeconds: leading!.seconds })
    response.writeHead(302, [...away, 'Referrer-Policy', 'no-referrer', 'Location', address, 'Content-Length', '0'])
    response.end()
    return lengthOf(part)
  }

  /** Rejects where the blob is not there. */
  async function handOver({ response }: Visit, part: Part): Promise<number> {
    await requireThere(part.target)
    response.writeHead(200, describeHanded(part.target, part.audience))
    response.end()
    return lengthOf(part)
  }

  async function sendAll({ response }: Visit, part: Part, opened: Opened): Promise<number> {
    response.writeHead(part.range ? 206 : 200, [...describe(part.target, part.audience), ...lengthHeaders(part)])
    const watch = () => part.permit && revocation.watch(part.permit, response)
    try {
      if (!('whole' in opened)) watch()
      const sent = await send(response, opened, parts.stallMs, part.allowance)
      // A small file that its client has not taken yet.
      if ('whole' in opened && response.socket?.writableLength) watch()
      return sent
    } catch (error) {
      log.error('a file could not be read to its end', { ...whereIs(part.target), ...errorFields(error) })
      response.destroy()
      return 0
    }
  }

  return {
    serve: async (visit, part, { begun, undo }) => {
      try {
        const opened = isLed(part)
          ? await leadAway(visit, part)
          : isHandedOver(visit, part)
            ? await handOver(visit, part)
            : await bytes.open(part.target, part.range)
        begun?.()
        parts.sending(part.target)
        return typeof opened === 'number' ? opened : await sendAll(visit, part, opened)
      } catch (error) {
        log.error('a file that has a row has no bytes', { ...whereIs(part.target), ...errorFields(error) })
        await undo?.()
        refuse(visit.request, visit.response, 'unavailable', { headers: ['Retry-After', '60'] })
        return 0
      }
    },
  }
}

export const lengthOf = ({ target, range }: Part): number => (range ? range.end - range.start + 1 : target.size)

/** An answer that has no body, or a page in its place: to HEAD, or to a request whose conditions say so. */
export function withoutBody(visit: Visit, part: Part, { status }: Answer, refused: Refused): void {
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

export const isBodiless = ({ status }: Answer): boolean => status === 304 || status === 412 || status === 416

const etagOf = (target: Target) => `"${target.hash}"`

export const representation = (target: Target) => ({
  etag: etagOf(target),
  modifiedMs: target.modifiedMs,
  size: target.size,
})

/** A target that was found once may be served many times. */
function remembered(make: (target: Target & Described, audience: Audience) => string[]) {
  const made = new WeakMap<Target, { audience: Audience; headers: string[] }>()
  return (target: Target, audience: Audience = PRIVATE): string[] => {
    const before = made.get(target)
    if (before?.audience === audience) return before.headers
    const headers = make({ ...target, etag: etagOf(target) }, audience)
    made.set(target, { audience, headers })
    return headers
  }
}

const describe = remembered(fileHeaders)

function lengthHeaders(part: Part): string[] {
  const { target, range } = part
  const all = ['Content-Length', String(lengthOf(part))]
  return range ? [...all, 'Content-Range', `bytes ${range.start}-${range.end}/${target.size}`] : all
}
