// Every statement of the hot path. It holds a pool, not a shop's scope: a key alone says which shop it is about.
import type pg from 'pg'
import type { LinkFacts } from '../files/links.ts'
import { createBatch } from './batch.ts'

/** Where a link's bytes are, as its file's current version says. */
export interface Target {
  shop: number
  link: string
  filename: string
  contentType: string
  location: string
  hash: string
  size: number
  modifiedMs: number
}

/** A link as it stands, whether or not it may be used. */
export interface KnownLink extends LinkFacts {
  target: Target
  shopName: string
  shopDomain: string
  uninstalled: boolean
  /** This client's session lives and has bytes left. */
  session: boolean
}

/** How long an interrupted download may go on uncounted, and how many times the file's size. */
const SESSION_MINUTES = 30
const SESSION_SIZES = 2

const TARGET = `l.shop_id, l.id, f.filename, v.content_type, v.location, encode(v.hash, 'hex') as hash, v.size_bytes,
  extract(epoch from v.created_at)::float8 * 1000`

const FILE = `
  join files f on f.shop_id = l.shop_id and f.id = l.file_id
  join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
  join shops s on s.id = l.shop_id`

// One statement is the whole decision, for all the requests that came meanwhile: whoever waits for a link's row has its
// conditions checked again on what the other left, so exactly the limit is served, however many processes ask. Rows are
// locked in one order, or two processes could each wait for the other; the limits of one keep the planner from ever starting
// at the files. A client's counted request opens its session.
const COUNT = `
  with asked as (
    select * from unnest($1::bytea[], $2::bytea[], $4::integer[]) with ordinality as a (key_hash, client, turn, place)
  ), allowed as (
    select l.* from links l
    where l.key_hash = any($1)
      and l.revoked_at is null
      and (l.expires_at is null or l.expires_at > $3)
      and (l.download_limit is null or l.downloads < l.download_limit)
    order by l.id
    for no key update
  ), granted as (
    select ${TARGET} as modified_ms, a.place, a.client
    from allowed l
    join asked a on a.key_hash = l.key_hash and (l.download_limit is null or l.downloads + a.turn <= l.download_limit)
    cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
    cross join lateral (
      select * from versions where shop_id = f.shop_id and file_id = f.id and number = f.version limit 1) v
    cross join lateral (select * from shops where id = l.shop_id limit 1) s
    where f.deleted_at is null and f.mapping_state <> 'unmapped' and s.uninstalled_at is null
  ), counted as (
    update links l set downloads = l.downloads + g.times, served = l.served + g.times, last_download_at = $3
    from (select shop_id, id, count(*)::integer as times from granted group by shop_id, id) g
    where l.shop_id = g.shop_id and l.id = g.id
  ), session as (
    insert into download_sessions as d (shop_id, link_id, client, expires_at, bytes_left)
    select distinct shop_id, id, client, $3::timestamptz + interval '${SESSION_MINUTES} minutes',
      size_bytes * ${SESSION_SIZES}
    from granted
    on conflict (link_id, client) do update set expires_at = excluded.expires_at, bytes_left = excluded.bytes_left
  )
  select shop_id, id, filename, content_type, location, hash, size_bytes, modified_ms, place from granted`

const LOOK_UP = `
  select ${TARGET}, l.revoked_at, l.expires_at, l.download_limit, l.downloads, f.deleted_at, f.mapping_state,
    s.name, s.domain, s.uninstalled_at is not null,
    exists (select from download_sessions d
      where d.link_id = l.id and d.client = $2 and d.expires_at > $3 and d.bytes_left > 0)
  from links l ${FILE}
  where l.key_hash = $1`

const RIDE = `
  update download_sessions set bytes_left = bytes_left - $5
  where shop_id = $1 and link_id = $2 and client = $3 and expires_at > $4 and bytes_left >= $5`

// Never above what a session opens with: it may have been opened anew meanwhile.
const REFUND = `
  update download_sessions set bytes_left = least(bytes_left + $4, $5)
  where shop_id = $1 and link_id = $2 and client = $3`

