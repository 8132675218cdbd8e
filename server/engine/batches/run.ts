// One job of a chain: work on the next batch and enqueue the chain's next job. What a batch is, and
// how it is worked on, is its strategy's concern.
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { errorFields } from '../../log.ts'
import type { ChainJob } from '../../queue/queue.ts'
import { exclusively, type EngineRunner } from '../worker/runner.ts'
import { BrokenStep } from './context.ts'
import { workExecuted } from './executed.ts'
import { countOutcomes } from './outcomes.ts'
import { workPlanned } from './planned.ts'

/**
 * Works on a chain's next batch and enqueues its next job, or lets it rest; false: the batch is not
 * of its kind.
 */
type Work = (runner: EngineRunner, scope: ShopScope, job: ChainJob) => Promise<boolean>

/** Tried in this order. Executing is possible for every item. */
const STRATEGIES: readonly Work[] = [workPlanned, workExecuted]

export function runChain(runner: EngineRunner, job: ChainJob): Promise<void> {
  return exclusively(runner, job, async () => {
    const scope = forShop(runner.parts.database, job.shop)
    try {
      for (const work of STRATEGIES) if (await work(runner, scope, job)) return
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error
      // No item can be worked on, now or later: the operation ends with what is done.
      runner.parts.log.error('an operation cannot continue', {
        operation: job.operation,
        ...errorFields(error),
      })
      await scope.transaction((tx) => countOutcomes(tx, job.operation, {}, error.stop))
    }
  })
}
