// The sender and the texts of each shop's mail to buyers, and what happened to each mail.
import type { Knex } from 'knex'

export const undo =
  'Senders, mail servers, domains and texts of mails to buyers, and what happened to each mail.'

const STATUSES = ['waiting', 'sending', 'sent', 'failed', 'unknown']

const allowStatuses = (statuses: readonly string[]) => `
  alter table outbox drop constraint outbox_status_check;
  alter table outbox add constraint outbox_status_check
    check (status in (${statuses.map((status) => `'${status}'`).join(', ')}));`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table mail_settings (
      shop_id integer primary key references shops on delete cascade,
      -- Name, address for replies, and the way by which mails are sent.
      sender jsonb not null default '{}',
      -- The shop's own server; null: it has none.
      server jsonb,
      server_password bytea,
      -- The code of the last test mail, as a hash, and its end.
      server_test jsonb,
      server_confirmed_at timestamptz,
      -- The domain that this installation signs for; null: none.
      domain jsonb,
      domain_key bytea,
      -- The DNS records as they were found last.
      domain_records jsonb,
      domain_checked_at timestamptz,
      domain_confirmed_at timestamptz,
      -- Own texts by language and mail.
      texts jsonb not null default '{}'
    );
    create index mail_settings_domains on mail_settings (domain_checked_at)
      where domain_confirmed_at is not null; -- the next check

    -- Addresses of buyers that do not exist: nothing is sent to them.
    create table mail_blocks (
      shop_id integer not null references shops on delete cascade,
      -- In lower case.
      email text not null,
      reason text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, email)
    );

    -- What mail servers and providers reported about a mail.
    create table mail_events (
      shop_id integer not null,
      id uuid not null default uuidv7(),
      message_id uuid not null,
      -- The report: a second copy of it is ignored.
      key text not null,
      event text not null check (event in ('delivered', 'delayed', 'bounced', 'complained')),
      -- Whether the address is to blame, so that another attempt cannot help.
      permanent boolean not null,
      recipient text,
      -- The enhanced status code, like 5.1.1.
      code text,
      -- The words of the server.
      reason text not null,
      source text not null,
      at timestamptz not null default now(),
      primary key (shop_id, id),
      unique (shop_id, message_id, key),
      foreign key (shop_id, message_id) references outbox on delete cascade
    );

    ${allowStatuses([...STATUSES, 'bounced', 'complained'])}
    create index outbox_returned on outbox (shop_id, status, id)
      where status in ('bounced', 'complained');

    -- When the last mail to its buyer came back; null: none did.
    alter table deliveries add column bounced_at timestamptz;
    -- The delivery that a notice is about; null: it is about something else.
    alter table notices add column delivery_id uuid,
      add foreign key (shop_id, delivery_id) references deliveries on delete set null (delivery_id);
    create index notices_delivery on notices (shop_id, delivery_id) where delivery_id is not null;
    create index deliveries_bounced on deliveries (shop_id, id) where bounced_at is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_bounced, outbox_returned;
    alter table deliveries drop column bounced_at;
    alter table notices drop column delivery_id;
    update outbox set status = 'sent' where status in ('bounced', 'complained');
    ${allowStatuses(STATUSES)}
    drop table mail_events, mail_blocks, mail_settings;
  `)
}
