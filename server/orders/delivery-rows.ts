// The rows of a delivery: its files, and the links through which its buyer reaches them. The links
// follow the delivery's state; delivery itself looks at links alone.
import type { ShopScope } from '../db/for-shop.ts'
import { linksInLockOrder, orderedIds } from '../files/links.ts'
import { hashKey, type Secrets } from '../secrets.ts'
import { statusOf, type DeliveryFacts } from './entitlement.ts'
import type { SoldFile } from './order-rows.ts'

export interface DeliveryRow extends DeliveryFacts {
  id: string
  order_id: string
  email: string | null
  held_at: Date | null
  released_at: Date | null
  mailed_at: Date | null
  marked: string | null
  /** Its page's link. */
  link_id: string | null
  rotation: number
}

const COLUMNS = `d.id, d.order_id, coalesce(d.email, o.email) as email, d.held_by, d.held_at, d.released_at,
  d.revoked_at, d.withdrawn_at, d.mailed_at, d.marked, l.id as link_id, coalesce(l.rotation, 0) as rotation`
const TABLES = `deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join links l on l.shop_id = d.shop_id and l.delivery_id = d.id`

/** The delivery of an order (the platform's id) or by its own id, locked; null: there is none. */
export async function holdDelivery(
  tx: ShopScope,
  by: { order: string } | { id: string },
): Promise<DeliveryRow | null> {
  const [column, value] = 'order' in by ? ['order_id', by.order] : ['id', by.id]
  const [row] = await tx.query<DeliveryRow>(
    `select ${COLUMNS} from ${TABLES} where d.shop_id = :shop and d.${column} = :value for update of d`,
    { value },
  )
  return row ?? null
}

/** The same, made with its page's link where there is none. */
export async function ensureDelivery(
  tx: ShopScope,
  secrets: Secrets,
  order: string,
  now: Date,
): Promise<DeliveryRow> {
  const [id, link] = orderedIds(now, 2) as [string, string]
  await tx.query(
    `with made as (
       insert into deliveries (shop_id, id, order_id, created_at, updated_at) values (:shop, :id, :order, :now, :now)
       on conflict do nothing returning id
     )
     insert into links (shop_id, id, delivery_id, key_hash, paid, created_at)
     select :shop, :link, id, :hash, true, :now from made`,
    { id, order, link, hash: hashKey(secrets.linkKey(link, 0)), now },
  )
  return (await holdDelivery(tx, { order }))!
}

/**
 * Adds files to the delivery and makes a link for each that has none: with the terms that the file
 * has now, which later changes of the file do not touch.
 */
export async function addDeliveryFiles(
  tx: ShopScope,
  secrets: Secrets,
  delivery: DeliveryRow,
  sold: readonly SoldFile[],
  now: Date,
): Promise<void> {
  if (sold.length === 0) return
  await tx.query(
    `insert into delivery_files (shop_id, delivery_id, line_id, file_id, created_at)
     select :shop, :delivery, line_id, file_id, :now from unnest(:lines::text[], :files::uuid[]) as g (line_id, file_id)
     on conflict do nothing`,
    {
      ...{ delivery: delivery.id, now },
      lines: sold.map(({ line_id }) => line_id),
      files: sold.map(({ file_id }) => file_id),
    },
  )
  const files = [...new Map(sold.map((one) => [one.file_id, one])).values()]
  const ids = orderedIds(now, files.length)
  await tx.query(
    `insert into links (shop_id, id, file_id, parent_id, paid, key_hash, email, expires_at, download_limit, created_at)
     select :shop, w.id, w.file_id, :parent, true, w.key_hash, :email,
       :now::timestamptz + w.days * interval '24 hours', w.download_limit, :now
     from unnest(:ids::uuid[], :files::uuid[], :hashes::bytea[], :days::int[], :limits::int[])
       as w (id, file_id, key_hash, days, download_limit)
     on conflict (shop_id, parent_id, file_id) where parent_id is not null do nothing`,
    {
      ...{ parent: delivery.link_id, email: delivery.email, ids, now },
      files: files.map(({ file_id }) => file_id),
      hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))),
      days: files.map(({ expiry_days }) => expiry_days),
      limits: files.map(({ download_limit }) => download_limit),
    },
  )
}

export interface DeliveredFile {
  line_id: string
  file_id: string
  withdrawn: boolean
  entitled: boolean
}

export const readDeliveryFiles = (tx: ShopScope, delivery: string): Promise<DeliveredFile[]> =>
  tx.query<DeliveredFile>(
    `select df.line_id, df.file_id, df.withdrawn, coalesce(l.entitled, false) as entitled
     from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
     left join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = df.line_id
     where df.shop_id = :shop and df.delivery_id = :delivery`,
    { delivery },
  )

/**
 * Withdraws the files whose lines do not entitle any more, and gives back those that do again. A
 * link that the merchant revoked stays so.
 */
export async function withdrawFiles(
  tx: ShopScope,
  { id, link_id }: DeliveryRow,
  files: readonly DeliveredFile[],
  now: Date,
): Promise<void> {
  const changed = files.filter(({ withdrawn, entitled }) => withdrawn === entitled)
  if (changed.length === 0) return
  const had = new Set(files.filter((one) => !one.withdrawn).map(({ file_id }) => file_id))
  const has = new Set(files.filter((one) => one.entitled).map(({ file_id }) => file_id))
  await tx.query(
    `update delivery_files df set withdrawn = not withdrawn
     from unnest(:lines::text[], :files::uuid[]) as g (line_id, file_id)
     where df.shop_id = :shop and df.delivery_id = :id and df.line_id = g.line_id and df.file_id = g.file_id`,
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
}

async function setRevoked(
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

/** Writes the delivery's state; its page's link, and with it all others, works while it is ready. */
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
    `update deliveries set held_by = :held, held_at = :held_at, released_at = :released, revoked_at = :revoked,
       withdrawn_at = :withdrawn, updated_at = :now where shop_id = :shop and id = :id`,
    {
      ...{ id: row.id, held: next.held_by, held_at, released: next.released_at, now },
      ...{ revoked: next.revoked_at, withdrawn: next.withdrawn_at },
    },
  )
  await tx.query(
    `update links set revoked_at = case when :ready then null else coalesce(revoked_at, :now::timestamptz) end
     where shop_id = :shop and id = :link and (revoked_at is null) <> :ready`,
    { link: row.link_id, ready: statusOf(next) === 'ready', now },
  )
  return { ...next, held_at }
}
