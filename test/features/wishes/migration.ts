import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table wishes (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      filename text not null,
      created_at timestamptz not null default now(),
      -- When a file with this name was imported.
      granted_at timestamptz,
      primary key (shop_id, id)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table wishes')
}
