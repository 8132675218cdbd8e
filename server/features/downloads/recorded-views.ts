// Views of files, for the merchant: who read or played which file, and when. One row for each link and
// hour, written behind and bounded like refused downloads.
import type pg from 'pg'
import { shortenedAddress, type Client } from '../../core/client-address.ts'
import type { Logger } from '../../core/log.ts'
import { agentFamily } from './agent-family.ts'
import type { KnownLink } from './counting/known-link.ts'
import { plainArray } from './targets.ts'
import { WaitingRows } from './waiting-rows.ts'

export interface RecordedViews {
  /** Queues a view; never throws. */
  record(link: KnownLink, client: Client, at: Date): void
  /** Writes the queue; failures are logged. */
  flush(): Promise<void>
}

/** What a merchant sees of a view. */
export interface ShownView {
  /** The last request of its hour. */
  at: Date
  file_id: string
  filename: string
  /** Shortened; '' for a file without tracking, as is `agent`. */
  address: string
  agent: string
}

/** The rows that a link keeps. */
const KEPT_VIEWS = 20
const HOUR_MS = 3_600_000

interface View {
  shop: number
  link: string
  file: string
  at: Date
  /** Null: the file's downloads are not tracked. */
  client: Client | null
}

// Ordered, because two processes that write the same links in different orders could deadlock. The
// join drops links that were deleted meanwhile.
const INSERT = `
  insert into file_views as v (shop_id, link_id, file_id, hour, at, address, agent)
  select g.shop_id, g.link_id, g.file_id, to_timestamp(floor(g.at_ms / ${HOUR_MS}) * 3600),
    to_timestamp(g.at_ms / 1000), g.address, g.agent
  from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::float8[], $5::text[], $6::text[])
    as g (shop_id, link_id, file_id, at_ms, address, agent)
  join links l on l.shop_id = g.shop_id and l.id = g.link_id
  order by 1, 2, 4
  on conflict (shop_id, link_id, hour) do update set
    (file_id, at, address, agent) = (excluded.file_id, excluded.at, excluded.address, excluded.agent)`

const DROP_OLD = `
  delete from file_views v using (
    select shop_id, link_id, hour,
      row_number() over (partition by shop_id, link_id order by hour desc) as place
    from file_views where (shop_id, link_id) in (select * from unnest($1::integer[], $2::uuid[]))
  ) old
  where old.place > ${KEPT_VIEWS} and v.shop_id = old.shop_id and v.link_id = old.link_id
    and v.hour = old.hour`

export function createRecordedViews(pool: pg.Pool, log: Logger): RecordedViews {
  const rows = new WaitingRows<View>({
    about: 'views',
    log,
    write: (views) => writeViews(pool, views),
  })
  return {
    record: ({ shop, link, target }, client, at) => {
      if (!target) return
      const view = { shop, link, file: target.file, at, client: target.tracked ? client : null }
      rows.add(`${link}/${Math.floor(at.getTime() / HOUR_MS)}`, () => view)
    },
    flush: () => rows.flush(),
  }
}

async function writeViews(pool: pg.Pool, views: readonly View[]): Promise<void> {
  const links = [
    plainArray(views.map(({ shop }) => shop)),
    plainArray(views.map(({ link }) => link)),
  ]
  const values = [
    ...links,
    plainArray(views.map(({ file }) => file)),
    plainArray(views.map(({ at }) => at.getTime())),
    views.map(({ client }) => (client ? shortenedAddress(client.address) : '')),
    views.map(({ client }) => (client ? agentFamily(client.agent) : '')),
  ]
  await pool.query({ name: 'delivery_views', text: INSERT, values })
  await pool.query({ name: 'delivery_views_old', text: DROP_OLD, values: links })
}
