// What starts workflows: the runs of triggers, and the hooks that programs call.
import { triggersExamples } from './examples.ts'
import { hookRequests, type HookRequestParts } from './hook.ts'
import { triggerRoutes, type TriggerRouteParts } from './routes.ts'
import { triggerTask, type TriggerTaskParts } from './run.ts'
import { sweepEvents } from './sweep.ts'
import { armWait, waitTask } from './wait.ts'
import { defineFeature } from '../feature.ts'

export const triggersFeature = defineFeature({
  name: 'triggers',
  examples: triggersExamples,
  endpoints: (parts: TriggerRouteParts) => triggerRoutes(parts),
  requests: (parts: HookRequestParts) => [hookRequests(parts)],
  tasks: (parts: TriggerTaskParts) => [triggerTask(parts), waitTask(parts)],
  onEnd: () => [{ of: { completed: true, worked: true }, run: armWait }],
  sweeps: (parts: Parameters<typeof sweepEvents>[0]) => ({
    'trigger-events': () => sweepEvents(parts),
  }),
})
