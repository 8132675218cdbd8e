// Names as a preview of renamed files has them so far: batch after batch it looks ahead of what the files' own rows say.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table foreseen_names (
      shop_id integer not null,
      operation_id uuid not null,
      name_key text collate "C" not null,
      -- Who would have the name by then; null: nobody.
      file_id uuid,
      primary key (shop_id, operation_id, name_key),
      foreign key (shop_id, operation_id) references operations on delete cascade
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table foreseen_names')
}
