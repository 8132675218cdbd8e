// Deliveries of paid orders.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { EngineParts } from '../../engine/parts.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { renewTask } from '../preparation/renew.ts'
import { prepareTask } from '../preparation/run.ts'
import { defineFeature } from '../feature.ts'
import { buyersEffect, deliveryMails } from './mail-writer.ts'
import { phonePlace } from './delivery-text.ts'
import { ordersExamples } from './examples.ts'
import { effectTask, type EffectParts } from './effects.ts'
import { adminExtensions } from './extensions/admin-origin.ts'
import { thankYouRequests, type ThankYouParts } from './extensions/thank-you.ts'
import { createOrderPages, type OrderPagesParts } from './order-pages.ts'
import { deliveryHeld, deliveryReady, fileReleased, orderRefunded } from './events.ts'
import { endPreparation } from './preparation.ts'
import { giveEffect } from './give-effect.ts'
import { newFilesRoutes } from './new-files-routes.ts'
import { customerSyncTask, customerTagTask, type CustomerTagParts } from './customer-tags.ts'
import { newFilesTask, type NewFilesParts } from './new-files-task.ts'
import { guardImport, pastOrderRoutes, type PastOrderRouteParts } from './past-orders-routes.ts'
import { createPastOrders, type PastOrderParts } from './past-orders.ts'
import { releaseTask, type ReleaseTaskParts } from './release-task.ts'
import { addedFilesRoutes, type AddedFilesRouteParts } from './added-files-routes.ts'
import { unfiledRoutes } from './unfiled-routes.ts'
import { deliveryRoutes } from './routes.ts'
import { reconcileTask, syncTask, type OrderParts } from './tasks.ts'

interface PastOrderPortParts {
  scope: ShopScope
  storefront: { orders(shop: number): PastOrderParts['orders'] }
  secrets: PastOrderParts['secrets']
}

export const ordersFeature = defineFeature({
  name: 'orders',
  examples: ordersExamples,
  endpoints: (parts: AddedFilesRouteParts & PastOrderRouteParts & { limits: Limits }) => [
    ...deliveryRoutes(parts),
    ...addedFilesRoutes(parts),
    ...newFilesRoutes(parts),
    ...pastOrderRoutes(parts),
    ...unfiledRoutes(),
  ],
  requests: (parts: Omit<ThankYouParts, 'orderPages'> & OrderPagesParts) => [
    thankYouRequests({ ...parts, orderPages: createOrderPages(parts) }),
  ],
  origins: adminExtensions,
  ports: {
    pastOrders: ({ scope, storefront, secrets }: PastOrderPortParts) =>
      createPastOrders(scope, { orders: storefront.orders(scope.shop), secrets }),
  },
  effects: ({ secrets }) => [giveEffect(secrets), buyersEffect],
  mails: { 'order-delivery': deliveryMails },
  sealed: ['orders', 'deliveries'].flatMap((table) => sealedBytes(table, ['phone'], phonePlace)),
  guard: guardImport,
  events: [fileReleased, deliveryReady, deliveryHeld, orderRefunded],
  changesDelivery: true,
  tasks: (
    parts: EffectParts &
      OrderParts &
      NewFilesParts &
      CustomerTagParts &
      ReleaseTaskParts & { engineParts: EngineParts },
  ) => {
    const { engineParts, clock } = parts
    return [
      reconcileTask(parts),
      prepareTask(engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
      renewTask(engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
      syncTask(parts),
      effectTask(parts),
      newFilesTask(parts),
      releaseTask(parts),
      customerTagTask(parts),
      customerSyncTask(parts),
    ]
  },
  tables: {
    orders: {
      about: 'Orders',
      columns: ['email', 'locale', 'customer_id', 'customer_name'],
      keeps: ['id', 'name', 'confirmation_number', 'financial_status', 'recommendation'],
      how: 'order',
    },
    demo_orders: { about: 'Orders of the demo shop', columns: ['data'], how: 'mask' },
    deliveries: {
      about: 'Deliveries',
      columns: ['email', 'ask'],
      keeps: ['order_id', 'marked'],
      how: 'order',
    },
    delivery_files: 'ids',
    order_effects: 'kinds, and errors of the platform',
    new_files: 'ids',
    product_new_files: 'ids of products',
    release_changes: 'ids',
    term_changes: 'ids',
    customer_tags: {
      about: 'Tags of customers who bought files that require one',
      columns: ['tags'],
      keeps: ['customer_id'],
      how: 'order',
    },
    customer_syncs: 'times',
    demo_customers: 'tags of customers of the demo shop',
    unfiled_products: 'the shop’s public catalog',
    order_lines: 'the shop’s public catalog',
    order_syncs: 'times',
    past_imports: 'counts, and a place in the platform’s list',
  },
})
