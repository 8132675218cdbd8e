// Raises `link.exhausted`, for webhooks and the platform's automation, for links whose last
// download was used.
import { say } from '../../../plugins/contract.ts'
import { z } from 'zod'
import { attemptEach } from '../../core/db/attempt-each.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { UsedLink } from './record.ts'
import { toPublicId } from '../../core/ids.ts'
import { IS_USED, raiseTrigger } from '../flow/triggers.ts'
import { defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'

export const linkExhausted = defineEvent({
  name: 'link.exhausted',
  title: say('A link is used up'),
  about: 'A link whose last download was used',
  data: z.object({
    id: z.string(),
    file_id: z.string().nullable(),
    pack_id: z.string().nullable(),
    email: z.string().nullable(),
    downloads: z.number().int(),
    download_limit: z.number().int(),
  }),
})

interface ExhaustedRow {
  shop_id: number
  id: string
  file_id: string | null
  pack_id: string | null
  /** The name of the file or the pack. */
  name: string | null
  email: string | null
  downloads: number
  download_limit: number
}

// Starts with the webhooks and triggers: if no shop has one, nothing else is read.
const EXHAUSTED = `
  select l.shop_id, l.id, l.file_id, coalesce(l.pack_id, p.pack_id) as pack_id, l.email,
    l.downloads, l.download_limit, coalesce(f.filename, c.name, l.pack_name) as name
  from (select shop_id from webhook_endpoints
    where enabled and (events = '{}' or '${linkExhausted.name}' = any(events))
    union select t.shop_id from flow_triggers t where t.handle = 'limit-reached' and ${IS_USED}) w
  join unnest($1::integer[], $2::uuid[]) as u (shop_id, id) on u.shop_id = w.shop_id
  join links l on l.shop_id = u.shop_id and l.id = u.id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join packs c on c.shop_id = l.shop_id and c.id = l.pack_id
  where l.downloads >= l.download_limit and l.revoked_at is null
  order by l.shop_id, l.id`

/**
 * Safe to call for the same link again: each limit of a link is reported once. A link that fails
 * does not stop the others.
 */
export async function raiseExhausted(database: Database, used: readonly UsedLink[]): Promise<void> {
  const { rows } = await database.pool.query<ExhaustedRow>(EXHAUSTED, [
    used.map(({ shop }) => shop),
    used.map(({ link }) => link),
  ])
  await attemptEach(rows, (row) =>
    forShop(database, row.shop_id).transaction(async (tx) => {
      const key = `${row.id}/${row.download_limit}`
      await raiseEvent(tx, linkExhausted, { key, data: dataOf(row) })
      await raiseTrigger(tx, { handle: 'limit-reached', key, payload: payloadOf(row) })
    }),
  )
}

const dataOf = (row: ExhaustedRow): z.output<typeof linkExhausted.data> => ({
  id: toPublicId('link', row.id),
  file_id: row.file_id && toPublicId('file', row.file_id),
  pack_id: row.pack_id && toPublicId('pack', row.pack_id),
  email: row.email,
  downloads: row.downloads,
  download_limit: row.download_limit,
})

/** The names of the fields in web/extensions/flow-limit-reached. */
const payloadOf = (row: ExhaustedRow) => ({
  'Link ID': toPublicId('link', row.id),
  'File name': row.name ?? '',
  ...(row.email === null ? {} : { 'Buyer email': row.email }),
  'Download limit': row.download_limit,
})
