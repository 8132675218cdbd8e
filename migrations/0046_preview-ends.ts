// When a preview was ready; and previews that were discarded count nothing as done.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null while it looks, and from its confirmation on: the time that it waits for a person is no work.
    alter table operations add column previewed_at timestamptz;
    update operations o set previewed_at = coalesce(
        (select max(i.finished_at) from items i where i.shop_id = o.shop_id and i.operation_id = o.id),
        started_at, created_at)
      where preview and round = 0 and status in ('previewed', 'cancelled');
    update operations set done = 0, failed = 0, skipped = 0, cancelled = total
      where preview and round = 0 and status = 'cancelled';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table operations drop column previewed_at')
}
