// How an operation's batches are processed, derived from the plugins of its item steps. It is not
// stored: after an update of the installation, a waiting operation is processed as its plugins are
// now. The strategies: docs/decisions/0028.
import type { Plugin } from '../../plugins/contract.ts'
import type { ChainLoad } from '../core/queue/queue.ts'
import type { OperationRow } from './types.ts'
import { itemPlugins } from './steps.ts'

/**
 * The items of an executed batch, unless a plugin asks for more: files are read and written whole.
 */
export const BATCH = 100
/** The most items of a planned batch. An operation's chains share its items evenly. */
export const PLAN_BATCH = 2000
/**
 * The most items of a planned batch if planning waits for external systems: progress is announced
 * once a batch.
 */
const EXTERNAL_PLAN_BATCH = 500

export interface Strategy {
  /**
   * `planned`: no step uses bytes or external systems, so planning is all the work, and a batch is
   * written in one transaction. `executed`: items are marked as running and written as they end.
   */
  kind: 'planned' | 'executed'
  /** Maximum number of items in a batch. */
  batch: number
  /** What its jobs count as while they run (job-concurrency.ts). */
  load: ChainLoad
}

type StrategyInput = Pick<OperationRow, 'workflow'> & {
  source: Pick<OperationRow['source'], 'type'>
}

export function strategyOf(
  { workflow, source }: StrategyInput,
  plugins: readonly Plugin[],
): Strategy {
  const steps = itemPlugins(workflow, plugins)
  const executed =
    source.type === 'entries' || steps.some(({ run, bytes }) => run !== undefined || bytes)
  if (executed) {
    const batch = Math.max(BATCH, ...steps.map((step) => step.batch ?? 0))
    return { kind: 'executed', batch, load: 'slow' }
  }
  if (steps.some(({ outside }) => outside))
    return { kind: 'planned', batch: EXTERNAL_PLAN_BATCH, load: 'outside' }
  return { kind: 'planned', batch: PLAN_BATCH, load: 'quick' }
}
