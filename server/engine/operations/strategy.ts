// How an operation's batches are worked on, derived from its item steps' plugins. Nothing of it is
// stored: an installation that is updated while an operation waits works on it as its plugins are
// now.
import type { Plugin } from '../../../plugins/contract.ts'
import type { ChainLoad } from '../../queue/queue.ts'
import type { OperationRow } from '../types.ts'
import { itemPlugins } from '../../workflows/steps.ts'

/** Items of an executed batch; their files are read and written whole. */
export const BATCH = 100
/** Items of a planned batch, at most: an operation's chains share its items evenly. */
export const PLAN_BATCH = 2000
/** The same where planning waits for something outside: progress is announced once a batch. */
const EXTERNAL_PLAN_BATCH = 500

export interface Strategy {
  /**
   * `planned`: no step touches bytes or the outside world, so planning is all the work; a batch is
   * written in one transaction. `executed`: items are marked as running and written as they end.
   */
  kind: 'planned' | 'executed'
  /** Items of a batch, at most. */
  batch: number
  /** What its jobs count as while they run. */
  load: ChainLoad
}

type Planned = Pick<OperationRow, 'workflow'> & { source: Pick<OperationRow['source'], 'type'> }

export function strategyOf({ workflow, source }: Planned, plugins: readonly Plugin[]): Strategy {
  const steps = itemPlugins(workflow, plugins)
  const executed =
    source.type === 'entries' || steps.some(({ run, bytes }) => run !== undefined || bytes)
  if (executed) return { kind: 'executed', batch: BATCH, load: 'slow' }
  if (steps.some(({ outside }) => outside))
    return { kind: 'planned', batch: EXTERNAL_PLAN_BATCH, load: 'slow' }
  return { kind: 'planned', batch: PLAN_BATCH, load: 'quick' }
}
