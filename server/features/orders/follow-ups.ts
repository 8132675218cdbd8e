// Queues what the state of deliveries requires: the buyers' mails, and the orders' marks on the
// platform.
import { hash } from 'node:crypto'
import { say, MAX_DOWNLOAD_LIMIT, MAX_VIEW_LIMIT } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { noAddressTitle, raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { present } from '../../core/lazy.ts'
import { readShop } from '../../files/shop-settings.ts'
import { toPublicId } from '../../core/ids.ts'
import { raiseEvents } from '../../core/outbox/webhook-events.ts'
import { mayFulfil, readScopes } from '../../storefront/access.ts'
import { queueFirstMails, queueHeldMails } from './delivery-mail.ts'
import { queueDeliveryTexts, queueHeldTexts } from './delivery-text.ts'
import { raiseTriggers } from '../flow/triggers.ts'
import { promiseMails } from '../preparation/runs.ts'
import { deliveryData, deliveryReady } from './events.ts'
import type { DeliveredFile, DeliveryRow } from './delivery-rows.ts'
import { queueEffects, type QueuedEffect } from './effects.ts'
import { buyerStatusOf, statusOf, textsBuyers } from './entitlement.ts'
import { queueLinesMail } from './platform-mails.ts'
import type { EntitledLines, JudgedOrder } from './order-rows.ts'

/** A delivery as it was written, with its files. */
export interface FollowedDelivery {
  row: DeliveryRow
  files: readonly DeliveredFile[]
  /** Lines of an edit that have just brought files. */
  addedLines?: readonly string[]
}

/**
 * Queues each buyer's mail or text, once, and the orders' marks.
 * @param quiet nobody is told: no trigger, and no mail of the platform, which fulfilling would send.
 */
export async function queueFollowUps(
  tx: ShopScope,
  written: readonly FollowedDelivery[],
  quiet = false,
): Promise<void> {
  const { settings } = await readShop(tx)
  // Without the scope the platform would send no mail: the app sends its own one.
  const wantsFulfilled = settings.delivery_mail === 'platform' || settings.fulfil_orders
  const canFulfil = wantsFulfilled && mayFulfil(await readScopes(tx))
  const platformTells = settings.delivery_mail === 'platform' && canFulfil
  const mailable = ({ row }: FollowedDelivery) => statusOf(row) === 'ready' && row.email !== null
  const mailed = platformTells
    ? []
    : written.filter((one) => mailable(one) && one.row.mailed_at === null)
  const first = mailed.map(({ row }) => row.id)
  const delay = settings.mail_delay_minutes
  await queueFirstMails(tx, first, delay)
  const textable = ({ row }: FollowedDelivery) =>
    textsBuyers(settings) && statusOf(row) === 'ready' && row.email === null && row.has_phone
  const texted = written
    .filter((one) => textable(one) && one.row.texted_at === null && one.row.mailed_at === null)
    .map(({ row }) => row.id)
  if (texted.length > 0) await queueDeliveryTexts(tx, texted, 'first', delay)
  await promiseMails(tx, [...first, ...texted])
  const marked = written
    .map(({ row, files }) => ({ row, files, mark: markOf(row, files) }))
    .filter(({ row, mark }) => mark !== row.marked)
  await queueHeldMails(
    tx,
    marked.filter((one) => mailable(one) && one.row.mailed_at !== null).map(({ row }) => row.id),
    // The first mail of an order that the platform fulfils follows when it has told nobody.
    platformTells ? 'given' : 'all',
  )
  if (!quiet && !platformTells) await tellOfLines(tx, written)
  const held = marked.filter((one) => textable(one) && one.row.texted_at !== null)
  if (held.length > 0)
    await queueHeldTexts(
      tx,
      held.map(({ row }) => row.id),
    )
  const fulfils = platformTells ? !quiet : settings.fulfil_orders && canFulfil
  await recordMarksAndMails(tx, mailed, marked)
  const unreachable = marked.filter(({ row }) => isNewlyUnreachable(row, textsBuyers(settings)))
  if (!quiet) await notifyOfNoAddress(tx, unreachable)
  await notifyDelivered(tx, quiet ? [] : marked.filter(({ row }) => statusOf(row) === 'ready'))
  await queueEffects(
    tx,
    marked.flatMap(({ row }): QueuedEffect[] => [
      { order: row.order_id, kind: 'mark' },
      ...(fulfils && statusOf(row) === 'ready'
        ? [{ order: row.order_id, kind: 'fulfil' } as const]
        : []),
    ]),
  )
}

/**
 * The buyer who had a mail about the order gets another one when an edit has brought files, unless
 * the earlier one was not tried yet. If they are being prepared, it follows when they are ready. That
 * of a delivery which is held fails, and is sent after the release (`queueHeldMails`).
 */
async function tellOfLines(tx: ShopScope, written: readonly FollowedDelivery[]): Promise<void> {
  const told: string[] = []
  for (const { row, addedLines = [] } of written) {
    if (addedLines.length === 0 || row.mailed_at === null || row.email === null) continue
    if (row.held_by === 'workflow') {
      await promiseMails(tx, [row.id], true)
      continue
    }
    const status = statusOf(row)
    if (status !== 'ready' && status !== 'held') continue
    const lines = hash('sha256', [...addedLines].sort().join(' ')).slice(0, 16)
    if (await queueLinesMail(tx, row.id, lines, status === 'held')) told.push(row.id)
    await promiseMails(tx, [row.id])
  }
  // So that the platform does not tell of them too, if the shop lets it tell its buyers from now on.
  if (told.length > 0)
    await tx.query(
      'update deliveries set mailed_at = now() where shop_id = :shop and id = any(:told::uuid[])',
      { told },
    )
}

/** Ready, also after a hold or a preparation, with nowhere to send the link to. */
const isNewlyUnreachable = (row: DeliveryRow, texts: boolean): boolean =>
  statusOf(row) === 'ready' &&
  row.marked?.startsWith('ready ') !== true &&
  row.email === null &&
  !(row.has_phone && texts)

async function notifyOfNoAddress(
  tx: ShopScope,
  written: readonly Pick<FollowedDelivery, 'row'>[],
): Promise<void> {
  if (written.length === 0) return
  const orders = await tx.query<{ id: string; name: string }>(
    'select id, name from orders where shop_id = :shop and id = any(:orders::text[])',
    { orders: written.map(({ row }) => row.order_id) },
  )
  const names = new Map(orders.map(({ id, name }) => [id, name]))
  for (const { row } of written)
    await raiseNoticeOnce(tx, {
      level: 'warning',
      title: noAddressTitle(present(names.get(row.order_id), 'The order of a delivery')),
      body: say(
        'Its files are ready, but no link could be sent. Add an address, or copy the link for the buyer from the delivery.',
      ),
      operation_id: null,
      delivery_id: row.id,
    })
}

/** Sent once for a delivery, when its buyer can have the files for the first time. */
async function notifyDelivered(tx: ShopScope, written: readonly FollowedDelivery[]): Promise<void> {
  const all = written.map(({ row, files }) => ({
    row,
    files: [...new Set(files.filter(({ entitled }) => entitled).map((file) => file.file_id))],
  }))
  const wanted = await raiseTriggers(
    tx,
    'file-delivered',
    all.map(({ row, files }) => ({
      key: row.id,
      payload: {
        order_id: Number(row.order_id.split('/').at(-1)),
        'Delivery ID': toPublicId('delivery', row.id),
        'Files delivered': files.length,
      },
    })),
    deliveryReady.name,
  )
  if (wanted)
    await raiseEvents(
      tx,
      deliveryReady,
      all.map(({ row, files }) => ({ key: row.id, data: deliveryData(row, files), files })),
    )
}

/** Everything that the platform's order shows is derived from this. */
function markOf(row: DeliveryRow, files: readonly DeliveredFile[]): string {
  const lines = files.filter(({ entitled }) => entitled).map(({ line_id }) => line_id)
  return [buyerStatusOf(row), row.rotation, ...new Set(lines.sort())].join(' ')
}

async function recordMarksAndMails(
  tx: ShopScope,
  mailed: readonly FollowedDelivery[],
  marked: readonly { row: DeliveryRow; mark: string }[],
): Promise<void> {
  const marks = new Map(marked.map(({ row, mark }) => [row.id, mark]))
  const mails = new Set(mailed.map(({ row }) => row.id))
  const ids = [...new Set([...marks.keys(), ...mails])]
  if (ids.length === 0) return
  await tx.query(
    `update deliveries d set marked = coalesce(g.mark, d.marked),
       mailed_at = case when g.mailed then now() else d.mailed_at end
     from unnest(:ids::uuid[], :marks::text[], :mailed::boolean[]) as g (id, mark, mailed)
     where d.shop_id = :shop and d.id = g.id`,
    {
      ids,
      marks: ids.map((id) => marks.get(id) ?? null),
      mailed: ids.map((id) => mails.has(id)),
    },
  )
}

// Limits of downloads and views that count for each unit follow the units of an order: bought later by an edit, or
// refunded. The merchant's own changes to a limit are kept.

interface UnitChange {
  parent: string | null
  file: string
  units: number
}

/**
 * Changes the limits of files by the file's present limit for each unit more or less than in the last
 * known state. At least one unit is left.
 * @param files all files of the deliveries, by delivery.
 */
export async function followUnits(
  tx: ShopScope,
  judged: readonly JudgedOrder[],
  before: EntitledLines,
  deliveries: ReadonlyMap<string, DeliveryRow>,
  files: ReadonlyMap<string, readonly DeliveredFile[]>,
): Promise<void> {
  const changes = judged.flatMap((one): UnitChange[] => {
    const delivery = deliveries.get(one.order.id)
    const own = delivery && files.get(delivery.id)
    return own ? changesOf(one, before, delivery, own) : []
  })
  if (changes.length === 0) return
  await tx.query(
    `with held as (
       select l.id, f.download_limit, f.view_limit,
         l.download_limit + g.units::bigint * f.download_limit as downloads,
         l.view_limit + g.units::bigint * f.view_limit as views
       from unnest(:parents::uuid[], :files::uuid[], :units::int[]) as g (parent_id, file_id, units)
       join links l on l.shop_id = :shop and l.parent_id = g.parent_id and l.file_id = g.file_id
       join files f on f.shop_id = :shop and f.id = g.file_id
       where l.download_limit is not null and f.download_limit is not null
         or l.view_limit is not null and f.view_limit is not null
       order by l.id for no key update of l
     )
     update links l set
       download_limit = coalesce(case when held.downloads is not null
         then least(greatest(held.downloads, held.download_limit), :max) end, l.download_limit),
       view_limit = coalesce(case when held.views is not null
         then least(greatest(held.views, held.view_limit), :mostViews) end, l.view_limit)
     from held where l.shop_id = :shop and l.id = held.id`,
    {
      parents: changes.map(({ parent }) => parent),
      files: changes.map(({ file }) => file),
      units: changes.map(({ units }) => units),
      max: MAX_DOWNLOAD_LIMIT,
      mostViews: MAX_VIEW_LIMIT,
    },
  )
}

function changesOf(
  { order, entitled }: JudgedOrder,
  before: EntitledLines,
  { link_id }: DeliveryRow,
  files: readonly DeliveredFile[],
): UnitChange[] {
  const lines = new Map(order.lines.map((line) => [line.id, line]))
  const byFile = Map.groupBy(files, ({ file_id }) => file_id)
  return [...byFile].flatMap(([file, of]): UnitChange[] => {
    const ids = of.flatMap(({ line_id, taken_back }) => (taken_back ? [] : [line_id]))
    const was = ids.flatMap((id) => before.get(`${order.id}/${id}`) ?? [])
    const is = ids.flatMap((id) => (entitled.has(id) ? (lines.get(id) ?? []) : []))
    // A new link has the limit of all units, and a withdrawn one keeps its own. Units of bundles are not
    // those of their components.
    if (was.length === 0 || is.length === 0) return []
    if ([...was, ...is].some(({ bundle }) => bundle !== null)) return []
    const units = unitsOf(is) - unitsOf(was)
    return units === 0 ? [] : [{ parent: link_id, file, units }]
  })
}

const unitsOf = (lines: readonly { quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0)
