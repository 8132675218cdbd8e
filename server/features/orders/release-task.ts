// Releases files whose time has come, and lets links follow changed releases, for all shops in turn.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { followReleases, noteUnreleased, releaseDue } from './releases.ts'

const EVERY_MS = 10_000
const HEAL_EVERY_MS = 60 * 60 * 1000
/** A run ends after this time: another one continues. */
const RUN_MS = 10_000

export interface ReleaseTaskParts {
  database: Database
  clock: () => Date
}

const CHANGED = 'select distinct shop_id from release_changes'
const DUE = `select distinct shop_id from links
  where available_at <= $1 and released_at is null`
const UNRELEASED = `select distinct shop_id from links
  where available_at > $1 and released_at is null`

export function releaseTask({ database, clock }: ReleaseTaskParts): BackgroundTask {
  let healed = 0
  const shopsOf = async (sql: string, values: readonly Date[] = []) => {
    const { rows } = await database.pool.query<{ shop_id: number }>(sql, [...values])
    return rows.map(({ shop_id }) => forShop(database, shop_id))
  }
  return {
    name: 'release-files',
    concurrency: 1,
    atStart: true,
    run: async ({ signal }) => {
      const now = clock()
      if (now.getTime() - healed >= HEAL_EVERY_MS) {
        for (const scope of await shopsOf(UNRELEASED, [now])) await noteUnreleased(scope, now)
        healed = now.getTime()
      }
      const until = performance.now() + RUN_MS
      // One step for each shop in turn.
      for (let more = true; more;) {
        if (performance.now() > until) return 0
        more = false
        for (const scope of await shopsOf(CHANGED)) {
          signal.throwIfAborted()
          more = (await followReleases(scope, clock())) || more
        }
        for (const scope of await shopsOf(DUE, [clock()])) {
          signal.throwIfAborted()
          more = (await releaseDue(scope, clock())) || more
        }
      }
      return EVERY_MS
    },
  }
}
