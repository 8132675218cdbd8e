// Orders that contain files, what each entitles its buyer to, buyers' links with their sessions,
// and what is recorded of each download.
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
    -- Runs that failed since it was reported: each delays the next one.
    attempts smallint not null default 0,
    primary key (shop_id, kind, subject)
  );
  create index platform_changes_due on platform_changes (shop_id, due_at, subject)
    where kind = 'order'; -- the orders of the next batch

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
    -- As the platform shows the customer; for what names the buyer.
    customer_name text,
    primary key (shop_id, id)
  );
  create index orders_email on orders (shop_id, (lower(email) collate "C")) where email is not null;
  create index orders_name on orders (shop_id, (lower(name) collate "C"));
  create index orders_confirmation on orders (shop_id, confirmation_number)
    where confirmation_number is not null;
  create index orders_customer on orders (shop_id, customer_id)
    where customer_id is not null; -- redaction

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
    held_by text check (held_by in ('risk', 'merchant', 'workflow')),
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
  create table links (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    -- Null for a pack's link: each file of the pack gets its own link under it.
    file_id uuid,
    -- SHA-256 of the key. The key is HMAC(secret, id, rotation): it can be shown again, but cannot
    -- be read from the database.
    key_hash bytea not null unique,
    rotation integer not null default 0,
    email text,
    expires_at timestamptz,
    download_limit integer check (download_limit > 0),
    -- Counted against the limit; a merchant can reset it.
    downloads integer not null default 0,
    -- All downloads since the link was created.
    served bigint not null default 0,
    last_download_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now(),
    pack_id uuid,
    parent_id uuid,
    -- The operation that created it. No foreign key: history is shorter than some links.
    operation_id uuid,
    -- When a buyer last asked for more downloads: limits how often one link sends mail to the shop.
    asked_at timestamptz,
    -- The name of a deleted pack: its links remain, revoked, so that their holders get the reason.
    pack_name text,
    -- A delivery's page is a link without a file; its files have links under it.
    delivery_id uuid,
    -- Under a delivery: it has its own terms, and works on when its file loses its products.
    paid boolean not null default false,
    primary key (shop_id, id),
    foreign key (shop_id, file_id) references files on delete cascade,
    constraint links_of_one check (num_nonnulls(file_id, pack_id, pack_name, delivery_id) = 1),
    constraint links_pack_fkey foreign key (shop_id, pack_id) references packs on delete cascade,
    constraint links_delivery_fkey
      foreign key (shop_id, delivery_id) references deliveries on delete cascade,
    constraint links_parent_fkey
      foreign key (shop_id, parent_id) references links on delete cascade,
    -- Deletes the links of deleted packs with their shop: they have neither file nor pack.
    constraint links_shop_fkey foreign key (shop_id) references shops on delete cascade
  ) with (fillfactor = 70); -- every download updates its row within the page
  create index links_file on links (shop_id, file_id, id); -- a file's links and its download count
  create unique index links_parent on links (shop_id, parent_id, file_id)
    where parent_id is not null;
  create index links_pack on links (shop_id, pack_id, id)
    where pack_id is not null; -- a pack's links
  create unique index links_delivery on links (shop_id, delivery_id) where delivery_id is not null;
  create index links_operation on links (shop_id, operation_id, id)
    where operation_id is not null; -- the operation's artifact
  -- Links of one buyer, and those whose address begins with the typed text.
  create index links_email on links (shop_id, (lower(email) collate "C"), id)
    where email is not null;
  -- The few that a merchant revoked. Index no other column that decides a link's state: counting a
  -- download would then update every index instead of the row alone.
  create index links_revoked on links (shop_id, id) where revoked_at is not null;
  create index links_gone_packs on links (shop_id, id)
    where pack_name is not null; -- search by name

  -- Lets an interrupted download resume without being counted twice. No foreign key to links:
  -- checking it row by row was slow. A session is opened right after its link's row was updated, in
  -- the same transaction, so that the link can't be deleted in between. No index on expires_at:
  -- reopening a session then updates the row within the page, and the sweep reads the small table.
  create table download_sessions (
    shop_id integer not null,
    link_id uuid not null,
    -- A hash of the client's address and agent.
    client bytea not null,
    expires_at timestamptz not null,
    bytes_left bigint not null,
    primary key (link_id, client)
  ) with (fillfactor = 70);
  create function drop_sessions() returns trigger language plpgsql as $$
      begin
        delete from download_sessions using gone where download_sessions.link_id = gone.id;
        return null;
      end $$;
  create trigger links_sessions after delete on links
    referencing old table as gone for each statement execute function drop_sessions();

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
`

const DOWNLOADS = `
  -- The address of a public file: stable until a merchant replaces it. A table apart from files,
  -- since counting a download must not update the file's row.
  create table public_addresses (
    shop_id integer not null,
    file_id uuid not null,
    token uuid not null unique default gen_random_uuid(),
    downloads bigint not null default 0,
    last_download_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);

  -- Kept only for files with tracking. No foreign key, as for download_sessions: a trigger deletes
  -- the rows with their file, and the sweep removes a row that was written meanwhile.
  create table downloads (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    file_id uuid not null,
    link_id uuid,
    address text not null,
    agent text not null,
    at timestamptz not null,
    primary key (shop_id, file_id, id) -- a file's downloads
  );
  -- The sweep. BRIN: rows are inserted in the order of their time.
  create index downloads_age on downloads using brin (at) with (autosummarize = on);
  create function drop_downloads() returns trigger language plpgsql as $$
      begin
        delete from downloads using gone where downloads.shop_id = gone.shop_id and downloads.file_id = gone.id;
        return null;
      end $$;
  create trigger files_downloads after delete on files
    referencing old table as gone for each statement execute function drop_downloads();

  -- Downloads that the shop asked to be notified of, until the notification is sent.
  create table download_notices (
    shop_id integer not null,
    file_id uuid not null,
    -- Downloads since the last notification.
    untold integer not null default 0,
    told_at timestamptz,
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);
  create index download_notices_untold on download_notices (told_at) where untold > 0; -- those due
