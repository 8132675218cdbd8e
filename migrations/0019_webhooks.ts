// Outgoing webhooks: the addresses that a shop's events are posted to. Their messages are in the
// outbox.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhook_endpoints (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- Without user info, query and fragment; the whole address is sealed.
      url text not null,
      sealed_url text,
      description text not null default '',
      -- Empty: all events.
      events text[] not null default '{}',
      -- Sealed. The previous secret signs too until its time is over.
      secret bytea not null,
      previous_secret bytea,
      previous_until timestamptz,
      enabled boolean not null default true,
      -- Why the server switched it off; null: it did not.
      switched_off text,
      switched_off_at timestamptz,
      -- The first failed attempt since the last one that succeeded.
      failing_since timestamptz,
      last_success_at timestamptz,
      last_error text,
      created_at timestamptz not null default now(),
      primary key (shop_id, id)
    );

    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check
      check (kind in ('email', 'callback', 'webhook', 'sms'));
    alter table outbox add column webhook_id uuid;
    alter table outbox add foreign key (shop_id, webhook_id) references webhook_endpoints on delete cascade;
    create index outbox_webhook on outbox (shop_id, webhook_id, id) where webhook_id is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox drop column webhook_id;
    delete from outbox where kind in ('webhook', 'sms');
    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check check (kind in ('email', 'callback'));
    drop table webhook_endpoints;
  `)
}
