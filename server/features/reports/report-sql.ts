// The statements of the reports. Each report says what it counts as rows, `facts`, which have the
// columns of the groups and the figures; the groups, their names and their order are the same for all.
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { firstIdAt, CLOCKS_APART_MS } from '../../core/db/month-parts.ts'
import { selectedDeliveries, type DeliveryFilter } from '../orders/deliveries.ts'
import type { RefusedReason } from '../downloads/refused-attempts.ts'
import { KEY_STATUS, type KeyStatus } from '../preparation/key-records.ts'

export const GROUPS = ['product', 'file', 'buyer', 'month'] as const
export type Group = (typeof GROUPS)[number]

export type Report = 'downloads' | 'deliveries' | 'refusals' | 'activations'

/** The columns of a group: what identifies it, and its name. */
export const GROUP_COLUMNS = {
  product: ['product_id', 'product_title'],
  file: ['file_id', 'filename'],
  buyer: ['buyer'],
  month: ['month'],
} as const satisfies Record<Group, readonly string[]>

export const FIGURES = {
  downloads: ['downloads'],
  deliveries: ['deliveries', 'opened', 'withdrawn'],
  refusals: ['refusals'],
  activations: ['activations', 'keys'],
} as const satisfies Record<Report, readonly string[]>

export interface Wanted {
  by: readonly Group[]
  /** Moments; null: without a bound. */
  begin: Date | null
  end: Date | null
  timeZone: string
}

/** Ids are bare UUIDs. */
export interface SubjectFilter {
  file?: string | undefined
  /** The platform's id, its number, or a SKU. */
  product?: string | undefined
  /** Exact, ignoring case. */
  email?: string | undefined
}

export interface Statement {
  sql: string
  bindings: Bindings
}

/** `facts` of a report, and the SQL of its figures. */
interface Facts {
  sql: string
  figures: Readonly<Record<string, string>>
  bindings?: Bindings
}

/** The whole statement of a report: a row for each group, in a fixed order. */
export function reportOf(wanted: Wanted, { sql, figures, bindings = {} }: Facts): Statement {
  const { by, begin, end, timeZone } = wanted
  const keys = by.map((group) => KEYS[group].fact)
  const titled = by.includes('product') ? ', max(product_title) as product_title' : ''
  const counted = Object.entries(figures).map(([name, count]) => `${count}::bigint as ${name}`)
  const shown = [...by.flatMap((group) => KEYS[group].shown), ...Object.keys(figures)]
  return {
    sql: `with ${sql}, sums as (
        select ${keys.join(', ')}${titled}, ${counted.join(', ')}
        from facts group by ${keys.join(', ')})
      select ${shown.join(', ')} from sums s
      ${by.includes('product') ? 'left join products p on p.shop_id = :shop and p.id = s.product_id' : ''}
      ${by.includes('file') ? 'left join files f on f.shop_id = :shop and f.id = s.file_id' : ''}
      order by ${by.map((group) => KEYS[group].order).join(', ')}`,
    bindings: {
      ...(by.includes('month') ? { timeZone } : {}),
      ...(begin ? { begin } : {}),
      ...(end ? { end } : {}),
      ...bindings,
    },
  }
}

const KEYS: Readonly<Record<Group, { fact: string; shown: readonly string[]; order: string }>> = {
  product: {
    fact: 'product_id',
    // A product that the platform deleted has the title that it had last.
    shown: ['s.product_id', 'coalesce(p.title, s.product_title) as product_title'],
    order: 's.product_id collate "C" nulls last',
  },
  file: { fact: 'file_id', shown: ['s.file_id', 'f.filename'], order: 's.file_id nulls last' },
  buyer: { fact: 'buyer', shown: ['s.buyer'], order: 's.buyer collate "C" nulls last' },
  month: { fact: 'month', shown: ['s.month'], order: 's.month' },
}

const monthOf = (moment: string) => `to_char(${moment} at time zone :timeZone, 'YYYY-MM')`

const inPeriod = (moment: string, { begin, end }: Wanted): string[] => [
  ...(begin ? [`${moment} >= :begin`] : []),
  ...(end ? [`${moment} < :end`] : []),
]

const isProduct = (row: string) =>
  `(${row}.product_id = any(array[:product::text, 'gid://shopify/Product/' || :product::text])
    or lower(${row}.sku) = lower(:product::text))`

const given = (values: Bindings): Bindings =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** SQL: a buyer has one address, in lower case, however it was written. */
const BUYER_OF_LINK = 'lower(coalesce(l.email, p.email, d.email, o.email))'
/** SQL: whose link `l` is: its own address, or that of the delivery whose page it is or is under. */
const OWNERS = `left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join deliveries d on d.shop_id = l.shop_id and d.id = coalesce(l.delivery_id, p.delivery_id)
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id`

