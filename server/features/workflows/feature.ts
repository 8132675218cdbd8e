// Workflows as data: the built-in ones and the shop’s own.
import type { Engine } from '../../engine/engine.ts'
import { workflowsExamples } from './examples.ts'
import { workflowRoutes } from './routes.ts'
import { pluginRoutes } from './routes/plugin-endpoints.ts'
import { defineFeature } from '../feature.ts'

export const workflowsFeature = defineFeature({
  name: 'workflows',
  examples: workflowsExamples,
  endpoints: ({ engine }: { engine: Engine }) => [
    ...workflowRoutes(engine),
    ...pluginRoutes(engine),
  ],
  tables: {
    workflows: {
      about: 'Saved workflows',
      columns: ['steps'],
      keeps: ['name', 'channel'],
      how: 'mask',
    },
  },
})
