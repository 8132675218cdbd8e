// The figures of a period, from the daily ones.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ERRORS, isErrorCode } from '../../../core/errors.ts'
import { toPublicId } from '../../../core/ids.ts'
import { elementAt } from '../../../core/present.ts'
import { readCounts } from '../../../files/file-counts.ts'
import type { Figure } from './days.ts'

export const PERIODS = [7, 30, 90] as const
/** Figures of each day. */
export const METRICS = ['downloads', 'deliveries', 'imported_files'] as const
export type Metric = (typeof METRICS)[number]
const TOP = 10

export interface Figures {
  /** Each day of the period, oldest first. */
  days: { day: string; downloads: number; deliveries: number; imported_files: number }[]
  /** The totals of the whole period, and of the equally long one before it. */
  totals: Record<'now' | 'before', Record<Metric, number>>
  top_files: { file_id: string; filename: string; downloads: number }[]
  top_products: { product_id: string; title: string; downloads: number }[]
  /** The present files, by extension. */
  storage: { extension: string; files: number; bytes: number }[]
  imports: { channel: string; imports: number; files: number }[]
  failures: { code: string; message: string; files: number }[]
  bounced_mails: number
}

/** Reads the figures of the last days, today included, in UTC. */
export async function readFigures(scope: ShopScope, days: number, now: Date): Promise<Figures> {
  const period = { today: now.toISOString().slice(0, 10), days }
  const [perDay, topFiles, topProducts, storage, imports, failures, bounced] = await Promise.all([
    daysOf(scope, period),
    topFilesOf(scope, period),
    topProductsOf(scope, period),
    storageOf(scope),
    importsOf(scope, period),
    failuresOf(scope, period),
    bouncedMails(scope, period),
  ])
  const shown = perDay.slice(days)
  return {
    days: shown,
    totals: { now: totalOf(shown), before: totalOf(perDay.slice(0, days)) },
    top_files: topFiles,
    top_products: topProducts,
    storage,
    imports,
    failures,
    bounced_mails: bounced,
  }
}

async function storageOf(scope: ShopScope): Promise<Figures['storage']> {
  const counts = await readCounts(scope, ['extension'])
  return counts
    .toSorted((a, b) => b.bytes - a.bytes || (a.subject < b.subject ? -1 : 1))
    .slice(0, TOP)
    .map(({ subject, files, bytes }) => ({ extension: subject, files, bytes }))
}

export interface Point {
  day: string
  value: number
  /** Of the same day in the period before. */
  before: number
}

/** One figure of each of the last days, oldest first. */
export async function readPoints(
  scope: ShopScope,
  metric: Metric,
  days: number,
  now: Date,
): Promise<Point[]> {
  const all = await daysOf(scope, { today: now.toISOString().slice(0, 10), days })
  const before = all.slice(0, days)
  return all.slice(days).map((one, at) => ({
    ...{ day: one.day, value: one[metric] },
    before: elementAt(before, at)[metric],
  }))
}

interface Period {
  /** The last day, as `2026-01-31`. */
  today: string
  days: number
}

/** SQL: a row `d` of days is in the period. */
const IN_PERIOD = 'd.day between :today::date - :days::int + 1 and :today::date'

/** Reads the days of twice the period: its second half is compared with the first. */
const daysOf = (scope: ShopScope, period: Period): Promise<Figures['days']> =>
  scope.query(
    `select to_char(d.day, 'YYYY-MM-DD') as day,
         coalesce((select sum(f.downloads) from file_days f
           where f.shop_id = :shop and f.day = d.day), 0)::int as downloads,
         ${valueOf('deliveries')}, ${valueOf('imported_files')}
       from generate_series(:today::date - 2 * :days::int + 1, :today::date, interval '1 day')
         as g (at), lateral (select at::date as day) d order by 1`,
    { ...period },
  )

async function topFilesOf(scope: ShopScope, period: Period): Promise<Figures['top_files']> {
  const rows = await scope.query<{ id: string; filename: string; downloads: number }>(
    `select f.id, f.filename, sum(d.downloads)::int as downloads
       from file_days d join files f on f.shop_id = d.shop_id and f.id = d.file_id
       where d.shop_id = :shop and ${IN_PERIOD} and f.deleted_at is null
       group by f.id, f.filename order by 3 desc, 2 limit ${TOP}`,
    { ...period },
  )
  return rows.map(({ id, ...file }) => ({ file_id: toPublicId('file', id), ...file }))
}

const topProductsOf = (scope: ShopScope, period: Period): Promise<Figures['top_products']> =>
  scope.query(
    `select m.product_id, max(m.product_title) as title, sum(d.downloads)::int as downloads
       from file_days d
       join lateral (select distinct on (product_id) product_id, product_title from mappings m
         where m.shop_id = d.shop_id and m.file_id = d.file_id order by product_id) m on true
       where d.shop_id = :shop and ${IN_PERIOD}
       group by m.product_id order by 3 desc, 2 limit ${TOP}`,
    { ...period },
  )

const importsOf = (scope: ShopScope, period: Period): Promise<Figures['imports']> =>
  scope.query(
    `select subject as channel,
         coalesce(sum(value) filter (where figure = 'imports'), 0)::int as imports,
         coalesce(sum(value) filter (where figure = 'imported_files'), 0)::int as files
       from shop_days d where shop_id = :shop and ${IN_PERIOD}
         and figure in ('imports', 'imported_files') group by 1 order by 3 desc`,
    { ...period },
  )

async function failuresOf(scope: ShopScope, period: Period): Promise<Figures['failures']> {
  const rows = await scope.query<{ code: string; files: number }>(
    `select subject as code, sum(value)::int as files from shop_days d
     where shop_id = :shop and ${IN_PERIOD} and figure = 'failures'
     group by 1 order by 2 desc limit ${TOP}`,
    { ...period },
  )
  return rows.map(({ code, files }) => ({
    ...{ code, files },
    message: isErrorCode(code) ? ERRORS[code].message : code,
  }))
}

async function bouncedMails(scope: ShopScope, period: Period): Promise<number> {
  const { mails } = await scope.one<{ mails: number }>(
    `select coalesce(sum(value), 0)::int as mails from shop_days d
       where shop_id = :shop and ${IN_PERIOD} and figure = 'bounced_mails'`,
    { ...period },
  )
  return mails
}

const totalOf = (days: Figures['days']): Figures['totals']['now'] => {
  const sum = (name: Metric) => days.reduce((total, one) => total + one[name], 0)
  return {
    downloads: sum('downloads'),
    deliveries: sum('deliveries'),
    imported_files: sum('imported_files'),
  }
}

/** SQL: a figure of the day `d`, over all its subjects. */
const valueOf = (figure: Figure): string => `
  coalesce((select sum(s.value) from shop_days s
    where s.shop_id = :shop and s.figure = '${figure}' and s.day = d.day), 0)::int as ${figure}`
