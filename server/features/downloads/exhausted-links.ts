// Raises `delivery.downloaded` for links of deliveries, and `link.exhausted` for links whose last download was used, for webhooks and the platform's
// automation, and for links of files that are only viewed whose last view was used, for webhooks.
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import { attemptEach, forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Database } from '../../core/db/database.ts'
import { toPublicId } from '../../core/ids.ts'
import { viewedOnly } from '../../files/view-kinds.ts'
import { defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'
import { IS_USED, raiseTrigger } from '../flow/triggers.ts'
import type { UsedLink } from './record.ts'

export const linkExhausted = defineEvent({
  name: 'link.exhausted',
  title: say('A link is used up'),
  about: 'A link whose last download was used, or last view if its file is only viewed',
  starts: say('a link is used up'),
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

export const deliveryDownloaded = defineEvent({
  name: 'delivery.downloaded',
  title: say('A buyer downloads'),
  about: 'A file of a delivery was downloaded: once a day for each file',
  starts: say('a buyer downloads'),
  data: z.object({ delivery_id: z.string(), file_id: z.string().nullable() }),
})

const LIMITS = `l.downloads, l.download_limit, l.views, l.view_limit,
  case when l.file_id is not null then array[l.file_id]
    else array(select f.id from pack_files k
      join files f on f.shop_id = k.shop_id and f.id = k.file_id
      where k.shop_id = l.shop_id and k.pack_id = l.pack_id and f.deleted_at is null) end as files`

interface EndedLink {
  id: string
  file_id: string | null
  pack_id: string | null
  email: string | null
  downloads: number
  download_limit: number | null
  views: number
  view_limit: number | null
  /** The files that it delivers: bare UUIDs. */
  files: string[]
}

interface UsedRow extends EndedLink {
  shop_id: number
  /** A download used it up, and a receiver wants to know it. */
  exhausted: boolean
  /** The day of the download of a delivery, if a receiver wants to know it. */
  day: string | null
  delivery_id: string | null
  /** The name of the file or the pack. */
  name: string | null
  download_limit: number
}

// Starts with the webhooks and triggers: if no shop has one, nothing else is read.
const wantedBy = (event: string, column: string) => `
  select shop_id, '${column}' as what from webhook_endpoints
  where enabled and (events = '{}' or '${event}' = any(events))
  union all select shop_id, '${column}' from triggers where event = '${event}' and enabled`

const IS_EXHAUSTED = 'l.downloads >= l.download_limit and l.revoked_at is null'

const USED = `
  select l.shop_id, l.id, l.file_id, coalesce(l.pack_id, p.pack_id) as pack_id, l.email,
    ${LIMITS}, coalesce(f.filename, c.name, l.pack_name) as name, p.delivery_id,
    (w.ended and ${IS_EXHAUSTED}) is true as exhausted,
    case when w.downloaded and p.delivery_id is not null
      then (l.last_download_at at time zone 'UTC')::date::text end as day
  from (select shop_id, bool_or(what = 'ended') as ended, bool_or(what = 'downloaded') as downloaded
    from (${wantedBy(linkExhausted.name, 'ended')}
      union all select t.shop_id, 'ended' from flow_triggers t
        where t.handle = 'limit-reached' and ${IS_USED}
      union all ${wantedBy(deliveryDownloaded.name, 'downloaded')}) receivers group by shop_id) w
  join unnest($1::integer[], $2::uuid[]) as u (shop_id, id) on u.shop_id = w.shop_id
  join links l on l.shop_id = u.shop_id and l.id = u.id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join packs c on c.shop_id = l.shop_id and c.id = l.pack_id
  where (w.ended and ${IS_EXHAUSTED}) or (w.downloaded and p.delivery_id is not null)
  order by l.shop_id, l.id`

/**
 * Safe to call for the same link again: each limit of a link is reported once, and a delivery's
 * downloads once a day. A link that fails does not stop the others.
 */
export async function raiseUsed(database: Database, used: readonly UsedLink[]): Promise<void> {
  const { rows } = await database.pool.query<UsedRow>(USED, [
    used.map(({ shop }) => shop),
    used.map(({ link }) => link),
  ])
  await attemptEach(rows, (row) =>
    forShop(database, row.shop_id).transaction(async (tx) => {
      if (row.day !== null && row.delivery_id !== null)
        await raiseEvent(tx, deliveryDownloaded, {
          key: `${row.id}/${row.day}`,
          data: {
            delivery_id: toPublicId('delivery', row.delivery_id),
            file_id: row.file_id && toPublicId('file', row.file_id),
          },
          files: row.files,
        })
      if (!row.exhausted) return
      const key = `${row.id}/${row.download_limit}`
      await raiseEvent(tx, linkExhausted, { key, data: dataOf(row), files: row.files })
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
      files: row.files,
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
const payloadOf = (row: UsedRow) => ({
  'Link ID': toPublicId('link', row.id),
  'File name': row.name ?? '',
  ...(row.email === null ? {} : { 'Buyer email': row.email }),
  'Download limit': row.download_limit,
})
