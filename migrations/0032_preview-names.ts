import type { Knex } from 'knex'

// Names of what a preview stores: its counts, and the names that its renames would give.

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations rename column foreseen to preview_counts;
    alter table foreseen_names rename to preview_names;
    alter table preview_names rename constraint foreseen_names_pkey to preview_names_pkey;
    alter table preview_names
      rename constraint foreseen_names_shop_id_operation_id_fkey
      to preview_names_shop_id_operation_id_fkey;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations rename column preview_counts to foreseen;
    alter table preview_names rename to foreseen_names;
    alter table foreseen_names rename constraint preview_names_pkey to foreseen_names_pkey;
    alter table foreseen_names
      rename constraint preview_names_shop_id_operation_id_fkey
      to foreseen_names_shop_id_operation_id_fkey;
  `)
}
