// Locks of a shop by name, held until a transaction ends: for what has no row that could be locked.
import type { ShopScope } from './for-shop.ts'

/**
 * Waits until no other transaction of the shop holds the lock, and holds it until `tx` ends. It is
 * an advisory lock: the comment at each call gives the reason (test/advisory-locks.test.ts). A lock
 * keeps its name in the next release: processes of both versions exclude each other.
 * @param tx a transaction; outside of one the lock would end with its own statement
 * @param name one for each use, or an id that no other use locks
 */
export async function lockUntilCommit(tx: ShopScope, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended(:name, :shop))', { name })
}
