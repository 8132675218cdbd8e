// The merchant's list of buyers: each address with its orders, files and downloads. Addresses come
// from three indexes in their order, so a page reads only its own buyers.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstIdSince } from '../../core/db/month-parts.ts'
import { likeLiteral } from '../../core/db/like-pattern.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { ShownOpening } from '../downloads/gates/openings.ts'
import type { ShownView } from '../downloads/recorded-views.ts'
import type { RefusedReason } from '../downloads/refused-attempts.ts'
import { linkEnded } from '../links/model/links.ts'
import { keysOfDeliveries } from '../preparation/assigned-keys.ts'

export interface BuyerSummary {
  /** In lower case. */
  email: string
  orders: number
  /** Links to files that were not revoked. */
  files: number
  /** Of them, those whose downloads or views are used up or have ended. */
  blocked: number
  downloads: number
  last_download_at: Date | null
  last_order_at: Date | null
}

export interface BuyerFilter {
  /** The beginning of the address. */
  search?: string | undefined
  /** Addresses after this one. */
  after?: string | undefined
  limit: number
}

const ADDRESS = `(lower(t.email) collate "C")`

/** The first addresses of a table, from its index. */
const addressesOf = (table: string, conditions: string) =>
  `(select distinct ${ADDRESS} as email from ${table} t
    where t.shop_id = :shop and t.email is not null ${conditions} order by 1 limit :limit)`

const FIGURES = `
  cross join lateral (
    select count(*)::int as orders, max(b.ordered_at) as last_order_at from (
      select o.id, o.ordered_at from orders o
      join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id and d.email is null
      where o.shop_id = :shop and (lower(o.email) collate "C") = a.email
      union
      select o.id, o.ordered_at from deliveries d
      join orders o on o.shop_id = d.shop_id and o.id = d.order_id
      where d.shop_id = :shop and (lower(d.email) collate "C") = a.email) b) bought
  cross join lateral (
    select count(*) filter (where c.file_id is not null and c.revoked_at is null)::int as files,
      count(*) filter (where ${linkEnded('now()')})::int as blocked,
      coalesce(sum(c.served), 0)::int as downloads, max(c.last_download_at) as last_download_at
    from links c where c.shop_id = :shop and (lower(c.email) collate "C") = a.email) links`

const COLUMNS = `a.email, bought.orders, bought.last_order_at, links.files, links.blocked,
  links.downloads, links.last_download_at`

/** False: all that the address had now belongs to a corrected one. */
export const isBuyer = ({ orders, files, downloads }: BuyerSummary): boolean =>
  orders + files + downloads > 0

/** A page of addresses; some may be no buyers any more (`isBuyer`). */
export function listBuyers(
  scope: ShopScope,
  { search = '', after, limit }: BuyerFilter,
): Promise<BuyerSummary[]> {
  const conditions = [
    ...(after === undefined ? [] : [`and ${ADDRESS} > :after collate "C"`]),
    ...(search === '' ? [] : [`and ${ADDRESS} like lower(:start) collate "C"`]),
  ].join(' ')
  const addresses = ['orders', 'deliveries', 'links'].map((one) => addressesOf(one, conditions))
  return scope.query<BuyerSummary>(
    `with a as (
       select distinct email from (${addresses.join(' union all ')}) found order by email
       limit :limit)
     select ${COLUMNS} from a ${FIGURES} order by a.email`,
    {
      limit,
      ...(after === undefined ? {} : { after }),
      ...(search === '' ? {} : { start: `${likeLiteral(search)}%` }),
    },
  )
}

export interface BuyerDetail extends BuyerSummary {
  library: { sent_at: Date | null; opened_at: Date | null }
  download_list: { at: Date; file_id: string; filename: string; address: string; agent: string }[]
  refused_list: {
    at: Date
    file_id: string | null
    filename: string | null
    reason: RefusedReason
    times: number
    address: string
    agent: string
  }[]
  view_list: ShownView[]
  opening_list: ShownOpening[]
  licence_keys: { file_id: string; filename: string; key: string; revoked: boolean }[]
}

const MAX_ATTEMPTS = 50
const MAX_DELIVERIES = 100

