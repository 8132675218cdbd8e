// Limits of downloads and views that count for each unit follow the units of an order: bought later by an edit, or
// refunded. The merchant's own changes to a limit are kept.
import { MAX_DOWNLOAD_LIMIT, MAX_VIEW_LIMIT } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { DeliveredFile, DeliveryRow } from './delivery-rows.ts'
import type { EntitledLines, JudgedOrder } from './order-rows.ts'

interface UnitChange {
  parent: string | null
  file: string
  units: number
}

/**
 * Changes the limits of files by the file's present limit for each unit more or less than in the last
 * known state. At least one unit is left.
 * @param files all files of the deliveries, by delivery.
 */
export async function followUnits(
  tx: ShopScope,
  judged: readonly JudgedOrder[],
  before: EntitledLines,
  deliveries: ReadonlyMap<string, DeliveryRow>,
  files: ReadonlyMap<string, readonly DeliveredFile[]>,
): Promise<void> {
  const changes = judged.flatMap((one): UnitChange[] => {
    const delivery = deliveries.get(one.order.id)
    const own = delivery && files.get(delivery.id)
    return own ? changesOf(one, before, delivery, own) : []
  })
  if (changes.length === 0) return
  await tx.query(
    `with held as (
       select l.id, f.download_limit, f.view_limit,
         l.download_limit + g.units::bigint * f.download_limit as downloads,
         l.view_limit + g.units::bigint * f.view_limit as views
       from unnest(:parents::uuid[], :files::uuid[], :units::int[]) as g (parent_id, file_id, units)
       join links l on l.shop_id = :shop and l.parent_id = g.parent_id and l.file_id = g.file_id
       join files f on f.shop_id = :shop and f.id = g.file_id
       where l.download_limit is not null and f.download_limit is not null
         or l.view_limit is not null and f.view_limit is not null
       order by l.id for no key update of l
     )
     update links l set
       download_limit = coalesce(case when held.downloads is not null
         then least(greatest(held.downloads, held.download_limit), :max) end, l.download_limit),
       view_limit = coalesce(case when held.views is not null
         then least(greatest(held.views, held.view_limit), :mostViews) end, l.view_limit)
     from held where l.shop_id = :shop and l.id = held.id`,
    {
      parents: changes.map(({ parent }) => parent),
      files: changes.map(({ file }) => file),
      units: changes.map(({ units }) => units),
      max: MAX_DOWNLOAD_LIMIT,
      mostViews: MAX_VIEW_LIMIT,
    },
  )
}

function changesOf(
  { order, entitled }: JudgedOrder,
  before: EntitledLines,
  { link_id }: DeliveryRow,
  files: readonly DeliveredFile[],
): UnitChange[] {
  const lines = new Map(order.lines.map((line) => [line.id, line]))
  const byFile = Map.groupBy(files, ({ file_id }) => file_id)
  return [...byFile].flatMap(([file, of]): UnitChange[] => {
    const ids = of.flatMap(({ line_id, taken_back }) => (taken_back ? [] : [line_id]))
    const was = ids.flatMap((id) => before.get(`${order.id}/${id}`) ?? [])
    const is = ids.flatMap((id) => (entitled.has(id) ? (lines.get(id) ?? []) : []))
    // A new link has the limit of all units, and a withdrawn one keeps its own. Units of bundles are not
    // those of their components.
    if (was.length === 0 || is.length === 0) return []
    if ([...was, ...is].some(({ bundle }) => bundle !== null)) return []
    const units = unitsOf(is) - unitsOf(was)
    return units === 0 ? [] : [{ parent: link_id, file, units }]
  })
}

const unitsOf = (lines: readonly { quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0)
