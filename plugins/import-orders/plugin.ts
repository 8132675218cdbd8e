// Imports orders from before the installation: their buyers get deliveries like those of new orders.
import { z } from 'zod'
import { definePlugin, say, sentences } from '../contract/index.ts'

const options = z.strictObject({
  since: z.iso.datetime().meta({
    title: 'Placed since',
    help: 'Older orders are left out.',
  }),
  mail: z.boolean().default(false).meta({
    title: 'Email the buyers',
    help: 'Each buyer gets the email about the order’s files. Without it, deliveries are ready silently.',
  }),
})

/**
 * It works on orders of the platform, not on files: the counters of its operation count orders. It
 * cannot be undone; single deliveries can be revoked.
 */
export const importOrders = definePlugin({
  id: 'import-orders',
  kind: 'act',
  title: 'Import past orders',
  // Started by its own endpoint: it needs no files.
  actions: [],
  options,
  undo: 'none',
  needs: ['pastOrders', 'progress', 'notify'],
  scope: 'operation',
  ledger: false,
  permission: 'links:write',
  summary: ({ mail }) =>
    mail
      ? say('Deliveries for past orders, with an email')
      : say('Deliveries for past orders, without an email'),
  async *plan(_, { since, mail }, { pastOrders, signal }) {
    signal.throwIfAborted()
    const { orders, deliveries, buyers } = await pastOrders.count(new Date(since), signal)
    yield say('Orders found: {count}', { count: orders })
    yield say('New deliveries: {count}', { count: deliveries })
    yield say('Their buyers: {count}', { count: buyers })
    yield mail ? say('Each buyer gets an email') : say('No emails are sent')
  },
  async run({ id }, { since, mail }, { pastOrders, progress, notify, signal }) {
    signal.throwIfAborted()
    const about = { operation: id, since: new Date(since), mail }
    const { orders, deliveries, failed } = await pastOrders.import(about, progress.show, signal)
    notify.notice({
      level: failed > 0 ? 'warning' : 'success',
      title: say('Past orders are imported'),
      body: sentences(
        say('Orders read: {count}.', { count: orders }),
        say('New deliveries: {count}.', { count: deliveries }),
      ),
    })
    if (failed === 0) return {}
    const message = sentences(
      say('Orders that could not be imported: {count}.', { count: failed }),
      say('Import them again.'),
    )
    return { warnings: [{ code: 'storefront_unavailable', message }] }
  },
})
