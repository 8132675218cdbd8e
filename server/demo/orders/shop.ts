// The actions of customers and the merchant on orders of the demo shop. Each is reported to the
// app by its webhook.
import { randomBytes, randomInt } from 'node:crypto'
import { elementAt } from '../../core/lazy.ts'
import type { DemoCatalog } from '../catalog.ts'
import { toGid } from '../catalog-ids.ts'
import { fold } from '../search.ts'
import { laterThan } from './admin-orders.ts'
import {
  customerBody,
  dataRequestBody,
  editBody,
  orderBody,
  parseBody,
  refundBody,
  riskBody,
  skuBody,
  type LineBody,
} from './bodies.ts'
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
import { ORDER_WEBHOOKS, orderPayload, type OrderAction } from './order-webhooks.ts'
import type { WebhookSender } from './sender.ts'
import type { OrderStore } from './store.ts'

export class DemoShopFront {
  readonly #catalog: DemoCatalog
  readonly #orders: OrderStore
  readonly #sender: WebhookSender

  constructor(catalog: DemoCatalog, orders: OrderStore, sender: WebhookSender) {
    this.#catalog = catalog
    this.#orders = orders
    this.#sender = sender
  }

  /** Places an order. Throws `OrderProblem` with the reason. */
  async buy(body: unknown): Promise<DemoOrder> {
    const placed = parseBody(orderBody, body)
    const { email, phone = null, locale = null, name, guest, lines, created_at } = placed
    // The lines are checked before a number is taken: orders have numbers without gaps.
    lines.forEach((asked) => this.#lineOf(0, 0, asked))
    const id = await this.#orders.nextId()
    const now = created_at ?? new Date().toISOString()
    const order: DemoOrder = {
      id,
      name: `#${id}`,
      email,
      phone,
      locale,
      customerId: guest ? null : customerOf(email ?? phone ?? `till ${id}`),
      ...(name ? { customerName: name } : {}),
      confirmationNumber: randomBytes(6).toString('hex').slice(0, 9).toUpperCase(),
      createdAt: now,
      updatedAt: now,
      cancelledAt: null,
      financialStatus: placed.financial_status,
      deposit: placed.financial_status === 'PARTIALLY_PAID',
      source: placed.source,
      recommendation: 'NONE',
      tags: [],
      metafields: [],
      fulfilments: [],
      lines: lines.map((asked, at) => this.#lineOf(id, at, asked)),
    }
    await this.#orders.add(order)
    // As on the platform, the customer does not wait for the apps.
    if (created_at !== undefined) return order
    void this.#sender.send('orders/create', orderPayload(order))
    if (order.financialStatus === 'PAID') void this.#sender.send('orders/paid', orderPayload(order))
    return order
  }

  /** Changes an order; null: there is no such order. Throws `OrderProblem`. */
  async act(id: number, action: OrderAction, body: unknown): Promise<DemoOrder | null> {
    const changed = await this.#orders.change(id, (order) => this.#change(order, action, body))
    if (!changed) return null
    for (const [topic, payload] of ORDER_WEBHOOKS[action](changed.order))
      void this.#sender.send(topic, payload)
    return changed.order
  }

  async read(id: number): Promise<DemoOrder | null> {
    return (await this.#orders.get([id]))[0] ?? null
  }

  /** Gives a variant another SKU, as the merchant does. Throws `OrderProblem`. */
  changeSku(body: unknown): { product_id: string } {
    const { sku, new_sku } = parseBody(skuBody, body)
    const row = this.#rowOf(sku)
    this.#catalog.changeSku(row, new_sku)
    const id = this.#productOf(row).id
    const product_id = toGid('Product', id)
    void this.#sender.send('products/update', { id, admin_graphql_api_id: product_id })
    return { product_id }
  }

  /**
   * Sets the tags of a customer, by id or by email address, as a subscription app does. Throws
   * `OrderProblem`.
   */
  async tagCustomer(who: string, body: unknown): Promise<object> {
    const { tags } = parseBody(customerBody, body)
    const id = /^\d{1,15}$/.test(who) ? Number(who) : customerOf(who)
    const updatedAt = new Date().toISOString()
    await this.#orders.setCustomer({ id, tags, updatedAt })
    const customer_id = toGid('Customer', id)
    void this.#sender.send('customers/update', { id, admin_graphql_api_id: customer_id })
    return { customer_id, tags }
  }

  /** A customer requests their data: the webhook is sent to the app. Throws `OrderProblem`. */
  requestData(body: unknown): { data_request_id: number } {
    const { email } = parseBody(dataRequestBody, body)
    const id = randomInt(1, 2 ** 40)
    void this.#sender.send('customers/data_request', {
      orders_requested: [],
      customer: { id: customerOf(email), email, phone: null },
      data_request: { id },
    })
    return { data_request_id: id }
  }

  #change(order: DemoOrder, action: OrderAction, body: unknown): void {
    if (action === 'refund') refund(order, parseBody(refundBody, body).lines ?? null)
    if (action === 'cancel') cancel(order, new Date())
    if (action === 'edit') {
      const { lines, unpaid, add } = parseBody(editBody, body)
      const from = order.lines.length
      const [changed, added] = [lines, add].map((asked, list) =>
        asked.map((one, at) => this.#lineOf(order.id, from + list * lines.length + at, one)),
      )
      edit(order, { lines: changed ?? [], unpaid, add: added ?? [] })
    }
    if (action === 'pay') pay(order)
    if (action === 'risk')
      order.recommendation = parseBody(riskBody, body).recommendation satisfies Recommendation
    order.updatedAt = laterThan(order.updatedAt)
  }

  #lineOf(orderId: number, place: number, asked: LineBody): DemoLine {
    const { sku, quantity, location, bundle_sku: bundle } = asked
    const row = this.#rowOf(sku)
    const product = this.#productOf(row)
    return {
      ...(bundle === undefined ? {} : { bundle: this.#bundleOf(orderId, bundle) }),
      id: orderId * 1000 + place,
      productId: product.id,
      variantId: elementAt(this.#catalog.variants.id, row),
      title: product.title,
      sku,
      quantity,
      currentQuantity: quantity,
      fulfilled: 0,
      location,
    }
  }

  /** An order has one bundle of each kind. */
  #bundleOf(orderId: number, sku: string): NonNullable<DemoLine['bundle']> {
    const row = this.#rowOf(sku)
    const { id: productId, title } = this.#productOf(row)
    const variantId = elementAt(this.#catalog.variants.id, row)
    return { id: orderId * 1000 + row, title, quantity: 1, productId, variantId }
  }

  #rowOf(sku: string): number {
    const { bySku, variants } = this.#catalog
    const row = bySku(fold(sku)).find((one) => variants.sku[one] === sku)
    if (row === undefined) throw new OrderProblem(`There is no product with the SKU ${sku}`)
    return row
  }

  #productOf(row: number): { id: number; title: string } {
    const { products, variants } = this.#catalog
    const product = elementAt(variants.product, row)
    return { id: elementAt(products.id, product), title: elementAt(products.title, product) }
  }
}

/** The number of the account with this address: one for each. */
export const customerOf = (email: string) =>
  [...email.toLowerCase()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7)
