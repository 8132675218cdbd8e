// Changes orders on the platform, outside the transaction that decides the change. A row for each
// order and kind requests that the order is marked or fulfilled, and a task of the shop carries
// them out, many orders in one request. The rows contain no content: the task reads the current
// state, so a late effect is still correct.
// What is waited for, and for how long: docs/decisions/0042.
import { setTimeout as delay } from 'node:timers/promises'
import { PortError } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { queueTask, type BackgroundTask, type TaskKind } from '../../core/queue/background.ts'
import { readShop, type ShopRecord } from '../../files/shop-settings.ts'
import { linkAddress } from '../links/model/links.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { elementAt, firstOf, present, zip } from '../../core/lazy.ts'
import type { MarkResult } from '../../storefront/admin-api.ts'
import type { FulfilResult } from '../../storefront/order-fulfilments.ts'
import { MARKS_PER_REQUEST } from '../../storefront/order-marks.ts'
import type { LiveOrders } from '../../storefront/orders.ts'
import type { Installation } from '../../storefront/installation.ts'
import {
  NoAnswer,
  PlatformRefusal,
  QueryFailure,
  ScopeMissing,
} from '../../storefront/platform-failures.ts'
import { NOT_FAILURES } from './mail-writer.ts'
import { hourlyWarning } from './hourly-warning.ts'
import {
  mailOverdue,
  mailUntold,
  recordPlatformMails,
  UNTOLD_SQL,
  untoldLines,
} from './platform-mails.ts'
import { NO_LINE } from './delivery-rows.ts'
import { BUYER_STATUS_SQL, type BuyerStatus } from './entitlement.ts'
import { TERMS_SQL, type ShownTerms } from './shown-terms.ts'

export type EffectKind = 'mark' | 'fulfil'

export interface QueuedEffect {
  order: string
  kind: EffectKind
}

const ORDER_EFFECTS: TaskKind = { name: 'order-effects' }
/** Of an effect that the platform fails on while it answers others. */
const MAX_ATTEMPTS = 9
const RETRY_SECONDS = 30
/** The delay after a run in which the platform carried out nothing, for as long as that lasts. */
const AWAY_RETRY_MS = 30_000
const GATHER_MS = 200
/** A run ends after this time, so that other shops get their turn. */
const RUN_MS = 10_000

/** Must be called in the transaction that changes the deliveries. */
export async function queueEffects(tx: ShopScope, effects: readonly QueuedEffect[]): Promise<void> {
  if (effects.length === 0) return
  await insertEffects(tx, effects)
  await queueTask(tx, ORDER_EFFECTS, String(tx.shop))
}

async function insertEffects(tx: ShopScope, effects: readonly QueuedEffect[]): Promise<void> {
  await tx.query(
    `insert into order_effects (shop_id, order_id, kind)
     select :shop, order_id, kind from unnest(:orders::text[], :kinds::text[]) as g (order_id, kind)
     order by order_id, kind
     on conflict (shop_id, order_id, kind) do update
       set noted = excluded.noted, due_at = now(), attempts = 0, error = null`,
    { orders: effects.map(({ order }) => order), kinds: effects.map(({ kind }) => kind) },
  )
}

const NOTES_PER_STEP = 1000

/**
 * Requests that the orders of deliveries with changed terms are marked. Triggers note these changes:
 * downloads that begin a rental, links that are revoked or replaced, releases that move.
 */
const followTerms = (scope: ShopScope): Promise<void> =>
  scope.transaction(async (tx) => {
    const orders = await tx.query<{ order_id: string }>(
      `with noted as (
         delete from term_changes where shop_id = :shop and id in (
           select id from term_changes where shop_id = :shop order by id limit ${NOTES_PER_STEP})
         returning page_id
       )
       select distinct d.order_id from noted
       join links p on p.shop_id = :shop and p.id = noted.page_id
       join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id`,
    )
    if (orders.length > 0)
      await insertEffects(
        tx,
        orders.map(({ order_id }) => ({ order: order_id, kind: 'mark' })),
      )
  })

interface DueEffect {
  order_id: string
  kind: EffectKind
  noted: number
  attempts: number
}

interface ShownDelivery {
  order_id: string
  /** Seconds since the delivery was created. */
  age: number
  status: BuyerStatus
  link_id: string
  rotation: number
  key_hash: Buffer
  files: number
  terms: ShownTerms
  lines: string[]
  /** Does nobody's mail bring the link yet, or did the order get files since? */
  untold: boolean
  /** The lines that `untold` is about. */
  untold_lines: string[]
  read_at: Date
}

