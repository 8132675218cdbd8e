// Imports over the HTTP API.
import { apiExamples } from './examples.ts'
import { importRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const apiFeature = defineFeature({
  name: 'api',
  examples: apiExamples,
  endpoints: importRoutes,
})
