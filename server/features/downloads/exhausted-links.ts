// Raises `link.exhausted` for links whose last download was used, for webhooks and the platform's
// automation, and for links of files that are only viewed whose last view was used, for webhooks.
import { say } from '../../../plugins/contract/index.ts'
import { z } from 'zod'
import { attemptEach } from '../../core/db/attempt-each.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { UsedLink } from './record.ts'
import { toPublicId } from '../../core/ids.ts'
import { viewedOnly } from '../../files/view-kinds.ts'
import { IS_USED, raiseTrigger } from '../flow/triggers.ts'
import { defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'

export const linkExhausted = defineEvent({
  name: 'link.exhausted',
  title: say('A link is used up'),
  about: 'A link whose last download was used, or last view if its file is only viewed',
  data: z.object({
    id: z.string(),
    file_id: z.string().nullable(),
    pack_id: z.string().nullable(),
    email: z.string().nullable(),
    downloads: z.number().int(),
    download_limit: z.number().int().nullable(),
    views: z.number().int(),
    view_limit: z.number().int().nullable(),
  }),
})

const LIMITS = 'l.downloads, l.download_limit, l.views, l.view_limit'

interface EndedLink {
  id: string
  file_id: string | null
  pack_id: string | null
  email: string | null
  downloads: number
  download_limit: number | null
  views: number
  view_limit: number | null
}

interface ExhaustedRow extends EndedLink {
  shop_id: number
  /** The name of the file or the pack. */
  name: string | null
  download_limit: number
}

// Starts with the webhooks and triggers: if no shop has one, nothing else is read.
const EXHAUSTED = `
  select l.shop_id, l.id, l.file_id, coalesce(l.pack_id, p.pack_id) as pack_id, l.email,
    ${LIMITS}, coalesce(f.filename, c.name, l.pack_name) as name
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

const VIEWS_USED = `
  select l.id, l.file_id, p.pack_id, l.email, ${LIMITS}
  from links l
  join files f on f.shop_id = l.shop_id and f.id = l.file_id and ${viewedOnly('f')}
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  where l.shop_id = :shop and l.id = :link`

/** In the transaction that counts the last view of a link. */
export async function raiseViewsUsed(tx: ShopScope, link: string): Promise<void> {
  const row = await tx.first<EndedLink>(VIEWS_USED, { link })
  if (row)
    await raiseEvent(tx, linkExhausted, {
      key: `${row.id}/views/${row.view_limit}`,
      data: dataOf(row),
    })
}

const dataOf = (row: EndedLink): z.output<typeof linkExhausted.data> => ({
  id: toPublicId('link', row.id),
  file_id: row.file_id && toPublicId('file', row.file_id),
  pack_id: row.pack_id && toPublicId('pack', row.pack_id),
  email: row.email,
  downloads: row.downloads,
  download_limit: row.download_limit,
  views: row.views,
  view_limit: row.view_limit,
})

/** The names of the fields in web/extensions/flow-limit-reached. */
const payloadOf = (row: ExhaustedRow) => ({
  'Link ID': toPublicId('link', row.id),
  'File name': row.name ?? '',
  ...(row.email === null ? {} : { 'Buyer email': row.email }),
  'Download limit': row.download_limit,
})
