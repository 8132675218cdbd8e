// Imports of uploads begin with the first file that has arrived, and take in the others as they come.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- More entries may come: it has not ended when all that it has are done.
    alter table operations add column open boolean not null default false;
    -- The import that takes in this batch's files as they arrive.
    alter table upload_batches add column operation_id uuid;
    -- Files of one name in a batch are imported in the order in which they were begun.
    alter table uploads add column name_key text;
    create index uploads_name on uploads (shop_id, batch_id, name_key) where batch_id is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table uploads drop column name_key;
    alter table upload_batches drop column operation_id;
    alter table operations drop column open;
  `)
}
