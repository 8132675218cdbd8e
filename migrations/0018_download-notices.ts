// Downloads that a shop wants to be told of, until it has been; and addresses for the files that are public already.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table download_notices (
      shop_id integer not null,
      file_id uuid not null,
      -- Downloads that the shop has not been told of.
      untold integer not null default 0,
      told_at timestamptz,
      primary key (shop_id, file_id),
      foreign key (shop_id, file_id) references files on delete cascade
    ) with (fillfactor = 70);
    create index download_notices_untold on download_notices (told_at) where untold > 0; -- those that are due

    insert into public_addresses (shop_id, file_id) select shop_id, id from files where visibility = 'public'
    on conflict do nothing;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table download_notices')
}
