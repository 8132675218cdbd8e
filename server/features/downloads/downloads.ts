// Delivery: buyers' links, packs and public files. A request is decided and counted, then its bytes
// are opened, then it is answered. It runs on Node's own request and response, without the engine
// and without a framework.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../core/db/database.ts'
import type { Listener } from '../../core/db/listener.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { Sha256Sums } from '../../files/sha256-sums.ts'
import { createClients } from '../../core/client-address.ts'
import { type Accel, createDelegate, type BucketRedirect } from './delegates.ts'
import { createArchives } from './archive.ts'
import { createAsking, type Ask } from './ask.ts'
import { createByteSender } from './bytes.ts'
import { CountedWrites } from './counted-writes.ts'
import { createCounting, type DownloadCounters } from './counting/counting.ts'
import { createDailyChecks, type DailyChecks } from './daily-checks.ts'
import { createPageAnswers, sendToDownload } from './link-pages.ts'
import { createLinkAnswers } from './links.ts'
import { createGates } from './gates/gates.ts'
import { createLooks, type PageLooks } from './look.ts'
import {
  createPictureAnswers,
  type ReadPicture,
  type ReadProductPicture,
} from './picture-answer.ts'
import { createPublic, createSignedAddresses } from './public.ts'
import { createRecorder, type Recorder, type UsedLink } from './record.ts'
import { refuse } from './refusal.ts'
import { createRecordedViews, type RecordedViews } from './recorded-views.ts'
import { createRefusedAttempts, type RefusedAttempts } from './refused-attempts.ts'
import { createRevocation } from './revocation.ts'
import { opensPage, routeOf, type Route, createStartAddresses } from './request.ts'
import type { Visit } from './response.ts'
import { createServing } from './serve.ts'
import { openQuery, type Query } from './targets.ts'
import { createViewAnswers } from './view/answers.ts'
import { createViewSessions } from './view-sessions.ts'

export interface DeliveryLimits {
  /** A client that reads nothing for this long is disconnected. */
  stall_seconds: number
}

export interface DeliveryParts {
  database: Database
  /** Notifications from the database invalidate cached links. */
  listener: Pick<Listener, 'on'>
  /** By location. */
  stores: ReadonlyMap<string, BlobStore>
  secrets: Secrets
  log: Logger
  clock: () => Date
  trustProxy: boolean
  /** The addresses of this installation and of the CDN, without a trailing slash. */
  baseUrl: string
  cdnBaseUrl?: string | null
  /** The nginx that sends files for this process; null if there is none. */
  accel?: Accel | null
  /** Redirects to the bucket; if null, this process sends files of a bucket too. */
  bucketRedirect?: BucketRedirect | null
  messages: DownloadMessages
  /** The small pictures of files on buyers' pages. */
  readPicture?: ReadPicture
  /** Those of products. */
  readProductPicture?: ReadProductPicture
  limits?: Partial<DeliveryLimits>
}

/** Notifies shops of their downloads. */
export interface DownloadMessages {
  /** Downloads were recorded that a shop wants to be notified of. */
  downloaded(): Promise<unknown>
  /** These links were used; notifies the shops of those that are now used up. */
  used(links: readonly UsedLink[]): Promise<unknown>
  /** A buyer asks for more downloads; false if the same link has asked within a day. */
  asked(ask: Ask): Promise<boolean>
}

export interface Delivery {
  /**
   * Answers the request and never rejects. Only for the addresses of delivery (`deliveryAddress`).
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Writes the pending counts and records, so that reads are current. */
  flush(): Promise<void>
  /**
   * Drops the shop's cached links: a change that was committed applies to their next download in
   * this process.
   */
  invalidate(shop: number): void
  /** The look of a shop's pages. */
  lookOf: PageLooks['of']
  /** Resolves when the queue of today's blob checks is empty. */
  checked(): Promise<void>
  /** Writes what is pending; tries for some seconds if the database is down. */
  close(): Promise<void>
  /** The number of downloads since the process started, for metrics. */
  counted(): number
}

