// The rows of a delivery: its files, and the links through which its buyer reaches them. The links
// follow the delivery's state, because downloads read only links. docs/decisions/0041.
import { MAX_DOWNLOAD_LIMIT, MAX_VIEW_LIMIT } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { linksInLockOrder } from '../links/model/changes.ts'
import { orderedIds } from '../links/model/creation.ts'
import { laterReleaseOf } from '../links/model/links.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import { firstOf } from '../../core/lazy.ts'
import { ORDER_ENTITLES, statusOf, type DeliveryFacts } from './entitlement.ts'
import type { SoldFile } from './order-rows.ts'

/** The line of files that the shop added to an order, which belong to none of its products. */
export const NO_LINE = ''

export interface DeliveryRow extends DeliveryFacts {
  id: string
  order_id: string
  ordered_at: Date
  email: string | null
  /** A number is known for texts to its buyer, who has no email address. */
  has_phone: boolean
  texted_at: Date | null
  held_at: Date | null
  released_at: Date | null
  mailed_at: Date | null
  marked: string | null
  /** The link of its page. */
  link_id: string | null
  rotation: number
}

const COLUMNS = `d.id, d.order_id, o.ordered_at, coalesce(d.email, o.email) as email,
  coalesce(d.phone, o.phone) is not null as has_phone, d.texted_at, d.held_by, d.held_at, d.released_at,
  d.revoked_at, d.withdrawn_at, d.mailed_at, d.marked, l.id as link_id, coalesce(l.rotation, 0) as rotation`
const TABLES = `deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join links l on l.shop_id = d.shop_id and l.delivery_id = d.id`

/** Locks and returns the delivery, or null. */
export const lockDelivery = (tx: ShopScope, id: string): Promise<DeliveryRow | null> =>
  tx.first<DeliveryRow>(
    `select ${COLUMNS} from ${TABLES} where d.shop_id = :shop and d.id = :id for update of d`,
    { id },
  )

/** Locks the deliveries of many orders; returns them by order. */
export async function lockDeliveries(
  tx: ShopScope,
  orders: readonly string[],
): Promise<Map<string, DeliveryRow>> {
  const rows = await tx.query<DeliveryRow>(
    `select ${COLUMNS} from ${TABLES} where d.shop_id = :shop and d.order_id = any(:orders::text[])
     order by d.order_id for update of d`,
    { orders },
  )
  return new Map(rows.map((row) => [row.order_id, row]))
}

/**
 * Creates the missing deliveries, each with its page's link.
 * @param quiet their buyers get no first mail.
 */
export async function createDeliveries(
  tx: ShopScope,
  secrets: Secrets,
  orders: readonly string[],
  { now, quiet = false }: { now: Date; quiet?: boolean },
): Promise<void> {
  if (orders.length === 0) return
  const ids = orderedIds(now, orders.length)
  const links = orderedIds(now, orders.length)
  await tx.query(
    `with given as (
       select * from unnest(:orders::text[], :ids::uuid[], :links::uuid[], :hashes::bytea[])
         as g (order_id, id, link_id, hash)
     ), made as (
       insert into deliveries (shop_id, id, order_id, created_at, updated_at, mailed_at)
       select :shop, id, order_id, now(), now(), case when :quiet then now() end
       from given order by order_id
       on conflict do nothing returning id
     )
     insert into links (shop_id, id, delivery_id, key_hash, paid, created_at)
     select :shop, g.link_id, g.id, g.hash, true, :now from given g join made using (id)`,
    { orders, ids, links, hashes: links.map((id) => hashKey(secrets.linkKey(id, 0))), now, quiet },
  )
}

export interface AddedFiles {
  delivery: DeliveryRow
  sold: readonly Omit<SoldFile, 'order_id'>[]
  /** The limits are multiplied by the ordered units. */
  perUnit?: boolean
}

/**
 * Adds files to deliveries and creates a link for each that has none, with the file's present
 * terms: later changes of the file do not affect them.
 * @param given the operation that gives them to past buyers, or the addition to one order: files that an undo took back, and links
 *   that were revoked with their lines, are then valid again.
 */
export async function addDeliveryFiles(
  tx: ShopScope,
  secrets: Secrets,
  added: readonly AddedFiles[],
  now: Date,
  given: string | null = null,
): Promise<void> {
  const rows = added.flatMap(({ delivery, sold, perUnit = false }) =>
    sold.map((one) => ({ ...one, delivery, perUnit })),
  )
  if (rows.length === 0) return
  await insertFiles(tx, rows, given)
  await insertLinks(tx, secrets, rows, now, given)
}

