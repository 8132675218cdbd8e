// POST /webhooks: reads the raw body, checks its signature, and stores the webhook's id and the
// change that it reports in one transaction. Orders that are reported concurrently share one
// statement. The work itself is a background task: the platform waits five seconds for the answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ownValue } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope, findKnownShop } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import { createQueryBatcher, createTtlCache } from '../../core/shared-work.ts'
import { uninstall as uninstallApp } from '../uninstall.ts'
import { keptPerShop } from '../admin-api.ts'
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
