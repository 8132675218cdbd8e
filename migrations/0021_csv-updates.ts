// Rows of a CSV file that name a file which exists: they are an operation of their own, beside the import of the others.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table csv_uploads add column update_operation_id uuid,
      add constraint csv_uploads_update_fkey foreign key (shop_id, update_operation_id)
        references operations on delete set null (update_operation_id);
    create index csv_uploads_update on csv_uploads (shop_id, update_operation_id)
      where update_operation_id is not null; -- operations that are swept away
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table csv_uploads drop constraint csv_uploads_update_fkey, drop column update_operation_id')
}
