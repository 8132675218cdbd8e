// Writes what a run made: the buyer's own copies, files that are left out, and how the run ended.
import {
  english,
  say,
  sentences,
  textOf,
  type AnyText,
  type Text,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { columnsOfText } from '../../core/texts.ts'
import { holdBlobs } from '../../files/blobs.ts'
import { readShop } from '../../files/shop-settings.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { present } from '../../core/lazy.ts'
import type { WorkItem } from '../../engine/types.ts'
import { partlyReady, type DeliveryRun } from './runs.ts'

/** A message of a step to the shop. */
export interface DeliveryNotice {
  title: AnyText
  body: AnyText
  email: boolean
}

/**
 * Without staged bytes the buyer gets the file as it is. A version that the file got while it was
 * prepared makes the result stale.
 */
export async function writeReady(
  tx: ShopScope,
  delivery: string,
  { file_id: file, staged, record }: WorkItem,
): Promise<void> {
  if (staged) await holdBlobs(tx, [staged])
  await tx.query(
    `update prepared_files p set status = 'ready', reason = null, hash = decode(:hash, 'hex'),
       location = :location, size_bytes = :size, content_type = coalesce(:type, f.content_type),
       version = :version, stale = f.version <> :version::int, damaged = false
     from files f where p.shop_id = :shop and p.delivery_id = :delivery and p.file_id = :file
       and f.shop_id = :shop and f.id = p.file_id`,
    {
      delivery,
      file,
      version: present(record, 'the item’s file').version,
      hash: staged?.hash ?? null,
      location: staged?.location ?? null,
      size: staged?.size_bytes ?? null,
      type: staged?.content_type ?? null,
    },
  )
}

/** The buyer keeps the earlier copy of a file that was ready; it is made again later. */
export async function writeStale(tx: ShopScope, delivery: string, file: string): Promise<void> {
  await tx.query(
    `update prepared_files set stale = true where shop_id = :shop and delivery_id = :delivery
       and file_id = :file and status = 'ready' and hash is not null`,
    { delivery, file },
  )
}

/**
 * Deletes the buyer's link to the file, which is not part of the delivery. A file that the buyer has
 * already stays.
 */
export async function writeLeftOut(
  tx: ShopScope,
  delivery: string,
  file: string,
  reason: string,
): Promise<void> {
  const [row] = await tx.query<{ link_id: string | null }>(
    `update prepared_files set status = 'left_out', reason = :reason, link_id = null
     where shop_id = :shop and delivery_id = :delivery and file_id = :file and status = 'waiting'
     returning old.link_id`,
    { delivery, file, reason },
  )
  if (row?.link_id)
    await tx.query('delete from links where shop_id = :shop and id = :link', { link: row.link_id })
}

export async function writePrepared(
  tx: ShopScope,
  { delivery_id: delivery, about }: DeliveryRun,
  notices: readonly DeliveryNotice[],
): Promise<void> {
  // The order may have got more files or units during the run.
  await tx.query(
    `update delivery_runs r set code = null, reason = null, reason_values = null, attempts = 0, updated_at = now(),
       status = case when r.about -> 'lines' <> :lines::jsonb or exists (
         select from prepared_files p where p.shop_id = r.shop_id
           and p.delivery_id = r.delivery_id and p.status = 'waiting') then 'waiting' else 'ready' end
     where shop_id = :shop and delivery_id = :delivery`,
    { delivery, lines: JSON.stringify(about.lines) },
  )
  for (const notice of new Map(notices.map((one) => [english(one.title), one])).values())
    await notifyOnce(tx, delivery, notice)
}

/** Sent once, also if files are added to the delivery later and its steps run again. */
async function notifyOnce(
  tx: ShopScope,
  delivery: string,
  { title, body, email }: DeliveryNotice,
): Promise<void> {
  const added = await tx.query(
    `update delivery_runs set messages = messages || to_jsonb(array[:title::text])
     where shop_id = :shop and delivery_id = :delivery
       and not messages @> to_jsonb(array[:title::text]) returning 1`,
    { delivery, title: english(title) },
  )
  if (added.length === 0) return
  await raiseNotice(tx, { level: 'success', title, body, operation_id: null })
  const { name, settings } = await readShop(tx)
  if (!email || settings.recipients.length === 0) return
  const payload = {
    template: 'delivery-told',
    data: { shop: { name }, title: textOf(title), body: textOf(body) },
  }
  const [message] = (await tx
    .insert('outbox', {
      key: `delivery/${delivery}/${english(title)}`,
      kind: 'email',
      payload: JSON.stringify(payload),
    })
    .onConflict()
    .ignore()
    .returning('id')) as { id: string }[]
  if (message) await queueMessage(tx, message.id)
}

export interface RunFailure {
  code: string
  /** Sentences for the merchant. */
  reason: Text
}

/** The buyer keeps what was delivered: only the added units wait for keys. */
export async function writeLacking(
  tx: ShopScope,
  { delivery_id: delivery, about }: DeliveryRun,
  failure: RunFailure,
): Promise<void> {
  await endFailed(tx, delivery, failure)
  await tx.query(
    `update delivery_runs set mail_follows = true where shop_id = :shop and delivery_id = :delivery`,
    { delivery },
  )
  await raiseNotice(tx, {
    level: 'critical',
    title: say('Added units of order {order} wait for licence keys', { order: about.order.name }),
    body: sentences(say('The buyer keeps what was delivered.'), failure.reason),
    operation_id: null,
    delivery_id: delivery,
  })
}

export const endFailed = (tx: ShopScope, delivery: string, { code, reason }: RunFailure) =>
  tx.query(
    `update delivery_runs set status = 'failed', code = :code,
       (reason, reason_values) = (select ${columnsOfText(':reason::jsonb')}), updated_at = now()
     where shop_id = :shop and delivery_id = :delivery`,
    { delivery, code, reason: JSON.stringify(reason) },
  )

export async function writeFailed(
  tx: ShopScope,
  { delivery_id: delivery, about }: DeliveryRun,
  failure: RunFailure,
): Promise<void> {
  await endFailed(tx, delivery, failure)
  const partly = (await partlyReady(tx, [delivery])).has(delivery)
  const effect = partly
    ? say('Its workflow could not prepare all of them. The buyer has received the others.')
    : say('Its workflow could not prepare them, so the buyer has not received them yet.')
  await raiseNotice(tx, {
    level: 'critical',
    title: say('The files of order {order} are held', { order: about.order.name }),
    body: sentences(effect, failure.reason),
    operation_id: null,
    delivery_id: delivery,
  })
}
