// The mails with which the platform tells buyers that their order was fulfilled. It sends none if no
// line could be fulfilled: the buyer then gets a mail of ours, so that somebody sends the link.
import { randomUUID } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { NOT_READY, queueFirstMails, queueHeldMails, queueDeliveryMail } from './delivery-mail.ts'
import { promiseMails } from '../preparation/runs.ts'
import { STATUS_SQL } from './entitlement.ts'

/**
 * SQL: the delivery `d` got files since its buyer was told. Those that were given later have mails of
 * their own, and another line may bring files that were there before.
 */
const HAS_NEWER_FILES = `exists (select from delivery_files n
  where n.shop_id = d.shop_id and n.delivery_id = d.id and not n.withdrawn and n.given_by is null
    and n.created_at > greatest(d.mailed_at, d.created_at)
    and not exists (select from delivery_files b where b.shop_id = d.shop_id
      and b.delivery_id = d.id and b.file_id = n.file_id
      and b.created_at <= greatest(d.mailed_at, d.created_at)))`

/** SQL: the buyer of the delivery `d` was not told, or got files since. */
const HAS_NEWS = `(d.mailed_at is null or ${HAS_NEWER_FILES})`

/** SQL: a mail of ours about the delivery `d` has failed, and nobody has told the buyer since. */
const failedMail = (because: string) => `exists (select from outbox m where m.shop_id = d.shop_id
  and m.status = 'failed' and m.payload ->> 'delivery' = d.id::text and m.key like '%/first'
  and m.created_at > d.mailed_at - interval '1 minute' and ${because})`

/** SQL: it has failed because the delivery was held; `:notReady` is the reason. */
const HELD_MAIL = failedMail('m.error = :notReady')

/** SQL: it has failed, and no other one is sent instead; `:notFailures` are the reasons of such mails. */
const LOST_MAIL = failedMail("coalesce(m.error, '') <> all(:notFailures::text[])")

/**
 * SQL: nobody has told the buyer of the delivery `d` about all that was sold. A mail of ours that
 * failed tells nothing, unless somebody has told the buyer since. `:notFailures` is `NOT_FAILURES`.
 */
export const UNTOLD_SQL = `(${HAS_NEWS} or ${LOST_MAIL})`

/**
 * SQL: the lines of the delivery `d` by which a notification of the platform is recognised as one about
 * what nobody has told its buyer. None after a mail of ours has failed: an earlier notification is not
 * about the lines of that mail.
 * `:notFailures` is `NOT_FAILURES`.
 * @param all SQL: all of its lines
 */
export const untoldLines = (all: string): string => `case
  when d.mailed_at is null then ${all}
  when ${LOST_MAIL} then '{}'
  else array(select distinct n.line_id from delivery_files n
    where n.shop_id = d.shop_id and n.delivery_id = d.id and not n.withdrawn
      and n.given_by is null and n.created_at > greatest(d.mailed_at, d.created_at)) end`

/**
 * Notes whose buyers the platform has told.
 * @param readAt when their deliveries were read: files that an edit has brought since are untold.
 */
export const recordPlatformMails = async (
  scope: ShopScope,
  orders: readonly string[],
  readAt: Date,
): Promise<void> => void (await noteTold(scope, orders, 'true', readAt))

/**
 * Queues our mail for the orders, all ready, whose buyers nobody has told, or not about files that an
 * edit has brought. One that waited for the release is sent.
 */
export const mailUntold = (scope: ShopScope, orders: readonly string[]): Promise<void> =>
  scope.transaction(async (tx) => {
    await queueHeldMails(tx, await withHeldMail(tx, orders))
    const untold = await noteTold(tx, orders, HAS_NEWS)
    const idsOf = (rows: typeof untold) => rows.map(({ id }) => id)
    await queueFirstMails(tx, idsOf(untold.filter(({ first }) => first)))
    for (const { id } of untold.filter(({ first }) => !first))
      await queueLinesMail(tx, id, randomUUID())
    await promiseMails(tx, idsOf(untold))
  })

/** The deliveries (bare UUIDs) of these orders whose mail failed while they were held. */
async function withHeldMail(tx: ShopScope, orders: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select d.id from deliveries d where d.shop_id = :shop and d.order_id = any(:orders::text[])
       and ${HELD_MAIL}`,
    { orders, notReady: NOT_READY },
  )
  return rows.map(({ id }) => id)
}

const OVERDUE = '2 hours'
const MAILS_PER_STEP = 1000

/**
 * Queues our mail for ready orders that the platform was to fulfil some time ago, while it is away: it
 * may be away for days, and tells nobody.
 */
export async function mailOverdue(scope: ShopScope): Promise<void> {
  const overdue = await scope.query<{ order_id: string }>(
    `select e.order_id from order_effects e
     join deliveries d on d.shop_id = e.shop_id and d.order_id = e.order_id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where e.shop_id = :shop and e.kind = 'fulfil' and e.error is null
       and e.due_at < now() - interval '${OVERDUE}' and ${STATUS_SQL} = 'ready'
       and (${HAS_NEWS} or ${HELD_MAIL})
       and coalesce(d.email, o.email) is not null
     order by e.due_at limit ${MAILS_PER_STEP}`,
    { notReady: NOT_READY },
  )
  if (overdue.length === 0) return
  await mailUntold(
    scope,
    overdue.map(({ order_id }) => order_id),
  )
}

/**
 * Returns the deliveries (bare UUIDs) whose buyers have an address, and which of them were told for the
 * first time.
 * @param which SQL of a delivery `d`
 * @param at null: now
 */
const noteTold = async (
  tx: ShopScope,
  orders: readonly string[],
  which: string,
  at: Date | null = null,
): Promise<{ id: string; first: boolean }[]> =>
  orders.length === 0
    ? []
    : tx.query<{ id: string; first: boolean }>(
        `with told as (
           select d.id, d.mailed_at is null as first from deliveries d
           join orders o on o.shop_id = d.shop_id and o.id = d.order_id
           where d.shop_id = :shop and d.order_id = any(:orders::text[]) and ${which}
             and coalesce(d.email, o.email) is not null
           order by d.order_id for no key update of d
         )
         update deliveries d set mailed_at = coalesce(:at::timestamptz, now()) from told
         where d.shop_id = :shop and d.id = told.id returning d.id, told.first`,
        { orders, at },
      )

// Messages about a delivery that are written when they are sent: they name what it has by then.

/**
 * The first message was queued and not tried yet, for example when an address was added: it is enough.
 * @param held also if it was tried and waits for the release
 */
export const waitsForFirst = (tx: ShopScope, id: string, held = false): Promise<boolean> =>
  tx.has(
    `select from outbox where shop_id = :shop and payload ->> 'delivery' = :id::text
       and key like '%/first' and (status = 'waiting' and attempts = 0 and result is null
         or :held and status = 'failed' and error = :reason) limit 1`,
    { id, held, reason: NOT_READY },
  )

/**
 * Queues a mail about files that an edit has brought, unless one waits that will name them. Returns
 * whether it was queued.
 * @param edit names the edit: it has one mail
 */
export async function queueLinesMail(
  tx: ShopScope,
  id: string,
  edit: string,
  held = false,
): Promise<boolean> {
  if (await waitsForFirst(tx, id, held)) return false
  return queueDeliveryMail(tx, id, `lines/${edit}/first`, 'edited')
}
