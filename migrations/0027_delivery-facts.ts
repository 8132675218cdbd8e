// What delivery must know of a pack that was deleted, and of bytes that were gone back to.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table links
      -- What a deleted pack was called: its links stay, revoked, so that who holds one learns what became of it.
      add column pack_name text,
      drop constraint links_of_one,
      add constraint links_of_one check (num_nonnulls(file_id, pack_id, pack_name) = 1),
      -- No file and no pack takes such a link with it when its shop goes.
      add constraint links_shop_fkey foreign key (shop_id) references shops on delete cascade;
    create index links_gone_packs on links (shop_id, id) where pack_name is not null; -- found by that name

    -- Since when a file has the bytes that it has: a version that was gone back to is older than what buyers got meanwhile.
    alter table files add column version_since timestamptz not null default now();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table files drop column version_since;
    drop index links_gone_packs;
    delete from links where pack_name is not null;
    alter table links drop constraint links_shop_fkey, drop constraint links_of_one, drop column pack_name,
      add constraint links_of_one check ((file_id is null) <> (pack_id is null));
  `)
}
