// What happened to a file, from the records that the product keeps in any case: items of operations,
// links, deliveries, the downloads of each day, those that were refused, and views.
import { SHOP_ZONE } from '../../files/days.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { ItemError } from '../../engine/types.ts'
import type { RefusedReason } from '../downloads/refused-attempts.ts'

export interface HistoryPlace {
  /** As PostgreSQL writes it, with every digit. */
  exact_at: string
  /** Unique in the history; orders what happened at the same time. */
  key: string
}

export type HistoryRow = HistoryPlace & { at: Date } & (
    | { kind: 'operation'; facts: OperationFacts }
    | { kind: 'link'; facts: LinkFacts }
    | { kind: 'delivery'; facts: DeliveryFacts }
    | { kind: 'downloads'; facts: { day: string; downloads: number } }
    | { kind: 'refused'; facts: RefusedFacts }
    | { kind: 'view'; facts: ViewFacts }
  )

interface OperationFacts {
  /** A bare UUID. */
  operation: string
  kind: 'import' | 'bulk'
  title: string
  requested_by: string
  status: 'done' | 'failed'
  error: ItemError | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  undone: boolean
  /** Until when the operation can be undone; null: it cannot, or it left this file as it was. */
  undo_until: string | null
  /** The number of files that it changed. */
  files: number
}

interface LinkFacts {
  email: string | null
  revoked_at: string | null
}

interface DeliveryFacts {
  /** A bare UUID. */
  delivery: string
  order_name: string
  email: string | null
  withdrawn: boolean
}

interface RefusedFacts {
  reason: RefusedReason
  times: number
  address: string
  agent: string
  email: string | null
  /** A bare UUID; null: the link belongs to no delivery. */
  delivery: string | null
  order_name: string | null
}

type ViewFacts = Omit<RefusedFacts, 'reason' | 'times'>

/** Each source gives as many rows as a page has: the newest of all are among them. */
const newest = (select: string) => `(
  select at, at::text as exact_at, key, kind, facts from (${select}) source
  where :at::timestamptz is null or (at, key) < (:at::timestamptz, :key)
  order by at desc, key desc limit :limit)`

const OPERATIONS = `
  select coalesce(i.finished_at, o.finished_at, o.created_at) as at,
    'operation/' || o.id || '/' || i.position as key, 'operation' as kind,
    jsonb_build_object('operation', o.id, 'kind', o.kind, 'title', o.workflow ->> 'title',
      'requested_by', o.requested_by, 'status', i.status, 'error', i.error, 'before', i.before,
      'after', i.after, 'files', o.done - o.unchanged,
      -- An undo leaves files as they are that were changed since.
      'undone', exists (select from items u where u.shop_id = o.shop_id
        and u.operation_id = o.undone_by and u.file_id = i.file_id and u.status = 'done'),
      'undo_until', case when o.undone_by is null and o.undo_until > now()
        and i.status = 'done' and i.after ->> 'same_bytes' is null
        and i.after is not null then o.undo_until end) as facts
  from items i join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
  where i.shop_id = :shop and i.file_id = :file and i.status in ('done', 'failed')
    and not (o.preview and o.round = 0)
    -- Others may still be stored.
    and o.detail <> 'record'`

/** Links of deliveries are told with the delivery. */
const LINKS = `
  select created_at as at, 'link/' || id as key, 'link' as kind,
    jsonb_build_object('email', email, 'revoked_at', revoked_at) as facts
  from links where shop_id = :shop and file_id = :file and parent_id is null`

const DELIVERIES = `
  select min(df.created_at) as at, 'delivery/' || d.id as key, 'delivery' as kind,
    jsonb_build_object('delivery', d.id, 'order_name', o.name,
      'email', coalesce(d.email, o.email), 'withdrawn', bool_and(df.withdrawn)) as facts
  from delivery_files df
  join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
  join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  where df.shop_id = :shop and df.file_id = :file
  group by d.shop_id, d.id, o.shop_id, o.id`

/** Daily figures are kept for 13 months. */
const DAYS = 400

/** One row by its key for each day: the table is ordered by day. */
const DOWNLOADS = `
  select least(now(), (d.day + 1)::timestamp at time zone ${SHOP_ZONE} - interval '1 ms') as at,
    'downloads/' || d.day as key, 'downloads' as kind,
    jsonb_build_object('day', d.day, 'downloads', f.downloads) as facts
  from (select (now() at time zone ${SHOP_ZONE})::date - n as day from generate_series(0, ${DAYS}) n) d
  join lateral (select downloads from file_days where shop_id = :shop and day = d.day
    and file_id = :file limit 1) f on true`

const REFUSED = `
  select r.at, 'refused/' || r.link_id || '/' || r.reason || '/' || extract(epoch from r.minute) as key,
    'refused' as kind,
    jsonb_build_object('reason', r.reason, 'times', r.times, 'address', r.address,
      'agent', r.agent, 'email', coalesce(l.email, d.email, o.email), 'delivery', d.id,
      'order_name', o.name) as facts
  from refused_downloads r
  join links l on l.shop_id = r.shop_id and l.id = r.link_id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  where r.shop_id = :shop and r.file_id = :file`

const VIEWS = `
  select v.at, 'view/' || v.link_id || '/' || extract(epoch from v.hour) as key, 'view' as kind,
    jsonb_build_object('address', v.address, 'agent', v.agent,
      'email', coalesce(l.email, d.email, o.email), 'delivery', d.id,
      'order_name', o.name) as facts
  from file_views v
  join links l on l.shop_id = v.shop_id and l.id = v.link_id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  where v.shop_id = :shop and v.file_id = :file`

/** Newest first. Null: there is no such file. */
export const readFileHistory = (
  scope: ShopScope,
  file: string,
  place: PagePlace,
): Promise<HistoryRow[] | null> =>
  readNewest(scope, [OPERATIONS, LINKS, DELIVERIES, DOWNLOADS, REFUSED, VIEWS], { ...place, file })

export interface PagePlace {
  /** Null: from the newest. */
  before: HistoryPlace | null
  limit: number
}

/**
 * The newest rows of several lists of a file, as one list. Null: there is no such file.
 * @param lists selects of `at`, `key`, `kind` and `facts` that use :shop and :file
 */
export async function readNewest<Row extends object>(
  scope: ShopScope,
  lists: readonly string[],
  { file, before, limit }: PagePlace & { file: string },
): Promise<Row[] | null> {
  if (!(await scope.has('select from files where shop_id = :shop and id = :file', { file })))
    return null
  return scope.query<Row>(
    `${lists.map(newest).join(' union all ')} order by at desc, key desc limit :limit`,
    { file, limit, at: before?.exact_at ?? null, key: before?.key ?? null },
  )
}
