// Figures of the days before today for the sample shop: downloads of files, deliveries, and imports
// by channel. The worker counts the last days itself, from rows: what the sample made now is spread over
// the months before, and the more of it the later.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { SHOP_ZONE } from '../../files/days.ts'
import { nameKey } from '../../files/rules.ts'

const DAYS = 200
const FILES_A_DAY = 40
/** Today and those that the worker counts again (server/features/home/model/days.ts). */
const COUNTED_DAYS = 3
/** Between two of the newest files. */
const NEWEST_HOURS = 19

/** @param newest the names of the files that the list shows first. */
export async function addPastDays(scope: ShopScope, newest: readonly string[]): Promise<void> {
  // The list of files, newest first, is then as mixed as that of a shop.
  await scope.query(
    `update files set created_at = created_at - interval '40 days'
     where shop_id = :shop and filename like '% draft %'`,
  )
  await scope.query(
    `update files f set created_at = f.created_at - r.place * interval '${NEWEST_HOURS} hours'
     from (select id, array_position(:names::text[], name_key::text) - 1 as place
       from files where shop_id = :shop and name_key = any(:names)) r
     where f.shop_id = :shop and f.id = r.id`,
    { names: newest.map(nameKey) },
  )
  await scope.query(
    `insert into file_days (shop_id, day, file_id, downloads)
     select :shop, (now() at time zone ${SHOP_ZONE})::date - d, f.id, 1 + (d * 7 + f.n * 13) % 9
     from generate_series(1, :days::int) d
     join lateral (select id, row_number() over () as n from (
       select id from files where shop_id = :shop and deleted_at is null
         and created_at < now() - (d + 1) * interval '1 day'
         and filename like '%' || (d % 10) || '.%' limit :limit) few) f on true
     on conflict do nothing`,
    { days: DAYS, limit: FILES_A_DAY },
  )
  await scope.query(
    `insert into file_downloads as n (shop_id, file_id, downloads)
     select :shop, file_id, sum(downloads) from file_days
     where shop_id = :shop and day < (now() at time zone ${SHOP_ZONE})::date group by file_id
     on conflict (shop_id, file_id) do update set downloads = n.downloads + excluded.downloads`,
  )
  await scope.query(
    `insert into shop_days (shop_id, day, figure, subject, value)
     select :shop, (now() at time zone ${SHOP_ZONE})::date - d, figure, subject,
       greatest(1, round(size * (1 + sin(d / 5.0) / 2 + (d * 31 % 7) / 10.0 - d / 400.0)))
     from generate_series(:counted::int, :days::int) d, (values ('deliveries', '', 3), ('orders', '', 3), ('bounced_mails', '', 1),
       ('imports', 'upload', 2),
       ('imported_files', 'upload', 60), ('imports', 'csv', 1), ('imported_files', 'csv', 120),
       ('imports', 'drop', 1), ('imported_files', 'drop', 25),
       ('imported_files', 'cloud', 40), ('imports', 'cloud', 4),
       ('failures', 'url_not_accessible', 2), ('failures', 'duplicate_filename', 1)) f
         (figure, subject, size)
     on conflict do nothing`,
    { days: DAYS, counted: COUNTED_DAYS },
  )
  for (const [table, column, days] of SPREAD)
    await scope.query(
      `update ${table} t set ${column} = t.${column} - interval '1 day' * s.days
       from (select id, :days::int * power(1 - percent_rank() over (order by ${column}, id), 2)
           as days
         from ${table} where shop_id = :shop) s
       where t.shop_id = :shop and t.id = s.id`,
      { days },
    )
}

const MONTHS = 150

const SPREAD = [
  ['orders', 'ordered_at', MONTHS],
  ['deliveries', 'created_at', MONTHS],
  ['operations', 'created_at', COUNTED_DAYS],
] as const
