// Processes the changes that the platform reported, except orders: products into the mirror, the
// shop's own data, and compliance requests about customers' data.
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import type { BackgroundTask, NextRun } from '../core/queue/background.ts'
import { present } from '../core/lazy.ts'
import {
  APPLY_CHANGE,
  changeOfKey,
  readChange,
  completeChange,
  WANTED_CHANGES,
  type ChangeReport,
  type ShopChangeKind,
} from './changes.ts'

export interface ReportedChange extends ChangeReport {
  subject: string
}

/**
 * Applies the change. Returns when to apply it once more, or null. It is repeated if the worker
 * died, so it must be idempotent.
 */
export type ApplyChange = (
  scope: ShopScope,
  change: ReportedChange,
  signal: AbortSignal,
) => Promise<NextRun | null>

/** The changes that features apply, beside those of the storefront's own rows. */
export const FEATURE_CHANGES = ['customer-data', 'customer-redact', 'shop-redact'] as const
export type FeatureChanges = Readonly<Record<(typeof FEATURE_CHANGES)[number], ApplyChange>>

const CONCURRENCY = 1

export const changesTask = (
  database: Pick<Database, 'knex'>,
  /** Orders and customers are applied by tasks of their own. */
  apply: Readonly<Record<Exclude<ShopChangeKind, 'order' | 'customer'>, ApplyChange>>,
): BackgroundTask => ({
  ...APPLY_CHANGE,
  concurrency: CONCURRENCY,
  waits: true,
  wanted: WANTED_CHANGES,
  run: async ({ shop, key, signal }) => {
    const scope = forShop(database, present(shop, 'The shop'))
    const change = changeOfKey(key)
    const reported = await readChange(scope, change)
    if (!reported || change.kind === 'order' || change.kind === 'customer') return null
    const { subject } = change
    const later = await apply[change.kind](scope, { ...reported, subject }, signal)
    if (later !== null) return later
    return (await completeChange(scope, change, reported.noted)) ? null : 0
  },
})
