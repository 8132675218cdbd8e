// Who a privacy demand is about, as far as this installation knows: e-mail addresses and links.
import type { ShopScope } from '../db/for-shop.ts'

/** As the platform names a customer. Ids are its global ids, `gid://shopify/Order/1`. */
export interface CustomerRequest {
  email: string | null
  customerId: string | null
  orderIds: readonly string[]
}

export interface Buyer {
  /** In lower case. */
  addresses: readonly string[]
  /** Bare UUIDs of their links, and of the links under those. */
  links: readonly string[]
}

export async function findBuyer(scope: ShopScope, request: CustomerRequest): Promise<Buyer> {
  const addresses = [...new Set([request.email].flatMap((each) => addressOf(each) ?? []))]
  const rows = await scope.query<{ id: string }>(
    `with own as (
       select id from links where shop_id = :shop and (lower(email) collate "C") = any(:addresses::text[])
     )
     select id from own
     union select l.id from links l join own on l.parent_id = own.id where l.shop_id = :shop`,
    { addresses },
  )
  return { addresses, links: rows.map(({ id }) => id) }
}

const addressOf = (email: string | null): string | null => email?.trim().toLowerCase() || null

/** PostgreSQL patterns that find the addresses within a text, and not within a longer address. */
export interface AddressPatterns {
  /** For `ilike any`: fast, and finds too much. */
  likes: string[]
  /** A regular expression. */
  exact: string
}

/** Null: no address is known, so no text can name it. */
export function patternsOf({ addresses }: Buyer): AddressPatterns | null {
  if (addresses.length === 0) return null
  const written = addresses.map((address) => JSON.stringify(address).slice(1, -1))
  const escaped = written.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return {
    likes: written.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`),
    exact: `(?<![a-z0-9.!#$%&'*+/=?^_\`{|}~-])(${escaped.join('|')})(?![a-z0-9-]|\\.[a-z0-9])`,
  }
}

/** SQL: one of these columns names the buyer. */
export const naming = (columns: readonly string[]): string =>
  `(${columns
    .map((name) => `("${name}"::text ilike any(:likes::text[]) and "${name}"::text ~* :exact)`)
    .join(' or ')})`
