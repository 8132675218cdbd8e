// The platform's scopes that the app requests (shopify.app.toml), and what each is needed for. A
// merchant may withdraw one, and an older installation may lack one.
import { sayPlain } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'

const WANTED: Readonly<Record<string, string>> = {
  read_products: sayPlain('Files cannot be matched to products.'),
  write_orders: sayPlain(
    'Orders cannot be read: buyers do not get their files automatically, and orders are not tagged.',
  ),
  write_merchant_managed_fulfillment_orders: sayPlain(
    'Delivered lines are not marked as fulfilled, and the platform’s own mail cannot bring the files.',
  ),
}

/** Without this scope the platform shows recent orders alone. */
export const ALL_ORDERS = 'read_all_orders'
export const RECENT_ORDERS_MS = 60 * 24 * 60 * 60 * 1000

export interface MissingScope {
  scope: string
  disables: string
}

/** The scopes that the platform reported last; empty if the app has no access. */
export async function readScopes(scope: ShopScope): Promise<string[]> {
  const [row] = await scope.query<{ scope: string }>(
    'select scope from shop_tokens where shop_id = :shop',
  )
  return (row?.scope ?? '').split(',').filter((one) => one !== '')
}

export const missingScopes = (granted: readonly string[]): MissingScope[] =>
  Object.entries(WANTED)
    .filter(([scope]) => !isGranted(granted, scope))
    .map(([scope, disables]) => ({ scope, disables }))

const FULFIL = 'write_merchant_managed_fulfillment_orders'

/** May the app fulfil lines of orders? Scopes that are not known yet count as granted. */
export const mayFulfil = (granted: readonly string[]): boolean =>
  granted.length === 0 || granted.includes(FULFIL)

/** May the app read customers, and their orders' link to them? As above. */
export const mayReadCustomers = (granted: readonly string[]): boolean =>
  granted.length === 0 || isGranted(granted, 'read_customers')

/** A write scope includes its read scope. */
const isGranted = (granted: readonly string[], scope: string) =>
  granted.includes(scope) || granted.includes(scope.replace(/^read_/, 'write_'))
