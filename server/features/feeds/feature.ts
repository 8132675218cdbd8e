// Feeds: tables at addresses that are imported again and again.
import type { Database } from '../../core/db/database.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { feedsExamples } from './examples.ts'
import { feedRoutes } from './routes.ts'
import { feedTasks } from './run.ts'
import { sweepRuns } from './runs.ts'
import { feedPlace } from './sealed.ts'
import { defineFeature } from '../feature.ts'

export const feedsFeature = defineFeature({
  name: 'feeds',
  examples: feedsExamples,
  endpoints: feedRoutes,
  tasks: feedTasks,
  sweeps: ({ database }: { database: Database }) => ({ feed_runs: () => sweepRuns(database) }),
  sealed: sealedBytes('feeds', ['sealed'], feedPlace),
  tables: {
    feeds: 'addresses of the merchant’s own tables',
    feed_rows: 'names of files, and hashes of cells of the merchant’s own tables',
    feed_runs: 'counts, and errors of an address',
    feed_changes: 'names of files, and hashes of cells of the merchant’s own tables',
  },
})
