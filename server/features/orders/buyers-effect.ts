// Mails to past buyers about a new version of a file, at most one for each delivery and operation.
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { buyersOf, queueDeliveryMails } from './delivery-mail.ts'

export const buyersEffect = defineEffect({
  name: 'buyers',
  write: async (tx, { id }, requests) => {
    const { buyers, records } = await findBuyers(tx, requests)
    await queueDeliveryMails(tx, buyers, { about: 'update', operation: id })
    return records
  },
  preview: async (tx, requests) => (await findBuyers(tx, requests)).records,
})

/** Finds the deliveries that contain the files, and their number for each item with some. */
async function findBuyers(tx: ShopScope, requests: readonly EffectRequest<'tell'>[]) {
  const found = await buyersOf(
    tx,
    requests.map(({ file }) => file),
  )
  return {
    buyers: [...new Set([...found.values()].flat())],
    records: new Map(
      requests.flatMap(({ item, file }) => {
        const buyers = found.get(file)?.length ?? 0
        return buyers > 0 ? [[item, { buyers }]] : []
      }),
    ),
  }
}
