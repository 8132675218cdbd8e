// The list of files: a kept number of downloads of each file, so that the list can be sorted by it;
// the drop account that a file came from; and saved views of the list.
import type { Knex } from 'knex'

const DOWNLOADS = `
  -- The downloads of a file: the sum over its links and its public address. A table apart from
  -- files, since counting must not update the file's row.
  create table file_downloads (
    shop_id integer not null,
    file_id uuid not null,
    downloads bigint not null default 0,
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);
  -- The list sorted by downloads.
  create index file_downloads_order on file_downloads (shop_id, downloads, file_id);

  -- Counts that are not in file_downloads yet, written in the transaction that counts a download.
  -- Rows are only added, so that downloads of one file through several links do not wait for each
  -- other. No foreign keys: checking them row by row would be slow, and the rows live for a minute.
  create table file_download_changes (
    shop_id integer not null,
    file_id uuid not null,
    change bigint not null
  );
  create index file_download_changes_shop on file_download_changes (shop_id);

  insert into file_downloads (shop_id, file_id, downloads)
  select f.shop_id, f.id, coalesce(l.served, 0) + coalesce(a.downloads, 0)
  from files f
  left join (select shop_id, file_id, sum(served) as served from links
    where file_id is not null group by 1, 2) l on l.shop_id = f.shop_id and l.file_id = f.id
  left join public_addresses a on a.shop_id = f.shop_id and a.file_id = f.id;

  create function add_file_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_downloads (shop_id, file_id) select shop_id, id from added;
    return null;
  end $$;
  create trigger files_counted after insert on files
    referencing new table as added for each statement execute function add_file_downloads();

  create function note_link_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change) values (new.shop_id, new.file_id,
      new.served - case when tg_op = 'UPDATE' then old.served else 0 end);
    return null;
  end $$;
  create trigger links_counted after update of served on links for each row
    when (old.served <> new.served and new.file_id is not null)
    execute function note_link_downloads();
  create trigger links_added after insert on links for each row
    when (new.served <> 0 and new.file_id is not null) execute function note_link_downloads();
  create function note_gone_links() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change)
      select shop_id, file_id, -sum(served) from gone
      where served <> 0 and file_id is not null group by 1, 2;
    return null;
  end $$;
  create trigger links_removed after delete on links
    referencing old table as gone for each statement execute function note_gone_links();

  create function note_address_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change) values (new.shop_id, new.file_id,
      new.downloads - case when tg_op = 'UPDATE' then old.downloads else 0 end);
    return null;
  end $$;
  create trigger public_addresses_counted after update of downloads on public_addresses
    for each row when (old.downloads <> new.downloads) execute function note_address_downloads();
  create trigger public_addresses_added after insert on public_addresses
    for each row when (new.downloads <> 0) execute function note_address_downloads();
`

const SOURCES = `
  -- Which drop accounts sent a file. Written when its import has ended: the entries of the drop
  -- folder are cleared later.
  create table dropped_files (
    shop_id integer not null,
    account_id uuid not null,
    file_id uuid not null,
    primary key (shop_id, account_id, file_id),
    foreign key (shop_id, account_id) references drop_accounts on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index dropped_files_file on dropped_files (shop_id, file_id); -- deleted files
  insert into dropped_files (shop_id, account_id, file_id)
  select distinct e.shop_id, e.account_id, i.file_id
  from drop_entries e
  join items i on i.shop_id = e.shop_id and i.operation_id = e.operation_id
    and i.position = e.position and i.status = 'done'
  join files f on f.shop_id = i.shop_id and f.id = i.file_id
  where e.state = 'processed' and e.account_id is not null;

  -- The files with keys of a list.
  create index licence_keys_files on licence_keys (shop_id, list_id, file_id)
    where delivery_id is not null;
`

const VIEWS = `
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
    primary key (shop_id, id),
    unique (shop_id, name_key)
  );
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([DOWNLOADS, SOURCES, VIEWS].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table saved_views;
    drop index licence_keys_files;
    drop table dropped_files;
    drop trigger public_addresses_added on public_addresses;
    drop trigger public_addresses_counted on public_addresses;
    drop trigger links_removed on links;
    drop trigger links_added on links;
    drop trigger links_counted on links;
    drop trigger files_counted on files;
    drop function note_address_downloads, note_gone_links, note_link_downloads, add_file_downloads;
    drop table file_download_changes, file_downloads;
  `)
}
