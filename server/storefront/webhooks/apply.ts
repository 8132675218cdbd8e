// Works off what the platform reported, orders excepted: products into the mirror, the shop's own
// data, and its demands about customers' data.
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import type { BackgroundTask } from '../../engine/background.ts'
import {
  APPLY_CHANGE,
  changeOfKey,
  readChange,
  settleChange,
  WANTED_CHANGES,
  type Reported,
} from './changes.ts'
import type { ShopChangeKind } from './topics.ts'

export interface ReportedChange extends Reported {
  subject: string
}

/**
 * Does what the change asks for. Gives when to do it once more, or null. Repeated where the worker
 * died: the second time must change nothing more.
 */
export type ApplyChange = (
  scope: ShopScope,
  change: ReportedChange,
  signal: AbortSignal,
) => Promise<Date | null>

const AT_A_TIME = 1

export const changesTask = (
  database: Pick<Database, 'knex'>,
  apply: Readonly<Record<Exclude<ShopChangeKind, 'order'>, ApplyChange>>,
): BackgroundTask => ({
  ...APPLY_CHANGE,
  atOnce: AT_A_TIME,
  wanted: WANTED_CHANGES,
  run: async ({ shop, key, signal }) => {
    const scope = forShop(database, shop!)
    const change = changeOfKey(key)
    const reported = await readChange(scope, change)
    if (!reported || change.kind === 'order') return null
    const { subject } = change
    const later = await apply[change.kind](scope, { ...reported, subject }, signal)
    if (later) return later
    return (await settleChange(scope, change, reported.noted)) ? null : new Date()
  },
})
