// Workflows as data: the built-in ones and the shop’s own.
import type { WebhookEvent } from '../../core/outbox/webhook-events.ts'
import type { Engine } from '../../engine/engine.ts'
import { noteEnd, workflowRecovered } from './failing.ts'
import { workflowsExamples } from './examples.ts'
import { workflowRoutes } from './routes.ts'
import { pluginRoutes } from './routes/plugin-endpoints.ts'
import { defineFeature } from '../feature.ts'

export const workflowsFeature = defineFeature({
  name: 'workflows',
  events: [workflowRecovered],
  onEnd: () => [
    {
      of: [
        { own: true, completed: true },
        { own: true, failed: true, question: true },
      ],
      run: noteEnd,
    },
  ],
  examples: workflowsExamples,
  endpoints: ({ engine, events }: { engine: Engine; events: readonly WebhookEvent[] }) => [
    ...workflowRoutes({
      plugins: engine.plugins,
      workflows: engine.workflows,
      move: engine.move,
      startingEvents: events.filter(({ starts }) => starts).map(({ name }) => name),
    }),
    ...pluginRoutes(engine),
  ],
  tables: {
    workflows: {
      about: 'Saved workflows',
      columns: ['steps', 'if_not'],
      keeps: ['name'],
      how: 'mask',
    },
    workflow_versions: {
      about: 'Earlier versions of workflows',
      columns: ['body'],
      keeps: ['made_by'],
      how: 'mask',
    },
    triggers: {
      about: 'Scheduled tasks, and what else starts workflows',
      columns: ['options', 'filter'],
      keeps: ['name', 'cron', 'action', 'built_in', 'source', 'event', 'paused', 'recent'],
      how: 'mask',
    },
    trigger_events: 'ids of files and operations',
  },
})
