// Decides whether a link may be used and counts the download, in one statement for all requests
// that arrive together. It uses the pool instead of a shop's scope, because only the link's key
// determines the shop.
import { createQueryBatcher, lastOf, present } from '../../../core/lazy.ts'
import { hashKey } from '../../../core/secrets.ts'
import { DOWNLOADABLE } from '../../../files/view-kinds.ts'
import { askOf, ASKS_NOTHING, tagAllows } from '../../links/model/links.ts'
import {
  bytesArray,
  opaque,
  plainArray,
  IN_PARENT,
  LINK_BYTES,
  siteAllowed,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  linkTargetOf,
  type Asker,
  type LinkTarget,
  joinSites,
} from '../targets.ts'
import { markBatch, type CountedWrites } from '../counted-writes.ts'
import { SMALL_FILE_BYTES, type LinkCache } from './link-cache.ts'
import { openSessions, owes, SESSION_SIZES } from './session-sql.ts'

const KEYS = opaque('$1::bytea[]')
const NOW = opaque('$3::timestamptz')
const USABLE = `l.key_hash = any(${KEYS}::bytea[]) and l.revoked_at is null
      and (l.available_at is null or l.available_at <= ${NOW})
      and (l.use_ends_at is null or l.use_ends_at > ${NOW})
      and (l.expires_at is null or l.expires_at > ${NOW} or l.parent_id is not null and not l.paid)`
// A link with a limit is locked and counted here. The lock makes the limit exact across processes:
// after a wait PostgreSQL checks the conditions again on the row that the other transaction left.
// Rows are locked in id order, or two processes could deadlock. A link without a limit is only
// read: its count is written later (link-cache.ts), so that the download does not wait for a
// commit. One whose first use begins its expiry is locked too, so that concurrent first downloads
// begin it once. A link that belongs to a pack's link has that link's expiry, and works while its file is
// in that pack. One that belongs to a delivery has its own expiry, and works while the delivery is
// ready. A link that asks for something works for requests with the answer. The limits of one keep the planner from starting at the files. A request whose network is
// owed a copy is not granted: it is answered from its session (`continueOrCount`).
const decide = (lock: 'wait' | 'skip locked') => `
  with asked as (
    select * from unnest(${KEYS}, ${opaque('$2::bytea[]')}, ${opaque('$4::text[]')},
      ${opaque('$5::bytea[]')}, ${opaque('$6::boolean[]')}, ${opaque('$7::text[]')})
      with ordinality as a (key_hash, client, sites, network, forced, opened, place)
  ), limited as (
    select l.* from links l where ${USABLE}
      and (l.downloads < l.download_limit or l.download_limit is null and l.use_hours is not null)
    order by l.id for no key update ${lock === 'wait' ? '' : lock}
  ), allowed as (
    select * from limited union all select l.* from links l
      where ${USABLE} and l.download_limit is null and l.use_hours is null
  ), fitting as (
    select ${TARGET}, l.id as link_id, l.ends_at as expires_at, a.place, a.client, a.network,
      l.use_hours is not null and l.first_used_at is null as begins,
      l.download_limit - l.downloads as free,
      l.parent_id is null and f.allowed_referrers = '{}' and ${askOf('l', 'p')} = '${ASKS_NOTHING}'
        as same_for_all,
      row_number() over (partition by l.id order by a.place) as turn
    from allowed l
    join asked a on a.key_hash = l.key_hash
    cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
    cross join ${LINK_BYTES}
    cross join lateral (select * from shops where id = l.shop_id limit 1) s
    left join lateral (
      select * from links where shop_id = l.shop_id and id = l.parent_id and revoked_at is null
        and (expires_at is null or expires_at > ${NOW}) limit 1) p on true
    where not v.damaged and f.deleted_at is null and s.uninstalled_at is null
      and (f.mapping_state <> 'unmapped' or l.paid and s.keep_paid)
        and ${IN_PARENT} and ${DOWNLOADABLE} and ${tagAllows('l')} and ${siteAllowed('a.sites')}
        and ${askOf('l', 'p')} in ('${ASKS_NOTHING}', a.opened)
      and (l.download_limit is null or a.forced or not exists (
        select from download_sessions d where d.link_id = l.id and d.network = a.network
          and d.expires_at > ${NOW} and d.bytes_left >= v.size_bytes and ${owes(NOW)}))
  ), granted as (
    select * from fitting where free is null or turn <= free
  ), counted as (
    update links l set downloads = l.downloads + g.times, served = l.served + g.times,
      last_download_at = ${NOW}, first_used_at = coalesce(l.first_used_at, ${NOW})
    from (
      select shop_id, link_id, count(*)::integer as times from granted where free is not null
      group by shop_id, link_id) g
    where l.shop_id = g.shop_id and l.id = g.link_id
  ), begun as (
    update links l set first_used_at = ${NOW}
    from (select distinct shop_id, link_id from granted where free is null and begins) g
    where l.shop_id = g.shop_id and l.id = g.link_id
  ), opened as (
    select shop_id, link_id, client, case when free is not null then network end as network,
      size_bytes * ${SESSION_SIZES} as bytes_left, count(free)::integer as open,
      decode(hash, 'hex') as hash
    from granted where free is not null or size_bytes > ${SMALL_FILE_BYTES}
    group by 1, 2, 3, 4, 5, 7
  ), session as (
    ${openSessions('download_sessions', 'opened', NOW, ['hash'])}
  ), marked as (${markBatch(7, 'granted where free is not null')})
  select ${TARGET_NAMES}, link_id, place, free is not null, same_for_all,
    extract(epoch from expires_at)::float8 * 1000
  from granted`
