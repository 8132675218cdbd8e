// Where data about a buyer may be stored. Each feature declares its own tables (feature.ts); this is
// what belongs to no shop, and how addresses are replaced.

/** Replaces a deleted address: valid, so that stored options can still be read. */
export const DELETED = 'deleted@customer.invalid'

/** Columns outside the shops' tables that look like an address, each with the reason. */
export const NOT_OF_SHOPS: Readonly<Record<string, string>> = {
  'shops.profile': 'the merchant’s own address, from the platform',
  'rate_limits.key':
    'networks of clients and hashes of licence keys, for an hour at most, with nothing that names a buyer',
}
