// The sessions of the viewer that are counted: those of links with a limit of views. One is opened
// with the button of a page, or by the first bytes of a further track. The lock on the link makes the
// limit exact across processes. docs/decisions/0089.
import type pg from 'pg'
import type { Database } from '../../core/db/database.ts'
import { forShop, retryTransaction } from '../../core/db/for-shop.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'
import type { KnownLink } from './counting/known-link.ts'
import { raiseViewsUsed } from './exhausted-links.ts'
import { VIEW_SECONDS } from './viewers.ts'

/** A browser (`viewerOf`) and a link that it views. */
export interface AskedView {
  link: Pick<KnownLink, 'shop' | 'link'>
  viewer: Buffer
  now: Date
}

export interface ViewSessions {
  /**
   * Continues the browser's session of the link, or counts a new one. Returns when it ends; null: the
   * link has no views left.
   */
  open(asked: AskedView): Promise<Date | null>
  /**
   * The sessions of a browser under a page's link: when they end, by the hash of the file's key in
   * hexadecimal.
   */
  runningUnder(page: AskedView): Promise<ReadonlyMap<string, Date>>
}

const LOCK = `select view_limit, views from links
  where shop_id = :shop and id = :link for no key update`

// A new statement sees the session that another request of this browser opened before the lock was free.
const RUNNING = `select expires_at from view_sessions
  where shop_id = :shop and link_id = :link and session = :viewer and expires_at > :now`

const COUNT = `update links set views = views + 1 where shop_id = :shop and id = :link`

const OPEN = `insert into view_sessions (shop_id, link_id, session, expires_at)
  values (:shop, :link, :viewer, :until)
  on conflict (shop_id, link_id, session) do update set expires_at = excluded.expires_at`

export const createViewSessions = (database: Database): ViewSessions => ({
  open: ({ link: { shop, link }, viewer, now }) =>
    retryTransaction(forShop(database, shop), async (tx) => {
      const [held] = await tx.query<{ view_limit: number | null; views: number }>(LOCK, { link })
      if (!held) return null
      const [running] = await tx.query<{ expires_at: Date }>(RUNNING, { link, viewer, now })
      if (running) return running.expires_at
      const { view_limit: limit, views } = held
      if (limit !== null && views >= limit) return null
      const until = new Date(now.getTime() + VIEW_SECONDS * 1000)
      await tx.query(COUNT, { link })
      await tx.query(OPEN, { link, viewer, until })
      if (views + 1 === limit) await raiseViewsUsed(tx, link)
      return until
    }),
  runningUnder: async ({ link: { shop, link }, viewer, now }) => {
    const scope = forShop(database, shop)
    const rows = await scope.query<{ key: string; expires_at: Date }>(UNDER, { link, viewer, now })
    return new Map(rows.map(({ key, expires_at }) => [key, expires_at]))
  },
})

const UNDER = `select encode(l.key_hash, 'hex') as key, w.expires_at from links l
  join view_sessions w on w.shop_id = l.shop_id and w.link_id = l.id and w.session = :viewer
    and w.expires_at > :now
  where l.shop_id = :shop and l.parent_id = :link`

const SWEEP_BATCH = 10_000

/** Deletes the sessions of all shops that have ended, and returns their number. */
export const sweepViewSessions = (pool: pg.Pool, now: Date): Promise<number> =>
  inBatches(SWEEP_BATCH, (limit) =>
    pool.query(
      `delete from view_sessions where (shop_id, link_id, session) in (
         select shop_id, link_id, session from view_sessions where expires_at <= $1
         limit $2 for update skip locked)`,
      [now, limit],
    ),
  )