const CLOSE_ATTEMPTS = 5
const CLOSE_RETRY_MS = 1000

// Only the first opening is recorded, so that later ones write nothing.
const OPENED = `update deliveries set opened_at = $3 where shop_id = $1 and id = $2
  and opened_at is null`

const DEFAULT_LIMITS: DeliveryLimits = { stall_seconds: 120 }

export function createDelivery(parts: DeliveryParts): Delivery {
  const { database, listener, log, clock, messages } = parts
  const query = openQuery(database.pool)
  const looks = createLooks(query, listener, parts.bucketRedirect?.origins)
  const writes = new CountedWrites(database.pool, log)
  const recorder = createRecorder({
    write: writes.behind,
    notify: () => messages.downloaded(),
    used: (links) => messages.used(links),
    log,
  })
  const counting = createCounting({ query, writes, looks, recorder, log, clock })
  const stopListening = invalidateOnNotifications(listener, counting)
  const checks = createDailyChecks({ database, stores: parts.stores, log, clock }, ({ shop }) =>
    counting.invalidate(shop),
  )
  const attempts = createRefusedAttempts(database, log)
  const views = createRecordedViews(database.pool, log)
  const answer = createAnswers(parts, { query, counting, checks, attempts, views })
  const writePending = () => writeAll(counting, recorder, [attempts, views])
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
    flush: async () => void (await writePending()),
    invalidate: (shop) => counting.invalidate(shop),
    lookOf: (shop) => looks.of(shop),
    counted: () => recorder.count(),
    checked: () => checks.idle(),
    close: async () => {
      stopListening()
      looks.close()
      await checks.close()
      writes.endIn(CLOSE_ATTEMPTS * CLOSE_RETRY_MS)
      await counting.close(CLOSE_ATTEMPTS * CLOSE_RETRY_MS)
      for (let attempt = 0; attempt < CLOSE_ATTEMPTS && !(await writePending()); attempt++)
        await delay(CLOSE_RETRY_MS)
    },
  }
}

/** False if some counts cannot be written now. */
async function writeAll(
  counting: DownloadCounters,
  recorder: Recorder,
  others: readonly { flush(): Promise<void> }[],
): Promise<boolean> {
  const flushed = others.map((one) => one.flush())
  const [written] = await Promise.all([counting.flush(), recorder.flush(), ...flushed])
  return written
}

type Answers = (route: Route, visit: Visit) => Promise<void> | void

interface AnswerParts {
  query: Query
  counting: DownloadCounters
  checks: DailyChecks
  attempts: RefusedAttempts
  views: RecordedViews
}

type Answer<Kind extends Route['kind']> = (
  route: Extract<Route, { kind: Kind }>,
  visit: Visit,
) => Promise<void> | void

const READS = ['GET', 'HEAD']

/** @param also a method that it answers beside those that read. */
const reading =
  <Kind extends Route['kind']>(answer: Answer<Kind>, also = ''): Answer<Kind> =>
  (route, visit) => {
    const { request, response } = visit
    const { method = '' } = request
    if (READS.includes(method) || method === also) return answer(route, visit)
    return refuse(request, response, 'method_not_allowed', { headers: ['Allow', 'GET, HEAD'] })
  }

