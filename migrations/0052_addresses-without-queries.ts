// Addresses of imports and callbacks are kept without user info, query and fragment once nothing goes there any more. What
// is still under way, waits, or may be tried again keeps its address until the sweep of ended operations comes to it.
import type { Knex } from 'knex'

const kept = (text: string): string =>
  String.raw`regexp_replace(regexp_replace(${text}, '[\x3f#].*$', ''), '^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/]*@', '\1')`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update items i set entry = jsonb_set(entry, '{source,url}', to_jsonb(${kept(`entry #>> '{source,url}'`)}))
    from operations o
    where o.shop_id = i.shop_id and o.id = i.operation_id and o.finished_at is not null
      and (i.status in ('done', 'skipped') or o.detail <> 'kept')
      and (entry #>> '{source,url}' ~ '[\\x3f#]' or entry #>> '{source,url}' ~ '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/]*@');
    update outbox set result = jsonb_set(result, '{to}', jsonb_build_array(${kept(`result #>> '{to,0}'`)}))
    where kind = 'callback' and result #>> '{to,0}' is not null;
    update outbox m set payload = jsonb_build_object('url', ${kept(`payload ->> 'url'`)})
    from operations o
    where o.shop_id = m.shop_id and o.id = m.operation_id and o.detail <> 'kept'
      and m.kind = 'callback' and m.status not in ('waiting', 'sending');
    update operations set request = request || jsonb_build_object('callback_url', ${kept(`request ->> 'callback_url'`)})
    where detail <> 'kept' and request -> 'callback_url' is not null;
  `)
}

export async function down(): Promise<void> {
  // What was left out is not known any more.
}
