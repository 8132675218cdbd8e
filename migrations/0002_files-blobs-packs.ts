// Files with their versions, mappings and packs, and the blobs that hold the bytes. Every foreign
// key is composite with shop_id, so that no row can point into another shop.
import type { Knex } from 'knex'

const BLOBS = `
  create table blobs (
    shop_id integer not null references shops on delete cascade,
    hash bytea not null check (length(hash) = 32),
    size_bytes bigint not null check (size_bytes >= 0),
    created_at timestamptz not null default now(),
    -- Of the bytes, for ZIP files: its place there is before the bytes. Null: not computed yet.
    crc32 bigint,
    primary key (shop_id, hash)
  );

  create table blob_locations (
    shop_id integer not null,
    hash bytea not null,
    location text not null,
    created_at timestamptz not null default now(),
    -- Since when no version, backup, copy or artifact needs it. Removed after a grace period.
    unneeded_since timestamptz,
    -- When the bytes were last read and compared with the hash. Null: when they were written.
    checked_at timestamptz,
    primary key (shop_id, hash, location),
    foreign key (shop_id, hash) references blobs on delete cascade
  );
  create index blob_locations_unneeded on blob_locations (unneeded_since)
    where unneeded_since is not null; -- the sweep
  -- Due checks.
  create index blob_locations_checked on blob_locations (coalesce(checked_at, created_at));
`

const PACKS = `
  create table packs (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    -- NFC and lower case, made by server/files/rules.ts, as for filenames.
    name_key text collate "C" not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, name_key)
  );

  create table pack_products (
    shop_id integer not null,
    pack_id uuid not null,
    product_id text not null,
    -- '' for the whole product, as in mappings.
    variant_id text not null default '',
    product_title text not null,
    sku text,
    created_at timestamptz not null default now(),
    primary key (shop_id, pack_id, product_id, variant_id),
    foreign key (shop_id, pack_id) references packs on delete cascade
  );
`

const FILES = `
  create table files (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    filename text not null,
    -- The name in NFC and lower case, made by server/files/rules.ts: it must not depend on the
    -- locale of the database.
    name_key text collate "C" not null,
    -- The text after the last dot of name_key, or ''.
    extension text collate "C" not null,
    version integer not null default 1,
    size_bytes bigint not null,
    content_type text not null,
    tags text[] not null default '{}',
    expiry_days integer check (expiry_days > 0),
    download_limit integer check (download_limit > 0),
    visibility text not null default 'private' check (visibility in ('public', 'private')),
    cdn boolean not null default true,
    download_notification boolean not null default false,
    download_tracking boolean not null default true,
    allowed_referrers text[] not null default '{}',
    -- never: no product yet, links work. unmapped: the last product was removed, links are paused.
    mapping_state text not null default 'never'
      check (mapping_state in ('never', 'mapped', 'unmapped')),
    channel text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    -- A file is in one pack at most.
    pack_id uuid,
    pack_position integer,
    -- Since when the file has its present bytes. A restored version is older than the bytes that
    -- buyers got in between, so its own date does not tell.
    version_since timestamptz not null default now(),
    -- The SKU that the import named, as it was written; null: none. Mapped when the catalog has it.
    wanted_sku text collate "C",
    -- The import's auto_map. Null: absent, so the shop's setting counts.
    auto_map boolean,
    primary key (shop_id, id),
    constraint files_pack_fkey
      foreign key (shop_id, pack_id) references packs on delete set null (pack_id)
  ) with (fillfactor = 80); -- room to update settings within the page

  -- Names are unique in a shop, trash excluded. Also the list sorted by name.
  create unique index files_name on files (shop_id, name_key) where deleted_at is null;
  -- The list in its default order: newest first.
  create index files_created on files (shop_id, created_at desc, id desc) where deleted_at is null;
  -- The list sorted by size, and "larger than".
  create index files_size on files (shop_id, size_bytes, id) where deleted_at is null;
  -- "Has these tags". shop_id is part of it (btree_gin): without it one large shop slows the
  -- look-ups of all others.
  create index files_tags on files using gin (shop_id, tags) where deleted_at is null;
  -- "Name contains".
  create index files_name_parts on files using gin (shop_id, name_key gin_trgm_ops)
    where deleted_at is null;
  -- "Is a PDF", and the number of files of each type.
  create index files_extension on files (shop_id, extension, created_at desc, id desc)
    where deleted_at is null;
  -- The trash and its sweep.
  create index files_deleted on files (shop_id, deleted_at) where deleted_at is not null;
  -- "Not mapped to any product": the small part of most shops.
  create index files_unmapped on files (shop_id, created_at desc, id desc)
    where deleted_at is null and mapping_state <> 'mapped';
  -- A pack in its order.
  create index files_pack on files (shop_id, pack_id, pack_position, id) where pack_id is not null;

  create table versions (
    shop_id integer not null,
    file_id uuid not null,
    number integer not null check (number > 0),
    hash bytea not null,
    location text not null,
    size_bytes bigint not null,
    content_type text not null,
    created_at timestamptz not null default now(),
    -- The file's name when these bytes arrived: restoring the JPEG of a file that became WebP
    -- restores the extension too.
    filename text,
    -- Set when an operation replaced it without keeping it: it exists until undo is over.
    expires_at timestamptz,
    -- Kept with the version, not with the blob: delivery reads the version's row in any case.
    damaged boolean not null default false,
    primary key (shop_id, file_id, number),
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, hash, location) references blob_locations
  );
  create index versions_blob on versions (shop_id, hash, location); -- which versions need a blob
  create index versions_expired on versions (expires_at) where expires_at is not null; -- the sweep
  create index versions_damaged on versions (shop_id, hash, location)
    where damaged; -- to check again
  -- Deferred: a file and its first version refer to each other and are inserted together.
  alter table files add constraint files_version_fkey foreign key (shop_id, id, version)
    references versions (shop_id, file_id, number) deferrable initially deferred;

  create table mappings (
    shop_id integer not null,
    file_id uuid not null,
    product_id text not null,
    -- '' for the whole product: part of the key, so never null.
    variant_id text not null default '',
    product_title text not null,
    sku text,
    -- pack: through the file's pack; removed when the file leaves it.
    method text not null
      check (method in ('sku', 'filename', 'title', 'tags', 'manual', 'pack')),
    score real not null check (score between 0 and 1),
    reason text not null,
    created_at timestamptz not null default now(),
    primary key (shop_id, file_id, product_id, variant_id),
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index mappings_product on mappings (shop_id, product_id); -- a product's files

  create table tag_templates (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    name_key text collate "C" not null,
    tags text[] not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, name_key)
  );
`

