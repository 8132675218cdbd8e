// Waiting batches are written as they are: they live for seconds.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- UUIDs hardly become smaller, and trying took as long as finding the files.
    alter table item_batches alter column file_ids set storage external;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table item_batches alter column file_ids set storage default')
}