const DECIDE_UNLOCKED = decide('skip locked')
const DECIDE = decide('wait')

export interface CountDecision {
  target: LinkTarget
  /** The link has a limit: the download was counted in the database and its session is open. */
  limited: boolean
}

interface Question {
  asker: Asker
  /** Counts also if the buyer is owed a copy. */
  forced: boolean
}

/** Decides and counts. */
export function createDecisions(writes: CountedWrites, cache: LinkCache) {
  const createDecision = (name: string, text: string) =>
    createQueryBatcher(async (asked: readonly Question[]): Promise<(CountDecision | null)[]> => {
      const since = performance.now()
      const askers = asked.map(({ asker }) => asker)
      const rows = await writes.forRequest(name, text, [
        bytesArray(askers.map(({ key }) => hashKey(key))),
        bytesArray(askers.map(({ client }) => client.hash)),
        lastOf(askers).now,
        askers.map(({ sites }) => joinSites(sites)),
        bytesArray(askers.map(({ client }) => client.network)),
        plainArray(asked.map(({ forced }) => String(forced))),
        askers.map(({ opened }) => opened ?? null),
      ])
      const decisions = asked.map((): CountDecision | null => null)
      for (const row of rows) {
        const columns = row.slice(TARGET_LENGTH) as DecidedRow
        const [link, place, limited, sameForAll, expiresMs] = columns
        const target = linkTargetOf(row, link)
        decisions[place - 1] = { target, limited }
        const asker = present(askers[place - 1], 'The request that was decided')
        if (!limited) cache.countAllowed(asker, target, sameForAll ? { expiresMs, since } : null)
      }
      return decisions
    })
  // A link that another transaction holds must not delay the other links of its batch: the first
  // statement skips locked rows, and what it did not grant is decided by the second, which waits.
  const unlocked = createDecision('decide_unlocked', DECIDE_UNLOCKED)
  const waiting = createDecision('decide', DECIDE)
  return async (question: Question) => (await unlocked(question)) ?? waiting(question)
}

type DecidedRow = [
  link: string,
  place: number,
  limited: boolean,
  sameForAll: boolean,
  expiresMs: number | null,
]
