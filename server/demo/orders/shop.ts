// The actions of customers and the merchant on orders of the demo shop. Each is reported to the
// app by its webhook.
import { emailAddress } from '../../../plugins/contract.ts'
import { randomBytes, randomInt } from 'node:crypto'
import { z } from 'zod'
import type { DemoCatalog } from '../catalog.ts'
import { toGid } from '../catalog-ids.ts'
import { fold } from '../search.ts'
import { laterThan } from './admin-orders.ts'
import {
  cancel,
  edit,
  OrderProblem,
  pay,
  refund,
  type DemoLine,
  type DemoOrder,
  type Recommendation,
} from './order.ts'
import type { WebhookSender } from './sender.ts'
import type { OrderStore } from './store.ts'

const MAX_LINES = 200
const MAX_UNITS = 1000
const MAX_LOCATIONS = 99

const line = z.strictObject({
  sku: z.string().min(1).max(255),
  quantity: z.coerce.number().int().min(1).max(MAX_UNITS).default(1),
  location: z.number().int().min(0).max(MAX_LOCATIONS).optional(),
  /** The SKU of the bundle that it is a component of. */
  bundle: z.string().min(1).max(255).optional(),
})
const orderBody = z.strictObject({
  email: emailAddress('Enter an email address').nullable(),
  phone: z.string().max(40).nullish(),
  /** The payment is still to come. */
  unpaid: z.boolean().default(false),
  locale: z.string().min(2).max(20).nullish(),
  name: z.string().trim().max(100).nullish(),
  /** It was placed before the app was installed: no webhook reports it. */
  created_at: z.iso.datetime().optional(),
  lines: z.array(line).min(1, 'At least one line').max(MAX_LINES),
})
const changes = z.array(
  z.strictObject({
    sku: z.string().optional(),
    id: z.string().optional(),
    quantity: z.coerce.number().int().min(0).max(MAX_UNITS).default(1),
  }),
)
const refundBody = z.strictObject({ lines: changes.max(MAX_LINES).optional() })
const editBody = z.strictObject({
  lines: z
    .array(line.extend({ quantity: z.coerce.number().int().min(0).max(MAX_UNITS) }))
    .min(1)
    .max(MAX_LINES),
  /** They leave a balance that the customer has not paid. */
  unpaid: z.boolean().default(false),
})
const riskBody = z.strictObject({
  recommendation: z.enum(['ACCEPT', 'CANCEL', 'INVESTIGATE', 'NONE']),
})

const skuBody = z.strictObject({
  sku: z.string().min(1).max(255),
  new_sku: z.string().min(1).max(255),
})

const dataRequestBody = z.strictObject({
  email: emailAddress('Enter an email address'),
})

export const ORDER_ACTIONS = ['refund', 'cancel', 'edit', 'risk', 'pay'] as const
export type OrderAction = (typeof ORDER_ACTIONS)[number]

export interface DemoShopFront {
  /** Throws `OrderProblem` with the reason. */
  buy(body: unknown): Promise<DemoOrder>
  /** Null: there is no such order. Throws `OrderProblem`. */
  act(id: number, action: OrderAction, body: unknown): Promise<DemoOrder | null>
  read(id: number): Promise<DemoOrder | null>
  /** Gives a variant another SKU, as the merchant does. Throws `OrderProblem`. */
  changeSku(body: unknown): { product_id: string }
  /** A customer requests their data: the webhook is sent to the app. Throws `OrderProblem`. */
  requestData(body: unknown): { data_request_id: number }
}