/** SQL: the links of the address, and the pages of its deliveries. */
const OWN_LINKS = `(
    select id, file_id from links where shop_id = :shop and (lower(email) collate "C") = :email
    union select p.id, p.file_id from links c
    join links p on p.shop_id = c.shop_id and p.id = c.parent_id
    where c.shop_id = :shop and (lower(c.email) collate "C") = :email) l`

/** The buyer with this address (in lower case); null: nothing is known about it. */
export async function readBuyer(
  scope: ShopScope,
  secrets: Secrets,
  email: string,
): Promise<BuyerDetail | null> {
  const [summary] = await scope.query<BuyerSummary>(
    `select ${COLUMNS} from (select :email::text collate "C" as email) a ${FIGURES}`,
    { email },
  )
  if (!summary || !isBuyer(summary)) return null
  const [library, licence_keys, ...lists] = await Promise.all([
    readVisits(scope, email),
    readLicences(scope, secrets, email),
    readDownloads(scope, email),
    scope.query<BuyerDetail['refused_list'][number]>(
      `select r.at, r.file_id, f.filename, r.reason, r.times, r.address, r.agent
       from ${OWN_LINKS} join refused_downloads r on r.shop_id = :shop and r.link_id = l.id
       left join files f on f.shop_id = r.shop_id and f.id = r.file_id
       order by r.at desc limit ${MAX_ATTEMPTS}`,
      { email },
    ),
    scope.query<ShownView>(
      `select v.at, v.file_id, f.filename, v.address, v.agent
       from ${OWN_LINKS} join file_views v on v.shop_id = :shop and v.link_id = l.id
       join files f on f.shop_id = v.shop_id and f.id = v.file_id
       order by v.at desc limit ${MAX_ATTEMPTS}`,
      { email },
    ),
    scope.query<ShownOpening>(
      `select o.at, o.file_id, f.filename, nullif(o.email, '') as email, o.address, o.agent
       from ${OWN_LINKS} join link_openings o on o.shop_id = :shop and o.link_id = l.id
       left join files f on f.shop_id = o.shop_id and f.id = o.file_id
       order by o.at desc limit ${MAX_ATTEMPTS}`,
      { email },
    ),
  ])
  const [download_list, refused_list, view_list, opening_list] = lists
  return {
    ...summary,
    library,
    licence_keys,
    download_list,
    refused_list,
    view_list,
    opening_list,
  }
}

/** Newest first. */
async function readDownloads(
  scope: ShopScope,
  email: string,
): Promise<BuyerDetail['download_list']> {
  const first = await scope.one<{ created_at: Date | null }>(
    `select min(links.created_at) as created_at from ${OWN_LINKS}
     join links on links.shop_id = :shop and links.id = l.id`,
    { email },
  )
  if (!first.created_at) return []
  return scope.query<BuyerDetail['download_list'][number]>(
    `select w.at, w.file_id, f.filename, w.address, w.agent
     from ${OWN_LINKS}
     join downloads w on w.shop_id = :shop and w.file_id = l.file_id and w.link_id = l.id
       and w.id >= :since
     join files f on f.shop_id = w.shop_id and f.id = w.file_id
     order by w.at desc limit ${MAX_ATTEMPTS}`,
    { email, since: firstIdSince(first.created_at) },
  )
}

const readVisits = (scope: ShopScope, email: string): Promise<BuyerDetail['library']> =>
  scope.one<BuyerDetail['library']>(
    `select (select max(created_at) from library_keys where shop_id = :shop and email = :email)
       as sent_at,
       (select visited_at from library_visits where shop_id = :shop and email = :email)
       as opened_at
     from shops where id = :shop`,
    { email },
  )

/** Keys that were shown already: reading them here does not use up the others. */
async function readLicences(
  scope: ShopScope,
  secrets: Secrets,
  email: string,
): Promise<BuyerDetail['licence_keys']> {
  const deliveries = await scope.query<{ id: string }>(
    `select d.id from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where d.shop_id = :shop and (d.email is null and (lower(o.email) collate "C") = :email
       or (lower(d.email) collate "C") = :email)
     order by d.id desc limit ${MAX_DELIVERIES}`,
    { email },
  )
  const ids = deliveries.map(({ id }) => id)
  const keys = await keysOfDeliveries(scope, secrets, ids, { show: false })
  return keys.map(({ delivery_id: _, ...key }) => key)
}
