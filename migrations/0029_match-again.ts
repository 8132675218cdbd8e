// What an import said of a file's products is kept with the file, for the day when the catalog learns of them; and what became of a
// review that was accepted.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table files
      -- The SKU that its import named, as it was written. Null: it named none.
      add column wanted_sku text collate "C",
      -- Whether its import wanted guessing. Null: it did not say, and the shop's setting counts.
      add column auto_map boolean;
    update files f set wanted_sku = i.entry ->> 'product_sku', auto_map = (o.request ->> 'auto_map')::boolean
    from items i join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
    where i.shop_id = f.shop_id and i.file_id = f.id and i.entry is not null and f.mapping_state = 'never'
      and (i.entry -> 'product_sku' is not null or o.request -> 'auto_map' is not null);

    alter table reviews
      -- The operation that maps the file, once one of the candidates was accepted.
      add column accepted_in uuid,
      -- The file has a product already, and an operation was to replace it.
      add column replaces boolean not null default false,
      add constraint reviews_accepted_in_fkey foreign key (shop_id, accepted_in) references operations
        on delete set null (accepted_in);
    create index reviews_accepted_in on reviews (shop_id, accepted_in)
      where accepted_in is not null; -- every operation's end asks for its own
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table reviews drop constraint reviews_accepted_in_fkey, drop column accepted_in, drop column replaces;
    alter table files drop column wanted_sku, drop column auto_map;
  `)
}
