// The log of changes of a shop's configuration, as a list and as CSV. The rows are written by
// http/change-log.ts.
import type { Database } from '../../core/db/database.ts'
import { defineFeature } from '../feature.ts'
import { changeLogExamples } from './examples.ts'
import { changeLogRoutes, sweepChanges } from './routes.ts'

export const changeLogFeature = defineFeature({
  name: 'change-log',
  examples: changeLogExamples,
  endpoints: changeLogRoutes,
  sweeps: ({ database }: { database: Database }) => ({ change_log: () => sweepChanges(database) }),
  tables: { change_log: 'settings of the shop, and the names of its staff and keys' },
})
