// How an operation's batches are worked on is derived from its plugins: nothing of it is kept.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table operations drop column set_wise, drop column asks')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations add column set_wise boolean not null default false,
      add column asks boolean not null default false
  `)
}
