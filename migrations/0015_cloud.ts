// Cloud connections: accounts and buckets, what was last listed and applied of each, and the syncs.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connections (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      provider text not null,
      name text not null,
      -- The provider's fields that are not secret.
      settings jsonb not null,
      -- Those that are, sealed; null: nobody has signed in yet.
      sealed bytea,
      -- Direction, patterns, sizes: how it is synced.
      options jsonb not null,
      -- Null: it is synced by hand.
      frequency_hours integer check (frequency_hours > 0),
      next_sync_at timestamptz,
      state text not null check (state in ('unauthorized', 'ready', 'failing')),
      -- Of a failing one: {code, message}.
      error jsonb,
      -- A sync has been applied: the next one is not the first.
      established boolean not null default false,
      created_at timestamptz not null default now(),
      primary key (shop_id, id)
    );
    create index connections_due on connections (next_sync_at) where next_sync_at is not null;

    create table syncs (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      connection_id uuid not null,
      operation_id uuid,
      -- listing: it reads the provider. planned: its items are in the operation. failed: it could
      -- not be listed, or was cancelled before that.
      phase text not null default 'listing' check (phase in ('listing', 'planned', 'failed')),
      dry_run boolean not null default false,
      -- Why its operation waits for a person.
      preview_reason text,
      listed integer not null default 0,
      listed_bytes bigint not null default 0,
      -- How many files it adds, changes, renames and so on.
      counts jsonb not null default '{}',
      error jsonb,
      started_at timestamptz not null default now(),
      primary key (shop_id, id),
      foreign key (shop_id, connection_id) references connections on delete cascade,
      foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
    );
    create index syncs_connection on syncs (shop_id, connection_id, id);
    create index syncs_operation on syncs (shop_id, operation_id);
    create index syncs_listing on syncs (shop_id, id) where phase = 'listing'; -- background task

    -- Sign-ins that have begun: who asked, and the verifier of PKCE, sealed.
    create table cloud_authorizations (
      shop_id integer not null references shops on delete cascade,
      -- A hash of it.
      state bytea not null,
      connection_id uuid not null,
      subject text not null,
      verifier bytea not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, state),
      foreign key (shop_id, connection_id) references connections on delete cascade
    );
    create index cloud_authorizations_connection on cloud_authorizations (shop_id, connection_id);

    -- The newest listing of each connection, as its provider gave it.
    create table cloud_listings (
      shop_id integer not null references shops on delete cascade,
      connection_id uuid not null,
      path text collate "C" not null,
      size_bytes bigint not null,
      hash text,
      modified_at timestamptz,
      -- Left out by a pattern or by its size: neither fetched nor taken for deleted.
      ignored boolean not null,
      -- Several objects have this path.
      duplicate boolean not null default false,
      -- The path of the vanished object that it was, with the same hash and size.
      renamed_from text collate "C",
      primary key (shop_id, connection_id, path),
      foreign key (shop_id, connection_id) references connections on delete cascade
    );
    create index cloud_listings_renamed on cloud_listings (shop_id, connection_id, renamed_from)
      where renamed_from is not null;

    -- What was applied: both sides had this at the end of the last sync that saw the object.
    create table cloud_files (
      shop_id integer not null references shops on delete cascade,
      connection_id uuid not null,
      path text collate "C" not null,
      size_bytes bigint not null,
      hash text,
      modified_at timestamptz,
      -- Null: it was purged here.
      file_id uuid,
      version integer not null,
      filename text not null,
      primary key (shop_id, connection_id, path),
      foreign key (shop_id, connection_id) references connections on delete cascade,
      foreign key (shop_id, file_id) references files on delete set null (file_id)
    );
    create index cloud_files_file on cloud_files (shop_id, file_id);

    -- What a sync decided, in its order.
    create table sync_changes (
      shop_id integer not null references shops on delete cascade,
      sync_id uuid not null,
      number integer not null,
      kind text not null,
      -- At the provider, and before a rename there.
      path text collate "C" not null,
      from_path text collate "C",
      -- As the provider has it; null where it has nothing.
      size_bytes bigint,
      hash text,
      modified_at timestamptz,
      file_id uuid,
      -- Of the file here.
      version integer,
      filename text,
      -- The item of the operation; null: it has none yet, or needs none.
      position integer,
      -- The provider has it: set where a change was carried there.
      applied boolean not null default false,
      -- cloud_files says so.
      settled boolean not null default false,
      primary key (shop_id, sync_id, number),
      foreign key (shop_id, sync_id) references syncs on delete cascade
    );
    create index sync_changes_position on sync_changes (shop_id, sync_id, position);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `drop table sync_changes, cloud_files, cloud_listings, cloud_authorizations, syncs, connections`,
  )
}
