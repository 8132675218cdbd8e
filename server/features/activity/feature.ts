// What an open page polls.
import type { Engine } from '../../engine/engine.ts'
import { activityExamples } from './examples.ts'
import { activityRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const activityFeature = defineFeature({
  name: 'activity',
  examples: activityExamples,
  endpoints: ({ engine }: { engine: Engine }) => activityRoutes(engine),
})
