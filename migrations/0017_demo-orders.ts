// The orders of the demo shop, as the stand-in for the platform keeps them.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create sequence demo_order_numbers start 1001;
    create table demo_orders (
      shop_id integer not null references shops on delete cascade,
      id bigint not null,
      data jsonb not null,
      updated_at timestamptz not null,
      primary key (shop_id, id)
    );
    create index demo_orders_updated on demo_orders (shop_id, updated_at); -- the hourly comparison
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table demo_orders; drop sequence demo_order_numbers')
}
