// The webhooks that report an action on an order, with their bodies.
import { toGid } from '../catalog-ids.ts'
import type { DemoOrder } from './order.ts'

export const ORDER_ACTIONS = ['refund', 'cancel', 'edit', 'risk', 'pay'] as const
export type OrderAction = (typeof ORDER_ACTIONS)[number]

export const orderPayload = (order: DemoOrder) => ({
  id: order.id,
  admin_graphql_api_id: toGid('Order', order.id),
  name: order.name,
  email: order.email,
  confirmation_number: order.confirmationNumber,
  created_at: order.createdAt,
  updated_at: order.updatedAt,
  financial_status: order.financialStatus.toLowerCase(),
  customer: order.customerId === null ? null : { id: order.customerId, email: order.email },
})

const refundPayload = (order: DemoOrder) => ({
  id: order.id * 10 + 1,
  order_id: order.id,
  created_at: order.updatedAt,
})

export const ORDER_WEBHOOKS: Readonly<
  Record<OrderAction, (order: DemoOrder) => (readonly [string, object])[]>
> = {
  refund: (order) => [['refunds/create', refundPayload(order)]],
  cancel: (order) => [
    ['orders/cancelled', orderPayload(order)],
    ['refunds/create', refundPayload(order)],
  ],
  edit: (order) => [
    ['orders/edited', { order_edit: { id: order.id * 10 + 2, order_id: order.id } }],
  ],
  pay: (order) => [['orders/paid', orderPayload(order)]],
  risk: (order) => [
    [
      'orders/risk_assessment_changed',
      { order_id: order.id, admin_graphql_api_order_id: toGid('Order', order.id) },
    ],
  ],
}
