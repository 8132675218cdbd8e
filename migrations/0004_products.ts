// What the platform's catalog has: the mirror of products and variants, rules and reviews that
// decide which product a file belongs to, and products that were sold without a file.
import { firstSchema } from '../server/core/db/migration-steps.ts'

const SCHEMA = `
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
    variants integer not null default 0,
    error_text jsonb
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
  -- Products that an import names by their handles.
  create index products_handle on products (shop_id, handle);
  -- Titles that contain it.
  create index products_title_parts on products using gin (shop_id, title_key gin_trgm_ops);
  -- A word is a part of the title.
  create index products_search on products using gin (shop_id, search_text(title) gin_trgm_ops);
  -- Products that have a file's tag.
  create index products_tags on products using gin (shop_id, tag_keys);

  -- Small pictures for buyers' pages. No foreign key, as of variants: a sweep deletes what is gone.
  create table product_pictures (
    shop_id integer not null references shops on delete cascade,
    product_id text collate "C" not null,
    -- Of which it was made: a product with another one gets another picture.
    image_url text not null,
    -- WebP. Null: it could not be fetched or opened.
    image bytea,
    tried_at timestamptz not null default now(),
    primary key (shop_id, product_id)
  );

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
    -- Its other spellings, in the form of sku_parts; null: it has none.
    sku_others text[],
    -- Null: it has none.
    barcode text collate "C",
    -- As the SKU's key: some barcodes have letters.
    barcode_key text collate "C",
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
  -- SKUs that a filename contains in another spelling: few have one.
  create index variants_sku_others on variants using gin (shop_id, sku_others)
    where sku_others is not null;
  create index variants_barcode_key on variants (shop_id, barcode_key)
    where barcode_key is not null;

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
    -- The file has a product or is in the trash: an open review is not needed then, unless it asks
    -- for a replacement. Triggers keep it.
    file_settled boolean not null default false,
    -- The same for reviews with the same best candidate by the same rule.
    alike uuid,
    -- The score of the best candidate if it is higher than that of every other product.
    sure real,
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
  create index reviews_alike on reviews (shop_id, alike, id desc)
    where status = 'open' and not file_settled;
  create index reviews_sure on reviews (shop_id, sure desc, id)
    where status = 'open' and not file_settled and sure is not null;
  create index reviews_replacing on reviews (shop_id, id desc)
    where status = 'open' and file_settled and replaces;

  create function read_review() returns trigger language plpgsql as $$
  begin
    new.alike := md5(jsonb_build_array(new.candidates #> '{0,product_id}',
      new.candidates #> '{0,variant_id}', case new.candidates #>> '{0,reason,message}'
  when 'Its name is {count} % like the title' then '"title"'
  else coalesce(new.candidates #> '{0,reason}', 'null') end)::text)::uuid;
    new.sure := case when (new.candidates -> 0 ->> 'score')::real > coalesce((
      select max((c ->> 'score')::real) from jsonb_array_elements(new.candidates) c
      where c -> 'product_id' <> new.candidates -> 0 -> 'product_id'), -1) then new.score end;
    if new.status = 'open' then
      -- The lock: a change of the file that does not see this row yet waits for its commit.
      select (files.mapping_state = 'mapped' or files.deleted_at is not null) into new.file_settled
      from files where shop_id = new.shop_id and id = new.file_id for share;
      new.file_settled := coalesce(new.file_settled, true);
    end if;
    return new;
  end $$;
  create trigger reviews_read before insert or update of candidates, score, status on reviews
    for each row execute function read_review();

  create table mapping_rules (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    kind text not null
      check (kind in ('starts', 'contains', 'is', 'pattern')),
    -- As the merchant wrote it.
    text text not null,
    -- As names are compared.
    text_key text collate "C" not null,
    product_id text collate "C",
    -- Null: the whole product.
    variant_id text collate "C",
    product_title text,
    -- The first rule that a name matches counts.
    position integer not null,
    created_at timestamptz not null default now(),
    created_by text not null,
    -- A SKU in which {1} is the text of the first *; null: the rule names its product.
    sku_template text,
    -- The same for the files that a rule maps. It counts before the product's and the shop's.
    new_files text check (new_files in ('never', 'ask', 'always')),
    primary key (shop_id, id),
    unique (shop_id, kind, text_key),
    constraint mapping_rules_target
      check (num_nonnulls(product_id, sku_template) = 1
        and (product_id is null) = (product_title is null))
  );

  create table unfiled_products (
    shop_id integer not null references shops on delete cascade,
    product_id text collate "C" not null,
    title text not null,
    -- To the hour.
    last_sold_at timestamptz not null,
    -- The merchant said that it is no download.
    dismissed boolean not null default false,
    primary key (shop_id, product_id)
  );
  create index unfiled_products_list on unfiled_products (shop_id, last_sold_at desc, product_id)
    where not dismissed;

  -- Whether new files of a product go to its past buyers; without a row: as the shop says.
  create table product_new_files (
    shop_id integer not null references shops on delete cascade,
    product_id text collate "C" not null,
    new_files text not null check (new_files in ('never', 'ask', 'always')),
    primary key (shop_id, product_id)
  );
`

export const { up, down } = firstSchema(SCHEMA)
