// Rules of a shop that map files by their names, and the downloads that buyers were refused.
import type { Knex } from 'knex'

const METHODS = ['sku', 'filename', 'title', 'tags', 'manual', 'pack']

const allowMethods = (methods: readonly string[]) => `
  alter table mappings drop constraint mappings_method_check;
  alter table mappings add constraint mappings_method_check
    check (method in (${methods.map((method) => `'${method}'`).join(', ')}));`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${allowMethods([...METHODS, 'rule'])}

    create table mapping_rules (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      kind text not null check (kind in ('starts', 'contains', 'is')),
      -- As the merchant wrote it.
      text text not null,
      -- As names are compared.
      text_key text collate "C" not null,
      product_id text collate "C" not null,
      -- Null: the whole product.
      variant_id text collate "C",
      product_title text not null,
      -- The first rule that a name matches counts.
      position integer not null,
      created_at timestamptz not null default now(),
      created_by text not null,
      primary key (shop_id, id),
      unique (shop_id, kind, text_key)
    );

    -- What buyers could not download, and why: the last ones of each link.
    create table refused_downloads (
      shop_id integer not null,
      link_id uuid not null,
      -- Null: the page of a delivery or of a pack.
      file_id uuid,
      reason text not null,
      -- One row for each minute and reason.
      minute timestamptz not null,
      -- The last attempt in this minute, and from where: a shortened address, a program.
      at timestamptz not null,
      times integer not null,
      address text not null,
      agent text not null,
      primary key (shop_id, link_id, reason, minute),
      foreign key (shop_id, link_id) references links on delete cascade
    );
    -- The history of a file.
    create index refused_downloads_file on refused_downloads (shop_id, file_id, at)
      where file_id is not null;
    create index refused_downloads_age on refused_downloads (at); -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table refused_downloads, mapping_rules;
    update mappings set method = 'manual' where method = 'rule';
    ${allowMethods(METHODS)}
  `)
}
