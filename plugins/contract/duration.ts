// Durations in the options of steps: a count and its unit.
import { z } from 'zod'

const SECONDS = { minutes: 60, hours: 3600, days: 86_400 } as const
export type DurationUnit = keyof typeof SECONDS

export const durationUnit = z
  .enum(['minutes', 'hours', 'days'])
  .default('days')
  .meta({ title: 'Unit', choices: { minutes: 'Minutes', hours: 'Hours', days: 'Days' } })

/** The longest time that a workflow waits. */
export const MAX_WAIT_SECONDS = 90 * SECONDS.days

/** A count of any unit; `durationSeconds` says whether it is too long. */
export const durationCount = z
  .int()
  .min(1)
  .max(MAX_WAIT_SECONDS / SECONDS.minutes)

export const durationSeconds = (count: number, unit: DurationUnit): number => count * SECONDS[unit]
