// The platform's privacy requests, as platform changes: each is repeated until it has succeeded.
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { CustomerRequest } from './buyer.ts'
import { customerData } from './customer-data.ts'
import type { ComplianceParts } from './parts.ts'
import { redactCustomer } from './redact-customer.ts'
import { redactShop } from './redact-shop.ts'

/** The fields that server/storefront/webhooks/topics.ts takes from the body. */
interface CustomerPayload {
  customer: string | null
  email: string | null
  orders: readonly string[]
}

type Change = { payload: unknown }

/** @param hasAccess does the platform still accept the app's tokens of the shop? */
export function complianceChanges(
  parts: ComplianceParts,
  hasAccess: (shop: number, signal: AbortSignal) => Promise<boolean>,
) {
  return {
    'customer-data': async ({ shop }: ShopScope, { payload }: Change): Promise<null> => {
      await customerData(parts, shop, requestOf(payload))
      return null
    },
    'customer-redact': async ({ shop }: ShopScope, { payload }: Change): Promise<null> => {
      await redactCustomer(parts, shop, requestOf(payload))
      return null
    },
    /**
     * Sent 48 hours after the app was uninstalled: a shop that has reinstalled it keeps its data. The
     * webhook of the uninstallation may have been lost, so the platform is asked.
     */
    'shop-redact': async ({ shop }: ShopScope, _: Change, signal: AbortSignal): Promise<null> => {
      const installed = await isInstalled(parts, shop)
      if (!installed || !(await hasAccess(shop, signal))) await redactShop(parts, shop, signal)
      return null
    },
  }
}

const isInstalled = async ({ database }: ComplianceParts, shop: number): Promise<boolean> =>
  (
    await forShop(database, shop).query(
      'select 1 from shops where id = :shop and uninstalled_at is null',
    )
  ).length > 0

function requestOf(payload: unknown): CustomerRequest {
  const { customer = null, email = null, orders = [] } = payload as Partial<CustomerPayload>
  return { email, customerId: customer, orderIds: orders }
}