export interface EffectParts {
  database: Pick<Database, 'knex'>
  storefront: {
    orders(shop: number): LiveOrders
    installation(shop: number): Pick<Installation, 'id'>
  }
  secrets: Secrets
  baseUrl: string
  log: Logger
  /** How long a run waits for further effects, so that the next request has more of them. */
  gatherMs?: number
}

export function effectTask(parts: EffectParts): BackgroundTask {
  const { gatherMs = GATHER_MS } = parts
  const warnOfSilence = hourlyWarning(
    { ...parts, clock: () => new Date() },
    'the platform changes no orders, they will be changed later',
  )
  return {
    ...ORDER_EFFECTS,
    // All changes of a shop share one bucket of points: more concurrency would not be faster.
    concurrency: 1,
    waits: true,
    wanted: `select e.shop_id, e.shop_id::text as key, min(e.due_at) as due_at from (
        select shop_id, due_at from order_effects where error is null
        union all select distinct shop_id, now() from term_changes) e
      join shops s on s.id = e.shop_id and s.uninstalled_at is null group by e.shop_id`,
    run: async ({ shop, signal }) => {
      const scope = forShop(parts.database, present(shop, 'the task’s shop'))
      try {
        for (const until = performance.now() + RUN_MS; performance.now() < until;) {
          await followTerms(scope)
          const done = await carryOutDue(parts, scope, signal)
          if (done === 0) return await nextDue(scope)
          if (done < MARKS_PER_REQUEST) await delay(gatherMs, undefined, { signal })
        }
      } catch (error) {
        if (!(error instanceof PlatformAway)) throw error
        warnOfSilence(scope.shop, error.reason)
        if (platformTells(await readShop(scope))) await mailOverdue(scope)
        // The run ends: how long the platform is away is no number of attempts.
        return AWAY_RETRY_MS
      }
      return 0
    },
  }
}

/** The platform carries out nothing at present. That may last for days, and is no fault of an effect. */
class PlatformAway extends Error {
  readonly reason: PortError
  constructor(reason: PortError) {
    super('the platform is away', { cause: reason })
    this.name = 'PlatformAway'
    this.reason = reason
  }
}

/**
 * Why the platform carries out nothing at present: it does not answer, has closed the store, or gives
 * no access until the next sign-in. Null: it failed, but answers another question, so the reason is one
 * of these effects.
 */
async function reasonAway(error: unknown, ask: () => Promise<unknown>): Promise<PortError | null> {
  if (!(error instanceof PortError) || !error.retryable) return null
  if (error instanceof PlatformRefusal) return null
  if (!(error instanceof QueryFailure || error instanceof NoAnswer)) return error
  return ask().then(
    () => null,
    () => error,
  )
}

async function nextDue(scope: ShopScope): Promise<Date | null> {
  const [row] = await scope.query<{ due_at: Date | null }>(
    'select min(due_at) as due_at from order_effects where shop_id = :shop and error is null',
  )
  return row?.due_at ?? null
}

/** Carries out the most urgent effects of one kind; returns how many. */
async function carryOutDue(
  parts: EffectParts,
  scope: ShopScope,
  signal: AbortSignal,
): Promise<number> {
  const due = await scope.query<DueEffect>(
    `select order_id, kind, noted, attempts from order_effects
     where shop_id = :shop and error is null and due_at <= now() and kind = (
       select kind from order_effects where shop_id = :shop and error is null and due_at <= now()
       order by due_at, kind desc limit 1)
     order by due_at limit :limit`,
    { limit: MARKS_PER_REQUEST },
  )
  signal.throwIfAborted()
  const [first] = due
  if (!first) return 0
  // An effect that failed before is tried alone, because it may have made the others fail.
  const group = first.attempts > 0 ? due.slice(0, 1) : due.filter(({ attempts }) => attempts === 0)
  await writeResults(parts, scope, group, await performAll(parts, scope, group, signal))
  return group.length
}

/** Null: it was carried out. */
type EffectResult = MarkResult | { later: number }

const OUR_ERROR = new PortError('storefront_unavailable', ERRORS.internal.message, true)