const GIVE_BACK = `
  with link as (
    update links set downloads = greatest(downloads - 1, 0), served = greatest(served - 1, 0)
    where shop_id = $1 and id = $2 returning shop_id, id
  )
  delete from download_sessions d using link l where d.shop_id = l.shop_id and d.link_id = l.id and d.client = $3`

export interface Counting {
  /** Counts a download and opens the client's session; null where the link does not allow it. */
  count(keyHash: Buffer, client: Buffer, now: Date): Promise<Target | null>
  /** Null: no link has this key. */
  lookUp(keyHash: Buffer, client: Buffer, now: Date): Promise<KnownLink | null>
  /** Takes `bytes` from the client's session; false where it has ended or has fewer left. */
  ride(target: Target, client: Buffer, now: Date, bytes: number): Promise<boolean>
  /** Puts back what was taken but not sent. */
  refund(target: Target, client: Buffer, bytes: number): Promise<void>
  /** A counted download that could not be served was none. */
  giveBack(target: Target, client: Buffer): Promise<void>
}

/** What fits one statement, and how many of them may be on their way at once. */
const BATCH = 200
const STATEMENTS = 4

export function createCounting(pool: pg.Pool): Counting {
  // Named: parsed and planned once a connection. As arrays: a row object's names cost more than they help here.
  const query = (name: string, text: string, values: unknown[]) =>
    pool.query<unknown[]>({ name: `delivery_${name}`, text, values, rowMode: 'array' })
  const countAll = async (asked: readonly Asked[]): Promise<(Target | null)[]> => {
    const clients = asked.map(({ client }) => client)
    const keys = asked.map(({ keyHash }) => keyHash)
    const { rows } = await query('count', COUNT, [keys, clients, asked.at(-1)!.now, turns(keys)])
    const targets = asked.map((): Target | null => null)
    for (const row of rows) targets[(row[8] as number) - 1] = targetOf(row)
    return targets
  }
  const count = createBatch(countAll, BATCH, STATEMENTS)
  return {
    count: (keyHash, client, now) => count({ keyHash, client, now }),
    lookUp: async (keyHash, client, now) => {
      const { rows } = await query('look_up', LOOK_UP, [keyHash, client, now])
      return rows[0] ? knownLink(rows[0]) : null
    },
    ride: async (target, client, now, bytes) => {
      const { rowCount } = await query('ride', RIDE, [target.shop, target.link, client, now, bytes])
      return rowCount === 1
    },
    refund: async (target, client, bytes) => {
      await query('refund', REFUND, [target.shop, target.link, client, bytes, target.size * SESSION_SIZES])
    },
    giveBack: async (target, client) => {
      await query('give_back', GIVE_BACK, [target.shop, target.link, client])
    },
  }
}

/** Deletes the sessions that have ended, of all shops, and gives how many there were. */
export async function sweepSessions(pool: pg.Pool, now: Date): Promise<number> {
  // One that is locked is being opened anew: waiting for it with others in hand could end in a deadlock.
  const { rowCount } = await pool.query(
    `delete from download_sessions where (link_id, client) in (
       select link_id, client from download_sessions where expires_at <= $1 for update skip locked)`,
    [now],
  )
  return rowCount ?? 0
}

/** Each key's how-manieth it is, from 1. */
function turns(keys: readonly Buffer[]): number[] {
  const seen = new Map<string, number>()
  return keys.map((key) => {
    const name = key.toString('latin1')
    const turn = (seen.get(name) ?? 0) + 1
    seen.set(name, turn)
    return turn
  })
}

interface Asked {
  keyHash: Buffer
  client: Buffer
  now: Date
}

type TargetRow = [number, string, string, string, string, string, number, number]

function targetOf(row: unknown[]): Target {
  const [shop, link, filename, contentType, location, hash, size, modifiedMs] = row as TargetRow
  return { shop, link, filename, contentType, location, hash, size, modifiedMs }
}

function knownLink(row: unknown[]): KnownLink {
  const [revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state, shopName, shopDomain, ...rest] =
    row.slice(8) as [
      Date | null,
      Date | null,
      number | null,
      number,
      Date | null,
      string,
      string,
      string,
      boolean,
      boolean,
    ]
  const [uninstalled, session] = rest
  const facts = { revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state }
  return { ...facts, target: targetOf(row), shopName, shopDomain, uninstalled, session }
}
