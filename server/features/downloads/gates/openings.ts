// Who has answered the question of a link, for the merchant: when, with which address, and from
// where. Written before the answer leads on, so that no opening is missing.
import type pg from 'pg'
import { shortenedAddress, type Client } from '../../../core/client-address.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { agentFamily } from '../agent-family.ts'
import type { KnownLink } from '../counting/known-link.ts'

/** The rows that a link keeps. */
const KEPT_OPENINGS = 50

const INSERT = `
  insert into link_openings as o (shop_id, link_id, file_id, email, minute, at, address, agent)
  select shop_id, id, $3, $4, date_trunc('minute', $5::timestamptz), $5, $6, $7
  from links where shop_id = $1 and id = $2
  on conflict (shop_id, link_id, minute, email) do update set
    (at, address, agent) = (excluded.at, excluded.address, excluded.agent)`

const DROP_OLD = `
  delete from link_openings o using (
    select minute, email from link_openings where shop_id = $1 and link_id = $2
    order by minute desc, email offset ${KEPT_OPENINGS}
  ) old
  where o.shop_id = $1 and o.link_id = $2 and o.minute = old.minute and o.email = old.email`

/** @param opening `email`: the address that was given; '': a password. */
export async function writeOpening(
  pool: pg.Pool,
  { shop, link, target }: KnownLink,
  { email, client, at }: { email: string; client: Client; at: Date },
): Promise<void> {
  const kept = target?.tracked === false ? null : client
  const from = kept ? [shortenedAddress(kept.address), agentFamily(kept.agent)] : ['', '']
  await pool.query(INSERT, [shop, link, target?.file ?? null, email, at, ...from])
  await pool.query(DROP_OLD, [shop, link])
}

export interface ShownOpening {
  at: Date
  /** A bare UUID; null: a pack. */
  file_id: string | null
  filename: string | null
  /** The address that was given; null: a password. */
  email: string | null
  address: string
  agent: string
}

const MAX_SHOWN = 50

/** The openings of a link (a bare UUID) and of the links under it, newest first. */
export const listOpenings = (scope: ShopScope, link: string): Promise<ShownOpening[]> =>
  scope.query<ShownOpening>(
    `select o.at, o.file_id, f.filename, nullif(o.email, '') as email, o.address, o.agent
     from links l join link_openings o on o.shop_id = l.shop_id and o.link_id = l.id
     left join files f on f.shop_id = o.shop_id and f.id = o.file_id
     where l.shop_id = :shop and (l.id = :link or l.parent_id = :link)
     order by o.at desc limit :limit`,
    { link, limit: MAX_SHOWN },
  )