`

const CHANGES = `
  -- Tells web processes when links or shops change, so that they drop the links that they have
  -- cached. A statement that only counts downloads updates none of these columns and sends nothing.
  create function notify_link_changed() returns trigger language plpgsql as $$
  begin
    perform pg_notify('link_changed', '');
    return null;
  end $$;
  create trigger links_changed after update of revoked_at, expires_at, download_limit, key_hash
    or delete on links
    for each statement execute function notify_link_changed();
  create trigger shops_changed after update of uninstalled_at on shops
    for each statement execute function notify_link_changed();
`

const RUNS = `
  -- What a workflow does for one delivery. Its buyer gets nothing before it is ready.
  create table delivery_runs (
    shop_id integer not null,
    delivery_id uuid not null,
    -- The link of the delivery's page.
    page_id uuid not null,
    workflow jsonb not null,
    -- {order, buyer, quantities}: what its plugins are told. Personal data.
    about jsonb not null,
    -- failed: the delivery is held until it is prepared again.
    status text not null default 'waiting' check (status in ('waiting', 'ready', 'failed')),
    -- Runs since it began to wait: the engine gives up after some.
    attempts smallint not null default 0,
    -- Why it failed: an error code, and a sentence for the merchant.
    code text,
    reason text,
    -- Titles of what its steps have told the shop: nothing is told twice.
    messages jsonb not null default '[]',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, delivery_id),
    foreign key (shop_id, page_id) references links on delete cascade
  );
  create unique index delivery_runs_page on delivery_runs (shop_id, page_id);
  create index delivery_runs_waiting on delivery_runs (created_at)
    where status = 'waiting'; -- the sweep
  create index delivery_runs_failed on delivery_runs (shop_id, code) where status = 'failed';

  create table prepared_files (
    shop_id integer not null,
    delivery_id uuid not null,
    file_id uuid not null,
    -- The buyer's link to the file; null: it is left out of the delivery.
    link_id uuid,
    status text not null default 'waiting' check (status in ('waiting', 'ready', 'left_out')),
    -- Why it was left out, or failed.
    reason text,
    -- The buyer's own copy; null: the file's current version.
    hash bytea,
    location text,
    size_bytes bigint,
    content_type text,
    -- The version of the file that the copy was made of.
    version integer,
    -- The file has another version than the one that was prepared. A copy that was made before is
    -- served until the new one is there; where there is none, nothing is served until then.
    stale boolean not null default false,
    primary key (shop_id, delivery_id, file_id),
    foreign key (shop_id, delivery_id) references delivery_runs on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, link_id) references links on delete set null (link_id),
    foreign key (shop_id, hash, location) references blob_locations
  );
  create unique index prepared_files_link on prepared_files (shop_id, link_id)
    where link_id is not null; -- delivery, for each download
  create index prepared_files_file on prepared_files (shop_id, file_id); -- deleted files
  create index prepared_files_blob on prepared_files (shop_id, hash, location)
    where hash is not null; -- which copies need a blob
  create index prepared_files_stale on prepared_files (shop_id, delivery_id)
    where stale; -- the renewal

  create function mark_copies_stale() returns trigger language plpgsql as $$
  begin
    update prepared_files set stale = true
    where shop_id = new.shop_id and file_id = new.id and status = 'ready';
    return null;
  end $$;
  create trigger files_versioned after update of version on files
    for each row when (old.version is distinct from new.version)
    execute function mark_copies_stale();
