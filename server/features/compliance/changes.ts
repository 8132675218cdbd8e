// The platform's privacy requests, as platform changes: each is repeated until it has succeeded.
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { CustomerRequest } from './buyer.ts'
import { customerData } from './customer-data.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import type { ComplianceParts } from './parts.ts'
import type { MakersOf } from '../feature.ts'
import type { FeatureChanges } from '../../storefront/webhooks/apply.ts'
import { redactCustomer } from './redact-customer.ts'
import { redactShop } from './redact-shop.ts'
import { keepPayload, type ChangeReport } from '../../storefront/webhooks/changes.ts'

/** The fields that server/storefront/webhooks/topics.ts takes from the body. */
interface CustomerPayload {
  customer: string | null
  email: string | null
  orders: readonly string[]
}

interface RedactParts extends ComplianceParts {
  storefront: Pick<Storefront, 'hasAccess'>
}

export const complianceChanges = {
  'customer-data':
    (parts: ComplianceParts) =>
    async ({ shop }, { payload }) => {
      await customerData(parts, shop, requestOf(payload))
      return null
    },
  'customer-redact':
    (parts: ComplianceParts) =>
    async ({ shop }, { payload }) => {
      await redactCustomer(parts, shop, requestOf(payload))
      return null
    },
  /**
   * Sent 48 hours after the app was uninstalled: a shop that has reinstalled it keeps its data. The
   * webhook of the uninstallation may have been lost, so the platform is asked. A store that it does
   * not find was deleted, if it is still not found a day later.
   */
  'shop-redact': (parts: RedactParts) => async (scope, change, signal) => {
    const { shop } = scope
    const access =
      (await isInstalled(parts, shop)) &&
      (await parts.storefront.hasAccess(shop, signal).catch(async (error: unknown) => {
        // Between two answers the store may have been there: the day begins again.
        if (missedSince(change) !== undefined) await noteMissed(scope, change, {})
        throw error
      }))
    if (access === true) return null
    const later = access === 'not found' ? await missedAgain(parts, scope, change) : null
    if (later === null) await redactShop(parts, shop, signal)
    return later
  },
} satisfies MakersOf<RedactParts, FeatureChanges>

const MISSED_FOR_MS = 24 * 3600_000
const MISSED_AGAIN_MS = 3600_000

interface MissedStore {
  missed_at?: string
}

const missedSince = ({ payload }: ChangeReport): string | undefined =>
  (payload as MissedStore | null)?.missed_at

const noteMissed = (scope: ShopScope, { noted }: ChangeReport, missed: MissedStore) =>
  keepPayload(scope, { kind: 'shop-redact', subject: '', noted }, missed)

/** When to ask again for a store that was not found; null: for so long that it was deleted. */
async function missedAgain(
  { clock }: ComplianceParts,
  scope: ShopScope,
  change: ChangeReport,
): Promise<Date | null> {
  const now = +clock()
  const since = missedSince(change)
  if (since === undefined)
    await noteMissed(scope, change, { missed_at: new Date(now).toISOString() })
  else if (now - Date.parse(since) >= MISSED_FOR_MS) return null
  return new Date(now + MISSED_AGAIN_MS)
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
