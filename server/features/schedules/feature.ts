// Scheduled tasks.
import { schedulesExamples } from './examples.ts'
import { scheduleRoutes } from './routes.ts'
import { guardRun, workflowOfSchedule } from './run.ts'
import { scheduleTask, type ScheduleParts } from './task.ts'
import { defineFeature } from '../feature.ts'

export const schedulesFeature = defineFeature({
  name: 'schedules',
  examples: schedulesExamples,
  endpoints: scheduleRoutes,
  moves: {
    workflowOfSchedule:
      ({ engine }: Parameters<typeof scheduleRoutes>[0]) =>
      (scope, id) =>
        workflowOfSchedule(scope, engine, id),
  },
  guard: guardRun,
  tasks: (parts: ScheduleParts) => [scheduleTask(parts)],
})
