// Orders in the platform's format, for tests without a platform.
import type { PlatformLine, PlatformOrder } from '../server/storefront/orders.ts'

export interface MadeOrder extends Partial<Omit<PlatformOrder, 'lines'>> {
  /** One line per entry, in order: a product's id, or a line. */
  products?: readonly (string | Partial<PlatformLine>)[]
}

/** A paid order of one unit of each product. */
export function paidOrder({ products = [], ...over }: MadeOrder = {}): PlatformOrder {
  const at = new Date('2026-10-01T12:00:00Z')
  return {
    id: 'gid://shopify/Order/1',
    name: '#1001',
    email: 'buyer@example.com',
    locale: 'en',
    phone: null,
    confirmation_number: 'ABC123',
    created_at: at,
    updated_at: at,
    cancelled_at: null,
    financial_status: 'PAID',
    fully_paid: true,
    paid_units: {},
    recommendation: 'NONE',
    customer_id: 'gid://shopify/Customer/7',
    customer_name: 'Ada Buyer',
    lines: products.map((product, place) => ({
      id: `gid://shopify/LineItem/${place + 1}`,
      title: `Line ${place + 1}`,
      sku: null,
      quantity: 1,
      requires_shipping: false,
      product_id: typeof product === 'string' ? product : null,
      variant_id: null,
      bundle: null,
      ...(typeof product === 'string' ? {} : product),
    })),
    ...over,
  }
}
