// A shop's subscription to the app as the platform knows it, and requesting another one.
import { z } from 'zod'
import { PortError, say, sayPlain, textOf, type AnyText } from '../../plugins/contract/index.ts'
import type { AdminRequest } from './admin-api.ts'
import { unavailableText } from './platform-failures.ts'
import { SHOP_SUBSCRIPTION, SUBSCRIBE, type Transport } from './operations.ts'

export interface Subscription {
  /** The name of a manual subscription, or the handle of a managed plan. */
  name: string
  trialEndsAt: Date | null
  /** Does it end with its current billing cycle? */
  ends: boolean
}

export interface Charge {
  name: string
  amount: number
  currency: string
  interval: 'EVERY_30_DAYS' | 'ANNUAL'
  trialDays: number
  test: boolean
  /** The page to which the merchant returns. */
  returnUrl: string
}

/** Every method throws `PortError`. Null: the shop has no subscription. */
export interface Subscriptions {
  /** A subscription that the app itself requested. */
  manual(signal: AbortSignal): Promise<Subscription | null>
  /** A subscription of the platform's own pricing page, read through the Partner API. */
  managed(
    partner: { organization: string; token: string; app: string },
    signal: AbortSignal,
  ): Promise<Subscription | null>
  /** The platform's pricing page for the shop. */
  pricingPage(domain: string, signal: AbortSignal): Promise<string>
  /** Returns the address at which the merchant confirms the charge. */
  create(charge: Charge, signal: AbortSignal): Promise<string>
}

interface ShopSubscription {
  shop: { id: string }
  currentAppInstallation: {
    app: { handle: string | null }
    activeSubscriptions: {
      name: string
      status: string
      trialDays: number
      createdAt: string
    }[]
  }
}

const POINTS = 10
const DAY_MS = 86_400_000
const PARTNER_TIMEOUT_MS = 15_000
const PARTNER_VERSION = '2026-07'
const ACTIVE = `query ActiveSubscription($appId: ID!, $shopId: ID!) {
  activeSubscription(appId: $appId, shopId: $shopId) {
    cancelAtEndOfCycle
    trialEndsAt
    items { handle }
  }
}`

const partnerAnswer = z.object({
  data: z.object({
    activeSubscription: z
      .object({
        cancelAtEndOfCycle: z.boolean(),
        trialEndsAt: z.string().nullable(),
        items: z.array(z.object({ handle: z.string() })),
      })
      .nullable(),
  }),
})

const failed = (why: AnyText) => new PortError('storefront_unavailable', unavailableText(why), true)

const partnerAnswered = (status: number) =>
  failed(say('the Partner API answered HTTP {status}', { status: String(status) }))

const chargeRefused = (
  objection: string = sayPlain('the platform gave no page to confirm it'),
): PortError => {
  const message = say('The charge: {reason}', { reason: textOf(objection) })
  return new PortError('storefront_unavailable', message, false)
}

export function createSubscriptions(request: AdminRequest, transport: Transport): Subscriptions {
  const read = (signal: AbortSignal) =>
    request<ShopSubscription>(SHOP_SUBSCRIPTION, {}, POINTS, signal)
  return {
    manual: async (signal) => {
      const { activeSubscriptions } = (await read(signal)).currentAppInstallation
      const active = activeSubscriptions.find(({ status }) => status === 'ACTIVE')
      if (!active) return null
      const until = new Date(Date.parse(active.createdAt) + active.trialDays * DAY_MS)
      return { name: active.name, trialEndsAt: until > new Date() ? until : null, ends: false }
    },
    managed: async ({ organization, token, app }, signal) => {
      const shopId = (await read(signal)).shop.id
      const address = `https://partners.shopify.com/${encodeURIComponent(organization)}/api/${PARTNER_VERSION}/graphql.json`
      const variables = { appId: `gid://shopify/App/${app}`, shopId }
      const response = await transport(address, {
        method: 'POST',
        body: JSON.stringify({ query: ACTIVE, variables }),
        headers: { 'content-type': 'application/json', 'x-shopify-access-token': token },
        signal: AbortSignal.any([signal, AbortSignal.timeout(PARTNER_TIMEOUT_MS)]),
      }).catch(() => {
        throw failed(sayPlain('the Partner API did not answer'))
      })
      if (!response.ok) throw partnerAnswered(response.status)
      const answer = partnerAnswer.safeParse(await response.json().catch(() => null))
      if (!answer.success) throw failed(sayPlain('the Partner API refused the query'))
      const active = answer.data.data.activeSubscription
      const [item] = active?.items ?? []
      if (!active || !item) return null
      const until = active.trialEndsAt === null ? null : new Date(active.trialEndsAt)
      return { name: item.handle, trialEndsAt: until, ends: active.cancelAtEndOfCycle }
    },
    pricingPage: async (domain, signal) => {
      const { handle } = (await read(signal)).currentAppInstallation.app
      const store = domain.replace(/\.myshopify\.com$/, '')
      return `https://admin.shopify.com/store/${store}/charges/${handle ?? ''}/pricing_plans`
    },
    create: async ({ amount, currency, interval, ...charge }, signal) => {
      const price = { amount: amount.toFixed(2), currencyCode: currency }
      const lineItems = [{ plan: { appRecurringPricingDetails: { price, interval } } }]
      const { appSubscriptionCreate: made } = await request<{
        appSubscriptionCreate: {
          confirmationUrl: string | null
          userErrors: { message: string }[]
        } | null
      }>(SUBSCRIBE, { ...charge, lineItems }, POINTS, signal)
      const [objection] = made?.userErrors ?? []
      if (!made?.confirmationUrl) throw chargeRefused(objection?.message)
      return made.confirmationUrl
    },
  }
}
