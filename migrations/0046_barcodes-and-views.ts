// Barcodes of variants, which the search of files finds, and saved views of other lists than that of
// the files.
import type { Knex } from 'knex'

export const undo =
  'Barcodes of variants, until products are read again by a later version, and saved views of other lists than that of the files.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null: it has none. Earlier rows have theirs after the next refresh of the products.
    alter table variants add barcode text collate "C",
      -- As the SKU's key: some barcodes have letters.
      add barcode_key text collate "C";
    create index variants_barcode_key on variants (shop_id, barcode_key)
      where barcode_key is not null;
    -- The products are read again soon: what the mirror has may lack their barcodes.
    update catalog_mirrors set due_at = now() where finished_at is not null;

    -- The list that it is a view of, and its query as the address of the page has it. Views of the
    -- files have a filter and an order instead.
    alter table saved_views add list text not null default 'files',
      add query text not null default '',
      drop constraint saved_views_shop_id_name_key_key,
      add constraint saved_views_shop_id_list_name_key_key unique (shop_id, list, name_key);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from saved_views where list <> 'files';
    alter table saved_views drop constraint saved_views_shop_id_list_name_key_key,
      drop list, drop query,
      add constraint saved_views_shop_id_name_key_key unique (shop_id, name_key);
    drop index variants_barcode_key;
    alter table variants drop barcode_key, drop barcode;
  `)
}
