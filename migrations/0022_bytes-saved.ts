// How many bytes fewer its files have for an operation; below zero where they have more.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table operations add column bytes_saved bigint not null default 0')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table operations drop column bytes_saved')
}
