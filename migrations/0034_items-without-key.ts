// Items go with their operation by a trigger, not by a foreign key that is checked row by row.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whoever writes items holds a chain of the operation, or makes the operation in the same transaction: it can't go meanwhile.
    alter table items drop constraint items_shop_id_operation_id_fkey;

    create function drop_items() returns trigger language plpgsql as $$
      begin
        delete from items using gone where items.shop_id = gone.shop_id and items.operation_id = gone.id;
        return null;
      end $$;
    create trigger operations_items after delete on operations
      referencing old table as gone for each statement execute function drop_items();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger operations_items on operations;
    drop function drop_items;
    alter table items add foreign key (shop_id, operation_id) references operations on delete cascade;
  `)
}
