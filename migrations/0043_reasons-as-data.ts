// Texts with values as data: why a file belongs to a product, problems of CSV files, and why a delivery
// or an object of a connection is held back. The text columns keep the message, and the values are
// beside it, so that the page writes it in its language.
import type { Knex } from 'knex'

export const undo =
  'The values in reasons of mappings and deliveries, and in problems of CSV files and connections: their messages stay.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null: the text has no values, and earlier rows have them in the text.
    alter table mappings add reason_values jsonb;
    alter table csv_problems add message_values jsonb, add detail_values jsonb;
    alter table cloud_rejections add message_values jsonb;
    alter table delivery_runs add reason_values jsonb;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table delivery_runs drop reason_values;
    alter table cloud_rejections drop message_values;
    alter table csv_problems drop message_values, drop detail_values;
    alter table mappings drop reason_values;
  `)
}
