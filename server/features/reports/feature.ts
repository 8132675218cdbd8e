// Reports: downloads, deliveries, refusals and licence activations, counted by product, file, buyer
// and month.
import { defineFeature } from '../feature.ts'
import { reportsExamples } from './examples.ts'
import { reportRoutes } from './routes.ts'

export const reportsFeature = defineFeature({
  name: 'reports',
  examples: reportsExamples,
  endpoints: reportRoutes,
})
