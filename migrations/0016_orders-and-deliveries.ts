// Orders that contain files, what each entitles its buyer to, and what the platform has reported.
import type { Knex } from 'knex'

const INTAKE = `
  -- Ids of webhooks that were taken in: the platform repeats them. Kept for some days.
  create table webhooks (
    shop_id integer not null references shops on delete cascade,
    id text collate "C" not null,
    topic text not null,
    received_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index webhooks_age on webhooks (received_at); -- the sweep

  -- What changed on the platform and is still to be read from there, once for each subject.
  create table platform_changes (
    shop_id integer not null references shops on delete cascade,
    kind text not null,
    -- The platform's id of the order, the product or the request; empty for the shop itself.
    subject text collate "C" not null,
    payload jsonb,
    -- Raised with every report: a run deletes the row only where nothing was reported meanwhile.
    noted bigint not null default nextval('leases'),
    due_at timestamptz not null default now(),
    primary key (shop_id, kind, subject)
  );

  -- How far the orders of a shop were compared with the platform's.
  create table order_syncs (
    shop_id integer primary key references shops on delete cascade,
    synced_to timestamptz not null,
    due_at timestamptz not null default now()
  );
`

const ORDERS = `
  create table orders (
    shop_id integer not null references shops on delete cascade,
    id text collate "C" not null,
    name text not null,
    confirmation_number text,
    email text,
    locale text,
    customer_id text collate "C",
    financial_status text,
    cancelled_at timestamptz,
    recommendation text,
    ordered_at timestamptz not null,
    -- The platform's updatedAt of the state that was reconciled last: an older one is ignored.
    changed_at timestamptz not null,
    reconciled_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index orders_email on orders (shop_id, (lower(email) collate "C")) where email is not null;
  create index orders_name on orders (shop_id, (lower(name) collate "C"));
  create index orders_confirmation on orders (shop_id, confirmation_number)
    where confirmation_number is not null;
  create index orders_customer on orders (shop_id, customer_id) where customer_id is not null; -- redaction

  create table order_lines (
    shop_id integer not null,
    order_id text collate "C" not null,
    id text collate "C" not null,
    position integer not null,
    title text not null,
    sku text,
    product_id text collate "C",
    variant_id text collate "C",
    -- Without what was refunded or removed.
    quantity integer not null,
    entitled boolean not null,
    primary key (shop_id, order_id, id),
    foreign key (shop_id, order_id) references orders on delete cascade
  );

  create table deliveries (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    order_id text collate "C" not null,
    -- Where the merchant corrected it; null: the order's.
    email text,
    held_by text check (held_by in ('risk', 'merchant')),
    held_at timestamptz,
    -- The merchant released it: the platform's judgement holds it no more.
    released_at timestamptz,
    -- By the merchant, for good.
    revoked_at timestamptz,
    -- The order no longer entitles its buyer to anything.
    withdrawn_at timestamptz,
    -- When the buyer's mail was queued for the first time.
    mailed_at timestamptz,
    opened_at timestamptz,
    -- What the platform's order was last asked to show: another value queues its effects.
    marked text,
    -- What the buyer asked for and the merchant has not answered: {at, email, message}.
    ask jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, order_id),
    foreign key (shop_id, order_id) references orders on delete cascade
  );

  create table delivery_files (
    shop_id integer not null,
    delivery_id uuid not null,
    line_id text collate "C" not null,
    file_id uuid not null,
    -- Its line does not entitle any more: the file's link was revoked for that reason.
    withdrawn boolean not null default false,
    created_at timestamptz not null default now(),
    primary key (shop_id, delivery_id, line_id, file_id),
    foreign key (shop_id, delivery_id) references deliveries on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index delivery_files_file on delivery_files (shop_id, file_id); -- the deliveries of a file

  -- Changes of the platform's order that are still to be made, once for each order and kind.
  create table order_effects (
    shop_id integer not null,
    order_id text collate "C" not null,
    kind text not null check (kind in ('mark', 'fulfil')),
    noted bigint not null default nextval('leases'),
    due_at timestamptz not null default now(),
    attempts smallint not null default 0,
    -- Why it was given up, in words for the shop.
    error text,
    primary key (shop_id, order_id, kind),
    foreign key (shop_id, order_id) references orders on delete cascade
  );
  create index order_effects_due on order_effects (shop_id, due_at) where error is null;
`

const LINKS = `
  create index outbox_delivery on outbox (shop_id, (payload ->> 'delivery'), id)
    where payload ->> 'delivery' is not null; -- the mails of a delivery

  -- A delivery's page is a link without a file; its files have links under it.
  alter table links add column delivery_id uuid,
    -- Under a delivery: it has its own terms, and works on when its file loses its products.
    add column paid boolean not null default false;
  alter table links drop constraint links_of_one;
  alter table links add constraint links_of_one
    check (num_nonnulls(file_id, pack_id, pack_name, delivery_id) = 1);
  alter table links add constraint links_delivery_fkey
    foreign key (shop_id, delivery_id) references deliveries on delete cascade;
  create unique index links_delivery on links (shop_id, delivery_id) where delivery_id is not null;

  alter table shops add column keep_paid boolean not null
    generated always as ((settings -> 'paid_deliveries_survive') is distinct from 'false'::jsonb) stored;

  -- What a download of all files sends is fixed when it is counted, so that it can be resumed.
  create table archive_sessions (
    shop_id integer not null,
    -- The delivery's link.
    link_id uuid not null,
    client bytea not null,
    entries jsonb not null,
    expires_at timestamptz not null,
    bytes_left bigint not null,
    primary key (link_id, client),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index archive_sessions_shop on archive_sessions (shop_id, link_id);

  -- Of the bytes, for ZIP files: its place there is before the bytes. Null: not computed yet.
  alter table blobs add column crc32 bigint;
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([INTAKE, ORDERS, LINKS].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table blobs drop column crc32;
    drop table archive_sessions;
    drop index outbox_delivery;
    alter table shops drop column keep_paid;
    delete from links where delivery_id is not null;
    alter table links drop column delivery_id, drop column paid;
    alter table links add constraint links_of_one check (num_nonnulls(file_id, pack_id, pack_name) = 1);
    drop table order_effects, delivery_files, deliveries, order_lines, orders, order_syncs,
      platform_changes, webhooks;
  `)
}
