// One process at a time requests a shop's token from the platform, under a lease in a row. No
// connection and no lock is held while the lease is waited for or held, so a slow answer of the
// platform delays this shop only.
import { randomUUID } from 'node:crypto'
import type { ShopScope } from '../core/db/for-shop.ts'
import { pollLease, timedLease } from '../core/queue/lease.ts'

/**
 * The lease of a shop's tokens, longer than the longest request to the platform: the holder of an
 * expired one has died. A request of any process holds it, without a heartbeat to extend it.
 */
const TOKEN_LEASE = timedLease({ until: 'expires_at' }, '30 seconds')
const WAIT_MS = 35_000

export class LeaseTimeout extends Error {}

/**
 * Returns the result of `currentValue`, or, under the lease, of `work`. `currentValue` is called
 * before and after each wait, and once more under the lease. Throws `LeaseTimeout` if others keep
 * the lease.
 */
export async function underLease<T>(
  scope: ShopScope,
  currentValue: () => Promise<T | null>,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const found = await pollLease(async () => {
    const value = await currentValue()
    return value !== null || (await take(scope, holder)) ? { value } : null
  }, WAIT_MS)
  if (found === null) throw new LeaseTimeout('Another process keeps asking for the token')
  if (found.value !== null) return found.value
  try {
    return (await currentValue()) ?? (await work())
  } finally {
    // A lease that could not be released expires.
    await scope
      .query('delete from token_leases where shop_id = :shop and holder = :holder', { holder })
      .catch(() => {})
  }
}

const take = (scope: ShopScope, holder: string): Promise<boolean> =>
  scope.has(
    `insert into token_leases (shop_id, holder, expires_at)
       values (:shop, :holder, ${TOKEN_LEASE.value})
     on conflict (shop_id) do update set holder = excluded.holder, ${TOKEN_LEASE.extend}
       where ${TOKEN_LEASE.isExpired('token_leases')}
     returning shop_id`,
    { holder },
  )
