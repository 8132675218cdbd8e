// Notices as data: the English message with its values, so that the page shows them in its language.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null for earlier notices, which are shown as they were written.
    alter table notices add title_text jsonb, add body_text jsonb;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table notices drop title_text, drop body_text')
}
