// Downloads that the holder of a link was refused: when, from where and why, for the merchant who
// helps them. They are written in batches after the responses, so that no request waits for them. A
// killed process loses those of the last seconds, and so does a database that stays unavailable.
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import { shortenedAddress, type Client } from '../../core/client-address.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { defineEvent, isWanted, raiseEvents } from '../../core/outbox/webhook-events.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { linkStatus } from '../links/model/links.ts'
import { agentFamily } from './agent-family.ts'
import type { KnownLink } from './counting/known-link.ts'
import { plainArray } from './targets.ts'
import { WaitingRows } from './waiting-rows.ts'

export const REFUSED_REASONS = [
  'used_up',
  'views_used_up',
  'views_expired',
  'expired',
  'revoked',
  'withdrawn',
  'not_prepared',
  'held',
  'site_not_allowed',
  'not_released',
  'customer_tag',
  'wrong_answer',
] as const
export type RefusedReason = (typeof REFUSED_REASONS)[number]

/** Why the holder of the link was refused; null: for a reason that is not about the link. */
export function refusedReason(link: KnownLink, code: ErrorCode, now: Date): RefusedReason | null {
  if (link.uninstalled) return null
  switch (code) {
    case 'link_expired':
      return 'expired'
    case 'views_used_up':
    case 'views_expired':
      return code
    case 'link_exhausted':
      return linkStatus(link, now) === 'active' && isUnprepared(link) ? 'not_prepared' : 'used_up'
    case 'link_held':
      return link.blocked === 'held' ? 'held' : 'not_prepared'
    case 'link_withdrawn':
      return isRevoked(link) ? 'revoked' : 'withdrawn'
    case 'link_not_released':
      return 'not_released'
    case 'customer_tag_missing':
    case 'customer_unknown':
      return 'customer_tag'
    case 'referrer_not_allowed':
      return 'site_not_allowed'
    default:
      return null
  }
}

/** The link of a file has no bytes until the shop's workflow has prepared them. */
const isUnprepared = ({ target }: KnownLink) => target !== null && !target.hash

const isRevoked = ({ blocked, revoked_at, out }: KnownLink): boolean =>
  blocked === null ? revoked_at !== null || out : blocked === 'refused'

export const linkRefused = defineEvent({
  name: 'link.refused',
  title: say('A download is refused'),
  about:
    'A link whose holder was refused a download: the first time within an hour of the clock, however often they try',
  starts: say('a download is refused'),
  data: z.object({
    id: z.string(),
    file_id: z.string().nullable().describe('null: the page of a delivery or a pack'),
    reason: z.enum(REFUSED_REASONS),
  }),
})

export interface RefusedAttempts {
  /** Queues an attempt; never throws. */
  record(link: KnownLink, reason: RefusedReason, client: Client, at: Date): void
  /** Writes the queue; failures are logged. */
  flush(): Promise<void>
}

/** The rows that a link keeps. */
export const KEPT_ATTEMPTS = 20
const MINUTE_MS = 60_000

interface Attempt {
  shop: number
  link: string
  file: string | null
  reason: RefusedReason
  at: Date
  times: number
  /** Null: the file's downloads are not tracked. */
  client: Client | null
}

// Ordered, because two processes that write the same links in different orders could deadlock. The
// join drops links that were deleted meanwhile.
const INSERT = `
  insert into refused_downloads as r (shop_id, link_id, file_id, reason, minute, at, times, address,
    agent)
  select g.shop_id, g.link_id, g.file_id, g.reason, to_timestamp(floor(g.at_ms / ${MINUTE_MS}) * 60),
    to_timestamp(g.at_ms / 1000), g.times, g.address, g.agent
  from unnest(:shops::integer[], :links::uuid[], :files::uuid[], :reasons::text[], :moments::float8[],
    :times::integer[], :addresses::text[], :agents::text[])
    as g (shop_id, link_id, file_id, reason, at_ms, times, address, agent)
  join links l on l.shop_id = g.shop_id and l.id = g.link_id
  order by 1, 2, 4, 5
  on conflict (shop_id, link_id, reason, minute) do update set
    (at, times, address, agent) =
    (excluded.at, r.times + excluded.times, excluded.address, excluded.agent)
  returning shop_id, link_id, file_id, reason, minute,
    ${isWanted(`'${linkRefused.name}'`, 'r.shop_id')}
    -- The minutes of a link before this one have told it.
    and not exists (select from refused_downloads o where o.shop_id = r.shop_id
      and o.link_id = r.link_id and (o.minute, o.reason) <> (r.minute, r.reason)
      and o.minute between date_trunc('hour', r.minute) and r.minute)
    and old.times is null as told`

