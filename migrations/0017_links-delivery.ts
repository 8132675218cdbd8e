// Links of packs and of operations, public addresses, and what is kept of each download.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table links
      -- A pack's link has no file of its own: each file of the pack gets one under it, with a count of its own.
      alter column file_id drop not null,
      add column pack_id uuid,
      add column parent_id uuid,
      -- The operation that made it. No foreign key: history is shorter than some links.
      add column operation_id uuid,
      add constraint links_of_one check ((file_id is null) <> (pack_id is null)),
      add constraint links_pack_fkey foreign key (shop_id, pack_id) references packs on delete cascade,
      add constraint links_parent_fkey foreign key (shop_id, parent_id) references links on delete cascade;
    create unique index links_parent on links (shop_id, parent_id, file_id) where parent_id is not null;
    create index links_pack on links (shop_id, pack_id, id) where pack_id is not null; -- a pack's links
    create index links_operation on links (shop_id, operation_id, id) where operation_id is not null; -- its artifact

    -- The address of a public file: stable until a merchant withdraws it for another. Its own table, since counting must
    -- not touch the file's row.
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

    -- Kept only of files whose tracking is on.
    create table downloads (
      shop_id integer not null,
      id uuid not null default uuidv7(),
      file_id uuid not null,
      link_id uuid,
      address text not null,
      agent text not null,
      at timestamptz not null,
      primary key (shop_id, id),
      foreign key (shop_id, file_id) references files on delete cascade
    );
    create index downloads_file on downloads (shop_id, file_id, id desc); -- a file's downloads
    create index downloads_age on downloads (at); -- the sweep

    -- A buyer asks for more: once in a while a link, so that nobody floods the shop's mail.
    alter table links add column asked_at timestamptz;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table downloads, public_addresses;
    delete from links where file_id is null or parent_id is not null;
    alter table links drop constraint links_of_one, drop column pack_id, drop column parent_id, drop column operation_id,
      drop column asked_at, alter column file_id set not null;
  `)
}
