// Releases files whose time has come, and lets links follow changed releases, for all shops in turn.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { readShop } from '../../files/shop-settings.ts'
import { isWanted } from '../../core/outbox/webhook-events.ts'
import { fileReleased, raiseReleased } from './events.ts'
import { laterReleaseOf } from '../links/model/links.ts'
import { queueReleaseMails } from './delivery-mail.ts'
import { textsBuyers } from './entitlement.ts'
import { queueDeliveryTexts } from './delivery-text.ts'

const EVERY_MS = 10_000
const HEAL_EVERY_MS = 60 * 60 * 1000
/** A run ends after this time: another one continues. */
const RUN_MS = 10_000

export interface ReleaseTaskParts {
  database: Database
  clock: () => Date
}

const CHANGED = 'select distinct shop_id from release_changes'
const DUE = `select distinct shop_id from links
  where available_at <= $1 and released_at is null`
const UNRELEASED = `select distinct shop_id from links
  where available_at > $1 and released_at is null`

export function releaseTask({ database, clock }: ReleaseTaskParts): BackgroundTask {
  let healed = 0
  const shopsOf = async (sql: string, values: readonly Date[] = []) => {
    const { rows } = await database.pool.query<{ shop_id: number }>(sql, [...values])
    return rows.map(({ shop_id }) => forShop(database, shop_id))
  }
  return {
    name: 'release-files',
    concurrency: 1,
    atStart: true,
    run: async ({ signal }) => {
      const now = clock()
      if (now.getTime() - healed >= HEAL_EVERY_MS) {
        for (const scope of await shopsOf(UNRELEASED, [now])) await noteUnreleased(scope, now)
        healed = now.getTime()
      }
      const until = performance.now() + RUN_MS
      // One step for each shop in turn.
      for (let more = true; more;) {
        if (performance.now() > until) return 0
        more = false
        for (const scope of await shopsOf(CHANGED)) {
          signal.throwIfAborted()
          more = (await followReleases(scope, clock())) || more
        }
        for (const scope of await shopsOf(DUE, [clock()])) {
          signal.throwIfAborted()
          more = (await releaseDue(scope, clock())) || more
        }
      }
      return EVERY_MS
    },
  }
}

// Releases of files: links follow when the release of their file changes, and buyers are told by
// email when the time has come. All of it in small steps, each one transaction.
// Why releases are times of links: docs/decisions/0064.

const FILES_PER_STEP = 500
const LINKS_PER_STEP = 2000

/** When the buyer of the link `l` bought: its order's time, or that of its pack's link, or its own. */
const BOUGHT = 'coalesce(o.ordered_at, p.created_at, l.created_at)'

/**
 * Moves the links of files whose release has changed, with their expiry. What a buyer could have
 * before stays available, and so do releases that the merchant set for one buyer. False: nothing is
 * left to do.
 */
export const followReleases = (scope: ShopScope, now: Date): Promise<boolean> =>
  scope.transaction(async (tx) => {
    const noted = await tx.query<{ file_id: string }>(
      `select file_id from release_changes where shop_id = :shop order by file_id
       limit ${FILES_PER_STEP} for update skip locked`,
    )
    if (noted.length === 0) return false
    const files = noted.map(({ file_id }) => file_id)
    const moved = await tx.query(
      `with held as (
         select l.id, l.available_at as was, r.next
         from links l join shops s on s.id = l.shop_id
         join files f on f.shop_id = l.shop_id and f.id = l.file_id
         left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
         left join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
         left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
         cross join lateral (select
           coalesce(${laterReleaseOf(BOUGHT, ':now::timestamptz')}, :now::timestamptz) as next) r
         where l.shop_id = :shop and l.file_id = any(:files::uuid[])
           and l.available_at > :now::timestamptz and l.released_at is null and not l.own_release
           and l.available_at <> r.next
         order by l.id limit ${LINKS_PER_STEP} for no key update of l
       )
       update links l set available_at = held.next,
         expires_at = case when l.own_expiry then l.expires_at
           else l.expires_at + (held.next - held.was) end,
         view_expires_at = case when l.own_view_expiry then l.view_expires_at
           else l.view_expires_at + (held.next - held.was) end
       from held where l.shop_id = :shop and l.id = held.id returning 1`,
      { files, now },
    )
    if (moved.length === LINKS_PER_STEP) return true
    await tx.query(
      'delete from release_changes where shop_id = :shop and file_id = any(:files::uuid[])',
      { files },
    )
    return true
  })

