// The shop's catalog as a mirror: what search and guessing read, while exact SKUs are asked of the storefront itself. And the
// reviews, where several products may be meant.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table catalog_mirrors (
      shop_id integer primary key references shops on delete cascade,
      -- Counts up with every refresh that changed something: what was built from the mirror is out of date then.
      generation integer not null default 0,
      due_at timestamptz not null default now(),
      -- Who refreshes it now; a refresh that has not beaten for a minute is dead, and its lease writes nothing more.
      lease uuid,
      beat_at timestamptz,
      -- The storefront's own operation that gathers the catalog: after a crash it is gone on with.
      bulk_operation text,
      objects bigint not null default 0,
      started_at timestamptz,
      finished_at timestamptz,
      failed_at timestamptz,
      error text,
      products integer not null default 0,
      variants integer not null default 0
    );
    create index catalog_mirrors_due on catalog_mirrors (due_at); -- asked every few seconds

    create table products (
      shop_id integer not null references shops on delete cascade,
      id text collate "C" not null,
      title text not null,
      -- The title in NFC and lower case, as the names of files have it.
      title_key text collate "C" not null,
      handle text not null,
      status text not null,
      image_url text,
      tags text[] not null default '{}',
      -- The tags in lower case: what a file's tags are compared with.
      tag_keys text[] not null default '{}',
      primary key (shop_id, id)
    );
    -- The list in order, and titles that begin with what is typed.
    create index products_title on products (shop_id, title_key, id);
    -- Titles that contain it.
    create index products_title_parts on products using gin (shop_id, title_key gin_trgm_ops);
    -- Products that have a file's tag.
    create index products_tags on products using gin (shop_id, tag_keys);

    create table variants (
      shop_id integer not null references shops on delete cascade,
      id text collate "C" not null,
      -- No foreign key: both tables are written whole by one swap, and the look-ups of 50,000 keys, by plans as old as their first
      -- use, would make it minutes.
      product_id text collate "C" not null,
      position integer not null,
      title text not null,
      -- Null: it has none.
      sku text collate "C",
      sku_key text collate "C",
      primary key (shop_id, id)
    );
    -- A product's variants in their order.
    create index variants_product on variants (shop_id, product_id, position);
    -- Exact SKUs.
    create index variants_sku on variants (shop_id, sku) where sku is not null;
    -- SKUs in any case: those a filename begins with, and those that begin with what is typed.
    create index variants_sku_key on variants (shop_id, sku_key) where sku_key is not null;

    -- What a refresh has read so far. Not written ahead: a crash of the database empties them, and the swap counts.
    create unlogged table catalog_staged (
      shop_id integer not null,
      lease uuid not null,
      kind text not null check (kind in ('product', 'variant')),
      id text collate "C" not null,
      data jsonb not null,
      primary key (shop_id, lease, kind, id)
    );

    create table reviews (
      shop_id integer not null,
      id uuid not null default uuidv7(),
      file_id uuid not null,
      operation_id uuid,
      -- Best first, each with how it was found, how sure that is and why.
      candidates jsonb not null,
      -- The best of their scores: what "accept all above" goes by.
      score real not null,
      -- Which products they are: the same question is not asked again once it was answered with no.
      question bytea not null,
      status text not null default 'open' check (status in ('open', 'accepted', 'rejected')),
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      decided_by text,
      primary key (shop_id, id),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
    );
    create unique index reviews_open on reviews (shop_id, file_id) where status = 'open'; -- one question a file
    create index reviews_file on reviews (shop_id, file_id); -- what was answered before; files that go
    create index reviews_list on reviews (shop_id, status, id desc); -- the list, newest first
    create index reviews_operation on reviews (shop_id, operation_id)
      where operation_id is not null; -- operations that are swept away
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table reviews, catalog_staged, variants, products, catalog_mirrors')
}
