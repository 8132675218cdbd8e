// Who has a file: the orders that delivered it, links to it, and links to its pack, newest first.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { viewedOnly } from '../../files/view-kinds.ts'
import { usableUntil } from '../links/model/ends.ts'
import { packViewsEnd } from '../links/model/pack-links.ts'
import { readNewest, type HistoryPlace, type PagePlace } from './file-history.ts'

interface HolderFacts {
  /** The bare UUID of the delivery or of the link. */
  id: string
  email: string | null
  /** Of a delivery. */
  order_name: string | null
  /** Of a pack’s link. */
  pack_name: string | null
  /** Of this file by this holder. */
  downloads: number
  last_download_at: string | null
  /** Whether it was withdrawn, revoked or has expired. */
  ended: boolean
}

export type HolderKind = 'delivery' | 'link' | 'pack_link'

export type HolderRow = HistoryPlace & { at: Date; kind: HolderKind; facts: HolderFacts }

const hasEnded = (end: string) => `l.revoked_at is not null or coalesce(${end} <= now(), false)`

const DELIVERIES = `
  select min(df.created_at) as at, 'delivery/' || d.id as key, 'delivery' as kind,
    jsonb_build_object('id', d.id, 'order_name', o.name, 'pack_name', null,
      'email', coalesce(d.email, o.email), 'downloads', coalesce(max(l.served), 0),
      'last_download_at', max(l.last_download_at),
      'ended', bool_and(df.withdrawn) or d.revoked_at is not null or d.withdrawn_at is not null
        or coalesce(bool_and(${hasEnded(usableUntil('l', 'f'))}), false)) as facts
  from delivery_files df
  join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
  join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
  left join links l on l.shop_id = p.shop_id and l.parent_id = p.id and l.file_id = df.file_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  where df.shop_id = :shop and df.file_id = :file
  group by d.shop_id, d.id, o.shop_id, o.id`

const factsOfLink = (packName: string, child: string, end: string) => `
  jsonb_build_object('id', l.id, 'order_name', null, 'pack_name', ${packName}, 'email', l.email,
    'downloads', coalesce(${child}.served, 0), 'last_download_at', ${child}.last_download_at,
    'ended', ${hasEnded(end)}) as facts`

const LINKS = `
  select l.created_at as at, 'link/' || l.id as key, 'link' as kind,
    ${factsOfLink('null', 'l', usableUntil('l', 'f'))}
  from links l join files f on f.shop_id = l.shop_id and f.id = l.file_id
  where l.shop_id = :shop and l.file_id = :file and l.parent_id is null`

/** Of a file of the pack's link `l`, with its own link `c`: as `known-link.ts` decides. */
const PACK_FILE_END = `case when ${viewedOnly('f')} then ${packViewsEnd('c', 'l')}
  else least(l.ends_at, c.use_ends_at) end`

/** Those of its present pack: a file that left a pack is not behind its links any more. */
const PACK_LINKS = `
  select l.created_at as at, 'pack/' || l.id as key, 'pack_link' as kind,
    ${factsOfLink('k.name', 'c', PACK_FILE_END)}
  from files f join packs k on k.shop_id = f.shop_id and k.id = f.pack_id
  join links l on l.shop_id = k.shop_id and l.pack_id = k.id
  left join links c on c.shop_id = l.shop_id and c.parent_id = l.id and c.file_id = f.id
  where f.shop_id = :shop and f.id = :file`

/** Newest first. Null: there is no such file. */
export const readHolders = (
  scope: ShopScope,
  file: string,
  place: PagePlace,
): Promise<HolderRow[] | null> =>
  readNewest(scope, [DELIVERIES, LINKS, PACK_LINKS], { ...place, file })
