// When the shop was warned that a list of licence keys runs out: once, until keys are added.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table licence_lists add column warned_at timestamptz')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table licence_lists drop column warned_at')
}
