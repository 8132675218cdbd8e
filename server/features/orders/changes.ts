// A merchant's changes of a delivery: send again, revoke, hold, release, change terms, correct the
// buyer's address, replace a file. Each is one transaction; effects then update the platform's
// order.
import { randomUUID } from 'node:crypto'
import { say, type Text } from '../../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { readShop } from '../../files/shop-settings.ts'
import { MAX_REPEATED, repeatedTooOften } from '../../core/outbox/limits.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import {
  endTerms,
  linksInLockOrder,
  type LinkTermsSql,
  USE_HOURS_KEPT,
  VIEW_END_KEPT,
} from '../links/model/changes.ts'
import { unknownFiles } from '../links/model/creation.ts'
import { allowAddress } from '../mail/settings.ts'
import { promiseMails } from '../preparation/runs.ts'
import { queueDeliveryMail } from './delivery-mail.ts'
import { endTriedMessages } from './mail-writer.ts'
import { normalPhone, openPhone, sealPhone, queueDeliveryTexts } from './delivery-text.ts'
import { noteTaggedCustomers } from './customer-tags.ts'
import { forgetPhones } from './order-rows.ts'
import {
  addDeliveryFiles,
  lockDelivery,
  readDeliveryFiles,
  writeState,
  type DeliveryRow,
} from './delivery-rows.ts'
import { raiseHeld } from './events.ts'
import { queueEffects } from './effects.ts'
import { statusOf, textsBuyers } from './entitlement.ts'
import {
  heldByWorkflow,
  prepareFiles,
  prepareForAddress,
  releasePreparation,
  returnKeys,
} from './preparation.ts'
import { queueFollowUps } from './follow-ups.ts'
import { waitsForFirst } from './platform-mails.ts'

export interface ChangeParts {
  secrets: Secrets
  now: Date
}

/** Throws `not_found`. */
async function requireDelivery(tx: ShopScope, id: string): Promise<DeliveryRow> {
  const row = await lockDelivery(tx, id)
  if (!row) throw new AppError('not_found')
  return row
}

export const conflict = (message: Text) => new AppError('conflict', { message })

export const WHY_NOT_READY = {
  held: say('This delivery is held: release it first'),
  withdrawn: say('The order no longer entitles its buyer to these files'),
  revoked: say('This delivery was revoked, which is for good'),
} as const

/** Throws `conflict` if nothing can be sent to the buyer of a delivery without an email address. */
async function requireText(tx: ShopScope, row: DeliveryRow): Promise<void> {
  if (!row.has_phone)
    throw conflict(say('The order has no email address: enter one in the delivery first'))
  if (!textsBuyers((await readShop(tx)).settings))
    throw conflict(
      say(
        'The order has no email address, and text messages to buyers are switched off: enter an address',
      ),
    )
}

/**
 * Sends the mail or the text again. Throws `conflict` if the delivery is not ready or has neither
 * address nor number, and `rate_limited`.
 */
export const resendDelivery = (scope: ShopScope, id: string, { now }: ChangeParts): Promise<void> =>
  scope.transaction(async (tx) => {
    const row = await requireDelivery(tx, id)
    const status = statusOf(row)
    if (status !== 'ready') throw conflict(WHY_NOT_READY[status])
    if (row.email === null) await requireText(tx, row)
    const retryAfter = (await repeatedTooOften(tx, 'delivery', [id])).get(id)
    if (retryAfter !== undefined)
      throw new AppError('rate_limited', {
        message: say(
          'This message was sent {count} times within an hour: wait before you send it again',
          { count: MAX_REPEATED },
        ),
        retryAfter,
      })
    const { first } = await endTriedMessages(tx, id, row.email)
    if (await waitsForFirst(tx, id)) return
    // In place of the first message, it is sent after a release as that would be, and its failure is one.
    const occasion = first ? `${randomUUID()}/first` : randomUUID()
    if (row.email === null) await queueDeliveryTexts(tx, [id], occasion)
    else await queueDeliveryMail(tx, id, occasion)
    await promiseMails(tx, [id])
    await tx.query(
      `update deliveries set ask = null, bounced_at = null, updated_at = :now,
         mailed_at = case when :mailed then coalesce(mailed_at, now()) else mailed_at end
       where shop_id = :shop and id = :id`,
      { id, now, mailed: row.email !== null },
    )
  })

