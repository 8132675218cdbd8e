// POST /webhooks: reads the raw body, checks its signature, and stores the webhook's id and the
// change that it reports in one transaction. Orders that are reported concurrently share one
// statement. The work itself is a background task: the platform waits five seconds for the answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ownValue } from '../../plugins/contract/index.ts'
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope, findKnownShop } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { readRequest, setEndHeaders } from '../core/request-body.ts'
import { createQueryBatcher, createTtlCache } from '../core/lazy.ts'
import { ORDER_LOCKS } from '../core/db/lock-classes.ts'
import { uninstall as uninstallApp } from './uninstall.ts'
import { keptPerShop } from './admin-api.ts'
import { reportChange, reportOrders, type ReportedOrder, readBody, TOPICS } from './changes.ts'

export const WEBHOOKS_PATH = '/webhooks'

/** Answers one request for `WEBHOOKS_PATH`. Never rejects. */
export type Intake = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A product with 2,000 variants has some megabytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Of a shop that was deleted, or a webhook without an id: the answer does not depend on the body. */
const MAX_UNKNOWN_BYTES = 1024 * 1024
const MAX_ID_LENGTH = 200

/** @param secrets the current one, and the previous one while the platform still signs with it. */
export function createIntake(
  database: Pick<Database, 'knex'>,
  secrets: readonly string[],
  log: Logger,
): Intake {
  const { shopOf, store } = createStore(database)
  const answer = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST') return 405
    const { headers } = request
    // What can be refused by the headers is refused before the body is read: anybody can send it.
    const signature = String(headers['x-shopify-hmac-sha256'] ?? '')
    if (!isSignature(signature)) return 401
    const id = String(headers['x-shopify-webhook-id'] ?? '')
    const isNamed = id !== '' && id.length <= MAX_ID_LENGTH
    const shop = await shopOf(String(headers['x-shopify-shop-domain'] ?? ''))
    const isKnown = isNamed && shop !== null
    const body = await readRequest(request, isKnown ? MAX_BODY_BYTES : MAX_UNKNOWN_BYTES)
    if (!isSigned(body, signature, secrets)) return 401
    if (!isNamed) return 400
    const report = readReport(request, body)
    if (report === null) return 400
    // A deleted shop, or a topic of another version: nothing to do.
    if (shop === null || report === 'unknown') return 200
    await store(shop, id, report)
    return 200
  }
  return async (request, response) => {
    let status = 503
    let retryAfter: number | null = null
    try {
      status = await answer(request)
    } catch (error) {
      if (error instanceof AppError) ({ status, retryAfter } = error)
      else log.error('a webhook was not stored', errorFields(error))
    }
    if (response.destroyed) return
    const allow = status === 405 ? { allow: 'POST' } : {}
    setEndHeaders(request, response, retryAfter)
    response.writeHead(status, { ...allow, 'content-length': 0 }).end()
  }
}

interface Report {
  topic: string
  triggeredAt: Date | null
  change: ReturnType<(typeof TOPICS)[string]>
}

/** The report in a webhook's body; null: it is not JSON. */
function readReport({ headers }: IncomingMessage, body: Buffer): Report | 'unknown' | null {
  const topic = String(headers['x-shopify-topic'] ?? '')
  const at = new Date(String(headers['x-shopify-triggered-at'] ?? ''))
  const changeOf = ownValue(TOPICS, topic)
  if (!changeOf) return 'unknown'
  try {
    const parsed = readBody(body.toString())
    if (typeof parsed !== 'object' || parsed === null) return null
    const change = changeOf(parsed as Record<string, unknown>)
    return { topic, change, triggeredAt: Number.isNaN(at.getTime()) ? null : at }
  } catch {
    return null
  }
}

/** For this long, webhooks of a shop that was deleted fail, and the platform repeats them. */
const SHOP_KNOWN_MS = 5000

function createStore(database: Pick<Database, 'knex'>) {
  const known = createTtlCache<number>(SHOP_KNOWN_MS)
  /** Orders that are reported while a statement runs share the next one. */
  const batchOf = keptPerShop((shop) => {
    const scope = forShop(database, shop)
    return createQueryBatcher<ReportedOrder, null>(
      async (reports) => {
        await reportOrders(scope, reports)
        return reports.map(() => null)
      },
      { concurrency: 1 },
    )
  })
  return {
    shopOf: async (domain: string): Promise<number | null> => {
      const there = known.get(domain)
      if (there !== undefined) return there
      const found = await findKnownShop(database, domain)
      if (found !== null) known.set(domain, found)
      return found
    },
    store: async (shop: number, webhook: string, report: Report): Promise<void> => {
      const { topic, change } = report
      if (change !== null && change !== 'uninstalled' && change.kind === 'order')
        return void (await batchOf(shop)({ webhook, topic, order: change.subject }))
      await forShop(database, shop).transaction((tx) => storeOne(tx, webhook, report))
    },
  }
}

async function storeOne(tx: ShopScope, id: string, report: Report): Promise<void> {
  const { topic, change, triggeredAt } = report
  const stored = await tx.query(
    `insert into webhooks (shop_id, id, topic) values (:shop, :id, :topic)
     on conflict do nothing returning id`,
    { id, topic },
  )
  if (stored.length === 0 || change === null) return
  if (change === 'uninstalled') return uninstall(tx, triggeredAt)
  await reportChange(tx, change)
}

