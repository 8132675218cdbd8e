// SKUs as they are looked for within filenames: all delimiters in a SKU count as the same one.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table variants
      -- server/matching/sku-in-name.ts cuts filenames at the same characters. Null: nothing but delimiters.
      add column sku_parts text collate "C" generated always as
        (nullif(btrim(regexp_replace(sku_key, '[][ _.(){}-]+', '-', 'g'), '-'), '')) stored;
    -- SKUs that a filename contains.
    create index variants_sku_parts on variants (shop_id, sku_parts) where sku_parts is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table variants drop column sku_parts')
}
