// customers/redact: deletes the stored data about a buyer. Links are revoked and kept as records
// without a person, so that the shop's counts stay right. Every step is idempotent.
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { rewriteReplies } from '../../core/db/sealed-replies.ts'
import type { Secrets } from '../../core/secrets.ts'
import { MOVED_TEMPLATE } from '../mail/buyer-mail.ts'
import {
  addressPattern,
  findBuyer,
  containsAddress,
  patternsOf,
  type AddressPatterns,
  type Buyer,
  type CustomerRequest,
} from './buyer.ts'
import { dropAnswers } from './customer-data-rows.ts'
import type { ComplianceParts } from './parts.ts'

/** Deletes the data about a customer. Idempotent: a customer without stored data is no error. */
export async function redactCustomer(
  parts: Pick<ComplianceParts, 'database' | 'places' | 'secrets' | 'log'>,
  shop: number,
  request: CustomerRequest,
): Promise<void> {
  const scope = forShop(parts.database, shop)
  const buyer = await findBuyer(scope, request)
  const patterns = patternsOf(buyer)
  // Texts first: if the platform named the customer by an order only, a repeated run could not find
  // the address after the links were masked.
  if (patterns)
    for (const [table, { how, columns }] of Object.entries(parts.places)) {
      if (how === 'mask') await mask(scope, table, columns, patterns)
      if (how === 'delete') await deleteWithAddress(scope, table, columns, patterns)
    }
  await maskReplies(scope, parts.secrets, buyer)
  await scope.transaction(async (tx) => {
    await dropAnswers(tx, parts.secrets, request, buyer)
    await redactLinks(tx, buyer)
    await redactOrders(tx, buyer)
  })
  parts.log.info('deleted a customer’s data', { shop, links: buyer.links.length })
}

async function mask(
  scope: ShopScope,
  table: string,
  columns: readonly string[],
  patterns: AddressPatterns,
): Promise<void> {
  const types = await scope.withoutRows<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = '${table}'::regclass and attname = any(:columns)`,
    { columns },
  )
  const set = types.map(
    ({ name, type }) =>
      `"${name}" = regexp_replace("${name}"::text, :exact, :deleted, 'gi')::${type}`,
  )
  await scope.query(
    `update ${table} set ${set.join(', ')} where shop_id = :shop and ${containsAddress(columns)}`,
    { ...patterns, deleted: DELETED },
  )
}

/**
 * Masks addresses in stored replies. They are sealed, so no query can search them: each is opened.
 */
async function maskReplies(scope: ShopScope, secrets: Secrets, buyer: Buyer): Promise<void> {
  const exact = addressPattern(buyer)
  if (!exact) return
  await rewriteReplies(scope, secrets, (json) => json.replace(exact, DELETED))
}

const deleteWithAddress = (
  scope: ShopScope,
  table: string,
  columns: readonly string[],
  patterns: AddressPatterns,
) =>
  scope.query(`delete from ${table} where shop_id = :shop and ${containsAddress(columns)}`, {
    ...patterns,
  })

/**
 * Revokes and masks links. Lists of links contain addresses and keys, so the whole document is
 * deleted; its unused bytes are swept within two days.
 */
async function redactLinks(tx: ShopScope, { links }: Buyer): Promise<void> {
  if (links.length === 0) return
  await tx.query(
    `delete from artifacts a using links l
     where a.shop_id = :shop and l.shop_id = :shop and l.id = any(:links::uuid[])
       and a.operation_id = l.operation_id`,
    { links },
  )
  // This also deletes the rows of copies with the buyer's name, so their bytes become unused.
  await tx.query(
    `delete from delivery_runs where shop_id = :shop and page_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `delete from outbox where shop_id = :shop and (payload ->> 'link' = any(:links::text[])
       or payload ->> 'template' = '${MOVED_TEMPLATE}' and exists (
         select from jsonb_array_elements_text(payload -> 'links') l where l = any(:links::text[])))`,
    { links },
  )
  await tx.query(
    `update downloads set address = '', agent = ''
     where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `delete from refused_downloads where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `delete from link_openings where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(`delete from file_views where shop_id = :shop and link_id = any(:links::uuid[])`, {
    links,
  })
  await tx.query(
    `delete from view_sessions where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `delete from archive_sessions where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `delete from download_sessions where shop_id = :shop and link_id = any(:links::uuid[])`,
    { links },
  )
  await tx.query(
    `with held as (
       select id from links where shop_id = :shop and id = any(:links::uuid[])
       order by id for no key update
     )
     update links l set email = null, own_tag = null, asked_at = null, revoked_at = coalesce(l.revoked_at, now())
     from held where l.shop_id = :shop and l.id = held.id`,
    { links },
  )
}

/** Keeps orders as sales without a person, and revokes their deliveries. */
async function redactOrders(tx: ShopScope, { orders }: Buyer): Promise<void> {
  await tx.query(
    `delete from licence_activations a using licence_keys k, deliveries d
     where a.shop_id = :shop and k.shop_id = :shop and k.id = a.key_id and d.shop_id = :shop
       and d.id = k.delivery_id and d.order_id = any(:orders::text[])`,
    { orders },
  )
  await tx.query(
    `delete from outbox m using deliveries d
     where m.shop_id = :shop and m.kind = 'sms' and d.shop_id = :shop
       and d.id = (m.payload ->> 'delivery')::uuid and d.order_id = any(:orders::text[])`,
    { orders },
  )
  await tx.query(
    `update deliveries set email = null, phone = null, ask = null, revoked_at = coalesce(revoked_at, now()),
       updated_at = now()
     where shop_id = :shop and order_id = any(:orders::text[])`,
    { orders },
  )
  await tx.query(
    `delete from customer_tags g using orders o
     where g.shop_id = :shop and o.shop_id = :shop and o.id = any(:orders::text[])
       and g.customer_id = o.customer_id`,
    { orders },
  )
  await tx.query(
    `update orders set email = null, phone = null, locale = null, customer_id = null, customer_name = null
     where shop_id = :shop and id = any(:orders::text[])`,
    { orders },
  )
  // The demo shop's own record of these orders; its addresses are masked already.
  await tx.query(
    `update demo_orders set data = data - 'customerName' - 'phone'
     where shop_id = :shop and 'gid://shopify/Order/' || id = any(:orders::text[])`,
    { orders },
  )
}

// Where data about a buyer may be stored. Each feature declares its own tables (feature.ts); this is
// what belongs to no shop, and how addresses are replaced.

/** Replaces a deleted address: valid, so that stored options can still be read. */
export const DELETED = 'deleted@customer.invalid'
