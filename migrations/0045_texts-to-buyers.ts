// Phone numbers of buyers whose orders have no email address, sealed, and the texts that bring them their
// files.
import type { Knex } from 'knex'

export const undo =
  'Phone numbers of buyers without an email address, and which of them got a text.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Sealed. Only while the order has a delivery and no email address.
    alter table orders add column phone bytea;
    alter table deliveries
      -- Sealed: the number that the merchant entered, in place of the order's.
      add column phone bytea,
      -- When the first text to its buyer was queued.
      add column texted_at timestamptz;
    create index orders_with_phone on orders (shop_id, id) where phone is not null;
    create index deliveries_with_phone on deliveries (shop_id, id) where phone is not null`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries drop column texted_at, drop column phone;
    alter table orders drop column phone`)
}
