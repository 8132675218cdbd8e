// Why the catalog of a shop could not be read, as a text with values beside its English sentence.
import type { Knex } from 'knex'

export const undo = 'The values in the reasons why catalogs could not be read: the sentences stay.'

export async function up(knex: Knex): Promise<void> {
  // Null: the sentence has no values, or is of an earlier version.
  await knex.raw('alter table catalog_mirrors add error_text jsonb')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table catalog_mirrors drop error_text')
}
