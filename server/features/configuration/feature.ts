// The configuration of a shop as documents, for people who keep it in files.
import { defineFeature } from '../feature.ts'
import { configurationExamples } from './examples.ts'
import { configurationRoutes, type ConfigurationParts } from './routes.ts'

export const configurationFeature = defineFeature({
  name: 'configuration',
  examples: configurationExamples,
  endpoints: (parts: ConfigurationParts) => configurationRoutes(parts),
})