/** Notes all files with releases to come: the shop's time zone, or an order, may have changed. */
export async function noteUnreleased(scope: ShopScope, now: Date): Promise<void> {
  await scope.query(
    `insert into release_changes (shop_id, file_id)
     select distinct l.shop_id, l.file_id from links l
     where l.shop_id = :shop and l.available_at > :now and l.released_at is null
       and l.file_id is not null
     order by 1, 2 on conflict do nothing`,
    { now },
  )
}

/** Mails of a shop that may wait: those of new orders must not wait for thousands of others. */
const MAX_WAITING = 1000

/**
 * Marks the links whose time has come, and queues one mail for each delivery. False: nothing is left
 * to do now.
 */
export const releaseDue = (scope: ShopScope, now: Date): Promise<boolean> =>
  scope.transaction(async (tx) => {
    const { settings } = await readShop(tx)
    const mails = settings.release_mail && settings.delivery_mail === 'own'
    if (mails && (await isBusy(tx))) return false
    // Locked links are skipped, so that no order of locks can deadlock: the next step has them. The
    // links of a delivery are taken together, so that it gets one mail.
    const released = await tx.query<ReleasedLink>(
      `with first as (
         select id, parent_id from links
         where shop_id = :shop and available_at <= :now and released_at is null
         order by available_at, id limit ${FILES_PER_STEP}
       ), held as (
         select id from links
         where shop_id = :shop and available_at <= :now and released_at is null
           and (id in (select id from first) or parent_id in (select parent_id from first))
         for no key update skip locked
       )
       update links l set released_at = :now from held
       where l.shop_id = :shop and l.id = held.id
       returning case when l.paid and l.revoked_at is null then l.parent_id end as parent_id,
         l.id, case when l.revoked_at is null and ${isWanted(`'${fileReleased.name}'`)}
           then l.file_id end as told`,
      { now },
    )
    const told = released.filter((link) => link.told !== null)
    if (told.length > 0)
      await raiseReleased(tx, {
        links: told.map(({ id }) => id),
        files: told.flatMap(({ told: file }) => file ?? []),
        now,
      })
    if (mails) await tellBuyers(tx, released, { now, texts: textsBuyers(settings) })
    return released.length > 0
  })

interface ReleasedLink {
  id: string
  /** The page of a delivery whose buyer has paid. */
  parent_id: string | null
  /** Its file, if a receiver wants to know of the release: a bare UUID. */
  told: string | null
}

async function isBusy(tx: ShopScope): Promise<boolean> {
  const { waiting } = await tx.one<{ waiting: number }>(
    `select count(*)::int as waiting from (select from outbox
       where shop_id = :shop and batched and status = 'waiting' limit ${MAX_WAITING}) o`,
  )
  return waiting === MAX_WAITING
}

/** A delivery whose first mail was not sent yet gets that one: it names the file as available. */
async function tellBuyers(
  tx: ShopScope,
  released: readonly { parent_id: string | null }[],
  { now, texts }: { now: Date; texts: boolean },
): Promise<void> {
  const pages = [...new Set(released.flatMap(({ parent_id }) => parent_id ?? []))]
  if (pages.length === 0) return
  const rows = await tx.query<{ id: string; mails: boolean }>(
    `select d.id, coalesce(d.email, o.email) is not null as mails from links p
     join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
       and d.revoked_at is null and d.withdrawn_at is null
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where p.shop_id = :shop and p.id = any(:pages::uuid[])
       and case when coalesce(d.email, o.email) is not null then d.mailed_at is not null
         else :texts and d.texted_at is not null and coalesce(d.phone, o.phone) is not null end`,
    { pages, texts },
  )
  const idsOf = (of: boolean) => rows.flatMap(({ id, mails }) => (mails === of ? id : []))
  await queueReleaseMails(tx, idsOf(true), now)
  await queueDeliveryTexts(tx, idsOf(false), `available/${now.toISOString()}`)
}
