// Downloads of each shop in a calendar month (UTC), for plans: also of files whose downloads are
// not tracked, which have no rows in `downloads`.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table shop_downloads (
      shop_id integer not null references shops on delete cascade,
      -- Its first day.
      month date not null,
      downloads bigint not null default 0,
      primary key (shop_id, month)
    );
    insert into shop_downloads (shop_id, month, downloads)
      select shop_id, date_trunc('month', now(), 'UTC')::date, count(*) from downloads
      where at >= date_trunc('month', now(), 'UTC') group by shop_id
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table shop_downloads')
}