async function changeState(
  scope: ShopScope,
  id: string,
  { now }: ChangeParts,
  state: (
    row: DeliveryRow,
    tx: ShopScope,
  ) =>
    | Promise<Partial<Parameters<typeof writeState>[2]>>
    | Partial<Parameters<typeof writeState>[2]>,
): Promise<void> {
  await scope.transaction(async (tx) => {
    const row = await requireDelivery(tx, id)
    const next = await writeState(tx, row, { ...row, ...(await state(row, tx)) }, now)
    const files = await readDeliveryFiles(tx, id)
    if (next.held_by === 'merchant' && row.held_by !== 'merchant') await raiseHeld(tx, next, files)
    await queueFollowUps(tx, [{ row: next, files }])
  })
}

/** Final. Idempotent. */
export const revokeDelivery = (scope: ShopScope, id: string, parts: ChangeParts): Promise<void> =>
  scope.transaction(async (tx) => {
    await changeState(tx, id, parts, (row) => ({ revoked_at: row.revoked_at ?? parts.now }))
    await returnKeys(tx, [id])
    await forgetPhones(tx, [(await requireDelivery(tx, id)).order_id])
  })

/**
 * The buyer's page then says that the order is being checked. Throws `conflict` if the delivery was
 * revoked.
 */
export const holdDelivery = (scope: ShopScope, id: string, parts: ChangeParts): Promise<void> =>
  changeState(scope, id, parts, (row) => {
    if (row.revoked_at) throw conflict(WHY_NOT_READY.revoked)
    return { held_by: 'merchant' }
  })

/**
 * Ends a hold; the platform's advice does not hold it again. If its workflow could not prepare its
 * files, they are prepared again, and the delivery is held until that has succeeded.
 */
export const releaseDelivery = (scope: ShopScope, id: string, parts: ChangeParts): Promise<void> =>
  changeState(scope, id, parts, async (row, tx) => {
    if (row.revoked_at) throw conflict(WHY_NOT_READY.revoked)
    // A delivery that is not held has files that could not be prepared: nothing else is released.
    const released_at = row.held_by === null ? row.released_at : (row.released_at ?? parts.now)
    return { held_by: await releasePreparation(tx, row), released_at }
  })

export interface DeliveryChange {
  email?: string | undefined
  /** For texts to a buyer without an email address. */
  phone?: string | undefined
  /** Days from now; null: never. */
  expiry_days?: number | null | undefined
  /** The new limit; null: unlimited. */
  download_limit?: number | null | undefined
  /** Added to the limits of files that have one. */
  more_downloads?: number | undefined
  /** The new limit of views; null: unlimited. */
  view_limit?: number | null | undefined
  /** Added to the limits of views of files that have one. */
  more_views?: number | undefined
  /** Days from now for views; null: as long as the file's link is valid. */
  view_days?: number | null | undefined
  /** What the links ask for (`askTerm`); null: what each file asks for. */
  ask_for?: string | null | undefined
  /** The files that the terms are for (bare UUIDs); absent: all. */
  file_ids?: readonly string[] | undefined
  /** The terms of single files, by bare UUID. */
  terms?: readonly FileTerms[] | undefined
  replace?: readonly { file_id: string; with: string }[] | undefined
}

export interface FileTerms {
  file_id: string
  /** ISO 8601; null: never. */
  expires_at?: string | null | undefined
  /** ISO 8601; null: now. */
  available_at?: string | null | undefined
  /** Null: unlimited. */
  download_limit?: number | null | undefined
  /** Null: unlimited. */
  view_limit?: number | null | undefined
  /** ISO 8601; null: as long as the link is valid. */
  view_expires_at?: string | null | undefined
  /** From the first use, also if that has been; null: the use ends nothing. */
  first_use_hours?: number | null | undefined
  /** Instead of the file's own; null: none is required. */
  customer_tag?: string | null | undefined
}

/**
 * Throws `not_found`, and `validation_failed`, which names every file that is not part of the
 * delivery.
 */
