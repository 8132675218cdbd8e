// An item that failed or was skipped says why: no outcome is written without a code.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update items i set error = coalesce(i.error, '{}') || jsonb_build_object(
        'code', case when i.status = 'skipped' then 'skipped' else coalesce(o.stopped ->> 'code', 'plugin_failed') end,
        'message', coalesce(i.error ->> 'message', o.stopped ->> 'message', case
          when i.status = 'skipped' then 'It was skipped' else 'The plugin failed on this file' end),
        'retryable', coalesce((i.error ->> 'retryable')::boolean, i.status = 'failed'))
      from operations o
      where o.shop_id = i.shop_id and o.id = i.operation_id
        and i.status in ('failed', 'skipped') and i.error ->> 'code' is null;
    update items i set error = jsonb_build_object(
        'code', case when o.stopped is null then 'operation_cancelled' else 'operation_stopped' end,
        'message', case when o.stopped is null then 'The operation was cancelled'
          else 'The operation stopped when another item failed' end,
        'retryable', true)
      from operations o
      where o.shop_id = i.shop_id and o.id = i.operation_id and i.status = 'cancelled' and i.error is null;
    alter table items add constraint items_say_why
      check (status not in ('failed', 'skipped') or error ->> 'code' is not null);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table items drop constraint items_say_why')
}
