// The statements about public files. Counts have their own row, so that a download never locks the
// file's. There is no limit and thus no session: a part that begins after byte 0 continues a
// counted download, if it is of the version that the client has (sent-versions.ts).
import { createQueryBatcher, lastOf, present } from '../../../core/lazy.ts'
import type { Client } from '../../../core/client-address.ts'
import { DOWNLOADABLE } from '../../../files/view-kinds.ts'
import type { PageLooks } from '../look.ts'
import type { ShownShop } from '../pages.ts'
import type { Recorder } from '../record.ts'
import {
  siteAllowed,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  fileTargetOf,
  opaque,
  type Query,
  type FileTarget,
  joinSites,
} from '../targets.ts'
import { markBatch, type CountedWrites } from '../counted-writes.ts'
import { UNCOUNTED, type FileTransfer } from './file-transfer.ts'

export interface PublicTarget extends FileTarget {
  token: string
  /** Deliver it over the CDN, if one is configured. */
  cdn: boolean
  /** The file has been the same since it has this address. */
  steady: boolean
}

/** A public file, with what decides whether a request may have it. */
export interface KnownPublic {
  target: PublicTarget
  referrers: readonly string[]
  shop: ShownShop
}

export interface PublicAsker {
  token: string
  client: Client
  sites: readonly string[] | null
  now: Date
}

/** A download that was counted. */
export interface PublicDownload {
  target: PublicTarget
  transfer: FileTransfer
}

export const FILE = (address: string) => `
  cross join lateral (select * from files where shop_id = ${address}.shop_id
    and id = ${address}.file_id limit 1) f
  cross join lateral (select * from shops where id = ${address}.shop_id limit 1) s`
const VERSION = `
  cross join lateral (
    select * from versions where shop_id = f.shop_id and file_id = f.id and number = f.version
      limit 1) v`
/** The file is public and may be downloaded, and its shop has the app installed. */
export const SHOWN = `f.visibility = 'public' and f.deleted_at is null and ${DOWNLOADABLE}
  and f.ask_for is null and s.uninstalled_at is null`

const TOKENS = opaque('$1::uuid[]')
const STEADY = 'f.version_since <= p.created_at as steady'
// As for links: one statement for all requests that arrive together, with the rows locked in one
// order.
const COUNT = `
  with asked as (
    select * from unnest(${TOKENS},
      ${opaque('$2::text[]')}) with ordinality as a (token, sites, place)
  ), allowed as (
    select p.* from public_addresses p where p.token = any(${TOKENS}::uuid[])
      order by p.token for no key update
  ), granted as (
    select ${TARGET}, f.cdn, ${STEADY}, a.place
    from allowed p join asked a on a.token = p.token ${FILE('p')} ${VERSION}
    where not v.damaged and ${SHOWN} and ${siteAllowed('a.sites')}
  ), counted as (
    update public_addresses p set downloads = p.downloads + g.times, last_download_at = $3
    from (select shop_id, file_id, count(*) as times from granted group by shop_id, file_id) g
    where p.shop_id = g.shop_id and p.file_id = g.file_id
  ), marked as (
    ${markBatch(3, 'granted')}
  )
  select ${TARGET_NAMES}, cdn, steady, place from granted`

const LOOK_UP = `
  select ${TARGET}, f.cdn, ${STEADY}, f.allowed_referrers, s.name, s.domain
  from public_addresses p ${FILE('p')} ${VERSION} where p.token = $1 and ${SHOWN}`

// Older versions too, while they exist: an address that names a version keeps serving that one.
const LOOK_UP_VERSION = `
  select ${TARGET}, f.cdn, true as steady
  from public_addresses p ${FILE('p')}
  cross join lateral (
    select * from versions where shop_id = f.shop_id and file_id = f.id and hash = decode($2, 'hex')
    order by number desc limit 1) v
  where p.token = $1 and ${SHOWN} and f.cdn`

const REVERT_COUNT = `
  update public_addresses set downloads = greatest(downloads - 1, 0) where shop_id = $1
    and file_id = $2`

export interface PublicCounter {
  /** Counts a download; null if nothing is public at this address, or not for this site. */
  count(asker: PublicAsker): Promise<PublicDownload | null>
  /** The file at this address; null if nothing is public there. */
  lookUp(token: string): Promise<KnownPublic | null>
  /** The version with this hash, if the file has one and is delivered over the CDN. */
  lookUpVersion(token: string, hash: string): Promise<PublicTarget | null>
}

export function createPublicCounter(parts: {
  query: Query
  writes: CountedWrites
  looks: PageLooks
  recorder: Pick<Recorder, 'record'>
}): PublicCounter {
  const { query, writes, looks, recorder } = parts
  const countAll = async (asked: readonly PublicAsker[]): Promise<(PublicTarget | null)[]> => {
    const tokens = asked.map(({ token }) => token)
    const sites = asked.map((asker) => joinSites(asker.sites))
    const values = [tokens, sites, lastOf(asked).now]
    const rows = await writes.forRequest('public_count', COUNT, values)
    const targets = asked.map((): PublicTarget | null => null)
    for (const row of rows) {
      const at = (row[TARGET_LENGTH + 2] as number) - 1
      targets[at] = publicTargetOf(row, present(tokens[at], 'The token that was counted'))
    }
    return targets
  }
  const countOne = createQueryBatcher(countAll)
  return {
    count: async (asker) => {
      const target = await countOne(asker)
      if (!target) return null
      const confirmed = () =>
        recorder.record({ target, link: null, client: asker.client, at: asker.now })
      const undo = async () => {
        await query('public_revert_count', REVERT_COUNT, [target.shop, target.file])
      }
      return { target, transfer: { ...UNCOUNTED, confirmed, undo } }
    },
    lookUp: async (token) => {
      const { rows } = await query('public_look_up', LOOK_UP, [token])
      if (!rows[0]) return null
      const target = publicTargetOf(rows[0], token)
      const [referrers, name, domain] = rows[0].slice(TARGET_LENGTH + 2) as [
        string[],
        string,
        string,
      ]
      const look = await looks.of(target.shop)
      return { target, referrers, shop: { name, domain, look } }
    },
    lookUpVersion: async (token, hash) => {
      const { rows } = await query('public_look_up_version', LOOK_UP_VERSION, [token, hash])
      return rows[0] ? publicTargetOf(rows[0], token) : null
    },
  }
}

const publicTargetOf = (row: readonly unknown[], token: string): PublicTarget => ({
  ...fileTargetOf(row),
  token,
  cdn: row[TARGET_LENGTH] as boolean,
  steady: row[TARGET_LENGTH + 1] as boolean,
})
