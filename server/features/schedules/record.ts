// A schedule in requests and answers.
import { z } from 'zod'
import type { ScheduleRow } from './rows.ts'
import { nextRuns, scheduleText } from './times.ts'
import { OPERATION_STATUSES } from '../../engine/types.ts'
import { filterSchema } from '../../files/filter.ts'
import { toOperationId, toPublicId } from '../../core/ids.ts'
import { timestamp } from '../../http/schemas.ts'

const NEXT_RUNS = 5

export const actionField = z
  .string()
  .nullable()
  .default(null)
  .describe('A bulk action: a plugin’s id')
export const workflow = z
  .string()
  .nullable()
  .default(null)
  .describe('The id of the workflow, instead of an action')
export const cron = z
  .string()
  .max(200)
  .meta({ description: 'Five fields, in the shop’s time zone', example: '0 2 1 * *' })

export const scheduleBody = z
  .strictObject({
    name: z.string().trim(),
    enabled: z.boolean().default(true),
    cron,
    action: actionField,
    workflow,
    options: z.record(z.string(), z.unknown()).default({}).describe('The action’s'),
    filter: filterSchema.default({}).describe('The files, selected again with every run'),
    notify: z.enum(['always', 'errors', 'never']).default('always'),
    cap: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe(
        'Maximum number of files that one run may delete; a run above it waits to be confirmed',
      ),
  })
  .meta({ id: 'ScheduleRequest' })

export const scheduleSchema = z
  .object({
    id: z.string(),
    ...scheduleBody.shape,
    time_zone: z.string(),
    schedule_text: z.string().meta({ example: 'Monthly on the 1st at 02:00' }),
    next_runs: z.array(timestamp),
    last_run: z
      .object({ operation_id: z.string(), status: z.enum(OPERATION_STATUSES), at: timestamp })
      .nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Schedule' })

export const timesOf = (cron: string, timeZone: string, now: Date) => ({
  next_runs: nextRuns(cron, timeZone, now, NEXT_RUNS).map((run) => run.toISOString()),
  schedule_text: scheduleText(cron),
})

export function scheduleRecord(
  row: ScheduleRow,
  time_zone: string,
  now: Date,
): z.output<typeof scheduleSchema> {
  const { name, enabled, cron, action, workflow, options, filter, notify, cap } = row
  const times = timesOf(cron, time_zone, now)
  return {
    id: toPublicId('schedule', row.id),
    name,
    enabled,
    cron,
    action,
    workflow,
    options,
    filter,
    notify,
    cap,
    time_zone,
    schedule_text: times.schedule_text,
    next_runs: enabled ? times.next_runs : [],
    last_run:
      row.last_operation_id && row.last_kind && row.last_status && row.last_run_at
        ? {
            operation_id: toOperationId(row.last_kind, row.last_operation_id),
            status: row.last_status,
            at: row.last_run_at.toISOString(),
          }
        : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
