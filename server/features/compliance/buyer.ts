// Finds the stored data about the person of a privacy request: e-mail addresses, orders and links.
import type { ShopScope } from '../../core/db/for-shop.ts'

/** The customer as the platform names it. Ids are its global ids, `gid://shopify/Order/1`. */
export interface CustomerRequest {
  email: string | null
  customerId: string | null
  orderIds: readonly string[]
}

export interface Buyer {
  /** The e-mail addresses, in lower case. */
  addresses: readonly string[]
  /** Bare UUIDs of their links, of their orders' pages, and of the links under those pages. */
  links: readonly string[]
  /** The platform's ids of their orders. */
  orders: readonly string[]
}

export async function findBuyer(scope: ShopScope, request: CustomerRequest): Promise<Buyer> {
  const given = addressOf(request.email)
  const bought = await scope.query<{ id: string; email: string | null; corrected: string | null }>(
    `select o.id, o.email, d.email as corrected from orders o
     left join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     where o.shop_id = :shop and (o.id = any(:orders::text[]) or o.customer_id = :customer
       or (lower(o.email) collate "C") = :given or (lower(d.email) collate "C") = :given)`,
    { orders: [...request.orderIds], customer: request.customerId, given },
  )
  const orders = bought.map(({ id }) => id)
  const written = [given, ...bought.flatMap(({ email, corrected }) => [email, corrected])]
  const addresses = [...new Set(written.flatMap((each) => addressOf(each) ?? []))]
  const rows = await scope.query<{ id: string }>(
    `with own as (
       select id from links where shop_id = :shop
         and (lower(email) collate "C") = any(:addresses::text[])
       union select l.id from links l
       join deliveries d on d.shop_id = l.shop_id and d.id = l.delivery_id
       where l.shop_id = :shop and d.order_id = any(:orders::text[])
     )
     select id from own
     union select l.id from links l join own on l.parent_id = own.id where l.shop_id = :shop`,
    { addresses, orders },
  )
  return { addresses, orders, links: rows.map(({ id }) => id) }
}

const addressOf = (email: string | null): string | null => email?.trim().toLowerCase() || null

/**
 * PostgreSQL patterns that find the addresses within a text, but not as part of a longer address.
 */
export interface AddressPatterns {
  /** For `ilike any`: fast, and also finds longer addresses. */
  likes: string[]
  /** A regular expression. */
  exact: string
}

/** Builds the patterns of a buyer; null: no address is known, so no text can contain it. */
export function patternsOf({ addresses }: Buyer): AddressPatterns | null {
  if (addresses.length === 0) return null
  const written = addresses.map((address) => JSON.stringify(address).slice(1, -1))
  const escaped = written.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return {
    likes: written.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`),
    exact: `(?<![a-z0-9.!#$%&'*+/=?^_\`{|}~-])(${escaped.join('|')})(?![a-z0-9-]|\\.[a-z0-9])`,
  }
}

/** The same pattern for JSON in memory; null: no address is known. */
export function addressPattern(buyer: Buyer): RegExp | null {
  const patterns = patternsOf(buyer)
  return patterns && new RegExp(patterns.exact, 'gi')
}

/** SQL: one of these columns contains an address of the buyer. */
export const containsAddress = (columns: readonly string[]): string =>
  `(${columns
    .map((name) => `("${name}"::text ilike any(:likes::text[]) and "${name}"::text ~* :exact)`)
    .join(' or ')})`
