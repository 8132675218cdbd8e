// Scheduled tasks.
import { schedulesExamples } from './examples.ts'
import { scheduleRoutes } from './routes.ts'
import { guardRun } from './run.ts'
import { scheduleTask, type ScheduleParts } from './task.ts'
import { defineFeature } from '../feature.ts'

export const schedulesFeature = defineFeature({
  name: 'schedules',
  examples: schedulesExamples,
  endpoints: scheduleRoutes,
  guard: guardRun,
  tasks: (parts: ScheduleParts) => [scheduleTask(parts)],
  tables: {
    schedules: {
      about: 'Scheduled tasks',
      columns: ['options', 'filter'],
      keeps: ['name', 'cron', 'action', 'built_in'],
      how: 'mask',
    },
  },
})
