// Keys that must outlive a change of APP_SECRET: `lookup`, from which hashes are made that rows are
// found by, and `link/…`, with which the keys of earlier links were made.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table server_keys (
      name text collate "C" primary key,
      -- With APP_SECRET (server/core/secrets.ts).
      sealed bytea not null,
      created_at timestamptz not null default now()
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table server_keys')
}
