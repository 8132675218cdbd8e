// Counts the daily figures and the top files and products again, each hour.
import type { Database } from '../../core/db/database.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { refreshDays } from './model/days.ts'
import { refreshAllTops } from './model/tops.ts'

const EVERY_MS = 60 * 60 * 1000

export interface RefreshParts {
  database: Database
  clock: () => Date
}

export const refreshTask = ({ database, clock }: RefreshParts): BackgroundTask => ({
  name: 'daily-figures',
  concurrency: 1,
  atStart: true,
  run: async ({ signal }) => {
    await refreshDays(database, clock(), signal)
    await refreshAllTops(database, clock(), signal)
    return EVERY_MS
  },
})