/** Returns the result of each effect. All of them have the same kind. */
async function performAll(
  parts: EffectParts,
  scope: ShopScope,
  due: readonly DueEffect[],
  signal: AbortSignal,
): Promise<readonly EffectResult[]> {
  const shown = await readShown(
    scope,
    due.map(({ order_id }) => order_id),
  )
  // A deleted delivery needs no effect. One that is not ready, or has only files that were added to the
  // order, fulfils no line.
  const wanted = due.flatMap(({ order_id, kind }) => {
    const found = shown.get(order_id)
    const fulfils = found?.status === 'ready' && found.lines.length > 0
    return found && (kind === 'mark' || fulfils) ? [found] : []
  })
  if (wanted.length === 0) return due.map(() => null)
  const results = await send(parts, scope, firstOf(due).kind, wanted, signal)
  return due.map(({ order_id }) => {
    const at = wanted.findIndex((one) => one.order_id === order_id)
    return at < 0 ? null : elementAt(results, at)
  })
}

/**
 * An error of the request is the result of each order. Throws `PlatformAway`, and the signal's
 * reason.
 */
async function send(
  { storefront, secrets, baseUrl, log }: EffectParts,
  scope: ShopScope,
  kind: EffectKind,
  wanted: readonly ShownDelivery[],
  signal: AbortSignal,
): Promise<readonly EffectResult[]> {
  const shop = await readShop(scope)
  const orders = storefront.orders(scope.shop)
  const address = ({ link_id, rotation, key_hash }: ShownDelivery) =>
    linkAddress(baseUrl, secrets.linkKey(link_id, rotation, key_hash))
  try {
    if (kind === 'fulfil') {
      const fulfilments = wanted.map((one) => fulfilmentOf(one, shop, address))
      const results = await orders.fulfil(fulfilments, signal)
      if (platformTells(shop)) await recordMails(scope, wanted, results)
      return zip(wanted, results).map(([{ age }, { error, later }]) => error ?? waitFor(later, age))
    }
    const marks = wanted.map((one) => markOf(one, shop, address))
    return await orders.mark(marks, signal)
  } catch (error) {
    const away = await reasonAway(error, () => storefront.installation(scope.shop).id(signal))
    signal.throwIfAborted()
    if (away) throw new PlatformAway(away)
    if (!(error instanceof PortError)) log.error('orders were not changed', errorFields(error))
    return wanted.map(() => (error instanceof PortError ? error : OUR_ERROR))
  }
}

/** For this long after the purchase, the platform may not have assigned an order to a location. */
const UNASSIGNED_SECONDS = 10 * 60
/**
 * The buyer does not wait so long: orders that a fulfilment service carries out look unassigned for
 * ever to an app that may not see its locations.
 */
const UNASSIGNED_MAIL_SECONDS = 2 * 60
const UNASSIGNED_RETRY_SECONDS = 15
/** Holds of offers after the purchase last up to an hour, others for days. */
const HELD_SECONDS = 90 * 24 * 3600
const HELD_RETRY_SECONDS = { least: 10 * 60, most: 24 * 3600 }

/** When lines that cannot be fulfilled yet are tried again; null: not any more. */
function waitFor(later: FulfilResult['later'], age: number): { later: number } | null {
  if (later === 'unassigned' && age < UNASSIGNED_SECONDS)
    return { later: Math.max(age / 2, UNASSIGNED_RETRY_SECONDS) }
  if (later !== 'held' || age > HELD_SECONDS) return null
  const { least, most } = HELD_RETRY_SECONDS
  return { later: Math.min(Math.max(age / 4, least), most) }
}

/** Orders with an error may be fulfilled later, and are told then (`giveUpOn`). */
async function recordMails(
  scope: ShopScope,
  wanted: readonly ShownDelivery[],
  results: readonly FulfilResult[],
): Promise<void> {
  const pairs = zip(wanted, results)
  const told = pairs.filter(([, result]) => result.told)
  // A hold may last for days: the buyer does not wait for it.
  const untold = pairs.filter(
    ([{ age }, result]) =>
      !result.told &&
      result.error === null &&
      (result.later !== 'unassigned' || age >= UNASSIGNED_MAIL_SECONDS),
  )
  const ordersOf = (some: typeof pairs) => some.map(([{ order_id }]) => order_id)
  const [first] = told
  if (first) await recordPlatformMails(scope, ordersOf(told), first[0].read_at)
  await mailUntold(scope, ordersOf(untold))
}

type Address = (shown: ShownDelivery) => string

const markOf = (shown: ShownDelivery, { settings }: ShopRecord, address: Address) => {
  const ready = shown.status === 'ready'
  const value = {
    status: shown.status,
    files: shown.files,
    terms: shown.terms,
    url: ready ? address(shown) : null,
  }
  return { order: shown.order_id, value, tag: ready ? settings.order_tag : null }
}

