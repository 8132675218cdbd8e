import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table licence_keys
      -- The order's line whose unit took the key; null: the key belongs to the file.
      add column line_id text collate "C",
      -- When the buyer or the shop could first read it; before that it can be returned to its list.
      add column shown_at timestamptz;
    update licence_keys set shown_at = assigned_at where delivery_id is not null;
    drop index licence_keys_given;
    create unique index licence_keys_given
      on licence_keys (shop_id, delivery_id, list_id, line_id, file_id, ordinal)
      nulls not distinct where delivery_id is not null;
    -- The units of each line replace the units of each file.
    update delivery_runs r set about = (about - 'quantities') || jsonb_build_object('lines', coalesce((
      select jsonb_agg(jsonb_build_object('id', l.id, 'quantity', l.quantity, 'files', (
        select jsonb_agg(df.file_id) from delivery_files df
        where df.shop_id = d.shop_id and df.delivery_id = d.id and df.line_id = l.id)))
      from deliveries d
      join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id and l.entitled
      where d.shop_id = r.shop_id and d.id = r.delivery_id and exists (
        select from delivery_files df
        where df.shop_id = d.shop_id and df.delivery_id = d.id and df.line_id = l.id)), '[]'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update delivery_runs set about = (about - 'lines') || '{"quantities": {}}';
    drop index licence_keys_given;
    alter table licence_keys drop column line_id, drop column shown_at;
    create unique index licence_keys_given
      on licence_keys (shop_id, delivery_id, file_id, list_id, ordinal)
      where delivery_id is not null;
  `)
}
