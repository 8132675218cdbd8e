// The gauges of stored state that the web and worker roles report: those of work, of delays, of
// all features, and of this machine's folders.
import type { Database } from '../core/db/database.ts'
import type { Gauges } from '../http/metrics.ts'
import type { StateMetrics } from '../http/state-metrics.ts'
import { delayMetrics } from './delay-metrics.ts'
import { stagingMetrics } from './staging-metrics.ts'
import { workMetrics } from './work-metrics.ts'

/**
 * @param folders of unfinished files, by name.
 * @param ofFeatures the gauges that features state.
 */
export const stateGauges =
  (
    database: Pick<Database, 'pool'>,
    folders: Readonly<Record<string, string>>,
    ofFeatures: readonly StateMetrics[],
  ): Gauges =>
  (registers) => {
    const work = workMetrics(registers, database, [delayMetrics, ...ofFeatures])
    const staging = stagingMetrics(folders)(registers)
    // Neither waits for the other: the database may be down, and a folder may be large.
    return async () => void (await Promise.allSettled([work(), staging()]))
  }
