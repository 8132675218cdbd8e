import { expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Notifier, PastOrders } from '../contract/index.ts'
import { importOrders } from './plugin.ts'

/** A platform with three orders, of which two have files. */
function platform(failed = 0) {
  const imported = new Map<string, boolean>()
  const told = new Set<string>()
  const pastOrders: PastOrders = {
    count: () => Promise.resolve({ orders: 3, deliveries: 2, buyers: 1 }),
    import: async ({ operation, mail }, seen) => {
      imported.set(operation, mail)
      await seen(3, 3)
      return { orders: 3, deliveries: 2, failed }
    },
  }
  const notify: Notifier = {
    email: () => {},
    notice: ({ level, title, body }) =>
      void told.add(`${level}: ${inEnglish(title)}. ${inEnglish(body)}`),
    sms: () => {},
  }
  return { imported, told, pastOrders, notify }
}
const options = { since: '2026-08-01T00:00:00.000Z', mail: true }

pluginSuite(importOrders, () => {
  const { imported, told, pastOrders, notify } = platform()
  return Promise.resolve({
    operation: operationView(),
    options,
    context: writeContext({ pastOrders }),
    notify,
    state: () => [[...imported], [...told]],
  })
})

it('says in a preview how many deliveries there would be, and whether buyers get an email', async () => {
  const { pastOrders } = platform()
  const sentences = await Array.fromAsync(
    importOrders.plan(operationView(), options, writeContext({ pastOrders })),
  )
  expect(inEnglish(sentences)).toEqual([
    'Orders found: 3',
    'New deliveries: 2',
    'Their buyers: 1',
    'Each buyer gets an email',
  ])
})

it('warns about orders that could not be imported', async () => {
  const { pastOrders, told, notify } = platform(1)
  const report = await importOrders.run(
    operationView(),
    options,
    operationContext({ pastOrders, notify }),
  )
  expect(inEnglish(report.warnings)).toMatchObject([
    { message: 'Orders that could not be imported: 1. Import them again.' },
  ])
  expect([...told]).toEqual([
    'warning: Past orders are imported. Orders read: 3. New deliveries: 2.',
  ])
})
