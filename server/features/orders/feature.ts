// Deliveries of paid orders.
import type { EngineParts } from '../../engine/parts.ts'
import { renewTask } from '../preparation/renew.ts'
import { prepareTask } from '../preparation/run.ts'
import { ordersExamples } from './examples.ts'
import { effectTask, type EffectParts } from './effects.ts'
import { endPreparation } from './preparation.ts'
import { deliveryRoutes } from './routes.ts'
import { reconcileTask, syncTask, type OrderParts } from './tasks.ts'
import { defineFeature } from '../feature.ts'

export const ordersFeature = defineFeature({
  name: 'orders',
  examples: ordersExamples,
  endpoints: deliveryRoutes,
  showsDownloads: true,
  tasks: (parts: EffectParts & OrderParts & { engineParts: EngineParts }) => {
    const { engineParts, clock } = parts
    return [
      reconcileTask(parts),
      prepareTask(engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
      renewTask(engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
      syncTask(parts),
      effectTask(parts),
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
    order_lines: 'the shop’s public catalog',
    order_syncs: 'times',
  },
})
