// Wakes the import of a shop in real time: a job for any worker, queued when a file has ended well.
import type { Database } from '../../db/database.ts'
import { forShop } from '../../db/for-shop.ts'
import { queueTask, type TaskKind } from '../../engine/background.ts'
import type { Logger } from '../../log.ts'

export const DROP_TASK: TaskKind = { name: 'import-drop-folders', onePerShop: true }

export const laterKey = (shop: number): string => `${shop}/later`

/** Many small files wake it once in this time: one run takes them all. */
const APART_MS = 100

export interface Waker {
  wake(shop: number): void
}

/**
 * What is lost here (the process dies, the database is away) the workers' own sweep finds within
 * seconds.
 */
export function createWaker(database: Database, log: Logger): Waker {
  /** Shops that were woken a moment ago; true: they have to be once more. */
  const recent = new Map<number, boolean>()
  const wake = (shop: number) => {
    if (recent.has(shop)) return void recent.set(shop, true)
    recent.set(shop, false)
    queue(shop).catch((error: Error) =>
      log.debug('drop: waking the import', { error: error.message }),
    )
    setTimeout(() => {
      const again = recent.get(shop)
      recent.delete(shop)
      if (again) wake(shop)
    }, APART_MS).unref()
  }
  const queue = async (shop: number) => {
    const scope = forShop(database, shop)
    const realtime = await scope.query(
      `select 1 from drop_settings where shop_id = :shop and auto_import and schedule = 'realtime'`,
    )
    if (realtime.length > 0) await queueTask(scope, DROP_TASK, String(shop))
  }
  return { wake }
}