/** Answers each address of delivery by the part that it belongs to. */
function createAnswers(delivery: DeliveryParts, parts: AnswerParts): Answers {
  const { clientOf, gates, starts, pictures, views, publics, links, ask } = connect(delivery, parts)
  const readLink = reading<'link'>(({ key }, visit) =>
    key === null ? refuse(visit.request, visit.response, 'link_unavailable') : links(visit, key),
  )
  const answers: { [Kind in Route['kind']]: Answer<Kind> } = {
    link: (route, visit) => {
      const { request } = visit
      return request.method === 'POST' && opensPage(request) && route.key !== null
        ? sendToDownload(visit, route.key, { starts, gates })
        : readLink(route, visit)
    },
    ask: (_, visit) => ask({ ...visit, client: clientOf(visit.request) }),
    open: (_, visit) => gates.answer(visit, clientOf(visit.request)),
    picture: reading(({ key }, visit) => pictures.file(visit, key)),
    product: reading(({ key }, visit) => pictures.product(visit, key)),
    public: reading(({ token }, visit) => publics.answer(visit, token)),
    signed: reading(({ path }, visit) => publics.answerSigned(visit, path)),
    // The button of a page begins a view.
    view: reading(({ key }, visit) => views.view(visit, key), 'POST'),
    viewBytes: reading((_, visit) => views.bytes(visit)),
    viewReader: reading((_, visit) => views.reader(visit)),
    viewAsset: reading(({ name }, visit) => views.asset(visit, name)),
  }
  return (route, visit) => (answers[route.kind] as Answer<Route['kind']>)(route, visit)
}

/** Connects the parts that answer the addresses of delivery. */
function connect(
  delivery: DeliveryParts,
  { query, counting, checks, attempts, views: recorded }: AnswerParts,
) {
  const { database, stores, secrets, log, clock, messages, baseUrl } = delivery
  const { cdnBaseUrl = null, accel = null, bucketRedirect = null } = delivery
  const stallMs = { ...DEFAULT_LIMITS, ...delivery.limits }.stall_seconds * 1000
  const clientOf = createClients(secrets, delivery.trustProxy)
  const revocation = createRevocation(query, log)
  const serving = createServing({
    bytes: createByteSender(stores),
    revocation,
    log,
    stallMs,
    checks,
    sums: new Sha256Sums({ database, stores, log, clock }),
    delegate: createDelegate({ stores, accel, bucketRedirect }),
  })
  const archives = createArchives({
    counter: counting.archives,
    stores,
    revocation,
    log,
    clock,
    stallMs,
    checks,
  })
  const recordOpening = (shop: number, id: string, at: Date) =>
    void query('opened', OPENED, [shop, id, at]).catch((error: unknown) =>
      log.warn('an opened delivery was not recorded', errorFields(error)),
    )
  const counter = counting.links
  const secure = baseUrl.startsWith('https:')
  const gates = createGates({ pool: database.pool, secrets, counter, attempts, secure })
  const [starts, sessions] = [createStartAddresses(secrets), createViewSessions(database)]
  const shared = { counter, attempts, gates, clientOf }
  const stored = { database, secrets, sessions }
  const pages = createPageAnswers({ ...shared, ...stored, archives, recordOpening })
  const none = () => Promise.resolve(null)
  const { readPicture = none, readProductPicture = none } = delivery
  const signed = cdnBaseUrl === null ? null : createSignedAddresses(cdnBaseUrl, secrets)
  const publics = { counter: counting.publics, serving, clientOf, signed, baseUrl }
  return {
    clientOf,
    gates,
    starts,
    links: createLinkAnswers({ ...shared, serving, clock, pages, starts }),
    views: createViewAnswers({ ...shared, ...stored, query, serving, views: recorded, secure }),
    pictures: createPictureAnswers({ ...shared, database, readPicture, readProductPicture }),
    publics: createPublic(publics),
    ask: createAsking({
      pool: database.pool,
      counter,
      notifyShop: (asked) => messages.asked(asked),
    }),
  }
}

/**
 * Drops cached links when links or shops change (trigger `links_changed`) and when an operation
 * makes progress: the files that it changes have no trigger, because a NOTIFY in its transactions
 * would make their commits wait for each other. A missed notification costs at most the cache's
 * time to live.
 */
function invalidateOnNotifications(
  listener: Pick<Listener, 'on'>,
  counting: DownloadCounters,
): () => void {
  const stops = [
    listener.on('link_changed', () => counting.invalidate()),
    listener.on('operation_progress', (payload) => {
      const shop = Number(payload?.split('/', 1)[0])
      counting.invalidate(Number.isInteger(shop) && shop > 0 ? shop : undefined)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
