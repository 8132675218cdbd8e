// The events of deliveries.
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import { toPublicId } from '../../core/ids.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { defineEvent, MAX_NAMED_FILES, raiseEvent } from '../../core/outbox/webhook-events.ts'
import type { DeliveredFile, DeliveryRow } from './delivery-rows.ts'

const data = z.object({
  delivery_id: z.string(),
  order_id: z.string().describe('As the platform names it'),
  file_ids: z.array(z.string()),
})

export const deliveryReady = defineEvent({
  name: 'delivery.ready',
  title: say('A delivery is ready'),
  about: 'A delivery whose buyer can have its files for the first time',
  starts: say('a delivery is ready'),
  data,
})

export const orderRefunded = defineEvent({
  name: 'order.refunded',
  title: say('A buyer loses files'),
  about:
    'A delivery from which files were withdrawn, because its order was refunded, cancelled or changed',
  starts: say('a buyer loses files, because an order was refunded'),
  data,
})

export const deliveryHeld = defineEvent({
  name: 'delivery.held',
  title: say('A delivery is held'),
  about: 'A delivery that waits for a decision: its order is risky, or a person holds it',
  starts: say('a delivery is held'),
  data,
})

/** Must be called in the transaction that begins the hold. A wait for its preparation is none. */
export async function raiseHeld(
  tx: ShopScope,
  row: DeliveryRow,
  files: readonly DeliveredFile[],
): Promise<void> {
  const held = [...new Set(files.flatMap((file) => (file.entitled ? file.file_id : [])))]
  const key = `${row.id}/${row.held_at?.getTime()}`
  await raiseEvent(tx, deliveryHeld, { key, data: deliveryData(row, held), files: held })
}

export const deliveryData = (
  { id, order_id }: Pick<DeliveryRow, 'id' | 'order_id'>,
  files: readonly string[],
): z.output<typeof data> => ({
  delivery_id: toPublicId('delivery', id),
  order_id,
  file_ids: files.map((file) => toPublicId('file', file)),
})

export const fileReleased = defineEvent({
  name: 'file.released',
  title: say('Files are released'),
  about: 'The files whose day of release has come for buyers, who can have them from now on',
  starts: say('files are released'),
  data: z.object({
    links: z.number().int().describe('How many links of buyers they are released through'),
    total: z.number().int(),
    file_ids: z.array(z.string()).describe(`The first ${MAX_NAMED_FILES} files`),
  }),
})

/** Must be called in the transaction that releases the files (bare UUIDs) of these links. */
export async function raiseReleased(
  tx: ShopScope,
  { links, files, now }: { links: readonly string[]; files: readonly string[]; now: Date },
): Promise<void> {
  const all = [...new Set(files)]
  await raiseEvent(tx, fileReleased, {
    key: `${links.toSorted()[0]}/${now.getTime()}`,
    data: {
      links: links.length,
      total: all.length,
      file_ids: all.slice(0, MAX_NAMED_FILES).map((file) => toPublicId('file', file)),
    },
    files: all,
  })
}
