// New objects of a listing that may be vanished ones under another path, and what their bytes are.
import type { Knex } from 'knex'

export const undo = 'Nothing: the next sync compares again.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_listings
      -- It may be a vanished object, and no hash of the provider says so: its bytes are not compared yet.
      add column uncompared boolean,
      -- The BLAKE3 hash of its bytes.
      add column content_hash bytea
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_listings drop column content_hash;
    alter table cloud_listings drop column uncompared
  `)
}
