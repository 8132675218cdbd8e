// What an operation is about, for its line in the history: the first file of an import, or the CSV file.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table operations add column label text`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table operations drop column label`)
}
