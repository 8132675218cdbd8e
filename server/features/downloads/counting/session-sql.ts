// The statements about download sessions. A counted download opens a session for its link and
// client. It records what was sent, so that a download that broke off is continued instead of being
// counted again.
import { markBatch } from '../counted-writes.ts'

/** Of the files of links, and of the ZIP files of pages. */
export type SessionTable = 'download_sessions' | 'archive_sessions'

/** How long a session lasts, and how many times the file's size it may send. */
const SESSION_MINUTES = 30
export const SESSION_SIZES = 2
/**
 * A transfer that its process has not confirmed for this long has broken off: the process was
 * killed.
 */
export const LEASE_SECONDS = 3

const leaseFrom = (now: string) => `${now} + interval '${LEASE_SECONDS} seconds'`

/** SQL: is a transfer of a whole copy running in the session `d`? */
const runs = (now: string) => `(d.open > 0 and d.open_until > ${now})`

/**
 * SQL: has the buyer of the session `d` not received a copy that was counted? That is so when the
 * bytes of ended transfers make no whole copy, or when a transfer ended with its process.
 */
export const owes = (now: string): string =>
  `(d.missing > 0 or d.open > 0 and d.open_until <= ${now})`

/**
 * The clause that opens or renews sessions.
 * @param opened a relation with shop_id, link_id, client, network, bytes_left and `open`, the number
 * of transfers that begin; one row for each session.
 * @param columns further columns of the table.
 */
export const openSessions = (
  table: SessionTable,
  opened: string,
  now: string,
  columns: readonly string[] = [],
): string => `
  insert into ${table} as d (${[
    'shop_id, link_id, client, network, bytes_left, open, expires_at, open_until',
    ...columns,
  ].join(', ')})
  select ${[
    `shop_id, link_id, client, network, bytes_left, open, ${now} + interval '${SESSION_MINUTES} minutes'`,
    leaseFrom(now),
    ...columns,
  ].join(', ')} from ${opened} order by link_id, client
  on conflict (link_id, client) do update set ${[
    'expires_at = excluded.expires_at, bytes_left = excluded.bytes_left',
    'network = excluded.network, open_until = excluded.open_until',
    `missing = case when ${runs(now)} then d.missing else 0 end`,
    `open = case when ${runs(now)} then d.open else 0 end + excluded.open`,
    ...columns.map((column) => `${column} = excluded.${column}`),
  ].join(', ')}`

/**
 * The statement that takes back the counts of the links $3, which no byte was sent for, with the
 * session of the link $2 and the client $4. Links are locked in id order, as every statement does
 * that locks several.
 */
export const revertCounts = (table: SessionTable): string => `
  with held as (
    select id from links where shop_id = $1 and id = any($3::uuid[]) order by id for no key update
  ), returned as (
    update links l set downloads = greatest(l.downloads - 1, 0), served = greatest(l.served - 1, 0),
      first_used_at = case when l.served > 1 or l.first_used_at <> l.last_download_at
        then l.first_used_at end
    from held where l.shop_id = $1 and l.id = held.id
  )
  delete from ${table} where shop_id = $1 and link_id = $2 and client = $4`

/** The names of a statement's values about a request. */
interface SessionRequest {
  /** The link's id. */
  link: string
  client: string
  network: string
  now: string
  /** Where the requested part begins, if the client presents the file's ETag; else null. */
  offset: string
  /** Does the request ask for the file from its first byte? */
  whole: string
  /** SQL: may another client continue a session of this link? */
  shared: string
}

/**
 * The best session for a request, as `client, found_by, owes, bytes_left, version`, the hash of what
 * it sent (`download_sessions` alone). That is the one of the
 * client, one in its network that owes bytes, or one that has sent the bytes before its offset. A
 * link without a limit may have very many sessions, so that only the client's is looked up there.
 */
export const findSession = (
  table: SessionTable,
  { link, client, network, now, offset, whole, shared }: SessionRequest,
): string => {
  const open = `d.link_id = ${link} and d.expires_at > ${now} and d.bytes_left > 0`
  const find = (by: string, condition: string) => `
    select d.client, ${by} as found_by, ${owes(now)} as owes, d.bytes_left,
      ${table === 'download_sessions' ? 'd.hash' : 'null::bytea'} as version from ${table} d
    where ${open} and ${condition}`
  return `
    select * from (
      ${find('0', `d.client = ${client}`)} union all
      ${find('1', `${shared} and d.network = ${network} and (d.successor = ${client} or ${owes(now)})`)}
      union all
      ${find('2', `${shared} and d.sent_to >= ${offset} and (d.missing > 0 or d.open > 0)`)}
    ) d order by ${whole} and found_by < 2 and owes desc, found_by, bytes_left desc limit 1`
}

/** SQL: is a transfer running that this request might continue, once it has ended? */
export const runningSession = (
  table: SessionTable,
  { link, network, now, offset }: Pick<SessionRequest, 'link' | 'network' | 'now' | 'offset'>,
): string => `exists (select from ${table} d where d.link_id = ${link} and ${runs(now)}
  and (d.network = ${network} or ${offset} is not null))`

const SESSION = 'd.shop_id = $1 and d.link_id = $2 and d.client = $3'
// Another client that continues the session may continue it again.
const HAND_OVER = `successor = case when d.client = $5 then d.successor else $5 end,
  network = case when d.network is null then null else $6::bytea end`

/** Takes bytes ($7) from the session. */
export const spendFrom = (table: SessionTable): string => `
  update ${table} d set bytes_left = bytes_left - $7, ${HAND_OVER}
  where ${SESSION} and expires_at > $4 and bytes_left >= $7`

/** Begins a copy of $7 bytes again. Of concurrent requests as many succeed as copies are owed. */
export const restartIn = (table: SessionTable): string => `
  update ${table} d set ${HAND_OVER}, open_until = ${leaseFrom('$4::timestamptz')},
    open = case when ${runs('$4')} then d.open else 0 end + 1,
    missing = greatest(0,
      d.missing + case when ${runs('$4')} then 0 else d.open * $7::bigint end - $7::bigint)
  where ${SESSION} and expires_at > $4 and bytes_left >= $7 and ${owes('$4')}`

/**
 * Records the progress and the ends of transfers. Sessions are locked in one order, that of
 * `openSessions`, so that two statements cannot deadlock.
 */
export const recordIn = (table: SessionTable): string => `
  with given as (
    select shop_id, link_id, client, sum(refund) as refund, max(most) as most, sum(ended) as ended,
      sum(missing) as missing, max(sent_to) as sent_to
    from unnest($2::integer[], $3::uuid[], $4::bytea[], $5::bigint[], $6::bigint[], $7::integer[],
      $8::bigint[], $9::bigint[])
      as g (shop_id, link_id, client, refund, most, ended, missing, sent_to)
    group by shop_id, link_id, client
  ), held as (
    select g.* from given g join ${table} d on d.shop_id = g.shop_id and d.link_id = g.link_id
      and d.client = g.client
    order by d.link_id, d.client for no key update of d
  ), marked as (
    ${markBatch(9, 'given where ended > 0 or missing <> 0 or refund > 0')}
  )
  update ${table} d set open_until = ${leaseFrom('$1::timestamptz')},
    bytes_left = greatest(d.bytes_left, least(d.bytes_left + h.refund, h.most)),
    open = greatest(d.open - h.ended, 0), missing = d.missing + h.missing,
    sent_to = greatest(d.sent_to, h.sent_to)
  from held h where d.shop_id = h.shop_id and d.link_id = h.link_id and d.client = h.client`
