// Workflows that run when an order's files are delivered: their runs, the copies that they make for
// one buyer, and lists of licence keys.
import type { Knex } from 'knex'

const RUNS = `
  alter table workflows drop constraint workflows_kind_check;
  alter table workflows add constraint workflows_kind_check
    check (kind in ('import', 'bulk', 'delivery'));

  alter table deliveries drop constraint deliveries_held_by_check;
  alter table deliveries add constraint deliveries_held_by_check
    check (held_by in ('risk', 'merchant', 'workflow'));

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
  create index delivery_runs_waiting on delivery_runs (created_at) where status = 'waiting'; -- the sweep
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
    primary key (shop_id, id)
  );
  create unique index licence_lists_name on licence_lists (shop_id, name_key) where deleted_at is null;

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
  create unique index licence_keys_given on licence_keys (shop_id, delivery_id, file_id, list_id, ordinal)
    where delivery_id is not null;
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([RUNS, LICENCES].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update deliveries set held_by = 'merchant' where held_by = 'workflow';
    alter table deliveries drop constraint deliveries_held_by_check;
    alter table deliveries add constraint deliveries_held_by_check
      check (held_by in ('risk', 'merchant'));
    drop table licence_keys, licence_lists, prepared_files, delivery_runs;
    delete from workflows where kind = 'delivery';
    alter table workflows drop constraint workflows_kind_check;
    alter table workflows add constraint workflows_kind_check check (kind in ('import', 'bulk'));
  `)
}
