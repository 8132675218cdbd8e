// One job of a chain: processes the next batch and queues the chain's next job. The strategy
// decides what a batch is and how it is processed.
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { errorFields } from '../core/log.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import { runExclusively, type EngineRunner } from './runner.ts'
import { BrokenStep } from './context.ts'
import { workExecuted } from './executed.ts'
import { countOutcomes } from './outcomes.ts'
import { workPlanned } from './planned.ts'

/**
 * Processes a chain's next batch and queues its next job, or ends the chain. Returns false if the
 * batch needs another strategy.
 */
type Work = (runner: EngineRunner, scope: ShopScope, job: ChainJob) => Promise<boolean>

/**
 * The strategies of a job, tried in this order. Every item can be executed, so that a job that was
 * queued before an update of the installation has changed the strategy is done as it says.
 */
const strategiesFor = ({ load }: ChainJob): readonly Work[] =>
  load === 'slow' ? [workExecuted] : [workPlanned, workExecuted]

/** Runs one job of a chain, unless the worker stops or the chain has ended. */
export function runChain(runner: EngineRunner, job: ChainJob): Promise<void> {
  return runExclusively(runner, job, async () => {
    const scope = forShop(runner.parts.database, job.shop)
    try {
      for (const work of strategiesFor(job)) if (await work(runner, scope, job)) return
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error
      // No item can be processed, now or later: the operation ends with what is done.
      runner.parts.log.error('an operation cannot continue', {
        operation: job.operation,
        ...errorFields(error),
      })
      await scope.transaction((tx) => countOutcomes(tx, job.operation, {}, error.stop))
    }
  })
}
