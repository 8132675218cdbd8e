// Answers to customers' requests for their data, until the merchant has fetched them.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table customer_data (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- The platform's own ids, which say about whom it is without naming the person.
      customer_id text collate "C",
      order_ids text[] not null default '{}',
      -- HMACs of the addresses that were asked for: a demand to delete finds the document by them.
      addresses bytea[] not null default '{}',
      -- Sealed, as it contains personal data of one customer: bound to shop and row.
      document bytea not null,
      size_bytes integer not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (shop_id, id)
    );
    create index customer_data_age on customer_data (expires_at); -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table customer_data')
}
