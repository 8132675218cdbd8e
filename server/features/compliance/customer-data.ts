// customers/data_request: collects the stored data about a buyer into one JSON document, keeps it
// sealed for the merchant, and notifies the shop with a notice. The merchant gives it to the
// customer.
import { dayAt, say, sentences } from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import {
  findBuyer,
  containsAddress,
  patternsOf,
  type AddressPatterns,
  type Buyer,
  type CustomerRequest,
} from './buyer.ts'
import { MOVED_TEMPLATE } from '../mail/buyer-mail.ts'
import { openPhone } from '../orders/delivery-text.ts'
import { readAnswer, recentAnswer, storeAnswer } from './customer-data-rows.ts'
import type { BuyerPlaces } from '../feature.ts'
import type { ComplianceParts } from './parts.ts'

type Rows = Record<string, unknown>[]

/** The document for the customer. Times are ISO 8601, sizes and counts plain numbers. */
export interface CustomerData {
  customer: { email: string | null; customer_id: string | null; order_ids: readonly string[] }
  collected_at: string
  links: Rows
  downloads: Rows
  /** Downloads that their links refused, with shortened addresses. */
  refused_downloads: Rows
  /** Files that were read or played in a browser, with shortened addresses. */
  views: Rows
  /** When they answered what a link asked for, with shortened addresses. */
  openings: Rows
  orders: Rows
  /** Orders whose files a workflow prepared, with the buyer as its plugins got them. */
  deliveries: Rows
  /** Other rows by their kind: messages, notices, operations. */
  records: Record<string, Rows>
}

/**
 * Collects and stores the data; returns the answer's bare UUID. The same request within the hour
 * gets the same answer.
 */
export async function customerData(
  parts: Pick<ComplianceParts, 'database' | 'places' | 'secrets' | 'clock' | 'log'>,
  shop: number,
  request: CustomerRequest,
): Promise<{ id: string; data: CustomerData }> {
  const { database, places, secrets, clock, log } = parts
  const scope = forShop(database, shop)
  const buyer = await findBuyer(scope, request)
  const known = await recentAnswer(scope, secrets, request, buyer)
  const kept = known && (await readAnswer(scope, secrets, known))
  if (kept) return { id: kept.answer.id, data: JSON.parse(kept.document) as CustomerData }
  const now = clock()
  const document = JSON.stringify(
    await collect(scope, request, { buyer, places, secrets, now }),
    null,
    2,
  )
  const data = JSON.parse(document) as CustomerData
  const id = await scope.transaction(async (tx) => {
    const stored = await storeAnswer(tx, secrets, { request, buyer, document, now })
    const { time_zone } = (await readShop(tx)).settings
    const notice = noticeOf(request, stored.expires_at, time_zone)
    await raiseNotice(tx, { ...notice, operation_id: null })
    return stored.id
  })
  log.info('collected a customer’s data for the shop', {
    shop,
    answer: id,
    links: data.links.length,
    downloads: data.downloads.length,
  })
  return { id, data }
}

/** The notice contains the platform's id only, because it is kept longer than the document. */
const noticeOf = ({ customerId }: CustomerRequest, until: Date, timeZone: string) => ({
  level: 'warning' as const,
  title: say('A customer asks for their data'),
  body: sentences(
    customerId
      ? say('The platform passed on the request of customer {id}.', {
          id: customerId.split('/').at(-1) ?? customerId,
        })
      : say('The platform passed on the request of a customer.'),
    say(
      'Their stored data is ready: download it in the settings, under Customers’ data, and send it to them. It is deleted on {day}.',
      { day: dayAt(until, timeZone) },
    ),
  ),
})

async function collect(
  scope: ShopScope,
  { email, customerId, orderIds }: CustomerRequest,
  {
    buyer,
    places,
    secrets,
    now,
  }: { buyer: Buyer; places: BuyerPlaces; secrets: ComplianceParts['secrets']; now: Date },
): Promise<CustomerData> {
  const patterns = patternsOf(buyer)
  const records = new Map<string, Rows>()
  if (patterns)
    for (const [table, { about, columns, how }] of Object.entries(places))
      if (how === 'mask' || how === 'delete')
        records.set(about, await rowsWithAddress(scope, table, columns, patterns))
  const waiting = await waitingMails(scope, buyer)
  records.set('Messages', [...(records.get('Messages') ?? []), ...waiting])
  return {
    customer: { email, customer_id: customerId, order_ids: orderIds },
    collected_at: now.toISOString(),
    links: await linksOf(scope, buyer),
    downloads: await downloadsOf(scope, buyer),
    refused_downloads: await refusedDownloadsOf(scope, buyer),
    views: await viewsOf(scope, buyer),
    openings: await openingsOf(scope, buyer),
    orders: await ordersOf(scope, secrets, buyer),
    deliveries: await preparedFor(scope, buyer),
    records: Object.fromEntries(records),
  }
}

/**
 * For each row that contains an address: the columns with it, and the time of the row if it is
 * known.
 */
async function rowsWithAddress(
  scope: ShopScope,
  table: string,
  columns: readonly string[],
  patterns: AddressPatterns,
): Promise<Rows> {
  const named = columns.map(
    (name) => `'${name}', case when ${containsAddress([name])} then to_jsonb("${name}") end`,
  )
  const rows = await scope.query<{ record: Record<string, unknown> }>(
    `select jsonb_strip_nulls(jsonb_build_object('created_at', to_jsonb(t) -> 'created_at',
       ${named.join(', ')}))
       as record
     from ${table} t where shop_id = :shop and ${containsAddress(columns)}`,
    { ...patterns },
  )
  return rows.map(({ record }) => record)
}

