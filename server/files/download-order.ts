// The order of a list by downloads: the kept numbers, and the changes that are noted but not added
// to them yet (download-counts.ts). Both are read in one snapshot, so that the order is exact and a
// list adds nothing.

interface Order {
  /** SQL: a condition on `files`. */
  condition: string
  direction: 'asc' | 'desc'
  /** Whether the page begins after `:after_value`, `:after_id`. */
  continues: boolean
  /** Whether `:offset` files are skipped. */
  skips: boolean
}

/**
 * SQL of CTEs; the last one, `found`, has the page's file ids with their `downloads`. The files
 * without noted changes come from the index in its order, the others are few: they are sorted.
 */
export function foundByDownloads({ condition, direction, continues, skips }: Order): string {
  const past = direction === 'desc' ? '<' : '>'
  const part = (downloads: string, from: string, apart = '') =>
    `(select d.file_id as id, ${downloads} as downloads from ${from}
      join files on files.shop_id = d.shop_id and files.id = d.file_id
      where d.shop_id = :shop and ${condition} ${apart}
        ${continues ? `and (${downloads}, d.file_id) ${past} (:after_value::bigint, :after_id::uuid)` : ''}
      order by ${downloads} ${direction}, d.file_id ${direction}
      limit :limit::bigint${skips ? ' + :offset::bigint' : ''})`
  return `noted as materialized (
      select file_id, sum(change)::bigint as change from file_download_changes
      where shop_id = :shop group by 1 having sum(change) <> 0
    ), found as (
      select id, downloads from (
        ${part('d.downloads', 'file_downloads d', 'and d.file_id not in (select file_id from noted)')}
        union all
        ${part(
          '(d.downloads + noted.change)',
          'noted join file_downloads d on d.shop_id = :shop and d.file_id = noted.file_id',
        )}
      ) f order by downloads ${direction}, id ${direction} limit :limit${skips ? ' offset :offset' : ''}
    )`
}
