// One process at a time requests a shop's token from the platform, under a lease in a row. No
// connection and no lock is held while the lease is waited for or held, so a slow answer of the
// platform delays this shop only.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ShopScope } from '../core/db/for-shop.ts'

/** Longer than the longest request to the platform: the holder of an older lease has died. */
const LEASE = '30 seconds'
const WAIT_MS = 35_000
const POLL_MS = 200

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
  const until = performance.now() + WAIT_MS
  while (true) {
    const found = await currentValue()
    if (found !== null) return found
    if (await take(scope, holder)) break
    if (performance.now() > until)
      throw new LeaseTimeout('Another process keeps asking for the token')
    await delay(POLL_MS)
  }
  try {
    return (await currentValue()) ?? (await work())
  } finally {
    // A lease that could not be released expires.
    await scope
      .query('delete from token_leases where shop_id = :shop and holder = :holder', { holder })
      .catch(() => {})
  }
}

async function take(scope: ShopScope, holder: string): Promise<boolean> {
  const rows = await scope.query(
    `insert into token_leases (shop_id, holder, expires_at)
       values (:shop, :holder, now() + interval '${LEASE}')
     on conflict (shop_id) do update set holder = excluded.holder, expires_at = excluded.expires_at
       where token_leases.expires_at < now()
     returning shop_id`,
    { holder },
  )
  return rows.length > 0
}