const platformTells = ({ settings }: Pick<ShopRecord, 'settings'>): boolean =>
  settings.delivery_mail === 'platform'

const fulfilmentOf = (shown: ShownDelivery, { name, settings }: ShopRecord, address: Address) => ({
  order: shown.order_id,
  lines: shown.lines,
  notify:
    platformTells({ settings }) && shown.untold
      ? { company: name, url: address(shown), untold: shown.untold_lines }
      : null,
})

async function readShown(
  scope: ShopScope,
  orders: readonly string[],
): Promise<ReadonlyMap<string, ShownDelivery>> {
  const rows = await scope.query<ShownDelivery>(
    `select d.order_id, extract(epoch from now() - d.created_at)::float8 as age,
       ${BUYER_STATUS_SQL} as status, l.id as link_id, l.rotation, l.key_hash, f.files, f.lines,
       ${TERMS_SQL} as terms, ${UNTOLD_SQL} as untold, ${untoldLines('f.lines')} as untold_lines, now() as read_at
     from deliveries d join links l on l.shop_id = d.shop_id and l.delivery_id = d.id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     join lateral (
       select count(distinct file_id)::int as files,
         coalesce(array_agg(distinct line_id) filter (where line_id <> '${NO_LINE}'), '{}') as lines
       from delivery_files df
       where df.shop_id = d.shop_id and df.delivery_id = d.id and not df.withdrawn) f on true
     where d.shop_id = :shop and d.order_id = any(:orders::text[])`,
    { orders, notFailures: NOT_FAILURES },
  )
  return new Map(rows.map((row) => [row.order_id, row]))
}

/**
 * Deletes completed effects, unless they were requested again in the meantime, and delays failed
 * ones.
 */
async function writeResults(
  { log }: EffectParts,
  scope: ShopScope,
  due: readonly DueEffect[],
  results: readonly EffectResult[],
): Promise<void> {
  const { kind } = firstOf(due)
  const done = due.filter((_, at) => results[at] === null)
  await scope.query(
    `delete from order_effects e using unnest(:orders::text[], :noted::bigint[]) as g
       (order_id, noted)
     where e.shop_id = :shop and e.order_id = g.order_id and e.kind = :kind and e.noted = g.noted`,
    {
      kind,
      orders: done.map(({ order_id }) => order_id),
      noted: done.map(({ noted }) => noted),
    },
  )
  const failed: FailedEffect[] = []
  for (const [effect, result] of zip(due, results))
    if (result instanceof PortError) {
      const lasting = effect.attempts + 1 >= MAX_ATTEMPTS || !result.retryable
      failed.push({ effect, error: result, lasting })
    } else if (result !== null) await postpone(scope, effect, result.later)
  const givenUp = failed.filter(({ error, lasting }) => lasting || error instanceof ScopeMissing)
  if (kind === 'fulfil')
    await giveUpOn(
      scope,
      givenUp.map(({ effect }) => effect.order_id),
    )
  for (const one of failed) await delayEffect(scope, one, log)
}

interface FailedEffect {
  effect: DueEffect
  error: PortError
  /** It is not tried again. */
  lasting: boolean
}

/** It is no failure, so no attempt is counted. */
const postpone = (
  scope: ShopScope,
  { order_id: order, kind, noted }: DueEffect,
  seconds: number,
): Promise<unknown> =>
  scope.query(
    `update order_effects set due_at = now() + :seconds * interval '1 second'
     where shop_id = :shop and order_id = :order and kind = :kind and noted = :noted`,
    { order, kind, noted, seconds },
  )

/** The platform does not fulfil lines of these orders, so it sends no mail: ours brings the link. */
async function giveUpOn(scope: ShopScope, orders: readonly string[]): Promise<void> {
  if (orders.length > 0 && platformTells(await readShop(scope))) await mailUntold(scope, orders)
}

async function delayEffect(scope: ShopScope, failed: FailedEffect, log: Logger): Promise<void> {
  const { effect, error, lasting } = failed
  const { order_id: order, kind, noted, attempts } = effect
  log.warn('an order could not be changed on the platform', {
    shop: scope.shop,
    order,
    kind,
    given_up: lasting,
    ...errorFields(error),
  })
  await scope.query(
    `update order_effects set attempts = attempts + 1, due_at = now() + :wait * interval '1 second',
       error = case when :lasting then :error else null end
     where shop_id = :shop and order_id = :order and kind = :kind and noted = :noted`,
    { order, kind, noted, lasting, wait: RETRY_SECONDS * 2 ** attempts, error: error.message },
  )
}