export const changeDelivery = (
  scope: ShopScope,
  id: string,
  change: DeliveryChange,
  { secrets, now }: ChangeParts,
): Promise<void> =>
  scope.transaction(async (tx) => {
    const row = await requireDelivery(tx, id)
    await requireFiles(tx, id, change)
    for (const one of change.replace ?? []) await replaceFile(tx, secrets, row, one, now)
    if (change.replace?.length) await prepareFiles(tx, row)
    await changeTerms(tx, row, change, now)
    await setTerms(tx, row, change.terms ?? [], now)
    if (change.terms?.some(({ customer_tag }) => typeof customer_tag === 'string'))
      await noteTaggedCustomers(tx, [row.order_id])
    if (change.email !== undefined && (await changeAddress(tx, secrets, row, change.email)))
      await prepareForAddress(tx, row)
    if (change.phone !== undefined) await changePhone(tx, secrets, row, change.phone)
    await tx.query(
      `update deliveries set updated_at = :now, ask = case when :answers then null else ask end
       where shop_id = :shop and id = :id`,
      { id, now, answers: changesTerms(change) },
    )
    const held = present(await lockDelivery(tx, id), 'the delivery')
    const held_by = held.held_by ?? (await heldByWorkflow(tx, id))
    const next = await writeState(tx, held, { ...held, held_by }, now)
    await queueFollowUps(tx, [{ row: next, files: await readDeliveryFiles(tx, id) }])
    if (changesTerms(change)) await queueEffects(tx, [{ order: row.order_id, kind: 'mark' }])
  })

const TERMS = [
  'expiry_days',
  'download_limit',
  'more_downloads',
  'view_limit',
  'more_views',
  'view_days',
  'terms',
] as const
const changesTerms = (change: DeliveryChange) => TERMS.some((term) => change[term] !== undefined)

async function requireFiles(tx: ShopScope, id: string, change: DeliveryChange): Promise<void> {
  const own = new Set((await readDeliveryFiles(tx, id)).map(({ file_id }) => file_id))
  const details: ErrorDetail[] = []
  const check = (param: string, index: number, file: string) => {
    if (own.has(file)) return
    const message = say('This file is not part of the delivery')
    details.push({ index, param, code: 'not_found', message })
  }
  change.file_ids?.forEach((file, at) => check('file_ids', at, file))
  change.terms?.forEach(({ file_id }, at) => check('terms.file_id', at, file_id))
  change.replace?.forEach((one, at) => check('replace.file_id', at, one.file_id))
  const others = (change.replace ?? []).map((one) => one.with)
  for (const problem of await unknownFiles(tx, others))
    details.push({ ...problem, param: 'replace.with' })
  const [first] = details
  if (first) throw new AppError('validation_failed', { param: first.param, details })
}

/** Sets the terms that a change names for all files, or for some. */
export async function changeTerms(
  tx: ShopScope,
  { link_id }: DeliveryRow,
  change: DeliveryChange,
  now: Date,
): Promise<void> {
  const { file_ids } = change
  const { sets, bindings } = setsOf(change, now)
  if (sets.length === 0) return
  const which = 'parent_id = :link and (:files::uuid[] is null or file_id = any(:files::uuid[]))'
  await tx.query(
    `with held as (${linksInLockOrder(which)})
     update links l set ${sets.join(', ')} from held where l.shop_id = :shop and l.id = held.id`,
    { ...bindings, link: link_id, files: file_ids ?? null },
  )
}

/** SQL: the limit of a link with `:name` more uses than so far; null stays unlimited. */
const moreOf = (limit: string, used: string, name: string) =>
  `${limit} = case when l.${limit} is not null
     then greatest(l.${limit}, l.${used}) + :${name}::int end`

/** SQL of the terms that are changed for all files. */
function setsOf(
  { expiry_days, view_days, download_limit, view_limit, ...others }: DeliveryChange,
  now: Date,
): LinkTermsSql {
  const { more_downloads, more_views, ask_for: asked } = others
  const ends = endTerms(expiry_days, view_days, now)
  const { bindings } = ends
  const set = <Value extends Bindings[string]>(
    name: string,
    value: Value | undefined,
    sql: string,
  ) => (value === undefined ? [] : (Object.assign(bindings, { [name]: value }), [sql]))
  const sets = [
    ...ends.sets,
    ...set('limit', download_limit, 'download_limit = :limit::int'),
    ...set('viewLimit', view_limit, 'view_limit = :viewLimit::int'),
    ...set('asked', asked, 'ask_for = :asked::text'),
    ...set('more', more_downloads, moreOf('download_limit', 'downloads', 'more')),
    ...set('moreViews', more_views, moreOf('view_limit', 'views', 'moreViews')),
  ]
  return { sets, bindings }
}