const COPIES = `
  -- Copies in the backup location, with the record of the file at that time.
  create table backups (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- No foreign key: a backup outlives its file.
    file_id uuid not null,
    hash bytea not null,
    location text not null,
    -- Name, settings, tags and mappings.
    record jsonb not null,
    created_at timestamptz not null default now(),
    primary key (shop_id, id),
    foreign key (shop_id, hash, location) references blob_locations
  );
  create index backups_file on backups (shop_id, file_id, id desc); -- a file's backups
  create index backups_blob on backups (shop_id, hash, location); -- which backups need a blob

  -- A copy in another location that a merchant asked for. The original stays where it is.
  create table file_copies (
    shop_id integer not null,
    file_id uuid not null,
    hash bytea not null,
    location text not null,
    created_at timestamptz not null default now(),
    primary key (shop_id, file_id, hash, location),
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, hash, location) references blob_locations
  );
  -- Which copies need a blob.
  create index file_copies_blob on file_copies (shop_id, hash, location);
`

const FUNCTIONS = `
  -- The ids of the files that have these names, one index probe per name. Right after a vacuum of
  -- an empty table, or before the first analyze, the planner rates all indexes alike and may read
  -- all of a shop's files for each of thousands of names. Without sorts, sequential and bitmap
  -- scans only the index of names can give this order.
  create function name_holders(shop int, keys text[]) returns table (name_key text, id uuid)
    language sql stable
    set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
    begin atomic
      select k.key, f.id from unnest(keys) as k(key), lateral (
        select files.id from files where files.shop_id = shop and files.deleted_at is null
          and files.name_key >= k.key and files.name_key <= k.key
        order by files.name_key limit 1) f;
    end;
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([BLOBS, PACKS, FILES, COPIES, FUNCTIONS].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function name_holders;
    alter table files drop constraint files_version_fkey;
    drop table file_copies, backups, tag_templates, mappings, versions, files, pack_products, packs,
      blob_locations, blobs;
  `)
}