interface AddedFile extends Omit<SoldFile, 'order_id'> {
  delivery: DeliveryRow
  perUnit: boolean
}

/** Their time is the database's: it is compared with that of mails. */
const insertFiles = (
  tx: ShopScope,
  rows: readonly AddedFile[],
  given: string | null,
): Promise<unknown> =>
  tx.query(
    `insert into delivery_files as df (shop_id, delivery_id, line_id, file_id, created_at, given_by)
     select :shop, delivery_id, line_id, file_id, now(), :given::uuid
     from unnest(:deliveries::uuid[], :lines::text[], :files::uuid[]) as g
       (delivery_id, line_id, file_id)
     on conflict (shop_id, delivery_id, line_id, file_id) do update
       set given_by = excluded.given_by, taken_back = false, withdrawn = false
       where df.taken_back and excluded.given_by is not null`,
    {
      given,
      deliveries: rows.map(({ delivery }) => delivery.id),
      lines: rows.map(({ line_id }) => line_id),
      files: rows.map(({ file_id }) => file_id),
    },
  )

/**
 * Creates one link for each file of a delivery, also where several lines give the file. It joins no
 * rows of new orders: these have no statistics, and each would be compared with every other one.
 */
async function insertLinks(
  tx: ShopScope,
  secrets: Secrets,
  rows: readonly AddedFile[],
  now: Date,
  given: string | null,
): Promise<void> {
  const files = [...Map.groupBy(rows, (one) => `${one.delivery.id}/${one.file_id}`).values()].map(
    (of) => ({ ...firstOf(of), ...limitsOf(of) }),
  )
  const ids = orderedIds(now, files.length)
  await tx.query(
    `insert into links as l (shop_id, id, file_id, parent_id, paid, key_hash, email, expires_at,
       download_limit, created_at, available_at, use_hours, needs_tag, view_limit, view_expires_at)
     select :shop, w.id, w.file_id, w.parent_id, true, w.key_hash, w.email,
       coalesce(r.available_at, :now::timestamptz) + w.days * interval '24 hours',
       w.download_limit, :now, r.available_at, f.first_use_hours, f.customer_tag is not null,
       case when f.view_limit is not null then least(f.view_limit::bigint * w.units, :mostViews) end,
       coalesce(r.available_at, :now::timestamptz) + f.view_days * interval '24 hours'
     from unnest(:ids::uuid[], :files::uuid[], :parents::uuid[], :ordered::timestamptz[],
       :hashes::bytea[], :emails::text[], :days::int[], :limits::int[], :units::int[])
       as w (id, file_id, parent_id, ordered_at, key_hash, email, days, download_limit, units)
     join shops s on s.id = :shop
     join files f on f.shop_id = s.id and f.id = w.file_id
     cross join lateral (
       select ${laterReleaseOf('w.ordered_at', ':now::timestamptz')} as available_at) r
     on conflict (shop_id, parent_id, file_id) where parent_id is not null do update
       set revoked_at = null, expires_at = excluded.expires_at, downloads = 0,
         download_limit = excluded.download_limit, available_at = excluded.available_at,
         own_release = false, own_expiry = false, released_at = null, use_hours = excluded.use_hours,
         first_used_at = null, needs_tag = excluded.needs_tag, own_tag = null, ask_for = null,
         views = 0, view_limit = excluded.view_limit, view_expires_at = excluded.view_expires_at,
         own_view_expiry = false
       where l.revoked_at is not null and :given::uuid is not null`,
    {
      ids,
      now,
      given,
      files: files.map(({ file_id }) => file_id),
      parents: files.map(({ delivery }) => delivery.link_id),
      ordered: files.map(({ delivery }) => delivery.ordered_at),
      hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))),
      emails: files.map(({ delivery }) => delivery.email),
      days: files.map(({ expiry_days }) => expiry_days),
      limits: files.map(({ download_limit }) => download_limit),
      units: files.map(({ counted }) => counted),
      mostViews: MAX_VIEW_LIMIT,
    },
  )
}

/**
 * The limit of one file in one delivery, from all lines that give it, and the units that multiply its
 * limits.
 */
function limitsOf(sold: readonly AddedFile[]): {
  download_limit: number | null
  counted: number
} {
  const { download_limit: limit, perUnit } = firstOf(sold)
  const units = new Map(sold.map((one) => [one.source, one.units]))
  const all = [...units.values()].reduce((sum, count) => sum + count, 0)
  const counted = perUnit ? Math.max(1, all) : 1
  return {
    download_limit: limit === null ? null : Math.min(limit * counted, MAX_DOWNLOAD_LIMIT),
    counted,
  }
}