const DROP_OLD = `
  delete from refused_downloads r using (
    select shop_id, link_id, reason, minute,
      row_number() over (partition by shop_id, link_id order by at desc, reason) as place
    from refused_downloads where (shop_id, link_id) in (
      select * from unnest($1::integer[], $2::uuid[]))
  ) old
  where old.place > ${KEPT_ATTEMPTS} and r.shop_id = old.shop_id and r.link_id = old.link_id
    and r.reason = old.reason and r.minute = old.minute`

export function createRefusedAttempts(database: Database, log: Logger): RefusedAttempts {
  const rows = new WaitingRows<Attempt>({
    about: 'refused downloads',
    log,
    write: (attempts) => writeAttempts(database, attempts),
  })
  return {
    record: (link, reason, client, at) => {
      const minute = Math.floor(at.getTime() / MINUTE_MS)
      const tracked = link.target?.tracked === false ? null : client
      rows.add(`${link.link}/${reason}/${minute}`, (known) => ({
        shop: link.shop,
        link: link.link,
        file: link.target?.file ?? null,
        reason,
        at,
        client: tracked,
        times: (known?.times ?? 0) + 1,
      }))
    },
    flush: () => rows.flush(),
  }
}

async function writeAttempts(
  { knex, pool }: Database,
  attempts: readonly Attempt[],
): Promise<void> {
  const shops = plainArray(attempts.map(({ shop }) => shop))
  const links = plainArray(attempts.map(({ link }) => link))
  await knex.transaction(async (tx) => {
    const { rows } = await tx.raw<{ rows: WrittenAttempt[] }>(INSERT, {
      shops,
      links,
      files: plainArray(attempts.map(({ file }) => file ?? 'null')),
      reasons: plainArray(attempts.map(({ reason }) => reason)),
      moments: plainArray(attempts.map(({ at }) => at.getTime())),
      times: plainArray(attempts.map(({ times }) => times)),
      addresses: attempts.map(({ client }) => (client ? shortenedAddress(client.address) : '')),
      agents: attempts.map(({ client }) => (client ? agentFamily(client.agent) : '')),
    })
    const told = rows.filter((row) => row.told)
    for (const [shop, of] of Map.groupBy(told, (row) => row.shop_id))
      await raiseRefused(forShop({ knex: tx }, shop), of)
  })
  await pool.query({ name: 'delivery_refused_old', text: DROP_OLD, values: [shops, links] })
}

interface WrittenAttempt {
  shop_id: number
  link_id: string
  file_id: string | null
  reason: RefusedReason
  minute: Date
  /** It is the link's first of its hour, and a receiver wants to know it. */
  told: boolean
}

const HOUR_MS = 60 * MINUTE_MS

const raiseRefused = (tx: ShopScope, attempts: readonly WrittenAttempt[]): Promise<void> =>
  raiseEvents(
    tx,
    linkRefused,
    attempts.map(({ link_id, file_id, reason, minute }) => ({
      key: `${link_id}/${Math.floor(minute.getTime() / HOUR_MS)}`,
      data: {
        id: toPublicId('link', link_id),
        file_id: file_id && toPublicId('file', file_id),
        reason,
      },
      files: file_id === null ? [] : [file_id],
    })),
  )
