// Limits how often one mail is sent again by hand or over the API: a tool in a loop must not fill a
// buyer's mailbox.
import type { ShopScope } from '../db/for-shop.ts'

/** The maximum of mails within an hour about one link or delivery. */
export const MAX_REPEATED = 5

/**
 * The links or deliveries (bare UUIDs) whose mail was sent too often within the last hour, each
 * with the seconds until it may be sent again. Call it in the transaction that sends the mails and has
 * locked them: each request counts the mails of those before it.
 */
export async function repeatedTooOften(
  tx: ShopScope,
  kind: 'link' | 'delivery',
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ about: string; seconds: number }>(
    `select about, ceil(extract(epoch from earliest + interval '1 hour' - now()))::int as seconds
     from unnest(:ids::text[]) about cross join lateral (
       select min(created_at) as earliest, count(*) from (
         select created_at from outbox
         where shop_id = :shop and payload ->> '${kind}' = about
           and created_at > now() - interval '1 hour'
         order by id desc limit ${MAX_REPEATED}
       ) recent
     ) sent where sent.count >= ${MAX_REPEATED}`,
    { ids },
  )
  return new Map(rows.map(({ about, seconds }) => [about, Math.max(1, seconds)]))
}
