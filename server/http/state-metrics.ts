// Metrics of stored state, which the database has for all processes.
import type { Registry } from 'prom-client'
import type { Database } from '../core/db/database.ts'

/** Registers gauges and returns the function that updates them from the database. */
export type StateMetrics = (
  registers: Registry[],
  database: Pick<Database, 'pool'>,
) => () => Promise<void>