/** SQL: does the end of a link `l`, unless this says that it is its own, move with its release `g`? */
const movesWithRelease = (own: string) => `g.releases and not l.${own}
  and greatest(l.available_at, g.available_at) > :now::timestamptz`

/** SQL: an end of a link `l` that moves with its release `g`. */
const movedEnd = (end: string) => `l.${end} + (greatest(g.available_at, :now::timestamptz)
  - coalesce(l.available_at, l.created_at))`

/**
 * Absent terms stay as they are, except that an expiry which counts from the release, or from the order
 * of a file that had none, moves with it. The
 * expiry of a file that stays available does not move.
 */
async function setTerms(
  tx: ShopScope,
  { link_id }: DeliveryRow,
  terms: readonly FileTerms[],
  now: Date,
): Promise<void> {
  if (terms.length === 0) return
  const rows = terms.map((one) => ({
    ...one,
    hours: one.first_use_hours,
    tag: one.customer_tag,
    expires: one.expires_at !== undefined,
    limits: one.download_limit !== undefined,
    releases: one.available_at !== undefined,
    rents: one.first_use_hours !== undefined,
    tags: one.customer_tag !== undefined,
    limits_views: one.view_limit !== undefined,
    ends_views: one.view_expires_at !== undefined,
  }))
  const which = 'parent_id = :link and file_id = any(:files::uuid[])'
  await tx.query(
    `with held as (${linksInLockOrder(which)})
     update links l set expires_at = case when g.expires then g.expires_at
         when ${movesWithRelease('own_expiry')} then ${movedEnd('expires_at')}
         else l.expires_at end,
       own_expiry = case when g.expires then g.expires_at is not null else l.own_expiry end,
       use_hours = case when g.rents then g.hours when g.expires then ${USE_HOURS_KEPT}
         else l.use_hours end,
       needs_tag = case when g.tags then g.tag is not null else l.needs_tag end,
       own_tag = case when g.tags then g.tag else l.own_tag end,
       available_at = case when g.releases
           then coalesce(g.available_at, least(l.available_at, :now::timestamptz))
         else l.available_at end,
       own_release = l.own_release or g.releases,
       released_at = case when g.releases and g.available_at > :now::timestamptz then null
         else l.released_at end,
       download_limit = case when g.limits then g.download_limit else l.download_limit end,
       view_limit = case when g.limits_views then g.view_limit else l.view_limit end,
       view_expires_at = case when g.ends_views then g.view_expires_at
         when ${movesWithRelease('own_view_expiry')} then ${movedEnd('view_expires_at')}
         when g.expires then ${VIEW_END_KEPT} else l.view_expires_at end,
       own_view_expiry = case when g.ends_views then g.view_expires_at is not null
         else l.own_view_expiry end
     from held, jsonb_to_recordset(:rows::jsonb) as g (file_id uuid, expires boolean,
       expires_at timestamptz, releases boolean, available_at timestamptz, limits boolean,
       download_limit int, rents boolean, hours int, tags boolean, tag text,
       limits_views boolean, view_limit int, ends_views boolean, view_expires_at timestamptz)
     where l.shop_id = :shop and l.id = held.id and l.file_id = g.file_id`,
    { link: link_id, files: terms.map(({ file_id }) => file_id), rows: JSON.stringify(rows), now },
  )
}

/**
 * False: the address is unchanged. The key changes with the address: the link in the old mail stops
 * working.
 */
async function changeAddress(
  tx: ShopScope,
  secrets: Secrets,
  row: DeliveryRow,
  email: string,
): Promise<boolean> {
  if (row.email?.toLowerCase() === email.toLowerCase()) return false
  await tx.query(
    'update deliveries set email = :email, bounced_at = null where shop_id = :shop and id = :id',
    { id: row.id, email },
  )
  await forgetPhones(tx, [row.order_id])
  await changeKeys(tx, secrets, row, email)
  return true
}

/** The link in the message that was sent before stops working. */
async function changeKeys(
  tx: ShopScope,
  secrets: Secrets,
  row: DeliveryRow,
  email: string | null,
): Promise<void> {
  const links = await tx.query<{ id: string; rotation: number }>(
    `select id, rotation from links where shop_id = :shop and (id = :link or parent_id = :link)
     order by id for no key update`,
    { link: row.link_id },
  )
  await tx.query(
    `update links l set email = case when l.parent_id is null then null else :email end,
       rotation = l.rotation + 1, key_hash = g.hash
     from unnest(:ids::uuid[], :hashes::bytea[]) as g (id, hash) where l.shop_id = :shop
       and l.id = g.id`,
    {
      email,
      ids: links.map(({ id }) => id),
      hashes: links.map(({ id, rotation }) => hashKey(secrets.linkKey(id, rotation + 1))),
    },
  )
}

