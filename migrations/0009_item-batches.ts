// Files that an operation has yet to come to, where a batch is one transaction.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- In the operation's frozen order: their items are written once, with their outcomes.
    create table item_batches (
      shop_id integer not null,
      operation_id uuid not null,
      -- Of the first of them; the others follow.
      position integer not null,
      file_ids uuid[] not null,
      primary key (shop_id, operation_id, position),
      foreign key (shop_id, operation_id) references operations on delete cascade
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table item_batches')
}