/**
 * Done here and not in a job: links must stop within a second. A late report from before a
 * reinstallation is ignored: an installation that a session token began has the platform's time
 * (`install` in shop-tokens.ts), as the report has. Shops that were installed without one (the demo, earlier
 * versions) have ours, and no earlier installation with such a report.
 */
async function uninstall(tx: ShopScope, triggeredAt: Date | null): Promise<void> {
  const isOlder = await tx.has(
    `select 1 from shops where id = :shop and (:at::timestamptz is null or installed_at <= :at)
     for no key update`,
    { at: triggeredAt },
  )
  if (isOlder) await uninstallApp(tx)
}

// The platform's signature of a webhook: HMAC-SHA256 of the raw body under the app's secret.

const BYTES = 32

/** 32 bytes in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/

/** Can this be a signature? Whether it is one, the body shows. */
export const isSignature = (header: string): boolean => SIGNATURE.test(header)

/**
 * Was the signature made with one of the secrets? All are compared, in constant time.
 * @param header X-Shopify-Hmac-Sha256, in base64.
 */
export function isSigned(body: Buffer, header: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(header, 'base64')
  if (given.length !== BYTES) return false
  const matches = secrets.map((secret) =>
    timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given),
  )
  return matches.includes(true)
}

// Orders that are to be read from the platform, claimed in batches by several processes. A claim is
// an advisory lock of the transaction, not of the row: a webhook that reports the order in the
// meantime does not wait for it, and the claims of a dead process are released with its connection.

/** SQL: claims the order of a row, by an advisory lock of the transaction (see above). */
const CLAIM = `pg_try_advisory_xact_lock(${ORDER_LOCKS}, hashtext(:shop::text || '/' || subject))`

const RETRY_SECONDS = 15
const MAX_RETRIES_DOUBLED = 8

export interface ClaimedOrder {
  order: string
  /** A number that is incremented with every report of the order. */
  noted: number
  /** Failed runs since it was reported. */
  attempts: number
}

/**
 * At most `limit` orders that are due and not claimed, the oldest first. An order whose last run failed
 * is claimed alone when its turn comes: if each read of it takes too long, it must not delay the
 * others. Each is claimed by an advisory lock until the transaction ends (see above).
 */
export const claimOrders = (tx: ShopScope, limit: number): Promise<ClaimedOrder[]> =>
  tx.query<ClaimedOrder>(
    `with due as materialized (
       select subject, noted, attempts, row_number() over (order by due_at, subject) as place
       from (select subject, noted, attempts, due_at from platform_changes
         where shop_id = :shop and kind = 'order' and due_at <= now() order by due_at, subject
         limit :examined) oldest
     ), alone as materialized (
       select subject, noted, attempts from due
       where attempts > 0
         and place < coalesce((select min(place) from due where attempts = 0), place + 1)
         and ${CLAIM} limit 1
     ), others as materialized (
       select subject, noted, attempts from due
       where attempts = 0 and not exists (select from alone) and ${CLAIM}
         limit :limit
     )
     select subject as order, noted, attempts from alone
     union all select subject as order, noted, attempts from others`,
    { limit, examined: 4 * limit },
  )

/**
 * Notes that a read of several orders took too long: each is read alone from now on, which shows whose
 * fault it is.
 */
export const separateOrders = async (
  tx: ShopScope,
  orders: readonly ClaimedOrder[],
): Promise<void> =>
  void (await tx.query(
    `with slow as (
       select c.subject from platform_changes c
       join unnest(:orders::text[], :noted::bigint[]) as g (subject, noted) using (subject, noted)
       where c.shop_id = :shop and c.kind = 'order' order by c.subject for update of c
     )
     update platform_changes c set attempts = greatest(c.attempts, 1) from slow
     where c.shop_id = :shop and c.kind = 'order' and c.subject = slow.subject`,
    { orders: orders.map(({ order }) => order), noted: orders.map(({ noted }) => noted) },
  ))

/**
 * Deletes processed orders; an order that was reported again since it was claimed runs once more.
 */
export async function completeOrders(
  tx: ShopScope,
  orders: readonly ClaimedOrder[],
): Promise<void> {
  if (orders.length === 0) return
  // Locked in the order in which webhooks lock them.
  await tx.query(
    `with done as (
       select c.subject from platform_changes c
       join unnest(:orders::text[], :noted::bigint[]) as g (subject, noted) using (subject, noted)
       where c.shop_id = :shop and c.kind = 'order' order by c.subject for update of c
     )
     delete from platform_changes c using done
     where c.shop_id = :shop and c.kind = 'order' and c.subject = done.subject`,
    { orders: orders.map(({ order }) => order), noted: orders.map(({ noted }) => noted) },
  )
}

/** Delays the order's next run, each time twice as long. */
export async function delayOrder(
  tx: ShopScope,
  { order, noted, attempts }: ClaimedOrder,
): Promise<void> {
  const seconds = RETRY_SECONDS * 2 ** Math.min(attempts, MAX_RETRIES_DOUBLED)
  await tx.query(
    `update platform_changes set attempts = least(attempts + 1, 100),
       due_at = now() + :seconds * interval '1 second'
     where shop_id = :shop and kind = 'order' and subject = :order and noted = :noted`,
    { order, noted, seconds },
  )
}

/** When the next delayed order is due; null: none. */
export async function nextOrderDue(scope: ShopScope): Promise<Date | null> {
  const [row] = await scope.query<{ due_at: Date | null }>(
    `select min(due_at) as due_at from platform_changes
     where shop_id = :shop and kind = 'order' and due_at > now()`,
  )
  return row?.due_at ?? null
}
