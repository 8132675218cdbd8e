// Interrupting running work: a pause, cancel or stop is announced, and every worker that runs the
// operation releases it immediately.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Listener } from '../core/db/listener.ts'

/** Notifies every process, when the transaction commits, that the operation's state has changed. */
export async function announceControl(tx: ShopScope, operation: string): Promise<void> {
  await tx.withoutRows(`select pg_notify('operation_control', :operation)`, { operation })
}

export interface OperationControl {
  /**
   * A signal that aborts when the operation must be interrupted. Call `release` when the batch is
   * over.
   */
  watch(operation: string): { signal: AbortSignal; release(): void }
  close(): void
}

/**
 * Listens to announcements until it is closed.
 * @param isWanted whether an operation should still be processed
 */
export function createOperationControl(
  listener: Listener,
  isWanted: (operation: string) => Promise<boolean>,
): OperationControl {
  const controllers = new Map<string, Set<AbortController>>()
  const check = async (operation: string) => {
    if (!controllers.has(operation) || (await isWanted(operation))) return
    for (const controller of controllers.get(operation) ?? [])
      controller.abort(new Error('the operation was interrupted'))
  }
  const forget = listener.on('operation_control', (payload) => {
    // After a broken connection, notifications may have been missed.
    for (const operation of payload === null ? controllers.keys() : [payload])
      void check(operation).catch(() => {})
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
