// Reads the plan that a shop pays for from the platform, and stores it with its limits. While the
// platform is unavailable, the stored plan applies.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Subscription, Subscriptions } from '../../storefront/subscriptions.ts'
import type { OfferedPlan, Plans } from '../../core/configuration/plan-list.ts'
import { present } from '../../core/lazy.ts'

export interface PlanParts {
  database: Pick<Database, 'knex' | 'pool'>
  storefront: { subscriptions(shop: number): Subscriptions }
  /** The plans of the installation; null: the operator has configured none. */
  plans: Plans | null
  log: Logger
}

/** The interval of polling: managed pricing has no webhook for subscriptions. */
const READ_EVERY = '1 hour'

/** Reads the shop's plan and stores it. Throws `PortError`. */
export async function refreshPlan(
  { storefront, plans }: PlanParts,
  scope: ShopScope,
  signal: AbortSignal,
): Promise<void> {
  if (!plans) return
  const subscriptions = storefront.subscriptions(scope.shop)
  const found =
    plans.pricing === 'manual' || !plans.partner
      ? await subscriptions.manual(signal)
      : await subscriptions.managed(plans.partner, signal)
  await storePlan(scope, planOf(plans, found), found)
}

/**
 * The plan of a subscription. If the plan is no longer in the list, the limits of the free one
 * apply.
 */
const planOf = ({ list, free }: Plans, found: Subscription | null): OfferedPlan =>
  list.find(({ id, title }) => id === found?.name || title === found?.name) ??
  present(
    list.find(({ id }) => id === free),
    'The free plan',
  )

async function storePlan(
  scope: ShopScope,
  { id, title, limits, features }: OfferedPlan,
  found: Subscription | null,
): Promise<void> {
  await scope.query(
    `insert into shop_plans (shop_id, plan, title, limits, features, trial_ends_at, ends)
     values (:shop, :id, :title, :limits, :features::text[], :until, :ends)
     on conflict (shop_id) do update set plan = excluded.plan, title = excluded.title,
       limits = excluded.limits, features = excluded.features,
       trial_ends_at = excluded.trial_ends_at, ends = excluded.ends, read_at = now()`,
    {
      id,
      title,
      limits: JSON.stringify(limits),
      features: [...features],
      until: found?.trialEndsAt ?? null,
      ends: found?.ends ?? false,
    },
  )
}

/** Reads each shop's plan when the worker starts, and once an hour. */
export const planTask = (parts: PlanParts): BackgroundTask => ({
  name: 'shop-plan',
  concurrency: 2,
  wanted: parts.plans
    ? `select s.id as shop_id, s.id::text as key,
         coalesce(p.read_at + interval '${READ_EVERY}', now()) as due_at
       from shops s left join shop_plans p on p.shop_id = s.id where s.uninstalled_at is null`
    : 'select shop_id, shop_id::text as key, now() as due_at from shop_plans where false',
  run: async ({ shop, signal }) => {
    try {
      await refreshPlan(
        parts,
        forShop(parts.database, present(shop, 'The shop of the run')),
        signal,
      )
    } catch (error) {
      if (signal.aborted) throw error
      parts.log.warn('a shop’s plan could not be read', { shop, ...errorFields(error) })
      return 5 * 60_000
    }
    return null
  },
})

/**
 * Deletes the stored plans when the operator has no plans any more, because they would still limit
 * shops.
 */
export async function clearPlans({ database, plans }: PlanParts): Promise<void> {
  if (!plans) await database.pool.query('delete from shop_plans')
}
