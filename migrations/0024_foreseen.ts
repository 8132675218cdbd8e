// What a preview found, counted over all of its files.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- {"changed", "unchanged", "candidates"}, once the preview has ended.
    alter table operations add column foreseen jsonb
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table operations drop column foreseen')
}
