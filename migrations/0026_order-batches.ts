// Orders and their mails are worked on in batches: a shop has one job for each, and the rows that
// wait say when they are due. An order has its buyer's name.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Runs that failed since it was reported: each delays the next one.
    alter table platform_changes add column attempts smallint not null default 0;
    create index platform_changes_due on platform_changes (shop_id, due_at, subject)
      where kind = 'order'; -- the orders of the next batch

    -- As the platform shows the customer; for what names the buyer.
    alter table orders add column customer_name text;

    -- It waits for the shop's next batch of mails, and has no job.
    alter table outbox add column batched boolean not null default false;
    create index outbox_batched on outbox (shop_id, id) where batched; -- the next batch
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table orders drop column customer_name;
    drop index outbox_batched;
    alter table outbox drop column batched;
    drop index platform_changes_due;
    alter table platform_changes drop column attempts;
  `)
}
