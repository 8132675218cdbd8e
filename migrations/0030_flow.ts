// The platform's automation (Flow): which of the app's triggers a shop's workflows use, and messages
// that start them.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table flow_triggers (
      shop_id integer not null references shops on delete cascade,
      handle text collate "C" not null,
      -- A workflow of the shop uses it, as the platform has told.
      enabled boolean not null,
      -- When the platform told it: older reports are ignored.
      told_at timestamptz not null,
      -- The platform refused it: it is not sent for a day.
      refused_at timestamptz,
      refused text,
      primary key (shop_id, handle)
    );

    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check
      check (kind in ('email', 'callback', 'webhook', 'sms', 'flow'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from outbox where kind = 'flow';
    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check
      check (kind in ('email', 'callback', 'webhook', 'sms'));
    drop table flow_triggers;
  `)
}
