// A transaction that met another one on its way is run again.
import { isRollback } from './faults.ts'
import type { ShopScope } from './for-shop.ts'

const TRIES = 5

/** Runs `work` in a transaction, again from its beginning where a deadlock or a name taken meanwhile rolled it back. */
export const untilThrough = <T>(scope: ShopScope, work: (tx: ShopScope) => Promise<T>): Promise<T> =>
  retryRolledBack(() => scope.transaction(work))

/** Runs `work`, which ends with a transaction, again from its beginning where that was rolled back. */
export async function retryRolledBack<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isRollback(error) || attempt === TRIES) throw error
    }
  }
}
