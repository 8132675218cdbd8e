// Rules of a shop about names with `*`, and rules whose product is that of a SKU made from the name.
import type { Knex } from 'knex'

export const undo = 'The rules with a pattern or a SKU.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mapping_rules
      drop constraint mapping_rules_kind_check,
      add constraint mapping_rules_kind_check
        check (kind in ('starts', 'contains', 'is', 'pattern')),
      alter column product_id drop not null,
      alter column product_title drop not null,
      -- A SKU in which {1} is the text of the first *; null: the rule names its product.
      add column sku_template text,
      add constraint mapping_rules_target
        check (num_nonnulls(product_id, sku_template) = 1 and (product_id is null) = (product_title is null))`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from mapping_rules where kind = 'pattern' or product_id is null;
    alter table mapping_rules
      drop constraint mapping_rules_target,
      drop column sku_template,
      alter column product_id set not null,
      alter column product_title set not null,
      drop constraint mapping_rules_kind_check,
      add constraint mapping_rules_kind_check check (kind in ('starts', 'contains', 'is'))`)
}
