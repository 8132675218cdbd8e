// Files that a product gets after it was sold: which of them nobody has decided about yet, and which
// were given to past buyers by an operation.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table delivery_files
      -- The operation that gave the file to a past buyer; null: it belongs to the sale. No foreign
      -- key: history is shorter than deliveries.
      add given_by uuid,
      -- Its operation was undone: the file stays withdrawn, also while its line is paid.
      add taken_back boolean not null default false;
    create index delivery_files_given on delivery_files (shop_id, given_by, file_id)
      where given_by is not null;

    -- {id, product_id, variant_id, quantity} of the bundle that the line is a component of.
    alter table order_lines add bundle jsonb;
    create index order_lines_product on order_lines (shop_id, product_id) where entitled;
    create index order_lines_bundle on order_lines (shop_id, ((bundle ->> 'product_id') collate "C"))
      where entitled and bundle is not null;

    -- Files that a product got after it was sold, until the shop gives them to its past buyers or
    -- decides not to.
    create table new_files (
      shop_id integer not null,
      product_id text collate "C" not null,
      file_id uuid not null,
      noted_at timestamptz not null default now(),
      primary key (shop_id, product_id, file_id),
      foreign key (shop_id, file_id) references files on delete cascade
    );
    create index new_files_file on new_files (shop_id, file_id); -- deleted files

    -- Every way to map a file inserts here: the page, imports, operations, packs.
    create function note_new_files() returns trigger language plpgsql as $$
    begin
      insert into new_files (shop_id, product_id, file_id)
      select distinct a.shop_id, a.product_id, a.file_id
      from added a join shops s on s.id = a.shop_id
        and s.settings ->> 'new_files' is distinct from 'never'
      where exists (
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
      )
      order by 1, 2, 3
      on conflict do nothing;
      return null;
    end $$;
    create trigger mappings_new_files after insert on mappings
      referencing new table as added for each statement execute function note_new_files();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger mappings_new_files on mappings;
    drop function note_new_files;
    drop table new_files;
    drop index order_lines_bundle, order_lines_product;
    alter table order_lines drop bundle;
    drop index delivery_files_given;
    alter table delivery_files drop taken_back, drop given_by;
  `)
}
