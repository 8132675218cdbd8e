// Raises `link.exhausted` for links whose last download was used.
import type { Database } from '../db/database.ts'
import { forShop } from '../db/for-shop.ts'
import type { UsedLink } from '../delivery/record.ts'
import { toPublicId } from '../ids.ts'
import { raiseEvent } from '../files/webhook-events.ts'

interface ExhaustedRow {
  shop_id: number
  id: string
  file_id: string | null
  pack_id: string | null
  email: string | null
  downloads: number
  download_limit: number
}

// Begins with the webhooks: where no shop has one, nothing else is read.
const EXHAUSTED = `
  select l.shop_id, l.id, l.file_id, coalesce(l.pack_id, p.pack_id) as pack_id, l.email, l.downloads, l.download_limit
  from (select distinct shop_id from webhook_endpoints
    where enabled and (events = '{}' or 'link.exhausted' = any(events))) w
  join unnest($1::integer[], $2::uuid[]) as u (shop_id, id) on u.shop_id = w.shop_id
  join links l on l.shop_id = u.shop_id and l.id = u.id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  where l.downloads >= l.download_limit and l.revoked_at is null
  order by l.shop_id, l.id`

/** Safe to call for the same link again: each limit of a link is told once. */
export async function raiseExhausted(database: Database, used: readonly UsedLink[]): Promise<void> {
  const { rows } = await database.pool.query<ExhaustedRow>(EXHAUSTED, [
    used.map(({ shop }) => shop),
    used.map(({ link }) => link),
  ])
  for (const row of rows)
    await forShop(database, row.shop_id).transaction((tx) =>
      raiseEvent(tx, {
        type: 'link.exhausted',
        key: `${row.id}/${row.download_limit}`,
        data: {
          id: toPublicId('link', row.id),
          file_id: row.file_id && toPublicId('file', row.file_id),
          pack_id: row.pack_id && toPublicId('pack', row.pack_id),
          email: row.email,
          downloads: row.downloads,
          download_limit: row.download_limit,
        },
      }),
    )
}
