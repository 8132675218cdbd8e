// Buyers' links and their download sessions, the addresses of public files, and what is recorded of
// each download.
import type { Knex } from 'knex'

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
    primary key (shop_id, id),
    foreign key (shop_id, file_id) references files on delete cascade,
    constraint links_of_one check (num_nonnulls(file_id, pack_id, pack_name) = 1),
    constraint links_pack_fkey foreign key (shop_id, pack_id) references packs on delete cascade,
    constraint links_parent_fkey foreign key (shop_id, parent_id) references links on delete cascade,
    -- Deletes the links of deleted packs with their shop: they have neither file nor pack.
    constraint links_shop_fkey foreign key (shop_id) references shops on delete cascade
  ) with (fillfactor = 70); -- every download updates its row within the page
  create index links_file on links (shop_id, file_id, id); -- a file's links and its download count
  create unique index links_parent on links (shop_id, parent_id, file_id) where parent_id is not null;
  create index links_pack on links (shop_id, pack_id, id) where pack_id is not null; -- a pack's links
  create index links_operation on links (shop_id, operation_id, id)
    where operation_id is not null; -- the operation's artifact
  -- Links of one buyer, and those whose address begins with the typed text.
  create index links_email on links (shop_id, (lower(email) collate "C"), id) where email is not null;
  -- The few that a merchant revoked. Index no other column that decides a link's state: counting a
  -- download would then update every index instead of the row alone.
  create index links_revoked on links (shop_id, id) where revoked_at is not null;
  create index links_gone_packs on links (shop_id, id) where pack_name is not null; -- search by name

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

export async function up(knex: Knex): Promise<void> {
  await knex.raw([LINKS, DOWNLOADS].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger files_downloads on files;
    drop table download_notices, downloads, public_addresses, download_sessions, links;
    drop function drop_downloads, drop_sessions;
  `)
}
