// The figures of a period, from the daily ones.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ERRORS, type ErrorCode } from '../../../core/errors.ts'
import { elementAt } from '../../../core/lazy.ts'
import { readCounts } from '../../../files/file-counts.ts'
import { IN_PERIOD, readTops, type Period, type TopLists } from './tops.ts'

/** Figures of each day. */
export const METRICS = [
  'downloads',
  'orders',
  'deliveries',
  'imported_files',
  'bounced_mails',
] as const
export type Metric = (typeof METRICS)[number]
const TOP = 10

export interface Figures extends TopLists {
  /** Each day of the period, oldest first. */
  days: (Record<Metric, number> & { day: string })[]
  /** The totals of the whole period, and of the equally long one before it. */
  totals: Record<'now' | 'before', Record<Metric, number>>
  /** The present files, by extension. */
  storage: { extension: string; files: number; bytes: number }[]
  imports: { channel: string; imports: number; files: number }[]
  failures: { code: string; message: string; files: number }[]
}

/** Reads the figures of a period of the shop's days. */
export async function readFigures(scope: ShopScope, period: Period): Promise<Figures> {
  const { days } = period
  const [perDay, tops, storage, imports, failures] = await Promise.all([
    daysOf(scope, period),
    readTops(scope, period),
    storageOf(scope),
    importsOf(scope, period),
    failuresOf(scope, period),
  ])
  const shown = perDay.slice(days)
  return {
    days: shown,
    totals: { now: totalOf(shown), before: totalOf(perDay.slice(0, days)) },
    ...tops,
    storage,
    imports,
    failures,
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

/** One figure of each day of the period, oldest first. */
export async function readPoints(
  scope: ShopScope,
  metric: Metric,
  period: Period,
): Promise<Point[]> {
  const { days } = period
  const all = await daysOf(scope, period)
  const before = all.slice(0, days)
  return all.slice(days).map((one, at) => ({
    day: one.day,
    value: one[metric],
    before: elementAt(before, at)[metric],
  }))
}

/** Reads the days of twice the period: its second half is compared with the first. */
const daysOf = (scope: ShopScope, period: Period): Promise<Figures['days']> =>
  scope.query(
    `select to_char(d.day, 'YYYY-MM-DD') as day,
         ${METRICS.map(valueOf).join(', ')}
       from generate_series(:today::date - 2 * :days::int + 1, :today::date, interval '1 day')
         as g (at), lateral (select at::date as day) d order by 1`,
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
  const rows = await scope.query<{ code: ErrorCode; files: number }>(
    `select subject as code, sum(value)::int as files from shop_days d
     where shop_id = :shop and ${IN_PERIOD} and figure = 'failures'
     group by 1 order by 2 desc limit ${TOP}`,
    { ...period },
  )
  return rows.map(({ code, files }) => ({
    code,
    files,
    message: ERRORS[code].message,
  }))
}

const totalOf = (days: Figures['days']): Record<Metric, number> =>
  Object.fromEntries(
    METRICS.map((name) => [name, days.reduce((total, one) => total + one[name], 0)]),
  ) as Record<Metric, number>

/** SQL: a figure of the day `d`, over all its subjects. */
const valueOf = (figure: Metric): string => `
  coalesce((select sum(s.value) from shop_days s
    where s.shop_id = :shop and s.figure = '${figure}' and s.day = d.day), 0)::int as ${figure}`
