// The operator's plans, from app.config.ts.

/** The limits of a plan; null: the plan does not limit it. */
export interface PlanLimits {
  files: number | null
  storage_bytes: number | null
  /** Buyers' downloads in a calendar month; above it, no further links can be created. */
  monthly_downloads: number | null
}

export const PLAN_FEATURES = [
  'workflows',
  'schedules',
  'connections',
  'webhooks',
  'realtime',
] as const
export type PlanFeature = (typeof PLAN_FEATURES)[number]

export interface OfferedPlan {
  /** The handle of the plan on the platform, for managed pricing. */
  id: string
  title: string
  limits: PlanLimits
  features: readonly PlanFeature[]
  /** The charge of the plan with `manual` pricing; absent: the plan is free. */
  price?: { amount: number; currency: string; interval: 'EVERY_30_DAYS' | 'ANNUAL' }
  trialDays?: number
}

/** The credentials of the platform's Partner API, for managed pricing. */
export interface PartnerAccess {
  organization: string
  token: string
  /** The app's number on the platform. */
  app: string
}

export interface Plans {
  /**
   * `managed`: the platform shows the plans and charges for them; the shop's plan is read through
   * the Partner API. `manual`: this app requests the charge.
   */
  pricing: 'managed' | 'manual'
  /** The plan of a shop without a subscription, an id of the list. */
  free: string
  list: readonly OfferedPlan[]
  partner?: PartnerAccess | null
  /** Test charges: no money is charged. */
  test?: boolean
}

/** The problems of the plans, each with what to write instead. */
export function planProblems({ pricing, free, list, partner }: Plans): string[] {
  const ids = list.map(({ id }) => id)
  const duplicates = ids.filter((id, at) => ids.indexOf(id) !== at)
  const limits = list.flatMap((plan) =>
    Object.entries(plan.limits)
      .filter(([, limit]) => limit !== null && !(Number.isFinite(limit) && limit >= 0))
      .map(([name]) => `plans.${plan.id}.limits.${name}: set a number, or null for no limit`),
  )
  return [
    ...duplicates.map((id) => `plan ${id} is listed twice`),
    ...(ids.includes(free) ? [] : [`plans.free: “${free}” is not in the list`]),
    ...limits,
    ...(pricing === 'managed' && !partner
      ? ['plans.partner: set organization, token and app, or use the pricing “manual”']
      : []),
  ]
}
