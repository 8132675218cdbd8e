// What all jobs of this process share, and the rules of running one: a chain runs once at a time,
// and its work is interrupted when the worker stops or the operation is paused or cancelled.
import { LeaseLost } from '../core/queue/lease.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Listener } from '../core/db/listener.ts'
import type { EngineParts } from './parts.ts'
import type { Progress } from './signals.ts'

export interface EngineRunner {
  parts: EngineParts
  worker: string
  progress: Progress
  control: OperationControl
  /** Chains that this process runs, by `operation:chain`. */
  active: Map<string, Promise<void>>
  /**
   * Chains that it could not release, perhaps because the database was unavailable: the next
   * heartbeat releases them.
   */
  broken: Set<string>
  /** The signal that aborts when the worker stops. */
  signal: AbortSignal
}

/**
 * Runs `work` after this process's earlier work on the chain has ended. Records a chain that it
 * could not release.
 */
export async function runExclusively(
  runner: EngineRunner,
  job: ChainJob,
  work: () => Promise<void>,
): Promise<void> {
  const key = `${job.operation}:${job.chain}`
  for (let earlier = runner.active.get(key); earlier; earlier = runner.active.get(key))
    await earlier.catch(() => {})
  if (runner.signal.aborted) return
  const working = work()
  runner.active.set(key, working)
  try {
    await working
  } catch (error) {
    if (error instanceof LeaseLost) {
      runner.parts.log.info('a chain was taken over or ended', {
        operation: job.operation,
        chain: job.chain,
      })
      return
    }
    runner.broken.add(key)
    throw error
  } finally {
    runner.active.delete(key)
    runner.progress.announce(job.shop, job.operation)
  }
}

/**
 * Runs `work` with a signal that aborts when the worker stops or the operation is paused, cancelled
 * or stopped. Take the batch inside it: a pause before that would be missed.
 */
export async function withCancellation<T>(
  runner: EngineRunner,
  operation: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const watch = runner.control.watch(operation)
  try {
    return await work(AbortSignal.any([runner.signal, watch.signal]))
  } finally {
    watch.release()
  }
}

// Interrupting running work: a pause, cancel or stop is announced, and every worker that runs the
// operation releases it immediately.

/** Notifies every process, when the transaction commits, that the operation's state has changed. */
export async function announceControl(tx: ShopScope, operation: string): Promise<void> {
  await tx.withoutRows(`select pg_notify('operation_control', :operation)`, { operation })
}

interface OperationControl {
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
