// Repeats a transaction that another one rolled back.
import { isRollback } from './error-classes.ts'
import type { ShopScope } from './for-shop.ts'

const TRIES = 5

/**
 * Runs `work` in a transaction, up to 5 times if a deadlock, a serialization failure or a filename
 * taken in the meantime rolls it back. Every attempt starts from the beginning.
 */
export const retryTransaction = <T>(
  scope: ShopScope,
  work: (tx: ShopScope) => Promise<T>,
): Promise<T> => retryRolledBack(() => scope.transaction(work))

/** As `retryTransaction`, for work that opens its transaction itself. */
export async function retryRolledBack<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isRollback(error) || attempt === TRIES) throw error
    }
  }
}
