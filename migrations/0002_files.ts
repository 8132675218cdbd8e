// Files with their versions, mappings and packs, the blobs that hold the bytes, pictures and
// samples of them, and their counts. Every foreign key is composite with shop_id, so that no row
// can point into another shop. The indexes and triggers of a table follow it, also triggers that
// write tables of later migrations.
import { blobIsNeeded, freesBlobs } from '../server/core/db/blob-references.ts'
import { firstSchema } from '../server/core/db/migration-steps.ts'

/** SQL: what the row `c` of files counts for, with the sign of its change. */
const PARTS = `
  cross join lateral (
    select 'all' as kind, '' as subject, c.size_bytes as bytes
    union all select 'extension', c.extension, c.size_bytes
    union all select 'unmapped', '', 0 where c.mapping_state <> 'mapped'
    union all select 'tag', tag, 0 from unnest(c.tags) as tag) p
  where c.deleted_at is null`

/** SQL: adds the changes of these rows to the counts that `file_counts` gets later. */
const noteChanges = (changed: string) => `
  insert into file_count_changes (shop_id, kind, subject, files, bytes)
  select c.shop_id, p.kind, p.subject, sum(c.sign), sum(c.sign * p.bytes)
  from (${changed}) c ${PARTS}
  group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.sign * p.bytes) <> 0`

const COLUMNS = ['shop_id', 'extension', 'size_bytes', 'mapping_state', 'tags', 'deleted_at']
const columnsOf = (row: string) => COLUMNS.map((name) => `${row}.${name}`).join(', ')
const countedOf = (row: string) =>
  `(${row}.extension, ${row}.size_bytes, ${row}.mapping_state = 'mapped', ${row}.tags,
    ${row}.deleted_at is null)`