/** Throws `conflict` if the delivery has an email address. The key changes as with the address. */
async function changePhone(
  tx: ShopScope,
  secrets: Secrets,
  { id }: DeliveryRow,
  written: string,
): Promise<void> {
  // The address may have been entered by the same change.
  const row = await requireDelivery(tx, id)
  if (row.email !== null)
    throw conflict(say('This delivery has an email address: its buyer gets no text messages'))
  const phone = present(normalPhone(written), 'The phone number')
  const { before } = await tx.one<{ before: Buffer | null }>(
    `select coalesce(d.phone, o.phone) as before from deliveries d
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where d.shop_id = :shop and d.id = :id`,
    { id },
  )
  if (before && openPhone(secrets, tx.shop, before) === phone) return
  await tx.query(
    'update deliveries set phone = :sealed, bounced_at = null where shop_id = :shop and id = :id',
    { id, sealed: sealPhone(secrets, tx.shop, phone) },
  )
  if (before) await changeKeys(tx, secrets, row, null)
}

/**
 * Corrects the address or the number, allows mails to the address, and sends the message again. Throws
 * `conflict` if the delivery is not ready or the number cannot be used, and `rate_limited`.
 */
export const correctAddress = (
  scope: ShopScope,
  id: string,
  change: Pick<DeliveryChange, 'email' | 'phone'>,
  parts: ChangeParts,
): Promise<void> =>
  scope.transaction(async (tx) => {
    if (change.email !== undefined) await allowAddress(tx, change.email)
    await changeDelivery(tx, id, change, parts)
    await resendDelivery(tx, id, parts)
  })

/** Gives the buyer another file instead, with the terms of the old link. */
async function replaceFile(
  tx: ShopScope,
  secrets: Secrets,
  row: DeliveryRow,
  { file_id, with: other }: { file_id: string; with: string },
  now: Date,
): Promise<void> {
  if (file_id === other) return
  const lines = await tx.query<{ line_id: string; limit: number | null }>(
    `select df.line_id, l.download_limit as limit from delivery_files df
     join links l on l.shop_id = df.shop_id and l.parent_id = :link and l.file_id = df.file_id
     where df.shop_id = :shop and df.delivery_id = :id and df.file_id = :file`,
    { id: row.id, link: row.link_id, file: file_id },
  )
  const sold = lines.map(({ line_id, limit }) => ({
    line_id,
    file_id: other,
    expiry_days: null,
    download_limit: limit,
    source: line_id,
    units: 1,
  }))
  await addDeliveryFiles(tx, secrets, [{ delivery: row, sold }], now)
  // It is not new to the buyer: no mail follows for it.
  await tx.query(
    `update delivery_files n set created_at = df.created_at from delivery_files df
     where n.shop_id = :shop and n.delivery_id = :id and n.file_id = :other and n.created_at = now()
       and df.shop_id = n.shop_id and df.delivery_id = n.delivery_id and df.line_id = n.line_id
       and df.file_id = :file`,
    { id: row.id, other, file: file_id },
  )
  await tx.query(
    `update links n set expires_at = l.expires_at, available_at = l.available_at,
       own_release = l.own_release, own_expiry = l.own_expiry,
       own_view_expiry = l.own_view_expiry, released_at = l.released_at,
       use_hours = l.use_hours, view_limit = l.view_limit, view_expires_at = l.view_expires_at,
       first_used_at = l.first_used_at, needs_tag = l.needs_tag, own_tag = l.own_tag, ask_for = l.ask_for
     from links l where n.shop_id = :shop and n.parent_id = :link and n.file_id = :other
       and l.shop_id = n.shop_id and l.parent_id = n.parent_id and l.file_id = :file`,
    { link: row.link_id, other, file: file_id },
  )
  await tx.query(
    'delete from delivery_files where shop_id = :shop and delivery_id = :id and file_id = :file',
    { id: row.id, file: file_id },
  )
  await tx.query(
    `update links set revoked_at = :now where shop_id = :shop and parent_id = :link
      and file_id = :file`,
    { link: row.link_id, file: file_id, now },
  )
}
