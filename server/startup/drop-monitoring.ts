// Health and metrics of a separate drop server: its process and the sessions.
import type { Database } from '../core/db/database.ts'
import { dropMetrics } from '../features/drop/metrics.ts'
import type { Gauges } from '../http/metrics.ts'
import type { CloseStep } from './closing.ts'
import { startMonitoring, type MonitoringParts } from './monitoring.ts'

export interface DropMonitoring {
  /** The server has started. Returns what ends its readiness. */
  started(database: Database): CloseStep
  close(): Promise<void>
}

/** Null if MONITORING_PORT is not set. */
export async function startDropMonitoring(parts: MonitoringParts): Promise<DropMonitoring | null> {
  const monitoring = await startMonitoring(parts)
  return (
    monitoring && {
      started: (database) => monitoring.started(database, gaugesOf(database)),
      close: () => monitoring.close(),
    }
  )
}

/** While the database is unavailable, the gauges keep their last values. */
const gaugesOf =
  (database: Database): Gauges =>
  (registers) => {
    const read = dropMetrics(registers, database)
    return () => read().catch(() => {})
  }