/** SQL: the products of the files of rows `x`, and the condition that they have the given one. */
function productsOfFiles({ by }: Wanted, { product }: SubjectFilter) {
  const matched = product === undefined ? '' : `and ${isProduct('m')}`
  const found = `from mappings m where m.shop_id = :shop ${matched}`
  return {
    joined: by.includes('product')
      ? `left join (select m.file_id, m.product_id, max(m.product_title) as product_title
           ${found} group by 1, 2) m on m.file_id = x.file_id`
      : '',
    columns: by.includes('product') ? 'm.product_id, m.product_title' : '',
    conditions: product === undefined ? [] : [`x.file_id in (select m.file_id ${found})`],
  }
}

const columnsOf = (columns: readonly string[]) =>
  columns.filter((column) => column !== '').join(', ')

/**
 * Downloads. All are counted by day and file (`file_days`), also of files without tracking and of
 * files that were deleted. Whose they were is known of recorded ones (`downloads`); the others of the
 * same file and month are a row without a buyer, so that all groups have the same sum.
 * @param days the first and the last day
 */
export function downloadFacts(
  wanted: Wanted,
  days: { first: string; last: string | null },
  filter: SubjectFilter,
): Facts {
  const { by, begin } = wanted
  const { file, email, product } = filter
  const byBuyer = by.includes('buyer') || email !== undefined
  const ofMonth = (sql: string) => (by.includes('month') ? `${sql} as month` : `'' as month`)
  const products = productsOfFiles(wanted, filter)
  const ofFiles = [...(file === undefined ? [] : ['x.file_id = :file']), ...products.conditions]
  const counted = [
    'x.shop_id = :shop',
    'x.day >= :first::date',
    ...(days.last === null ? [] : ['x.day <= :last::date']),
    ...ofFiles,
  ]
  const recorded = [
    'x.shop_id = :shop',
    ...inPeriod('x.at', wanted),
    ...(begin ? ['x.id >= :firstId'] : []),
    ...ofFiles,
  ]
  const sql = `days as (
      select ${ofMonth(`to_char(x.day, 'YYYY-MM')`)}, x.file_id, sum(x.downloads) as downloads
      from file_days x where ${counted.join(' and ')} group by 1, 2)
    ${
      byBuyer
        ? `, recorded as (
      select ${ofMonth(monthOf('x.at'))}, x.file_id, x.link_id, count(*) as downloads
      from downloads x where ${recorded.join(' and ')} group by 1, 2, 3
    ), known as (
      select month, file_id, sum(downloads) as downloads from recorded group by 1, 2
    ), counts as (
      select r.month, r.file_id, ${BUYER_OF_LINK} as buyer, r.downloads from recorded r
      left join links l on l.shop_id = :shop and l.id = r.link_id ${OWNERS}
      union all
      select d.month, d.file_id, null, d.downloads - coalesce(k.downloads, 0) from days d
      left join known k on k.month = d.month and k.file_id = d.file_id
      where d.downloads > coalesce(k.downloads, 0))`
        : ', counts as (select month, file_id, null as buyer, downloads from days)'
    }, facts as (
      select ${columnsOf(['x.month', 'x.file_id', 'x.buyer', 'x.downloads', products.columns])}
      from counts x ${products.joined}
      ${email === undefined ? '' : 'where x.buyer = lower(:email)'})`
  const firstId = begin && byBuyer ? firstIdAt(new Date(+begin - CLOCKS_APART_MS)) : undefined
  const last = days.last ?? undefined
  return {
    sql,
    figures: { downloads: 'sum(downloads)' },
    bindings: given({ first: days.first, last, firstId, file, email, product }),
  }
}

