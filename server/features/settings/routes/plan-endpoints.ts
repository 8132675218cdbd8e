// The shop's plan: what it allows, what is used, and how to change it.
import { z } from 'zod'
import { AppError } from '../../../core/errors.ts'
import {
  downloadsOfMonth,
  readShopPlan,
  storageLimit,
  usageOfShop,
  type ShopQuotas,
} from '../../../files/quotas.ts'
import { readShop } from '../../../files/shop-settings.ts'
import { PortError, say, textOf } from '../../../../plugins/contract/index.ts'
import {
  PLAN_FEATURES,
  type OfferedPlan,
  type Plans,
} from '../../../core/configuration/plan-list.ts'
import { refreshPlan, type PlanParts } from '../shop-plan.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { errorSchema, timestamp } from '../../../http/schemas.ts'

const count = z.number().nullable()
const limits = z.object({ files: count, storage_bytes: count, monthly_downloads: count })
const planSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    limits,
    features: z.array(z.enum(PLAN_FEATURES)),
    price: z
      .object({ amount: z.number(), currency: z.string(), interval: z.string() })
      .nullable()
      .describe('Null: it costs nothing, or the platform shows its price'),
  })
  .meta({ id: 'Plan' })
const stateSchema = z
  .object({
    enabled: z.boolean().describe('False: this installation has no plans'),
    pricing: z.enum(['managed', 'manual']).nullable(),
    plan: z.string().nullable().describe('The shop’s; null: not read yet'),
    title: z.string().nullable(),
    limits: limits.nullable(),
    features: z.array(z.enum(PLAN_FEATURES)),
    used: z.object({
      files: z.number(),
      storage_bytes: z
        .number()
        .describe(
          'All stored copies, in every storage location, and uploads in progress. Purged files leave it immediately',
        ),
      removing_bytes: z
        .number()
        .describe(
          'Copies that nothing needs any more, until their bytes are removed, about a day later. With storage_bytes they are at most twice the limit',
        ),
      monthly_downloads: z.number(),
    }),
    storage_limit_bytes: z
      .number()
      .nullable()
      .describe('The plan’s, or the installation’s if it is lower. Null: none'),
    trial_ends_at: timestamp.nullable(),
    ends: z.boolean().describe('It ends with its present billing cycle'),
    plans: z.array(planSchema),
  })
  .meta({ id: 'PlanState' })

const endpoint = endpointsOf({ tag: 'Settings' })
const nothing = { description: 'This installation has no plans', schema: errorSchema }

export type PlanRouteParts = PlanParts & { baseUrl: string; limits: Partial<ShopQuotas> }

export const planRoutes = (parts: PlanRouteParts): Endpoint[] => [
  endpoint('GET /api/plan', {
    summary: 'Read the shop’s plan, its limits and what is used',
    scope: 'operations:read',
    query: z.strictObject({
      refresh: z.enum(['1']).optional().describe('Read it from the platform first'),
    }),
    replies: { 200: { description: 'The plan', schema: stateSchema } },
    handler: async ({ caller: { scope }, query, signal }) => {
      if (query.refresh) await unlessUnavailable(refreshPlan(parts, scope, signal))
      const [shown, usage, storage, monthly_downloads] = await Promise.all([
        parts.plans ? readShopPlan(scope) : null,
        usageOfShop(scope),
        storageLimit(scope, parts.limits),
        downloadsOfMonth(scope),
      ])
      return {
        body: {
          enabled: parts.plans !== null,
          pricing: parts.plans?.pricing ?? null,
          plan: shown?.plan ?? null,
          title: shown?.title ?? null,
          limits: shown?.limits ?? null,
          features: [...(shown?.features ?? [])],
          used: {
            files: usage.files,
            storage_bytes: usage.bytes,
            removing_bytes: usage.leaving,
            monthly_downloads,
          },
          storage_limit_bytes: storage,
          trial_ends_at: shown?.trial_ends_at?.toISOString() ?? null,
          ends: shown?.ends ?? false,
          plans: (parts.plans?.list ?? []).map(recordOf),
        },
      }
    },
  }),
  endpoint('POST /api/plan', {
    summary: 'Request another plan',
    description: 'Returns the address of the platform’s page on which the merchant confirms it.',
    scope: 'settings:write',
    body: z.strictObject({ plan: z.string().max(100) }).meta({ id: 'PlanRequest' }),
    replies: {
      200: { description: 'Where to confirm', schema: z.object({ confirmation_url: z.string() }) },
      409: nothing,
    },
    handler: async ({ caller: { scope }, body, signal }) => {
      const { plans } = parts
      if (!plans) throw new AppError('conflict', { message: say('This installation has no plans') })
      const url = await confirmationOf(parts, plans, wantedPlan(plans, body.plan), scope, signal)
      return { body: { confirmation_url: url } }
    },
  }),
]

/** Ignores an unavailable platform: the plan that was read last is shown then. */
const unlessUnavailable = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    if (!(error instanceof PortError)) throw error
  })

function wantedPlan({ list }: Plans, id: string): OfferedPlan {
  const plan = list.find((one) => one.id === id)
  if (plan) return plan
  const message = say('There is no plan “{id}”', { id })
  const details = [{ param: 'plan', code: 'not_found' as const, message }]
  throw new AppError('validation_failed', { param: 'plan', details })
}

async function confirmationOf(
  { storefront, baseUrl }: PlanRouteParts,
  { pricing, test = false }: Plans,
  { title, price, trialDays = 0 }: OfferedPlan,
  scope: Parameters<typeof readShopPlan>[0],
  signal: AbortSignal,
): Promise<string> {
  const subscriptions = storefront.subscriptions(scope.shop)
  try {
    if (pricing === 'managed')
      return await subscriptions.pricingPage((await readShop(scope)).domain, signal)
    if (!price)
      throw new AppError('conflict', {
        message: say('This plan costs nothing: cancel the subscription in the admin of your store'),
      })
    const returnUrl = `${baseUrl}/settings/plan`
    return await subscriptions.create({ name: title, ...price, trialDays, test, returnUrl }, signal)
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    throw new AppError('unavailable', { message: textOf(error.texts.message), cause: error })
  }
}

const recordOf = ({ id, title, limits: allowed, features, price }: OfferedPlan) => ({
  id,
  title,
  limits: allowed,
  features: [...features],
  price: price ?? null,
})
