// A mirror of the shop's catalog, read by search and by guessing (exact SKUs are looked up on the
// platform), and the reviews for files that match several products.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table catalog_mirrors (
      shop_id integer primary key references shops on delete cascade,
      -- Incremented by every refresh that changed something: indexes built from the mirror are
      -- out of date then.
      generation integer not null default 0,
      due_at timestamptz not null default now(),
      -- The platform's bulk operation. It continues after a crash of ours, so a new lease reuses it.
      bulk_operation text,
      objects bigint not null default 0,
      started_at timestamptz,
      finished_at timestamptz,
      failed_at timestamptz,
      error text,
      products integer not null default 0,
      variants integer not null default 0
    );
    create index catalog_mirrors_due on catalog_mirrors (due_at); -- read every few seconds

    create table products (
      shop_id integer not null references shops on delete cascade,
      id text collate "C" not null,
      title text not null,
      -- The title in NFC and lower case, like filenames.
      title_key text collate "C" not null,
      handle text not null,
      status text not null,
      image_url text,
      tags text[] not null default '{}',
      -- The tags in lower case, to compare with a file's tags.
      tag_keys text[] not null default '{}',
      primary key (shop_id, id)
    );
    -- The list in order, and titles that begin with the typed text.
    create index products_title on products (shop_id, title_key, id);
    -- Titles that contain it.
    create index products_title_parts on products using gin (shop_id, title_key gin_trgm_ops);
    -- Products that have a file's tag.
    create index products_tags on products using gin (shop_id, tag_keys);

    create table variants (
      shop_id integer not null references shops on delete cascade,
      id text collate "C" not null,
      -- No foreign key: one swap writes both tables whole, and checking 50,000 keys with the plans
      -- cached at their first use took minutes.
      product_id text collate "C" not null,
      position integer not null,
      title text not null,
      -- Null: it has none.
      sku text collate "C",
      sku_key text collate "C",
      -- The SKU with every run of delimiters as one hyphen; server/matching/sku-in-name.ts splits
      -- filenames at the same characters. Null: nothing but delimiters.
      sku_parts text collate "C" generated always as
        (nullif(btrim(regexp_replace(sku_key, '[][ _.(){}-]+', '-', 'g'), '-'), '')) stored,
      primary key (shop_id, id)
    );
    -- A product's variants in their order.
    create index variants_product on variants (shop_id, product_id, position);
    -- Exact SKUs.
    create index variants_sku on variants (shop_id, sku) where sku is not null;
    -- SKUs without regard to case, and SKUs that begin with the typed text.
    create index variants_sku_key on variants (shop_id, sku_key) where sku_key is not null;
    -- SKUs that a filename contains.
    create index variants_sku_parts on variants (shop_id, sku_parts) where sku_parts is not null;

    -- What a refresh has read so far. Unlogged: a crash of the database empties it, and the swap
    -- compares the counts.
    create unlogged table catalog_staged (
      shop_id integer not null,
      -- Of the background task that reads it.
      lease bigint not null,
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
      -- Best first, each with its method, score and reason.
      candidates jsonb not null,
      -- The best score: "accept all above" compares it.
      score real not null,
      -- A hash of the candidates: a rejected question is not asked a second time.
      question bytea not null,
      status text not null default 'open' check (status in ('open', 'accepted', 'rejected')),
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      decided_by text,
      -- The operation that maps the file, once a candidate was accepted.
      accepted_in uuid,
      -- The file has a product, and the operation was asked to replace it.
      replaces boolean not null default false,
      primary key (shop_id, id),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, operation_id) references operations on delete set null (operation_id),
      constraint reviews_accepted_in_fkey
        foreign key (shop_id, accepted_in) references operations on delete set null (accepted_in)
    );
    create unique index reviews_open on reviews (shop_id, file_id)
      where status = 'open'; -- one open question per file
    create index reviews_file on reviews (shop_id, file_id); -- earlier answers; deleted files
    create index reviews_list on reviews (shop_id, status, id desc); -- the list, newest first
    create index reviews_operation on reviews (shop_id, operation_id)
      where operation_id is not null; -- deleted operations
    create index reviews_accepted_in on reviews (shop_id, accepted_in)
      where accepted_in is not null; -- the end of each operation reads its own
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table reviews, catalog_staged, variants, products, catalog_mirrors')
}