const SCHEMA = `
  -- What searches compare: the same as searchKey of plugins/_page/search-key.ts, for a text and the
  -- tags after it, one on each line. It calls no function of ours: indexes are built and restored
  -- without a search path. Most texts are ASCII, where the other form takes ten times as long.
  create function search_text(text text, tags text[] default '{}') returns text
    language plpgsql immutable strict parallel safe cost 10 as $$
  declare
    whole text := text;
  begin
    if tags <> '{}' then
      whole := whole || e'\\n' || array_to_string(tags, e'\\n');
    end if;
    if octet_length(whole) = length(whole) then
      return lower(whole collate "C");
    end if;
    return normalize(
      replace(replace(replace(replace(
        regexp_replace(
          translate(
            lower(normalize(translate(whole, '´″', '''"'), nfkd) collate "pg_unicode_fast"),
            'øđðħłıŧĸς‐‑‒–—―−⁄‘’‚‛“”„‟«»♯ىیےکڪہھەۃةٱ'
              '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙',
            'oddhlitkσ-------/''''''''""""""#يييككههههها'
              '01234567890123456789012345678901234567890123456789'),
          '[\\u00ad\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u2060\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]+',
          '', 'g'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      nfkc);
  end $$;

  create table blobs (
    shop_id integer not null references shops on delete cascade,
    hash bytea not null check (length(hash) = 32),
    size_bytes bigint not null check (size_bytes >= 0),
    created_at timestamptz not null default now(),
    -- Of the bytes, for ZIP files: its place there is before the bytes. Null: not computed yet.
    crc32 bigint,
    -- Null: not computed yet. A background task does, the oldest first.
    sha256 bytea check (length(sha256) = 32),
    -- Of an internet shortcut: the address that buyers are sent to.
    link_url text,
    primary key (shop_id, hash)
  );
  create index blobs_sha256 on blobs (shop_id, sha256) where sha256 is not null; -- same bytes again
  create index blobs_without_sha256 on blobs (shop_id, created_at, hash) where sha256 is null;

  create table blob_locations (
    shop_id integer not null,
    hash bytea not null,
    location text not null,
    created_at timestamptz not null default now(),
    -- Since when no version, backup, copy or artifact needs it. Removed after a grace period.
    unneeded_since timestamptz,
    -- When the bytes were last read and compared with the hash. Null: when they were written.
    checked_at timestamptz,
    -- Since when they are known to be damaged: every process reads it before it sends a byte.
    damaged_since timestamptz,
    -- Bytes that no drop folder names any more and that could not be removed: until they are gone
    -- they count as waiting.
    dropped_at timestamptz,
    primary key (shop_id, hash, location),
    foreign key (shop_id, hash) references blobs on delete cascade
  ) with (fillfactor = 85);
  create index blob_locations_unneeded on blob_locations (unneeded_since)
    where unneeded_since is not null; -- the sweep
  create index blob_locations_leaving on blob_locations (shop_id)
    where unneeded_since is not null; -- a shop's quota
  create index blob_locations_dropped on blob_locations (shop_id) where dropped_at is not null;
  -- Due checks.
  create index blob_locations_checked on blob_locations (coalesce(checked_at, created_at));

  -- Every stored copy counts once, from its row to the removal of its bytes. The size of a blob
  -- never changes; without its blob the whole shop is being deleted.
  create function note_added_blobs() returns trigger language plpgsql as $$
  begin
    insert into file_count_changes (shop_id, kind, subject, files, bytes)
    select b.shop_id, 'stored', '', 0, sum(b.size_bytes) from added join blobs b using (shop_id, hash)
    group by 1;
    return null;
  end $$;

  create function note_removed_blobs() returns trigger language plpgsql as $$
  begin
    insert into file_count_changes (shop_id, kind, subject, files, bytes)
    select b.shop_id, 'stored', '', 0, -sum(b.size_bytes) from gone join blobs b using (shop_id, hash)
    group by 1;
    return null;
  end $$;
  create trigger blob_locations_added after insert on blob_locations
    referencing new table as added for each statement execute function note_added_blobs();
  create trigger blob_locations_removed after delete on blob_locations
    referencing old table as gone for each statement execute function note_removed_blobs();

  -- Marks copies that nothing names any more: their room is free in the shop's quota, and a sweep
  -- removes the bytes. Locked rows are skipped, so that this waits for nothing: the sweep marks them.
  create function mark_unneeded(shops integer[], hashes bytea[], locations text[]) returns void
    language plpgsql strict as $$ -- Nothing was removed: the arrays are null.
  begin
    update blob_locations b set unneeded_since = now()
    from (
      select b.shop_id, b.hash, b.location
      from (select distinct * from unnest(shops, hashes, locations) as o(shop_id, hash, location)) o
        join blob_locations b using (shop_id, hash, location)
      where b.unneeded_since is null and not (${blobIsNeeded('b')}) for update of b skip locked
    ) free
    where b.shop_id = free.shop_id and b.hash = free.hash and b.location = free.location;
  end $$;

  create function free_blobs() returns trigger language plpgsql as $$
  begin
    perform mark_unneeded(array_agg(shop_id), array_agg(hash), array_agg(location))
    from gone where hash is not null;
    return null;
  end $$;

  create function free_blob() returns trigger language plpgsql as $$
  begin
    perform mark_unneeded(array[old.shop_id], array[old.hash], array[old.location]);
    return null;
  end $$;

  create table packs (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    -- NFC and lower case, made by server/files/rules.ts, as for filenames.
    name_key text collate "C" not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- Of the product that was created for it, and since when a request creates it.
    product_handle text,
    product_asked_at timestamptz,
    primary key (shop_id, id),
    unique (shop_id, name_key)
  );

  create table pack_products (
    shop_id integer not null,
    pack_id uuid not null,
    product_id text collate "C" not null,
    -- '' for the whole product, as in mappings.
    variant_id text collate "C" not null default '',
    product_title text not null,
    sku text collate "C",
    created_at timestamptz not null default now(),
    primary key (shop_id, pack_id, product_id, variant_id),
    foreign key (shop_id, pack_id) references packs on delete cascade
  );

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
    -- Since when the file has its present bytes. A restored version is older than the bytes that
    -- buyers got in between, so its own date does not tell.
    version_since timestamptz not null default now(),
    -- The SKU that the import named, as it was written; null: none. Mapped when the catalog has it.
    wanted_sku text collate "C",
    -- The import's auto_map. Null: absent, so the shop's setting counts.
    auto_map boolean,
    view text not null default 'download' check (view in ('download', 'both', 'view_only')),
    -- A day in the shop's time zone.
    available_from text check (available_from ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    -- Days from the purchase.
    available_after_days integer check (available_after_days > 0),
    first_use_hours integer check (first_use_hours > 0),
    customer_tag text check (customer_tag <> ''),
    -- For buyers, beside the file.
    buyer_text text check (buyer_text <> ''),
    -- What a shop front shows of a file: pages of a PDF document, or seconds of audio. Null: none.
    sample_pages integer check (sample_pages > 0),
    sample_seconds integer check (sample_seconds > 0),
    -- Null: nothing. Else 'email', or the hash of a password (plugins/contract/password.ts).
    ask_for text check (ask_for = 'email' or ask_for like '$argon2id$%'),
    view_limit integer check (view_limit > 0),
    -- Days from when the link is valid. Null: as long as the link.
    view_days integer check (view_days > 0),
    primary key (shop_id, id)
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
  -- A word is a part of the name or of a tag.
  create index files_search on files using gin (shop_id, search_text(filename, tags) gin_trgm_ops)
    where deleted_at is null;
  -- "Is a PDF", and the number of files of each type.
  create index files_extension on files (shop_id, extension, created_at desc, id desc)
    where deleted_at is null;
  -- The trash and its sweep.
  create index files_deleted on files (shop_id, deleted_at) where deleted_at is not null;
  -- "Not mapped to any product": the small part of most shops.
  create index files_unmapped on files (shop_id, created_at desc, id desc)
    where deleted_at is null and mapping_state <> 'mapped';
  create index files_unreleased on files (shop_id, available_from)
    where available_from is not null and deleted_at is null;
  create index files_with_sample on files (shop_id, id)
    where sample_pages is not null or sample_seconds is not null;
  create index files_paused on files (shop_id, id)
    where deleted_at is null and mapping_state = 'unmapped';
  create index files_trashed on files (shop_id, created_at desc, id desc)
    where deleted_at is not null;

  create function add_file_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_downloads (shop_id, file_id) select shop_id, id from added;
    return null;
  end $$;
  create trigger files_counted after insert on files
    referencing new table as added for each statement execute function add_file_downloads();

  create function note_release_change() returns trigger language plpgsql as $$
  begin
    insert into release_changes (shop_id, file_id) values (new.shop_id, new.id)
    -- Waits for a run that has read the earlier release and deletes the row.
    on conflict (shop_id, file_id) do update set noted_at = now();
    return null;
  end $$;
  create trigger files_release after update of available_from, available_after_days on files
    for each row when (old.available_from is distinct from new.available_from
      or old.available_after_days is distinct from new.available_after_days)
    execute function note_release_change();

  create function note_added_files() returns trigger language plpgsql as $$
  begin
    ${noteChanges(`select ${columnsOf('n')}, 1 as sign from added n`)};
    return null;
  end $$;

  create function note_removed_files() returns trigger language plpgsql as $$
  begin
    ${noteChanges(`select ${columnsOf('o')}, -1 as sign from gone o`)};
    return null;
  end $$;

  create function note_changed_files() returns trigger language plpgsql as $$
  begin
    ${noteChanges(`select ${columnsOf('n')}, 1 as sign from added n join gone o using (shop_id, id)
      where ${countedOf('n')} is distinct from ${countedOf('o')}
      union all
      select ${columnsOf('o')}, -1 from added n join gone o using (shop_id, id)
      where ${countedOf('n')} is distinct from ${countedOf('o')}`)};
    return null;
  end $$;
  create trigger files_added after insert on files
    referencing new table as added for each statement execute function note_added_files();
  create trigger files_removed after delete on files
    referencing old table as gone for each statement execute function note_removed_files();
  create trigger files_recounted after update on files
    referencing new table as added old table as gone
    for each statement execute function note_changed_files();

  create function settle_reviews() returns trigger language plpgsql as $$
  begin
    update reviews set file_settled = (new.mapping_state = 'mapped' or new.deleted_at is not null)
    where shop_id = new.shop_id and file_id = new.id and status = 'open';
    return null;
  end $$;
  create trigger files_settled after update of mapping_state, deleted_at on files for each row
    when ((old.mapping_state = 'mapped' or old.deleted_at is not null)
      <> (new.mapping_state = 'mapped' or new.deleted_at is not null))
    execute function settle_reviews();

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
    -- What the bytes were before steps changed them, and what the server of their address said
    -- (SourceBytes in plugins/contract/item.ts). Null: not known.
    source jsonb,
    -- Set when an operation replaced it without keeping it: it exists until undo is over.
    expires_at timestamptz,
    -- Kept with the version, not with the blob: delivery reads the version's row in any case.
    bytes_damaged boolean not null default false,
    -- What a virus scanner found: {found, since}, and {reason, by, at} as released.
    quarantine jsonb,
    quarantined boolean not null
      generated always as (quarantine is not null and quarantine -> 'released' is null) stored,
    -- Delivery withholds the bytes, for either reason.
    damaged boolean not null
      generated always as (bytes_damaged or quarantine is not null and quarantine -> 'released' is null) stored,
    primary key (shop_id, file_id, number),
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, hash, location) references blob_locations
  );
  create index versions_blob on versions (shop_id, hash, location); -- which versions need a blob
  create index versions_expired on versions (expires_at) where expires_at is not null; -- the sweep
  create index versions_damaged on versions (shop_id, hash, location)
    where bytes_damaged; -- to check again
  create index versions_quarantine on versions (shop_id, hash) where quarantine is not null;
  create index versions_elsewhere on versions (shop_id, location, file_id)
    where location <> 'primary';

  ${freesBlobs('versions', { moves: true })}

  -- The same bytes under another name, or again, are what they were.
  create function keep_quarantine() returns trigger language plpgsql as $$
  begin
    select v.quarantine into new.quarantine from versions v
    where v.shop_id = new.shop_id and v.hash = new.hash and v.quarantine is not null limit 1;
    return new;
  end $$;
  create trigger versions_quarantined before insert on versions
    for each row execute function keep_quarantine();

  -- Deferred: a file and its first version refer to each other and are inserted together.
  alter table files add constraint files_version_fkey foreign key (shop_id, id, version)
    references versions (shop_id, file_id, number) deferrable initially deferred;

  -- Which packs a file is in, trash included. Every change writes the file's row too, which is how
  -- concurrent changes of a file are noticed; only places change without it.
  create table pack_files (
    shop_id integer not null,
    pack_id uuid not null,
    file_id uuid not null,
    -- Its place in the pack. Equal places, which an undo may make, are sorted by file.
    position integer not null,
    -- Orders the packs of a file.
    added_at timestamptz not null default now(),
    primary key (shop_id, pack_id, file_id),
    foreign key (shop_id, pack_id) references packs on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index pack_files_file on pack_files (shop_id, file_id); -- a file's packs
  -- A pack in its order.
  create index pack_files_place on pack_files (shop_id, pack_id, position, file_id);

  create table mappings (
    shop_id integer not null,
    file_id uuid not null,
    product_id text collate "C" not null,
    -- '' for the whole product: part of the key, so never null.
    variant_id text collate "C" not null default '',
    product_title text not null,
    sku text collate "C",
    -- pack: through a pack of the file; removed when no pack of the file has the product.
    method text not null
      check (method in ('sku', 'filename', 'title', 'tags', 'manual', 'pack', 'rule')),
    score real not null check (score between 0 and 1),
    reason text not null,
    created_at timestamptz not null default now(),
    -- Null: the text has no values.
    reason_values jsonb,
    new_files text check (new_files in ('never', 'ask', 'always')),
    primary key (shop_id, file_id, product_id, variant_id),
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index mappings_product on mappings (shop_id, product_id); -- a product's files
  create index mappings_own_choice on mappings (shop_id) where new_files is not null;

  -- Every way to map a file inserts here: the page, imports, operations, packs.
  create function note_new_files() returns trigger language plpgsql as $$
  begin
    insert into new_files (shop_id, product_id, file_id)
    select distinct a.shop_id, a.product_id, a.file_id
    from added a join shops s on s.id = a.shop_id
    left join product_new_files p on p.shop_id = a.shop_id and p.product_id = a.product_id
    where coalesce(a.new_files, p.new_files, s.settings ->> 'new_files') is distinct from 'never'
      and (exists (
      select from order_lines l left join deliveries d on d.shop_id = l.shop_id
        and d.order_id = l.order_id
      where l.shop_id = a.shop_id and l.entitled and l.product_id = a.product_id
        and (a.variant_id = '' or a.variant_id = l.variant_id)
        and not exists (select from delivery_files df where df.shop_id = d.shop_id
          and df.delivery_id = d.id and df.file_id = a.file_id)
    ) or exists (
      select from order_lines l left join deliveries d on d.shop_id = l.shop_id
        and d.order_id = l.order_id
      where l.shop_id = a.shop_id and l.entitled and l.bundle is not null
        and (l.bundle ->> 'product_id') collate "C" = a.product_id
        and (a.variant_id = '' or a.variant_id = l.bundle ->> 'variant_id')
        and not exists (select from delivery_files df where df.shop_id = d.shop_id
          and df.delivery_id = d.id and df.file_id = a.file_id)
    ))
    order by 1, 2, 3
    on conflict do nothing;
    return null;
  end $$;
  create trigger mappings_new_files after insert on mappings
    referencing new table as added for each statement execute function note_new_files();

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

  -- A filter of the list of files under a name, with its order and its columns.
  create table saved_views (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    name_key text collate "C" not null,
    -- As the API takes it.
    filter jsonb not null,
    sort text not null,
    -- Null: those of the browser.
    columns text[],
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- The list that it is a view of, and its query as the address of the page has it. Views of the
    -- files have a filter and an order instead.
    list text not null default 'files',
    query text not null default '',
    primary key (shop_id, id),
    unique (shop_id, list, name_key)
  );

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
  ${freesBlobs('backups')}

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
  ${freesBlobs('file_copies')}

  create table purged_files (
    shop_id integer not null references shops on delete cascade,
    id uuid not null,
    filename text not null,
    purged_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index purged_files_purged_at on purged_files (purged_at);

  -- Small pictures of the bytes of images, for lists. Removed with the bytes.
      create table preview_images (
        shop_id integer not null,
        hash bytea not null,
        -- WebP. Null: the image, document, audio or video cannot be opened, or has no picture.
        image bytea,
        primary key (shop_id, hash),
        foreign key (shop_id, hash) references blobs on delete cascade
      );

  create table samples (
    shop_id integer not null references shops on delete cascade,
    file_id uuid not null,
    -- The random part of its address.
    token text collate "C" not null unique,
    -- What it was made of: the file's bytes and the length. A sample of others is made again.
    source_hash bytea not null,
    length integer not null,
    -- The sample's own bytes. Null: it could not be made, for this reason.
    hash bytea,
    location text,
    size_bytes bigint,
    content_type text,
    reason text,
    created_at timestamptz not null default now(),
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, hash, location) references blob_locations (shop_id, hash, location)
  );
  create index samples_blob on samples (shop_id, hash, location) where hash is not null;
  ${freesBlobs('samples', { moves: true })}

  create table published_samples (
    shop_id integer primary key references shops on delete cascade,
    -- The platform's id of the installation: another one has no metafields yet.
    installation text not null,
    -- Of everything that is published.
    digest text not null,
    -- The digest of each metafield, by its key.
    fields jsonb not null default '{}',
    checked_at timestamptz not null default now()
  );

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

  create table file_counts (
    shop_id integer not null references shops on delete cascade,
    -- all, extension, tag, unmapped: files outside the trash and their bytes. stored: the bytes of
    -- all copies of all blobs, in every location.
    kind text not null,
    -- The extension or the tag; '' otherwise.
    subject text not null,
    files bigint not null,
    bytes bigint not null,
    primary key (shop_id, kind, subject)
  ) with (fillfactor = 70);
  -- Tags, most used first.
  create index file_counts_tags on file_counts (shop_id, files desc, subject)
    where kind = 'tag' and files > 0;

  -- Changes that are not in file_counts yet, written in the transaction that changes the files.
  -- Rows are only added, so that imports of one shop do not wait for each other. No foreign key: a
  -- task adds them to the counts each minute.
  create table file_count_changes (
    shop_id integer not null,
    kind text not null,
    subject text not null,
    files bigint not null,
    bytes bigint not null
  );
  create index file_count_changes_shop on file_count_changes (shop_id, kind);
`

export const { up, down } = firstSchema(SCHEMA)
