// The most downloaded files and products of a period. They add up a row for each file and day: few
// are read for each request, and for shops with many a worker keeps the result of the last hour.
import { dayAt } from '../../../../plugins/contract/index.ts'
import type { Database } from '../../../core/db/database.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { toPublicId } from '../../../core/ids.ts'
import { readShop } from '../../../files/shop-settings.ts'

const TOP = 10
/** Kept places: files that are deleted meanwhile are left out. */
const KEPT = 3 * TOP
/** Rows of a period that are added up for each request. */
const FEW_ROWS = 20_000
/** Kept figures that are older are not shown: the worker does not run. */
const KEPT_HOURS = 3

export const PERIODS = [7, 30, 90] as const

export interface Period {
  /** The last day, as `2026-01-31`. */
  today: string
  days: number
}

/** The day of the shop, as `2026-01-31`. */
export const todayOf = async (scope: ShopScope, now: Date): Promise<string> =>
  dayAt(now, (await readShop(scope)).settings.time_zone)

export interface TopLists {
  top_files: { file_id: string; filename: string; downloads: number }[]
  top_products: { product_id: string; title: string; downloads: number }[]
}

/** SQL: a row `d` of days is in the period. */
export const IN_PERIOD = 'd.day between :today::date - :days::int + 1 and :today::date'

const FILES = `
  select f.id::text as subject, f.filename as title, sum(d.downloads)::int as downloads
  from file_days d join files f on f.shop_id = d.shop_id and f.id = d.file_id
  where d.shop_id = :shop and ${IN_PERIOD} and f.deleted_at is null
  group by f.id, f.filename order by 3 desc, 2 limit :top`

const PRODUCTS = `
  select m.product_id as subject, max(m.product_title) as title, sum(d.downloads)::int as downloads
  from file_days d
  join lateral (select distinct on (product_id) product_id, product_title from mappings m
    where m.shop_id = d.shop_id and m.file_id = d.file_id order by product_id) m on true
  where d.shop_id = :shop and ${IN_PERIOD}
  group by m.product_id order by 3 desc, 2 limit :top`

const KINDS = { file: FILES, product: PRODUCTS } as const
type Kind = keyof typeof KINDS

interface Top {
  subject: string
  title: string
  downloads: number
}

/** Reads both lists. Those of a shop with many downloads are as old as an hour. */
export async function readTops(
  scope: ShopScope,
  period: Period,
  few = FEW_ROWS,
): Promise<TopLists> {
  const areMany = await hasMany(scope, period, few)
  const [files, products] = await Promise.all([
    topsOf(scope, 'file', period, areMany),
    topsOf(scope, 'product', period, areMany),
  ])
  return {
    top_files: files.map(({ subject, title, downloads }) => ({
      file_id: toPublicId('file', subject),
      filename: title,
      downloads,
    })),
    top_products: products.map(({ subject, title, downloads }) => ({
      product_id: subject,
      title,
      downloads,
    })),
  }
}

async function topsOf(
  scope: ShopScope,
  kind: Kind,
  period: Period,
  areMany: boolean,
): Promise<Top[]> {
  const kept = areMany ? await readKept(scope, kind, period) : []
  return kept.length > 0 ? kept : scope.query<Top>(KINDS[kind], { ...period, top: TOP })
}

/** Kept files have their present names, without those that were deleted. */
const readKept = (scope: ShopScope, kind: Kind, period: Period): Promise<Top[]> =>
  scope.query<Top>(
    kind === 'file'
      ? `select t.subject, f.filename as title, t.downloads from shop_tops t
         join files f on f.shop_id = t.shop_id and f.id = t.subject::uuid and f.deleted_at is null
         where ${OF_KIND} order by t.place limit ${TOP}`
      : `select t.subject, t.title, t.downloads from shop_tops t
         where ${OF_KIND} order by t.place limit ${TOP}`,
    { kind, ...period },
  )

// Also those of yesterday: in the first hour of a day. The weekly email is about an earlier period.
const OF_KIND = `t.shop_id = :shop and t.days = :days and t.kind = :kind
  and t.until between :today::date - 1 and :today::date
  and t.counted_at > now() - interval '${KEPT_HOURS} hours'`

async function hasMany(scope: ShopScope, period: Period, few: number): Promise<boolean> {
  const { rows } = await scope.one<{ rows: number }>(
    `select count(*)::int as rows from (
       select 1 from file_days d where d.shop_id = :shop and ${IN_PERIOD} limit :few) r`,
    { ...period, few: few + 1 },
  )
  return rows > few
}

/** Counts the lists of a shop again, for the periods that have many rows. Exported for a test and the bench, which give the time. */
export async function refreshTops(scope: ShopScope, now: Date, few = FEW_ROWS): Promise<void> {
  const today = await todayOf(scope, now)
  for (const days of PERIODS) {
    const period = { days, today }
    if (!(await hasMany(scope, period, few))) continue
    for (const [kind, select] of Object.entries(KINDS))
      await scope.transaction(async (tx) => {
        await tx.query(
          'delete from shop_tops where shop_id = :shop and days = :days and kind = :kind',
          { kind, days },
        )
        await tx.query(
          `insert into shop_tops (shop_id, days, until, kind, place, subject, title, downloads)
           select :shop, :days, :today::date, :kind, row_number() over (), t.subject, t.title,
             t.downloads
           from (${select}) t`,
          { ...period, kind, top: KEPT },
        )
      })
  }
}

/** Counts the lists of all shops that may have many rows again. One run of the worker. */
export async function refreshAllTops(
  database: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await database.pool.query<{ id: number }>(
    `select s.id from shops s where s.uninstalled_at is null and (
       select sum(d.value) from shop_days d
       where d.shop_id = s.id and d.day > $1::date - $2::int and d.figure = 'downloads') > $3
     order by 1`,
    [now, Math.max(...PERIODS), FEW_ROWS],
  )
  for (const { id } of rows) {
    signal.throwIfAborted()
    await refreshTops(forShop(database, id), now)
  }
}
