// Products that were sold as downloads and have no file: their buyers got nothing.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table unfiled_products (
      shop_id integer not null references shops on delete cascade,
      product_id text collate "C" not null,
      title text not null,
      -- To the hour.
      last_sold_at timestamptz not null,
      -- The merchant said that it is no download.
      dismissed boolean not null default false,
      primary key (shop_id, product_id)
    );
    create index unfiled_products_list on unfiled_products (shop_id, last_sold_at desc, product_id)
      where not dismissed
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table unfiled_products')
}
