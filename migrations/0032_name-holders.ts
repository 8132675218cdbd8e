// Who has which names, found by the index of names whatever the planner knows of the table.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A probe a name. Of a table that was vacuumed while it was empty, or not analysed yet, the planner takes any index for as good, and
    -- reads all of a shop's files for each of thousands of names. It may neither sort nor read the table through here: then
    -- only the index of names gives the order.
    create function name_holders(shop int, keys text[]) returns table (name_key text, id uuid)
      language sql stable
      set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
      begin atomic
        select k.key, f.id from unnest(keys) as k(key), lateral (
          select files.id from files where files.shop_id = shop and files.deleted_at is null
            and files.name_key >= k.key and files.name_key <= k.key
          order by files.name_key limit 1) f;
      end;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function name_holders')
}
