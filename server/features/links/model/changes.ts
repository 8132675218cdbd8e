// Revokes and extends buyers' links, and resets their downloads.
import { say } from '../../../../plugins/contract/index.ts'
import { AppError } from '../../../core/errors.ts'
import type { Bindings, ShopScope } from '../../../core/db/for-shop.ts'

/**
 * Revokes links (bare UUIDs). Idempotent: unknown and revoked links are ignored. Revoking a pack's
 * link revokes those of its files.
 */
export async function revokeLinks(tx: ShopScope, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `with held as (${linksInLockOrder('(id = any(:ids::uuid[]) or parent_id = any(:ids::uuid[])) and revoked_at is null')})
     update links l set revoked_at = now() from held where l.shop_id = :shop and l.id = held.id`,
    { ids },
  )
}

/**
 * Locks links in the order in which downloads lock them, because two transactions that lock them in
 * different orders would deadlock.
 */
export const linksInLockOrder = (condition: string): string =>
  `select id from links where shop_id = :shop and ${condition} order by id for no key update`

/**
 * SQL: the hours of a link `l` after its expiry was set. A link that was used keeps no other end, and
 * one that was not begins with its first use.
 */
export const USE_HOURS_KEPT = 'case when l.first_used_at is null then l.use_hours end'

/**
 * SQL: the end of the views of a link `l` after its expiry was set at `:now`: if they have ended, they
 * last as long as the link.
 */
export const VIEW_END_KEPT =
  'case when l.view_expires_at > :now::timestamptz then l.view_expires_at end'

/** SQL: `:name` days from now, or from the release of a link `l`; null: never. */
const daysFromNow = (name: string): string =>
  `greatest(l.available_at, :now::timestamptz) + :${name}::int * interval '24 hours'`

/** What an update of links `l` sets, and its bindings. */
export interface LinkTermsSql {
  sets: string[]
  bindings: Bindings
}

/** The ends of links for `extendLink`; without days of either kind nothing is set. */
export function endTerms(
  days: number | null | undefined,
  viewDays: number | null | undefined,
  now: Date,
): LinkTermsSql {
  if (days === undefined && viewDays === undefined) return { sets: [], bindings: {} }
  return {
    sets: [
      ...(days === undefined
        ? []
        : [
            `expires_at = ${daysFromNow('days')}, use_hours = ${USE_HOURS_KEPT}, own_expiry = false`,
          ]),
      viewDays === undefined
        ? `view_expires_at = ${VIEW_END_KEPT}`
        : `view_expires_at = ${daysFromNow('viewDays')}, own_view_expiry = false`,
    ],
    bindings: {
      now,
      ...(days === undefined ? {} : { days }),
      ...(viewDays === undefined ? {} : { viewDays }),
    },
  }
}

/**
 * Makes a link valid for this many days from now, or from its release; null: without expiry; undefined:
 * as before. Views that have ended then last as long as the link, unless they get days of their own. For
 * a pack's link, this also applies to the links of its files.
 * @param viewDays for its views; null: as long as it is valid.
 */
export function extendLink(
  tx: ShopScope,
  id: string,
  days: number | null | undefined,
  now: Date,
  viewDays?: number | null,
): Promise<void> {
  const { sets, bindings } = endTerms(days, viewDays, now)
  return changeLink(tx, id, sets.join(', '), bindings)
}

/**
 * Sets the counts of downloads and views to 0; for a pack's link also those of the links of its files.
 */
export const resetLink = (tx: ShopScope, id: string): Promise<void> =>
  changeLink(tx, id, 'downloads = 0, views = 0', {})

/**
 * Sets what a link asks for (`askTerm`); null: what its file asks for. For a pack's link, this also
 * applies to the links of its files.
 */
export const setLinkAsk = (tx: ShopScope, id: string, asked: string | null): Promise<void> =>
  changeLink(tx, id, 'ask_for = case when l.id = :id then :asked::text end', { asked })

/** Throws `not_found`, and `conflict` for a revoked link, which stays revoked. */
async function changeLink(
  tx: ShopScope,
  id: string,
  set: string,
  bindings: Bindings,
): Promise<void> {
  const changed = await tx.query<{ id: string }>(
    `with held as (${linksInLockOrder('(id = :id or parent_id = :id) and revoked_at is null')})
     update links l set ${set} from held where l.shop_id = :shop and l.id = held.id returning l.id`,
    { ...bindings, id },
  )
  if (changed.some((link) => link.id === id)) return
  const [known] = await tx.query('select from links where shop_id = :shop and id = :id', { id })
  if (!known) throw new AppError('not_found')
  throw new AppError('conflict', {
    message: say('A revoked link cannot be restored: create a new one'),
  })
}