export function createShopFront(
  catalog: DemoCatalog,
  orders: OrderStore,
  sender: WebhookSender,
): DemoShopFront {
  const lineOf = (orderId: number, place: number, asked: z.output<typeof line>): DemoLine => {
    const { sku, quantity, location, bundle } = asked
    const { variants, products } = catalog
    const rowOf = (wanted: string) => {
      const row = catalog.bySku(fold(wanted)).find((one) => variants.sku[one] === wanted)
      if (row === undefined) throw new OrderProblem(`There is no product with the SKU ${wanted}`)
      return row
    }
    const row = rowOf(sku)
    const product = variants.product[row]!
    const whole = bundle === undefined ? null : rowOf(bundle)
    return {
      ...(whole === null
        ? {}
        : {
            bundle: {
              // One bundle of each kind in an order.
              id: orderId * 1000 + whole,
              title: products.title[variants.product[whole]!]!,
              quantity: 1,
              productId: products.id[variants.product[whole]!]!,
              variantId: variants.id[whole]!,
            },
          }),
      id: orderId * 1000 + place,
      productId: products.id[product]!,
      variantId: variants.id[row]!,
      title: products.title[product]!,
      ...{ sku, quantity, currentQuantity: quantity, fulfilled: 0, location },
    }
  }
  const parse = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
    const parsed = schema.safeParse(body ?? {})
    if (parsed.success) return parsed.data
    const { path, message } = parsed.error.issues[0]!
    throw new OrderProblem(`${path.join('.') || 'body'}: ${message}`)
  }
  const change = (order: DemoOrder, action: OrderAction, body: unknown): void => {
    if (action === 'refund') refund(order, parse(refundBody, body).lines ?? null)
    if (action === 'cancel') cancel(order, new Date())
    if (action === 'edit') {
      const { lines, unpaid } = parse(editBody, body)
      const from = order.lines.length
      edit(
        order,
        lines.map((asked, at) => lineOf(order.id, from + at, asked)),
        unpaid,
      )
    }
    if (action === 'pay') pay(order)
    if (action === 'risk')
      order.recommendation = parse(riskBody, body).recommendation satisfies Recommendation
    order.updatedAt = laterThan(order.updatedAt)
  }
  return {
    changeSku: (body) => {
      const { sku, new_sku } = parse(skuBody, body)
      const row = catalog.bySku(fold(sku)).find((one) => catalog.variants.sku[one] === sku)
      if (row === undefined) throw new OrderProblem(`There is no product with the SKU ${sku}`)
      catalog.changeSku(row, new_sku)
      const id = catalog.products.id[catalog.variants.product[row]!]!
      const product_id = toGid('Product', id)
      void sender.send('products/update', { id, admin_graphql_api_id: product_id })
      return { product_id }
    },
    requestData: (body) => {
      const { email } = parse(dataRequestBody, body)
      const id = randomInt(1, 2 ** 40)
      void sender.send('customers/data_request', {
        orders_requested: [],
        customer: { id: customerOf(email), email, phone: null },
        data_request: { id },
      })
      return { data_request_id: id }
    },
    read: async (id) => (await orders.get([id]))[0] ?? null,
    buy: async (body) => {
      const {
        email,
        phone = null,
        unpaid,
        locale = null,
        name,
        lines,
        created_at,
      } = parse(orderBody, body)
      // Before a number is taken: one for each order, without gaps.
      lines.forEach((asked) => lineOf(0, 0, asked))
      const id = await orders.nextId()
      const now = created_at ?? new Date().toISOString()
      const order: DemoOrder = {
        ...{ id, name: `#${id}`, email, phone, locale },
        customerId: customerOf(email ?? phone ?? `till ${id}`),
        ...(name ? { customerName: name } : {}),
        confirmationNumber: randomBytes(6).toString('hex').slice(0, 9).toUpperCase(),
        ...{ createdAt: now, updatedAt: now, cancelledAt: null },
        financialStatus: unpaid ? 'PENDING' : 'PAID',
        ...{ recommendation: 'NONE', tags: [], metafields: [], fulfilments: [] },
        lines: lines.map((asked, at) => lineOf(id, at, asked)),
      }
      await orders.add(order)
      // As on the platform, the customer does not wait for the apps.
      if (!unpaid && created_at === undefined) void sender.send('orders/paid', orderPayload(order))
      return order
    },
    act: async (id, action, body) => {
      const changed = await orders.change(id, (order) => change(order, action, body))
      if (!changed) return null
      for (const [topic, payload] of WEBHOOKS[action](changed.order))
        void sender.send(topic, payload)
      return changed.order
    },
  }
}

/** One customer for each address. */
const customerOf = (email: string) =>
  [...email.toLowerCase()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7)

const orderPayload = (order: DemoOrder) => ({
  id: order.id,
  admin_graphql_api_id: toGid('Order', order.id),
  ...{ name: order.name, email: order.email, confirmation_number: order.confirmationNumber },
  ...{ created_at: order.createdAt, updated_at: order.updatedAt },
  customer: { id: order.customerId, email: order.email },
})

const refundPayload = (order: DemoOrder) => ({
  id: order.id * 10 + 1,
  order_id: order.id,
  created_at: order.updatedAt,
})

const WEBHOOKS: Readonly<Record<OrderAction, (order: DemoOrder) => (readonly [string, object])[]>> =
  {
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
