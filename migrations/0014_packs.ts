// Packs: named, ordered groups of files, with products of their own; and the tags that a shop saves to use again.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table packs (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      -- As files' names: NFC and lower case, made by server/files/rules.ts.
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

    -- A file is in one pack at most: that is what moving it means.
    alter table files add column pack_id uuid, add column pack_position integer,
      add constraint files_pack_fkey foreign key (shop_id, pack_id) references packs on delete set null (pack_id);
    create index files_pack on files (shop_id, pack_id, pack_position, id) where pack_id is not null; -- a pack in its order

    -- What a file has through its pack goes when it leaves it.
    alter table mappings drop constraint mappings_method_check;
    alter table mappings add constraint mappings_method_check
      check (method in ('sku', 'filename', 'title', 'tags', 'manual', 'pack'));

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
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table tag_templates;
    delete from mappings where method = 'pack';
    alter table mappings drop constraint mappings_method_check;
    alter table mappings add constraint mappings_method_check
      check (method in ('sku', 'filename', 'title', 'tags', 'manual'));
    alter table files drop constraint files_pack_fkey, drop column pack_id, drop column pack_position;
    drop table pack_products, packs;
  `)
}