export interface DeliveredFile {
  delivery_id: string
  line_id: string
  file_id: string
  withdrawn: boolean
  /** It was given to a past buyer or added to the order, and that was undone. */
  taken_back: boolean
  entitled: boolean
}

export const readDeliveryFiles = (tx: ShopScope, delivery: string): Promise<DeliveredFile[]> =>
  readFilesOf(tx, [delivery])

/** The same for many deliveries, in one list. */
export const readFilesOf = (
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<DeliveredFile[]> =>
  tx.query<DeliveredFile>(
    `select df.delivery_id, df.line_id, df.file_id, df.withdrawn, df.taken_back,
       case when df.line_id = '${NO_LINE}' then ${ORDER_ENTITLES}
         else coalesce(l.entitled, false) end and not df.taken_back as entitled
     from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     left join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id
       and l.id = df.line_id
     where df.shop_id = :shop and df.delivery_id = any(:deliveries::uuid[])`,
    { deliveries },
  )

/**
 * Withdraws files whose lines no longer entitle the buyer to them, and restores those whose lines
 * do again. A link that the merchant revoked stays revoked. Returns the files
 * that the buyer lost, and those that came back.
 */
export async function withdrawFiles(
  tx: ShopScope,
  { id, link_id }: DeliveryRow,
  files: readonly DeliveredFile[],
  now: Date,
): Promise<{ lost: string[]; back: string[] }> {
  const changed = files.filter(({ withdrawn, entitled }) => withdrawn === entitled)
  if (changed.length === 0) return { lost: [], back: [] }
  const had = new Set(files.filter((one) => !one.withdrawn).map(({ file_id }) => file_id))
  const has = new Set(files.filter((one) => one.entitled).map(({ file_id }) => file_id))
  await tx.query(
    `update delivery_files df set withdrawn = not withdrawn
     from unnest(:lines::text[], :files::uuid[]) as g (line_id, file_id)
     where df.shop_id = :shop and df.delivery_id = :id and df.line_id = g.line_id
       and df.file_id = g.file_id`,
    {
      id,
      lines: changed.map(({ line_id }) => line_id),
      files: changed.map(({ file_id }) => file_id),
    },
  )
  const lost = [...had].filter((file) => !has.has(file))
  const back = [...has].filter((file) => !had.has(file))
  await setRevoked(tx, link_id, lost, now)
  await setRevoked(tx, link_id, back, null)
  return { lost, back }
}

/** Revokes the links of files under a delivery's page; null: they work again. */
export async function setRevoked(
  tx: ShopScope,
  parent: string | null,
  files: readonly string[],
  at: Date | null,
): Promise<void> {
  if (files.length === 0) return
  const which = `parent_id = :parent and file_id = any(:files::uuid[])`
  await tx.query(
    `with held as (${linksInLockOrder(`${which} and (revoked_at is null) = (:at::timestamptz is not null)`)})
     update links l set revoked_at = :at from held where l.shop_id = :shop and l.id = held.id`,
    { parent, files, at },
  )
}

/**
 * Writes the delivery's state; the page's link, and all links under it, work while the delivery is
 * ready.
 */
export async function writeState(
  tx: ShopScope,
  row: DeliveryRow,
  state: DeliveryFacts & { released_at?: Date | null },
  now: Date,
): Promise<DeliveryRow> {
  const next = { ...row, ...state }
  const held_at = next.held_by === row.held_by ? row.held_at : next.held_by ? now : null
  const same =
    next.held_by === row.held_by &&
    +(next.revoked_at ?? 0) === +(row.revoked_at ?? 0) &&
    +(next.withdrawn_at ?? 0) === +(row.withdrawn_at ?? 0) &&
    +(next.released_at ?? 0) === +(row.released_at ?? 0)
  if (same) return row
  await tx.query(
    `update deliveries set held_by = :held, held_at = :held_at, released_at = :released,
       revoked_at = :revoked,
       withdrawn_at = :withdrawn, updated_at = :now where shop_id = :shop and id = :id`,
    {
      id: row.id,
      held: next.held_by,
      held_at,
      released: next.released_at,
      now,
      revoked: next.revoked_at,
      withdrawn: next.withdrawn_at,
    },
  )
  await tx.query(
    `update links set revoked_at = case when :ready then null
       else coalesce(revoked_at, :now::timestamptz) end
     where shop_id = :shop and id = :link and (revoked_at is null) <> :ready`,
    { link: row.link_id, ready: statusOf(next) === 'ready', now },
  )
  return { ...next, held_at }
}
