// Messages that leave the product (mails, webhooks, notices, the platform's automation), and the
// figures of the home page.
import { firstSchema } from '../server/core/db/migration-steps.ts'

const BUSY = `autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05`
const LARGE = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05`
const withSettings = (settings: string, tables: readonly string[]) =>
  tables.map((table) => `alter table ${table} set (${settings});`).join('\n')

const SCHEMA = `
  -- Outgoing webhooks: the addresses that a shop's events are posted to. Their messages are in the
  -- outbox.
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
    last_error_text jsonb,
    switched_off_text jsonb,
    primary key (shop_id, id)
  );

  -- The platform's automation (Flow): which of the app's triggers a shop's workflows use.
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

  create table notices (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    level text not null check (level in ('info', 'success', 'warning', 'critical')),
    title text not null,
    body text not null,
    operation_id uuid,
    created_at timestamptz not null default now(),
    read_at timestamptz,
    title_text jsonb not null,
    body_text jsonb not null,
    -- The delivery that a notice is about; null: it is about something else.
    delivery_id uuid,
    primary key (shop_id, id),
    foreign key (shop_id, operation_id) references operations on delete cascade,
    foreign key (shop_id, delivery_id) references deliveries on delete set null (delivery_id)
  );
  create index notices_unread on notices (shop_id) where read_at is null; -- the page's counter
  create index notices_alone on notices (created_at) where operation_id is null; -- the sweep
  create index notices_delivery on notices (shop_id, delivery_id) where delivery_id is not null;

  -- Effects outside the database: written in the transaction that decides them, carried out once.
  create table outbox (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- Its subject: a second run of the same step writes no second message.
    key text not null,
    kind text not null check (kind in ('email', 'callback', 'webhook', 'sms', 'flow')),
    payload jsonb not null,
    -- unknown: the connection was lost while it was sent, so it may have arrived.
    status text not null default 'waiting'
      check (status in
        ('waiting', 'sending', 'sent', 'failed', 'unknown', 'bounced', 'complained')),
    attempts smallint not null default 0,
    result jsonb,
    created_at timestamptz not null default now(),
    sent_at timestamptz,
    operation_id uuid,
    -- The attempt that may write the result: it stops a worker that was presumed dead.
    lease bigint,
    taken_at timestamptz,
    -- Why the last attempt failed, in words for the shop.
    error text,
    webhook_id uuid,
    -- It waits for the shop's next batch of mails, and has no job.
    batched boolean not null default false,
    -- It is not sent before; null: immediately.
    due_at timestamptz,
    -- Null: the sentence has no values.
    error_text jsonb,
    primary key (shop_id, id),
    unique (shop_id, key),
    foreign key (shop_id, operation_id) references operations on delete cascade,
    foreign key (shop_id, webhook_id) references webhook_endpoints on delete cascade
  );
  create index outbox_operation on outbox (shop_id, operation_id); -- deleted operations
  create index outbox_open on outbox (status) where status in ('waiting', 'sending'); -- the sweeps
  create index outbox_alone on outbox (created_at) where operation_id is null; -- the sweep
  create index outbox_webhook on outbox (shop_id, webhook_id, id) where webhook_id is not null;
  create index outbox_batched on outbox (shop_id, id) where batched; -- the next batch
  create index outbox_delivery on outbox (shop_id, (payload ->> 'delivery'), id)
    where payload ->> 'delivery' is not null; -- the mails of a delivery
  -- How often the mail of a link was sent.
  create index outbox_link on outbox (shop_id, (payload ->> 'link'), id)
    where payload ->> 'link' is not null;
  create index outbox_returned on outbox (shop_id, status, id)
    where status in ('bounced', 'complained');

  -- The downloads of each month, which plans limit.
  create table shop_downloads (
    shop_id integer not null references shops on delete cascade,
    -- Its first day.
    month date not null,
    downloads bigint not null default 0,
    primary key (shop_id, month)
  );

  -- Receivers of posts that did not answer; a row is deleted when its receiver accepts a message.
  create table receiver_failures (
    shop_id integer not null references shops on delete cascade,
    -- The webhook's id, or the host and port of a callback's address.
    receiver text collate "C" not null,
    failures smallint not null default 1, -- consecutive attempts without an answer
    retry_at timestamptz, -- no message is posted before; null: there is no pause
    failed_at timestamptz not null,
    primary key (shop_id, receiver)
  );
  create index receiver_failures_age on receiver_failures (failed_at); -- the sweep

  -- Counted when a download is recorded, also of files without tracking.
  create table file_days (
    shop_id integer not null references shops on delete cascade,
    -- In the time zone that the shop had then.
    day date not null,
    file_id uuid not null,
    downloads bigint not null,
    primary key (shop_id, day, file_id)
  );

  -- Keeps the downloads of a shop's day, so that no reader adds up its files.
  create function note_file_days() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into shop_days as s (shop_id, day, figure, subject, value)
      select shop_id, day, 'downloads', '', sum(downloads) from added group by 1, 2 order by 1, 2
      on conflict (shop_id, day, figure, subject) do update set value = s.value + excluded.value;
    else
      insert into shop_days as s (shop_id, day, figure, subject, value)
      select n.shop_id, n.day, 'downloads', '', sum(n.downloads - o.downloads)
      from added n join gone o using (shop_id, day, file_id) group by 1, 2 order by 1, 2
      on conflict (shop_id, day, figure, subject) do update set value = s.value + excluded.value;
    end if;
    return null;
  end $$;
  create trigger file_days_added after insert on file_days
    referencing new table as added for each statement execute function note_file_days();
  create trigger file_days_changed after update on file_days
    referencing new table as added old table as gone
    for each statement execute function note_file_days();

  -- Counted again by a worker: deliveries, imports by channel, failures by code.
  create table shop_days (
    shop_id integer not null references shops on delete cascade,
    day date not null,
    figure text not null,
    -- The channel or the code; '' if the figure has none.
    subject text not null,
    value bigint not null,
    primary key (shop_id, day, figure, subject)
  );

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
    -- True: only news is not sent to the address, because it reported a mail as spam.
    complaint boolean not null default false,
    reason_text jsonb,
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

  -- The most downloaded files and products of a period.
  create table shop_tops (
    shop_id integer not null references shops on delete cascade,
    days smallint not null,
    -- The last day of the period, in UTC.
    until date not null,
    -- file or product
    kind text not null,
    place smallint not null,
    -- The file's UUID, or the product's id.
    subject text not null,
    title text not null,
    downloads bigint not null,
    counted_at timestamptz not null default now(),
    primary key (shop_id, days, kind, place)
  );

  -- Tables whose rows are soon replaced: vacuumed by their number, not by a share of the table.
  ${withSettings(BUSY, [
    'file_count_changes',
    'file_download_changes',
    'chains',
    'file_claims',
    'outbox',
  ])}
  -- Large tables: vacuumed and analyzed long before a fifth of their rows has changed.
  ${withSettings(LARGE, ['files', 'versions', 'links', 'file_downloads', 'blob_locations'])}
`

export const { up, down } = firstSchema(SCHEMA)
