import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table parcels (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      content bytea not null,
      primary key (shop_id, id)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table parcels')
}
