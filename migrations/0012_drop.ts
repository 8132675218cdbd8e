// The drop server: its accounts, the names of what was sent to it, and who connected.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What all processes of the drop server present: host keys, a certificate. Sealed.
    create table drop_secrets (
      name text primary key,
      sealed bytea not null,
      created_at timestamptz not null default now()
    );
    -- Each process holds an advisory lock of its number for as long as it lives.
    create sequence drop_processes as integer;

    create table drop_settings (
      shop_id integer primary key references shops on delete cascade,
      enabled boolean not null default true,
      -- Plain FTP is refused.
      tls_required boolean not null default false
    );

    create table drop_accounts (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      username text not null unique,
      -- argon2id, as a PHC string.
      password text not null,
      password_changed_at timestamptz not null default now(),
      -- [{name, type, fingerprint, blob}]
      public_keys jsonb not null default '[]',
      enabled boolean not null default true,
      -- CIDR; empty: any address.
      allowed_addresses text[] not null default '{}',
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      primary key (shop_id, id)
    );

    create table drop_entries (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- '' is the home; 'a/b' is a folder in it.
      folder text collate "C" not null,
      name text collate "C" not null,
      kind text not null check (kind in ('folder', 'file')),
      -- Null in the home itself. Keeps a folder from being removed while something is put into it.
      parent_id uuid,
      -- Of a file. writing: open. partial: the transfer broke off; it can be resumed. waiting: it ended well.
      -- importing: an import has it, clients cannot change it.
      state text check (state in ('writing', 'partial', 'waiting', 'importing')),
      -- The bytes; null where there are none yet.
      hash bytea,
      location text,
      size_bytes bigint not null default 0,
      modified_at timestamptz not null default now(),
      -- Since when nothing has changed: its end, a rename, new times.
      quiet_since timestamptz not null default now(),
      -- Who wrote it last, and how.
      account_id uuid,
      protocol text check (protocol in ('sftp', 'ftp', 'ftps')),
      -- The protocol itself said that the file is whole (SFTP's CLOSE).
      closed_cleanly boolean not null default false,
      -- While it is written: by which process, under which name in its staging folder, since when.
      process integer,
      write_id uuid,
      writing_since timestamptz,
      primary key (shop_id, id),
      unique (shop_id, folder, name),
      check ((kind = 'file') = (state is not null)),
      foreign key (shop_id, parent_id) references drop_entries (shop_id, id),
      foreign key (shop_id, account_id) references drop_accounts on delete set null (account_id),
      foreign key (shop_id, hash, location) references blob_locations
    );
    create index drop_entries_parent on drop_entries (shop_id, parent_id) where parent_id is not null;
    create index drop_entries_account on drop_entries (shop_id, account_id);
    create index drop_entries_blob on drop_entries (shop_id, hash, location); -- which blobs are needed
    create index drop_entries_writing on drop_entries (process) where state = 'writing'; -- recovery
    create index drop_entries_waiting on drop_entries (shop_id, quiet_since) where state = 'waiting';

    -- The last connections and refusals of each shop.
    create table drop_connections (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      account_id uuid,
      username text not null,
      address text not null,
      protocol text not null,
      -- Null: it was let in.
      refused text,
      connected_at timestamptz not null default now(),
      ended_at timestamptz,
      files integer not null default 0,
      bytes bigint not null default 0,
      primary key (shop_id, id),
      foreign key (shop_id, account_id) references drop_accounts on delete set null (account_id)
    );
    create index drop_connections_account on drop_connections (shop_id, account_id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table drop_connections, drop_entries, drop_accounts, drop_settings, drop_secrets;
    drop sequence drop_processes;
  `)
}