`

const LICENCES = `
  create table licence_lists (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    name_key text collate "C" not null,
    created_at timestamptz not null default now(),
    -- Its buyers keep their keys.
    deleted_at timestamptz,
    -- When the shop was warned that it runs out: once, until keys are added.
    warned_at timestamptz,
    primary key (shop_id, id)
  );
  create unique index licence_lists_name on licence_lists (shop_id, name_key)
    where deleted_at is null;

  create table licence_keys (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    list_id uuid not null,
    -- HMAC of the key: no key is in a shop twice, and the table does not give it away.
    hash bytea not null,
    -- The key, bound to its shop.
    sealed bytea not null,
    -- No foreign key: a key that was given stays used when its delivery is gone.
    delivery_id uuid,
    file_id uuid,
    ordinal smallint,
    assigned_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, hash),
    foreign key (shop_id, list_id) references licence_lists on delete cascade,
    check (num_nonnulls(delivery_id, file_id, ordinal, assigned_at) in (0, 4))
  );
  create index licence_keys_free on licence_keys (shop_id, list_id, id) where delivery_id is null;
  create unique index licence_keys_given
    on licence_keys (shop_id, delivery_id, file_id, list_id, ordinal)
    where delivery_id is not null;
`

const BUYERS = `
  -- How a shop's buyer pages look: colours, logo and own texts.
  create table buyer_pages (
    shop_id integer primary key references shops on delete cascade,
    -- What the shop has set (server/features/downloads/buyer-page.ts); absent fields have their defaults.
    settings jsonb not null default '{}',
    logo bytea,
    logo_type text,
    check ((logo is null) = (logo_type is null))
  );
  -- Web processes keep the look of each shop in memory.
  create function notify_buyer_page_changed() returns trigger language plpgsql as $$
  begin
    perform pg_notify('buyer_page_changed', coalesce(new.shop_id, old.shop_id)::text);
    return null;
  end $$;
  create trigger buyer_pages_changed after insert or update or delete on buyer_pages
    for each row execute function notify_buyer_page_changed();

  -- Answers to customers' requests for their data, until the merchant has fetched them.
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
`

const DEMO = `
  -- The orders of the demo shop, as the stand-in for the platform keeps them.
  create sequence demo_order_numbers start 1001;
  create table demo_orders (
    shop_id integer not null references shops on delete cascade,
    id bigint not null,
    data jsonb not null,
    updated_at timestamptz not null,
    primary key (shop_id, id)
  );
  create index demo_orders_updated on demo_orders (shop_id, updated_at); -- the hourly comparison
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    [INTAKE, ORDERS, LINKS, DOWNLOADS, CHANGES, RUNS, LICENCES, BUYERS, DEMO].join('\n'),
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table demo_orders, customer_data, buyer_pages, licence_keys, licence_lists;
    drop sequence demo_order_numbers;
    drop trigger files_versioned on files;
    drop trigger shops_changed on shops;
    drop trigger files_downloads on files;
    drop table prepared_files, delivery_runs, download_notices, downloads, public_addresses,
      archive_sessions, download_sessions, links, order_effects, delivery_files, deliveries,
      order_lines, orders, order_syncs, platform_changes, webhooks;
    drop function notify_buyer_page_changed, mark_copies_stale, notify_link_changed, drop_downloads,
      drop_sessions;
  `)
}
