// Daily figures of each shop, from which the home page is drawn: reading them takes as long after
// ten million downloads as after a thousand.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Counted when a download is recorded, also of files without tracking.
    create table file_days (
      shop_id integer not null references shops on delete cascade,
      -- In UTC.
      day date not null,
      file_id uuid not null,
      downloads bigint not null,
      primary key (shop_id, day, file_id)
    );
    -- Counted again by a worker: deliveries, imports by channel, failures by code.
    create table shop_days (
      shop_id integer not null references shops on delete cascade,
      day date not null,
      figure text not null,
      -- The channel or the code; '' if the figure has none.
      subject text not null,
      value bigint not null,
      primary key (shop_id, day, figure, subject)
    );
    insert into file_days (shop_id, day, file_id, downloads)
      select shop_id, (at at time zone 'UTC')::date, file_id, count(*) from downloads
      group by 1, 2, 3;
    create index deliveries_created on deliveries (shop_id, created_at);
    create index operations_created on operations (shop_id, created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index operations_created;
    drop index deliveries_created;
    drop table shop_days;
    drop table file_days;
  `)
}
