// How many operations of a shop wait or run is asked at each start.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `create index operations_unfinished on operations (shop_id) where finished_at is null`,
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index operations_unfinished`)
}
