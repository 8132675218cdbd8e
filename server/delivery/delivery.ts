// Delivery: buyers' links, packs and public files. Decide what is asked, count, then open the bytes, then answer. It reads what
// the files' rooms left, knows no engine and no framework: Node's own request and response are enough.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { errorFields, type Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { BlobStore } from '../store/store.ts'
import type { Accel } from './accel.ts'
import { createAsking, type Ask } from './ask.ts'
import { createClients } from './clients.ts'
import { createCounting } from './counting.ts'
import { createDailyChecks } from './daily-checks.ts'
import { createLinkAnswers } from './links.ts'
import { createPublicCounting } from './public-counting.ts'
import { createPublic } from './public.ts'
import { createRecorder } from './record.ts'
import { refuse } from './refusal.ts'
import { createRevocation } from './revocation.ts'
import { routeOf, type Route } from './request.ts'
import { createServing, type Leading, type Visit } from './serve.ts'
import { createSignedAddresses } from './signed.ts'

export interface DeliveryLimits {
  /** A client that takes nothing for this long is let go. */
  stall_seconds: number
}

export interface DeliveryParts {
  database: Database
  /** By location. */
  stores: ReadonlyMap<string, BlobStore>
  secrets: Secrets
  log: Logger
  clock: () => Date
  trustProxy: boolean
  /** Ours and the CDN's, without a slash at the end. */
  baseUrl: string
  cdnBaseUrl?: string | null
  /** Null: no nginx stands in front of us that sends files in our place. */
  accel?: Accel | null
  /** Null: what lies in a bucket goes through us as well. */
  leading?: Leading | null
  /** Tells shops what they want to know of their downloads. */
  messages: DownloadMessages
  limits?: Partial<DeliveryLimits>
}

export interface DownloadMessages {
  /** There are downloads that a shop wants to be told of. */
  downloaded(): Promise<unknown>
  /** A buyer asks for more; false where the same link has within a day. */
  asked(ask: Ask): Promise<boolean>
}

export interface Delivery {
  /** Answers the request, whatever happens; never rejects. Only for addresses that are delivery's (`deliveryAddress`). */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Something was changed, or may have been: nothing that was found before is relied on. */
  doubt(): void
  /** Writes what is to be counted and kept of the downloads so far. */
  settle(): Promise<unknown>
  /** Resolves when the blobs that were downloaded for the first time today have been read. */
  checked(): Promise<void>
  /** The same, and tries for some seconds where the database does not take it. */
  close(): Promise<void>
  /** How many downloads it has counted since it was opened. */
  counted(): number
}

const CLOSING_TIMES = 5
const CLOSING_MS = 1000

const DEFAULT_LIMITS: DeliveryLimits = { stall_seconds: 120 }

export function createDelivery(parts: DeliveryParts): Delivery {
  const { database, secrets, log, clock, messages, baseUrl, cdnBaseUrl = null, accel = null, leading = null } = parts
  const { stall_seconds } = { ...DEFAULT_LIMITS, ...parts.limits }
  const clientOf = createClients(secrets, parts.trustProxy)
  const counting = createCounting(database.pool, log)
  const revocation = createRevocation(database.pool, log)
  const checks = createDailyChecks({ database, stores: parts.stores, log, clock }, () => counting.doubt())
  const serving = createServing({
    ...{ stores: parts.stores, accel, leading, revocation, log, stallMs: stall_seconds * 1000 },
    sending: checks.note,
  })
  const recorder = createRecorder({ pool: database.pool, tell: () => messages.downloaded(), log })
  const links = createLinkAnswers({ database, secrets, counting, serving, clientOf, recorder })
  const publics = createPublic({
    counting: createPublicCounting(database.pool),
    serving,
    signed: cdnBaseUrl === null ? null : createSignedAddresses(cdnBaseUrl, secrets),
    baseUrl,
    counted: ({ request, now }, target) => recorder.note({ target, link: null, client: clientOf(request), at: now }),
  })
  const ask = createAsking({ pool: database.pool, counting, tell: (asked) => messages.asked(asked) })

  function answer(route: Route, visit: Visit): Promise<void> | void {
    const { request, response, now } = visit
    if (route.kind === 'ask') return ask(request, response, clientOf(request), now)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(request, response, 'method_not_allowed', { headers: ['Allow', 'GET, HEAD'] })
    if (route.kind === 'public') return publics.answer(visit, route.token)
    if (route.kind === 'signed') return publics.answerSigned(visit, route.path)
    if (route.key === null) return refuse(request, response, 'link_unavailable')
    return links(visit, route.key)
  }

  const settle = async (): Promise<boolean> => {
    const [counted] = await Promise.all([counting.settle(), recorder.settle()])
    return counted
  }

  return {
    handle: async (request, response) => {
      try {
        const route = routeOf(request.url)
        if (route === null) return refuse(request, response, 'file_not_found')
        await answer(route, { request, response, now: clock() })
      } catch (error) {
        log.error('a download failed', errorFields(error))
        if (response.headersSent) response.destroy()
        else refuse(request, response, 'unavailable', { headers: ['Retry-After', '5'] })
      }
    },
    counted: () => recorder.noted(),
    doubt: () => counting.doubt(),
    settle,
    checked: checks.idle,
    close: async () => {
      await checks.close()
      for (let times = 0; times < CLOSING_TIMES && !(await settle()); times++) await delay(CLOSING_MS)
    },
  }
}
