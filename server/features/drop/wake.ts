// Wakes the import of a shop in real time: queues a job for any worker when a file is complete.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { queueTask, type TaskKind } from '../../core/queue/background.ts'
import type { Logger } from '../../core/log.ts'

export const DROP_TASK: TaskKind = { name: 'import-drop-folders', onePerShop: true }

/**
 * The key of the run that the task schedules for itself. It replaces that job whenever it ends, so
 * a run that must begin now has the shop's own key.
 */
export const laterKey = (shop: number): string => `${shop}/later`

/** The minimum time between wake-ups, so that one run takes many small files. */
const APART_MS = 100

export interface Waker {
  wake(shop: number): void
}

/**
 * Creates the waker. A lost wake-up (the process dies, the database is unavailable) costs seconds:
 * the workers' own sweep finds the file.
 */
export function createWaker(database: Database, log: Logger): Waker {
  /** Shops that were woken a moment ago; true: wake them again afterwards. */
  const recent = new Map<number, boolean>()
  const wake = (shop: number) => {
    if (recent.has(shop)) return void recent.set(shop, true)
    recent.set(shop, false)
    queue(shop).catch((error: Error) =>
      log.debug('drop: the import could not be woken', { error: error.message }),
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
