// Kept counts of each shop's files, so that quotas, the plan, tags and the home page do not count a
// million rows; links that have reached their limit; and the storage settings of tables that change
// often. Here are the tables and triggers, which take their locks for a moment;
// migrations/0037_count-files.ts fills them.
import type { Knex } from 'knex'

export const undo = 'Nothing: the kept counts of files are counted again by the next upgrade.'

/** SQL: what the row `c` of files counts for, with the sign of its change. */
const PARTS = `
  cross join lateral (
    select 'all' as kind, '' as subject, c.size_bytes as bytes
    union all select 'extension', c.extension, c.size_bytes
    union all select 'unmapped', '', 0 where c.mapping_state <> 'mapped'
    union all select 'tag', tag, 0 from unnest(c.tags) as tag) p
  where c.deleted_at is null`

const note = (changed: string) => `
  insert into file_count_changes (shop_id, kind, subject, files, bytes)
  select c.shop_id, p.kind, p.subject, sum(c.sign), sum(c.sign * p.bytes)
  from (${changed}) c ${PARTS}
  group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.sign * p.bytes) <> 0`

const COLUMNS = ['shop_id', 'extension', 'size_bytes', 'mapping_state', 'tags', 'deleted_at']
const columnsOf = (row: string) => COLUMNS.map((name) => `${row}.${name}`).join(', ')
const countedOf = (row: string) =>
  `(${row}.extension, ${row}.size_bytes, ${row}.mapping_state = 'mapped', ${row}.tags, ${row}.deleted_at is null)`

const COUNTS = `
  create table file_counts (
    shop_id integer not null references shops on delete cascade,
    -- all, extension, tag, unmapped: files outside the trash and their bytes. versions: the bytes of
    -- all kept versions, also of files in the trash.
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

  create function note_added_files() returns trigger language plpgsql as $$
  begin
    ${note(`select ${columnsOf('n')}, 1 as sign from added n`)};
    return null;
  end $$;
  create function note_removed_files() returns trigger language plpgsql as $$
  begin
    ${note(`select ${columnsOf('o')}, -1 as sign from gone o`)};
    return null;
  end $$;
  create function note_changed_files() returns trigger language plpgsql as $$
  begin
    ${note(`select ${columnsOf('n')}, 1 as sign from added n join gone o using (shop_id, id)
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

  -- The size of a version never changes.
  create function note_added_versions() returns trigger language plpgsql as $$
  begin
    insert into file_count_changes (shop_id, kind, subject, files, bytes)
    select shop_id, 'versions', '', 0, sum(size_bytes) from added group by 1;
    return null;
  end $$;
  create function note_removed_versions() returns trigger language plpgsql as $$
  begin
    insert into file_count_changes (shop_id, kind, subject, files, bytes)
    select shop_id, 'versions', '', 0, -sum(size_bytes) from gone group by 1;
    return null;
  end $$;
  create trigger versions_added after insert on versions
    referencing new table as added for each statement execute function note_added_versions();
  create trigger versions_removed after delete on versions
    referencing old table as gone for each statement execute function note_removed_versions();
`

const USED_UP = `
  -- Links that have reached their limit. A table apart from links, because an index on the count
  -- would make each download update all indexes of its row. It may hold links that have downloads
  -- left: readers compare again.
  create table used_up_links (
    shop_id integer not null,
    link_id uuid not null,
    primary key (shop_id, link_id),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create function note_used_up_link() returns trigger language plpgsql as $$
  begin
    if new.downloads >= new.download_limit then
      insert into used_up_links (shop_id, link_id) values (new.shop_id, new.id) on conflict do nothing;
    else
      delete from used_up_links where shop_id = new.shop_id and link_id = new.id;
    end if;
    return null;
  end $$;
  create trigger links_used_up after update of downloads, download_limit on links for each row
    when ((old.downloads >= old.download_limit) is distinct from (new.downloads >= new.download_limit))
    execute function note_used_up_link();
  create trigger links_added_used_up after insert on links for each row
    when (new.downloads >= new.download_limit) execute function note_used_up_link();
`

/** Tables whose rows are updated or replaced all the time: their dead rows are few if cleaned soon. */
const SMALL = ['file_count_changes', 'file_download_changes', 'chains', 'file_claims', 'outbox']
/**
 * Large tables: by default a fifth of their rows may be dead before a vacuum, which is two million
 * of ten.
 */
const LARGE = [
  'files',
  'versions',
  'links',
  'downloads',
  'items',
  'file_downloads',
  'blob_locations',
]
const SETTINGS = [
  'autovacuum_vacuum_scale_factor',
  'autovacuum_vacuum_threshold',
  'autovacuum_analyze_scale_factor',
  'autovacuum_vacuum_insert_scale_factor',
]

const VACUUM = [
  ...SMALL.map(
    (table) =>
      `alter table ${table} set (${SETTINGS[0]} = 0, ${SETTINGS[1]} = 1000, ${SETTINGS[2]} = 0.05)`,
  ),
  ...LARGE.map(
    (table) =>
      `alter table ${table} set (${SETTINGS[0]} = 0.02, ${SETTINGS[1]} = 5000, ${SETTINGS[2]} = 0.02, ${SETTINGS[3]} = 0.05)`,
  ),
  // Read and checked again by the scrub and the sweep: updated within the page.
  'alter table blob_locations set (fillfactor = 85)',
  'alter table deliveries set (fillfactor = 85)',
].join(';\n')

export async function up(knex: Knex): Promise<void> {
  await knex.raw([COUNTS, USED_UP, VACUUM].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${[...SMALL.filter((table) => table !== 'file_count_changes'), ...LARGE].map((table) => `alter table ${table} reset (${SETTINGS.join(', ')})`).join(';\n')};
    alter table blob_locations reset (fillfactor);
    alter table deliveries reset (fillfactor);
    drop trigger links_added_used_up on links;
    drop trigger links_used_up on links;
    drop trigger versions_removed on versions;
    drop trigger versions_added on versions;
    drop trigger files_recounted on files;
    drop trigger files_removed on files;
    drop trigger files_added on files;
    drop function note_used_up_link, note_removed_versions, note_added_versions,
      note_changed_files, note_removed_files, note_added_files;
    drop table used_up_links, file_count_changes, file_counts;
  `)
}
