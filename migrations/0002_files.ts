// Files, their versions and mappings, and the blobs that hold the bytes. Every foreign key is composite with shop_id,
// so that no row can point into another shop.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table blobs (
      shop_id integer not null references shops on delete cascade,
      hash bytea not null check (length(hash) = 32),
      size_bytes bigint not null check (size_bytes >= 0),
      created_at timestamptz not null default now(),
      primary key (shop_id, hash)
    );

    create table blob_locations (
      shop_id integer not null,
      hash bytea not null,
      location text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, hash, location),
      foreign key (shop_id, hash) references blobs on delete cascade
    );

    create table files (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      filename text not null,
      -- The name in NFC and lower case, made by server/files/rules.ts: the same whatever the database's locale is.
      name_key text collate "C" not null,
      -- What comes after the last dot of name_key, or ''.
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
      -- never: its links work though it has no product. unmapped: it lost its last product, so its links stand still.
      mapping_state text not null default 'never' check (mapping_state in ('never', 'mapped', 'unmapped')),
      channel text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      primary key (shop_id, id)
    ) with (fillfactor = 80); -- room for settings to be changed in place

    -- Names are unique in a shop, trash excluded; also the list sorted by name.
    create unique index files_name on files (shop_id, name_key) where deleted_at is null;
    -- The list as it opens: newest first.
    create index files_created on files (shop_id, created_at desc, id desc) where deleted_at is null;
    -- The list sorted by size, and "larger than".
    create index files_size on files (shop_id, size_bytes, id) where deleted_at is null;
    -- "Has these tags". With shop_id inside (btree_gin), or one large shop slows the look-ups of all.
    create index files_tags on files using gin (shop_id, tags) where deleted_at is null;
    -- "Name contains".
    create index files_name_parts on files using gin (shop_id, name_key gin_trgm_ops) where deleted_at is null;
    -- "Is a PDF", and how many there are of each type.
    create index files_extension on files (shop_id, extension, created_at desc, id desc) where deleted_at is null;
    -- The trash and its sweep.
    create index files_deleted on files (shop_id, deleted_at) where deleted_at is not null;
    -- "Not mapped to any product": the small part of most shops.
    create index files_unmapped on files (shop_id, created_at desc, id desc)
      where deleted_at is null and mapping_state <> 'mapped';

    create table versions (
      shop_id integer not null,
      file_id uuid not null,
      number integer not null check (number > 0),
      hash bytea not null,
      location text not null,
      size_bytes bigint not null,
      content_type text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, file_id, number),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, hash, location) references blob_locations
    );
    -- Which versions still need a blob.
    create index versions_blob on versions (shop_id, hash, location);
    -- Deferred: a file and its first version are made in one transaction, each pointing at the other.
    alter table files add constraint files_version_fkey
      foreign key (shop_id, id, version) references versions (shop_id, file_id, number) deferrable initially deferred;

    create table mappings (
      shop_id integer not null,
      file_id uuid not null,
      product_id text not null,
      -- '' for the whole product: part of the key, so never null.
      variant_id text not null default '',
      product_title text not null,
      sku text,
      method text not null check (method in ('sku', 'filename', 'title', 'tags', 'manual')),
      score real not null check (score between 0 and 1),
      reason text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, file_id, product_id, variant_id),
      foreign key (shop_id, file_id) references files on delete cascade
    );
    create index mappings_product on mappings (shop_id, product_id); -- a product's files
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table files drop constraint files_version_fkey;
    drop table mappings, versions, files, blob_locations, blobs;
  `)
}
