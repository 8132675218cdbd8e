// Workflows of deliveries: stamps and licence keys. Their tasks are with the orders.
import { preparationExamples } from './examples.ts'
import { licenceListRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const preparationFeature = defineFeature({
  name: 'preparation',
  examples: preparationExamples,
  endpoints: licenceListRoutes,
  tables: {
    delivery_runs: {
      about: 'Prepared deliveries',
      columns: ['about', 'messages', 'reason'],
      keeps: ['code', 'workflow'],
      how: 'link',
    },
    prepared_files: {
      about: 'Own copies',
      columns: [],
      keeps: ['location', 'content_type', 'reason'],
      how: 'link',
    },
    licence_keys: 'sealed keys',
    licence_lists: 'names that the merchant gave',
  },
})
