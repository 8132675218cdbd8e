// The other files that a view needs: the tracks of an album, and the subtitles of a video. They
// belong to the same delivery or pack, and each has its own link there.
import { hashKey, type Secrets } from '../../../core/secrets.ts'
import { offeredView, type ViewKind } from '../../../files/view-kinds.ts'
import { askOf, gateOf, type Gate, tagAllows } from '../../links/model/links.ts'
import { PAID_ORDER } from '../../links/model/delivery-links.ts'
import type { KnownLink } from '../counting/known-link.ts'
import {
  LINK_BYTES_OF,
  linkTargetOf,
  TARGET,
  TARGET_LENGTH,
  type LinkTarget,
  type Query,
} from '../targets.ts'
import { isInPack } from '../../../files/pack-places.ts'

/** A file of the same page, with the key of its link. */
export interface Companion {
  key: string
  target: LinkTarget
  /** What its link asks for; null: nothing. */
  gate: Gate | null
  /** When this browser's session of its link ends; null: it has none. */
  viewing: Date | null
}

export interface Companions {
  /** The key of the page of the delivery or the pack; null: the link belongs to none. */
  page: string | null
  files: readonly Companion[]
}

const LONGEST_LIST = 500

const OWN_PAGE = `
  select l.id, l.rotation, l.key_hash
  from links own join links l on l.shop_id = own.shop_id and l.id = own.parent_id
  where own.shop_id = $1 and own.id = $2`

/** SQL: the files that a view of this kind needs; the others need none. */
const NEEDED: Partial<Record<ViewKind, string>> = {
  audio: `v.content_type ilike 'audio/%'`,
  video: `f.filename ~* '\\.(vtt|srt)$'`,
}

/** SQL: the link `c` has views left, or the browser a session of it. Subtitles need none. */
const HAS_VIEWS = '(c.view_limit is null or c.views < c.view_limit or w.expires_at is not null)'

// Usable links only: the conditions of a view, without its referrers.
const siblings = (kind: ViewKind, needed: string) => `
  select ${TARGET}, c.id, c.rotation, c.key_hash, ${askOf('c', 'l')}, l.id, c.email, w.expires_at
  from links own
  join links l on l.shop_id = own.shop_id and l.id = own.parent_id
  join shops s on s.id = own.shop_id
  join links c on c.shop_id = own.shop_id and c.parent_id = l.id and c.revoked_at is null
    and (c.view_expires_at > $3 or c.view_expires_at is null
      and (not c.paid or c.expires_at is null or c.expires_at > $3))
    and (c.use_ends_at is null or c.use_ends_at > $3)
    and (c.available_at is null or c.available_at <= $3)
  join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
    and (f.mapping_state <> 'unmapped' or c.paid and s.keep_paid)
  join ${LINK_BYTES_OF('c')} on not v.damaged
  left join view_sessions w on w.shop_id = c.shop_id and w.link_id = c.id and w.session = $4::bytea
    and w.expires_at > $3
  where own.shop_id = $1 and own.id = $2 and ${tagAllows('c')} and (c.paid or ${isInPack('l.shop_id', 'l.pack_id', 'f.id')})
    and ${needed} and ${kind === 'video' ? 'true' : HAS_VIEWS}
  order by ${PAID_ORDER} limit ${LONGEST_LIST}`

type KeyRow = [link: string, rotation: number, keyHash: Buffer]
type SiblingRow = [
  ...KeyRow,
  asks: string,
  root: string,
  email: string | null,
  viewing: Date | null,
]

/** The page of the link, and the files beside it that a view of this kind needs. */
export async function readCompanions(
  query: Query,
  secrets: Pick<Secrets, 'linkKey'>,
  { shop, link }: Pick<KnownLink, 'shop' | 'link'>,
  { kind, now, viewer }: { kind: ViewKind; now: Date; viewer: Buffer | null },
): Promise<Companions> {
  const { rows: pages } = await query('view_page', OWN_PAGE, [shop, link])
  const [own] = pages as KeyRow[]
  if (!own) return { page: null, files: [] }
  const page = secrets.linkKey(...own)
  const needed = NEEDED[kind]
  if (needed === undefined) return { page, files: [] }
  const { rows } = await query(`view_${kind}`, siblings(kind, needed), [shop, link, now, viewer])
  const files = rows.map((row): Companion => {
    const own = row.slice(TARGET_LENGTH) as SiblingRow
    const [id, rotation, keyHash, asks, root, email, viewing] = own
    const key = secrets.linkKey(id, rotation, keyHash)
    return { key, target: linkTargetOf(row, id), gate: gateOf(asks, root, email), viewing }
  })
  return { page, files }
}

/** The tracks that are played one after the other, with the opened one among them. */
export function tracksOf(opened: Companion, files: readonly Companion[]): readonly Companion[] {
  const tracks = files.filter(({ target }) => offeredView(target) === 'audio')
  return tracks.some(({ key }) => key === opened.key) ? tracks : [opened]
}

/** Identifies a key without telling it: for the position that the browser keeps. */
export const placeName = (key: string): string => hashKey(key).toString('base64url').slice(0, 22)
