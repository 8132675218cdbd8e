// Choices that one buyer, one product or one rule has instead of the file's or the shop's: a customer tag
// of one buyer's file, and whether new files of a product go to its past buyers. Mails of one operation
// may be sent at a rate.
import type { Knex } from 'knex'
import {
  buildIndexes,
  expand,
  migrateInSteps,
  validateRows,
} from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo =
  'Customer tags of single buyers: their files need the tag of the file again. Choices of products and rules about new files. Mails that wait for their time are sent immediately.'

/** As migration 0020 has it, with the choice of `CHOICE` instead of the shop's alone. */
const noteNewFiles = (joins: string, choice: string) => `
  create or replace function note_new_files() returns trigger language plpgsql as $$
  begin
    insert into new_files (shop_id, product_id, file_id)
    select distinct a.shop_id, a.product_id, a.file_id
    from added a join shops s on s.id = a.shop_id ${joins}
    where ${choice} is distinct from 'never' and (exists (
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
    ))
    order by 1, 2, 3
    on conflict do nothing;
    return null;
  end $$`

const CHOICES = `check (new_files in ('never', 'ask', 'always'))`

const OWN_CHOICES = `
    -- The tag that this buyer's customer must have instead of the file's; null: that of the file.
    alter table links add column own_tag text,
      add constraint links_own_tag_check check (own_tag <> '') not valid;

    -- Whether new files of a product go to its past buyers; without a row: as the shop says.
    create table product_new_files (
      shop_id integer not null references shops on delete cascade,
      product_id text collate "C" not null,
      new_files text not null ${CHOICES},
      primary key (shop_id, product_id)
    );
    -- The same for the files that a rule maps. It counts before the product's and the shop's.
    alter table mapping_rules add column new_files text ${CHOICES};
    alter table mappings add column new_files text,
      add constraint mappings_new_files_check ${CHOICES} not valid;

    -- It is not sent before; null: immediately.
    alter table outbox add column due_at timestamptz;

    ${noteNewFiles(
      `left join product_new_files p on p.shop_id = a.shop_id and p.product_id = a.product_id`,
      `coalesce(a.new_files, p.new_files, s.settings ->> 'new_files')`,
    )}`

const INDEXES = { mappings_own_choice: 'mappings (shop_id) where new_files is not null' }

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [
    expand('links.own_tag', OWN_CHOICES),
    validateRows('links'),
    validateRows('mappings'),
    ...buildIndexes(INDEXES),
  ])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${noteNewFiles('', `s.settings ->> 'new_files'`)};
    alter table outbox drop column due_at;
    alter table mappings drop column new_files;
    alter table mapping_rules drop column new_files;
    drop table product_new_files;
    alter table links drop column own_tag`)
}
