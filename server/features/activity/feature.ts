// What an open page polls; what happened to a file and who has it.
import type { Engine } from '../../engine/engine.ts'
import { activityExamples } from './examples.ts'
import { fileActivityRoutes } from './file-endpoints.ts'
import { activityRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const activityFeature = defineFeature({
  name: 'activity',
  examples: activityExamples,
  endpoints: ({ engine }: { engine: Engine }) => [
    ...activityRoutes(engine),
    ...fileActivityRoutes(),
  ],
})
