// A buyer's download: GET or HEAD /download?key=…. Decide what is asked, count, then open the bytes, then answer.
// It reads what the files' rooms left, knows no engine and no framework: Node's own request and response are enough.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { errorFields, type Logger } from '../log.ts'
import { hashKey, type Secrets } from '../secrets.ts'
import type { BlobStore, ByteRange } from '../store/store.ts'
import { createBytes, send, type Opened } from './bytes.ts'
import { createClients } from './clients.ts'
import { decide, type Answer } from './conditions.ts'
import { createCounting, type KnownLink, type Target } from './counting.ts'
import { fileHeaders } from './headers.ts'
import { isPlain, keyOf } from './request.ts'
import { refuse, whyNot } from './refusal.ts'

export interface DeliveryLimits {
  /** A client that takes nothing for this long is let go. */
  stall_seconds: number
}

export interface Delivery {
  /** Answers the request, whatever happens; never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

const DEFAULT_LIMITS: DeliveryLimits = { stall_seconds: 120 }

/** A request that may be served, and what of the file it gets. `ride`: not counted, paid from the client's session. */
interface Grant {
  target: Target
  range: ByteRange | null
  ride: boolean
}

interface Visit {
  request: IncomingMessage
  response: ServerResponse
  keyHash: Buffer
  client: Buffer
  now: Date
}

export function createDelivery(parts: {
  pool: pg.Pool
  /** By location. */
  stores: ReadonlyMap<string, BlobStore>
  secrets: Secrets
  log: Logger
  clock: () => Date
  trustProxy: boolean
  limits?: Partial<DeliveryLimits>
}): Delivery {
  const { log } = parts
  const clientOf = createClients(parts.secrets, parts.trustProxy)
  const limits = { ...DEFAULT_LIMITS, ...parts.limits }
  const counting = createCounting(parts.pool)
  const bytes = createBytes(parts.stores)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(request, response, 'method_not_allowed', { headers: ['Allow', 'GET, HEAD'] })
    const key = keyOf(request.url ?? '')
    if (key === null) return refuse(request, response, 'link_unavailable')
    const visit: Visit = { request, response, keyHash: hashKey(key), client: clientOf(request), now: parts.clock() }
    const plain = isPlain(request)
    if (plain) {
      const target = await counting.count(visit.keyHash, visit.client, visit.now)
      if (target) return serve(visit, { target, range: null, ride: false })
    }
    const link = await counting.lookUp(visit.keyHash, visit.client, visit.now)
    if (!plain && link && usable(link, visit.now)) {
      const decision = decide(request.method, request.headers, representation(link.target))
      if (request.method === 'HEAD' || isBodiless(decision)) return withoutBody(visit, link, decision)
      const grant = await grantOf(visit, link, 'range' in decision ? decision.range : null)
      if (grant) return serve(visit, grant)
    }
    // Active by now and yet refused: another request took the last one and gave it back.
    const reason = link ? (whyNot(link, visit.now) ?? 'link_exhausted') : 'link_unavailable'
    refuse(request, response, reason, { link })
  }

  async function grantOf({ keyHash, client, now }: Visit, link: KnownLink, range: ByteRange | null) {
    if (range && range.start > 0 && link.session) {
      const ride = await counting.ride(link.target, client, now, range.end - range.start + 1)
      if (ride) return { target: link.target, range, ride }
    }
    const target = await counting.count(keyHash, client, now)
    // A new version came in between: its parts fit nothing that the client has, so it gets the whole.
    return target && { target, range: target.hash === link.target.hash ? range : null, ride: false }
  }

  async function serve({ request, response, client }: Visit, grant: Grant): Promise<void> {
    const { target, range } = grant
    let opened: Opened
    try {
      opened = await bytes.open(target, range)
    } catch (error) {
      log.error('a file that has a row has no bytes', { ...where(target), ...errorFields(error) })
      await (grant.ride ? counting.refund(target, client, length(grant)) : counting.giveBack(target, client))
      return refuse(request, response, 'unavailable', { headers: ['Retry-After', '60'] })
    }
    response.writeHead(range ? 206 : 200, [...describe(target), ...lengthHeaders(grant)])
    let sent = 0
    try {
      sent = await send(response, opened, limits.stall_seconds * 1000)
    } catch (error) {
      log.error('a file could not be read to its end', { ...where(target), ...errorFields(error) })
      response.destroy()
    } finally {
      const unsent = length(grant) - sent
      if (grant.ride && unsent > 0) await counting.refund(target, client, unsent)
    }
  }

  return {
    handle: async (request, response) => {
      try {
        await answer(request, response)
      } catch (error) {
        log.error('a download failed', errorFields(error))
        if (response.headersSent) response.destroy()
        else refuse(request, response, 'unavailable', { headers: ['Retry-After', '5'] })
      }
    },
  }
}

/** A session outlives what opened it: a download begun in time may be finished, though the link has ended since. */
function usable(link: KnownLink, now: Date): boolean {
  const reason = whyNot(link, now)
  return reason === null || (link.session && (reason === 'link_exhausted' || reason === 'link_expired'))
}

const isBodiless = ({ status }: Answer) => status === 304 || status === 412 || status === 416

function withoutBody({ request, response }: Visit, link: KnownLink, { status }: Answer): void {
  const { target } = link
  if (status === 412) return refuse(request, response, 'precondition_failed', { link })
  if (status === 416)
    return refuse(request, response, 'range_not_satisfiable', {
      link,
      headers: ['Content-Range', `bytes */${target.size}`, 'Accept-Ranges', 'bytes'],
    })
  response.writeHead(status, [
    ...describe(target),
    ...(status === 304 ? [] : lengthHeaders({ target, range: null, ride: false })),
  ])
  response.end()
}

const etagOf = (target: Target) => `"${target.hash}"`

const representation = (target: Target) => ({
  etag: etagOf(target),
  modifiedMs: target.modifiedMs,
  size: target.size,
})

const describe = (target: Target) => fileHeaders({ ...target, etag: etagOf(target) })

const length = ({ target, range }: Grant) => (range ? range.end - range.start + 1 : target.size)

function lengthHeaders(grant: Grant): string[] {
  const { target, range } = grant
  const all = ['Content-Length', String(length(grant))]
  return range ? [...all, 'Content-Range', `bytes ${range.start}-${range.end}/${target.size}`] : all
}

const where = ({ shop, location, hash }: Target) => ({ shop, location, hash })