/** Deliveries, by when they were made: each counts once in each group that it belongs to. */
export async function deliveryFacts(
  scope: ShopScope,
  wanted: Wanted,
  filter: Omit<DeliveryFilter, 'limit'>,
): Promise<Facts> {
  const { by } = wanted
  const { product, file } = filter
  const byFile = by.includes('file')
  const byProduct = by.includes('product')
  const joined = [
    ...(byFile || byProduct
      ? ['left join delivery_files x on x.shop_id = d.shop_id and x.delivery_id = d.id']
      : []),
    ...(byProduct
      ? [
          `left join order_lines n on n.shop_id = d.shop_id and n.order_id = d.order_id
             and n.id = x.line_id`,
        ]
      : []),
  ]
  const { sql, bindings } = await selectedDeliveries(scope, filter, joined.join(' '))
  const conditions = [
    ...inPeriod('d.created_at', wanted),
    ...(byFile && file !== undefined ? ['x.file_id = :file'] : []),
    ...(byProduct && product !== undefined ? [isProduct('n')] : []),
  ]
  const columns = {
    product: 'n.product_id',
    file: 'x.file_id',
    buyer: 'lower(coalesce(d.email, o.email)) as buyer',
    month: `${monthOf('d.created_at')} as month`,
  }
  const groups = by.map((group) => columns[group])
  return {
    sql: `facts as (
      select d.id, ${groups.join(', ')} ${byProduct ? ', max(n.title) as product_title' : ''},
        bool_and(d.opened_at is not null) as opened,
        bool_and(d.revoked_at is not null or d.withdrawn_at is not null) as withdrawn
      ${[sql, ...conditions].join(' and ')}
      group by d.id, ${by.map((_, place) => place + 2).join(', ')})`,
    figures: {
      deliveries: 'count(*)',
      opened: 'count(*) filter (where opened)',
      withdrawn: 'count(*) filter (where withdrawn)',
    },
    bindings,
  }
}

/** Refused attempts: as many as their links keep (docs/counts.md). */
export function refusalFacts(
  wanted: Wanted,
  filter: SubjectFilter & { reason?: RefusedReason | undefined },
): Facts {
  const { by } = wanted
  const { file, email, product, reason } = filter
  const products = productsOfFiles(wanted, filter)
  const byBuyer = by.includes('buyer') || email !== undefined
  const conditions = [
    'x.shop_id = :shop',
    ...inPeriod('x.minute', wanted),
    ...(file === undefined ? [] : ['x.file_id = :file']),
    ...(reason === undefined ? [] : ['x.reason = :reason']),
    ...(email === undefined ? [] : [`${BUYER_OF_LINK} = lower(:email)`]),
    ...products.conditions,
  ]
  const columns = [
    by.includes('month') ? `${monthOf('x.minute')} as month` : '',
    byBuyer ? `${BUYER_OF_LINK} as buyer` : '',
    products.columns,
  ]
  return {
    sql: `facts as (
      select ${columnsOf(['x.file_id', 'x.times', ...columns])} from refused_downloads x
      ${byBuyer ? `join links l on l.shop_id = x.shop_id and l.id = x.link_id ${OWNERS}` : ''}
      ${products.joined} where ${conditions.join(' and ')})`,
    figures: { refusals: 'sum(times)' },
    bindings: given({ file, email, product, reason }),
  }
}

/** SQL: the lines of the order of the key `k` for which it was assigned. */
const LINES_OF_KEY = `from order_lines n where n.shop_id = o.shop_id and n.order_id = o.id
  and (n.id = k.line_id or k.line_id is null and exists (select from delivery_files w
    where w.shop_id = k.shop_id and w.delivery_id = k.delivery_id and w.file_id = k.file_id
      and w.line_id = n.id))`

/** Activations of licence keys that have not ended. */
export function activationFacts(
  wanted: Wanted,
  filter: SubjectFilter & { list?: string | undefined; status?: KeyStatus | undefined },
): Facts {
  const { by } = wanted
  const { file, email, product, list, status } = filter
  const byProduct = by.includes('product')
  const matched = product === undefined ? '' : `and ${isProduct('n')}`
  const conditions = [
    'x.shop_id = :shop',
    ...inPeriod('x.activated_at', wanted),
    ...(file === undefined ? [] : ['k.file_id = :file']),
    ...(list === undefined ? [] : ['k.list_id = :list']),
    ...(status === undefined ? [] : [`${KEY_STATUS} = :status`]),
    ...(email === undefined ? [] : ['lower(coalesce(d.email, o.email)) = lower(:email)']),
    ...(product === undefined ? [] : [`exists (select ${LINES_OF_KEY} ${matched})`]),
  ]
  const columns = [
    by.includes('month') ? `${monthOf('x.activated_at')} as month` : '',
    byProduct ? 'b.product_id, b.product_title' : '',
  ]
  return {
    sql: `facts as (
      select ${columnsOf(['x.key_id', 'k.file_id', 'lower(coalesce(d.email, o.email)) as buyer', ...columns])}
      from licence_activations x
      join licence_keys k on k.shop_id = x.shop_id and k.id = x.key_id
      left join deliveries d on d.shop_id = k.shop_id and d.id = k.delivery_id
      left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
      ${
        byProduct
          ? `left join lateral (select n.product_id, max(n.title) as product_title
               ${LINES_OF_KEY} ${matched} group by 1) b on true`
          : ''
      }
      where ${conditions.join(' and ')})`,
    figures: { activations: 'count(*)', keys: 'count(distinct key_id)' },
    bindings: given({ file, email, product, list, status }),
  }
}
