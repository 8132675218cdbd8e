// Imports over the HTTP API.
import { importRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const apiFeature = defineFeature({
  name: 'api',
  endpoints: importRoutes,
})