/**
 * Reads messages that contain no address: mails that are not rendered yet, and texts, which show the
 * ends of a number.
 */
const waitingMails = (scope: ShopScope, { links, orders }: Buyer): Promise<Rows> =>
  scope.query(
    `select created_at, status, payload from outbox
     where shop_id = :shop and result is null and (payload ->> 'link' = any(:links::text[])
       or payload ->> 'template' = '${MOVED_TEMPLATE}' and exists (
         select from jsonb_array_elements_text(payload -> 'links') l where l = any(:links::text[])))
     union all
     select m.created_at, m.status, jsonb_build_object('text', m.result ->> 'text')
     from deliveries d join outbox m on m.shop_id = d.shop_id and m.kind = 'sms'
       and m.payload ->> 'delivery' = d.id::text
     where d.shop_id = :shop and d.order_id = any(:orders::text[])`,
    { links, orders },
  )

const linksOf = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select coalesce(f.filename, p.name, l.pack_name) as name, l.email, l.created_at, l.ends_at as expires_at, l.available_at, l.first_used_at,
       l.download_limit, l.downloads, l.view_limit, l.views, l.views_end_at as view_expires_at, l.last_download_at, l.revoked_at, l.asked_at
     from links l left join files f on f.shop_id = l.shop_id and f.id = l.file_id
     left join packs p on p.shop_id = l.shop_id and p.id = l.pack_id
     where l.shop_id = :shop and l.id = any(:links::uuid[]) order by l.id`,
    { links },
  )

/** The buyer's orders with their lines and deliveries. */
async function ordersOf(
  scope: ShopScope,
  secrets: ComplianceParts['secrets'],
  { orders }: Buyer,
): Promise<Rows> {
  const rows = await scope.query<Rows[number] & { phone: Buffer | null }>(
    `select o.id, o.name, o.confirmation_number, o.email, coalesce(d.phone, o.phone) as phone,
       d.texted_at, o.locale, o.customer_id, o.customer_name,
       o.ordered_at,
       o.financial_status, o.cancelled_at, d.email as delivered_to, d.ask, d.mailed_at, d.opened_at,
       (select coalesce(json_agg(json_build_object('title', l.title, 'sku', l.sku, 'quantity',
          l.quantity)
          order by l.position), '[]')
        from order_lines l where l.shop_id = o.shop_id and l.order_id = o.id) as lines,
       (select g.tags from customer_tags g where g.shop_id = o.shop_id
          and g.customer_id = o.customer_id) as customer_tags
     from orders o left join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     where o.shop_id = :shop and o.id = any(:orders::text[]) order by o.ordered_at`,
    { orders },
  )
  return rows.map(({ phone, ...row }) => ({
    ...row,
    phone: phone && openPhone(secrets, scope.shop, phone),
  }))
}

/**
 * The copies and the number of licence keys that were made for this buyer, and where these were
 * activated. The keys themselves are left out: the buyer has them.
 */
const preparedFor = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select r.created_at, r.about, r.status, (
       select coalesce(json_agg(json_build_object('filename', f.filename, 'size_bytes',
         p.size_bytes)), '[]')
       from prepared_files p join files f on f.shop_id = p.shop_id and f.id = p.file_id
       where p.shop_id = r.shop_id and p.delivery_id = r.delivery_id and p.hash is not null)
         as own_copies,
       (select count(*) from licence_keys k
        where k.shop_id = r.shop_id and k.delivery_id = r.delivery_id) as licence_keys, (
       select coalesce(json_agg(json_build_object('instance', a.instance, 'address', a.address,
         'activated_at', a.activated_at, 'seen_at', a.seen_at)), '[]')
       from licence_keys k
       join licence_activations a on a.shop_id = k.shop_id and a.key_id = k.id
       where k.shop_id = r.shop_id and k.delivery_id = r.delivery_id) as activations
     from delivery_runs r where r.shop_id = :shop and r.page_id = any(:links::uuid[]) order by 1`,
    { links },
  )

const downloadsOf = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select d.at, f.filename, d.address, d.agent from downloads d
     left join files f on f.shop_id = d.shop_id and f.id = d.file_id
     where d.shop_id = :shop and d.link_id = any(:links::uuid[]) order by d.at`,
    { links },
  )

const viewsOf = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select v.at, f.filename, v.address, v.agent from file_views v
     left join files f on f.shop_id = v.shop_id and f.id = v.file_id
     where v.shop_id = :shop and v.link_id = any(:links::uuid[]) order by v.at`,
    { links },
  )

const openingsOf = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select o.at, f.filename, o.email, o.address, o.agent from link_openings o
     left join files f on f.shop_id = o.shop_id and f.id = o.file_id
     where o.shop_id = :shop and o.link_id = any(:links::uuid[]) order by o.at`,
    { links },
  )

const refusedDownloadsOf = (scope: ShopScope, { links }: Buyer): Promise<Rows> =>
  scope.query(
    `select r.at, f.filename, r.reason, r.times, r.address, r.agent from refused_downloads r
     left join files f on f.shop_id = r.shop_id and f.id = r.file_id
     where r.shop_id = :shop and r.link_id = any(:links::uuid[]) order by r.at`,
    { links },
  )
