// The platform’s privacy requests.
import { complianceChanges } from './changes.ts'
import { complianceExamples } from './examples.ts'
import { customerDataRoutes } from './routes.ts'
import type { Database } from '../../core/db/database.ts'
import { documentPlace, sweepAnswers } from './customer-data-rows.ts'
import { defineFeature } from '../feature.ts'

export const complianceFeature = defineFeature({
  name: 'compliance',
  examples: complianceExamples,
  endpoints: customerDataRoutes,
  sweeps: ({ database }: { database: Database }) => ({
    customer_data: () => sweepAnswers(database),
  }),
  changes: complianceChanges,
  sealed: [
    {
      table: 'customer_data',
      column: 'document',
      format: 'bytes',
      name: 'id',
      about: ({ shop, name }) => documentPlace(shop, name),
    },
  ],
  tables: {
    customer_data: {
      about: 'Earlier answers to such requests',
      columns: [],
      keeps: ['customer_id', 'order_ids'],
      how: 'link',
    },
    platform_changes: 'requests of the platform, deleted once they are carried out',
  },
})
