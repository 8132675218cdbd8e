// Notifies the shop that an order's files were delivered, once for each delivery.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract/index.ts'

const options = z.strictObject({
  email: z
    .boolean()
    .default(false)
    .meta({ title: 'By email too', help: 'To the recipients in the settings.' }),
})

export const notifyDelivery = definePlugin({
  id: 'notify-delivery',
  kind: 'notify',
  title: 'Notify the shop of the delivery',
  options,
  undo: 'none',
  worksOn: 'deliveries',
  needs: ['delivery'],
  summary: ({ email }) => (email ? say('A notice and an email') : say('A notice')),
  plan: planEach(() => ({ status: 'ok' })),
  async *run(items, { email }, { delivery, signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      const { order, buyer } = delivery
      delivery.notifyShop({
        title: say('The files of order {order} were delivered', { order: order.name }),
        body: say('They are ready for {buyer}.', {
          buyer: buyer.email ?? buyer.name ?? say('the buyer'),
        }),
        email,
      })
      yield { item: item.id, status: 'ok' as const }
    }
  },
})
