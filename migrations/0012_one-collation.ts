import type { Knex } from 'knex'

/** Columns that are joined with columns in the collation C: with another one no index serves. */
const COLUMNS = {
  mappings: ['product_id', 'variant_id', 'sku'],
  pack_products: ['product_id', 'variant_id', 'sku'],
  order_lines: ['sku'],
  uploads: ['name_key'],
}

const alter = (collation: string) =>
  Object.entries(COLUMNS)
    .map(
      ([table, columns]) =>
        `alter table ${table} ${columns.map((name) => `alter column ${name} type text collate ${collation}`).join(', ')};`,
    )
    .join('\n')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(alter('"C"'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(alter('"default"'))
}
