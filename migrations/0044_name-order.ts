// Entries of one import that ask for the same filename are processed in their order.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The position of the entry before it that asks for the same name; null for most. The item is
    -- claimed only once that one has ended.
    alter table items add column waits_for integer;
    create index items_waiting on items (shop_id, operation_id, waits_for)
      where waits_for is not null; -- what follows an item
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table items drop column waits_for')
}
