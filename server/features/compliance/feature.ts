// The platform’s privacy requests.
import { complianceExamples } from './examples.ts'
import { customerDataRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const complianceFeature = defineFeature({
  name: 'compliance',
  examples: complianceExamples,
  endpoints: customerDataRoutes,
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
