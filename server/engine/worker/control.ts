// Reaching what runs: a pause, a cancel or a stop is announced, and whoever works on that operation
// puts it down at once.
import type { ShopScope } from '../../db/for-shop.ts'
import type { Listener } from '../../db/listener.ts'

/** Tells every process that the operation's state has changed, when the transaction commits. */
export async function announceControl(tx: ShopScope, operation: string): Promise<void> {
  await tx.query(`select pg_notify('operation_control', :operation) where :shop > 0`, { operation })
}

export interface OperationControl {
  /**
   * A signal that aborts when the operation is to be put down; `release` when the batch is over.
   */
  watch(operation: string): { signal: AbortSignal; release(): void }
  close(): void
}

/** @param isWanted whether an operation is still to be worked on. */
export function createOperationControl(
  listener: Listener,
  isWanted: (operation: string) => Promise<boolean>,
): OperationControl {
  const controllers = new Map<string, Set<AbortController>>()
  const look = async (operation: string) => {
    if (!controllers.has(operation) || (await isWanted(operation))) return
    for (const controller of controllers.get(operation) ?? [])
      controller.abort(new Error('the operation was put down'))
  }
  const forget = listener.on('operation_control', (payload) => {
    // After a broken connection anything may have been missed.
    for (const operation of payload === null ? controllers.keys() : [payload])
      void look(operation).catch(() => {})
  })
  return {
    watch: (operation) => {
      const controller = new AbortController()
      const all = controllers.get(operation) ?? new Set()
      controllers.set(operation, all.add(controller))
      return {
        signal: controller.signal,
        release: () => {
          all.delete(controller)
          if (all.size === 0 && controllers.get(operation) === all) controllers.delete(operation)
        },
      }
    },
    close: forget,
  }
}
