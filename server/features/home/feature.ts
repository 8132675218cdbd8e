// The home page: what needs the merchant, and what happened.
import { homeExamples } from './examples.ts'
import { refreshTask, type RefreshParts } from './refresh-task.ts'
import { homeRoutes } from './routes.ts'
import { weeklySummaryTask } from './weekly-summary.ts'
import { defineFeature } from '../feature.ts'

export const homeFeature = defineFeature({
  name: 'home',
  examples: homeExamples,
  endpoints: homeRoutes,
  tasks: (parts: RefreshParts) => [refreshTask(parts), weeklySummaryTask(parts)],
  tables: { shop_days: 'counts', shop_tops: 'names of files and products, with counts' },
})
