// Schedules: an action or a workflow, on the files that a filter selects, at the times of a cron line.
import { z } from 'zod'
import { runNow, selectionOf } from '../../channels/schedule-run.ts'
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  readSchedule,
  replaceSchedule,
  workflowOf,
  type ScheduleRow,
} from '../../channels/schedule-rows.ts'
import { SCHEDULE_TEMPLATES } from '../../channels/schedule-templates.ts'
import { cronProblem, nextRuns, scheduleText } from '../../channels/schedule-times.ts'
import { OPERATION_STATUSES, permissionsOf, type Engine } from '../../engine/engine.ts'
import { AppError } from '../../errors.ts'
import { filterSchema } from '../../files/filter.ts'
import { countFiles, listFiles } from '../../files/list.ts'
import { readShop, timeZone } from '../../files/shop-settings.ts'
import { requirePublicId, toPublicId } from '../../ids.ts'
import { endpoint, type Caller, type Endpoint, type Scope } from '../endpoint.ts'
import { operationPath, operationRecord, operationSchema } from '../operation-record.ts'
import { errorSchema, listOf, timestamp } from '../schemas.ts'
import { requireScopes } from '../scopes.ts'

const NEXT_RUNS = 5
const SAMPLE = 10

const action = z.string().nullable().default(null).meta({ description: 'A bulk action: a plugin’s id' })
const workflow = z.string().nullable().default(null).meta({ description: 'Or the workflow that it runs' })
const cron = z.string().max(200).meta({ description: 'Five fields, in the shop’s time zone', example: '0 2 1 * *' })

const scheduleBody = z
  .strictObject({
    name: z.string().trim().min(1, 'Give it a name').max(100),
    enabled: z.boolean().default(true),
    cron,
    action,
    workflow,
    options: z.record(z.string(), z.unknown()).default({}).meta({ description: 'The action’s' }),
    filter: filterSchema.default({}).meta({ description: 'Which files, looked up anew with every run' }),
    notify: z.enum(['always', 'errors', 'never']).default('always'),
    cap: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .meta({ description: 'The most files that one run may delete; above it, the run waits to be confirmed' }),
  })
  .meta({ id: 'ScheduleRequest' })

const scheduleSchema = z
  .object({
    id: z.string(),
    ...scheduleBody.shape,
    time_zone: z.string(),
    schedule_text: z.string().meta({ example: 'Monthly on the 1st at 02:00' }),
    next_runs: z.array(timestamp),
    last_run: z.object({ operation_id: z.string(), status: z.enum(OPERATION_STATUSES), at: timestamp }).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Schedule' })

const times = z.object({ next_runs: z.array(timestamp), schedule_text: z.string(), time_zone: z.string() })
const byId = z.strictObject({ id: z.string() })
const saved = { description: 'The schedule', schema: scheduleSchema }
const refused = { description: 'Every problem', schema: errorSchema }

export interface ScheduleRouteParts {
  engine: Engine
  clock: () => Date
}

export function scheduleRoutes(parts: ScheduleRouteParts): Endpoint[] {
  return [...lookups(parts), ...changes(parts), ...runs(parts)]
}

function lookups(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/schedules',
      summary: 'List schedules, by name',
      tag: 'Schedules',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: listOf(scheduleSchema) } },
      handler: async ({ caller: { scope } }) => {
        const [rows, shop] = await Promise.all([listSchedules(scope), readShop(scope)])
        const data = rows.map((row) => recordOf(row, shop.settings.time_zone, parts.clock()))
        return { body: { data, next_cursor: null } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/schedules/templates',
      summary: 'Schedules to begin with, as they can be posted',
      tag: 'Schedules',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: z.object({ data: z.array(scheduleBody) }) } },
      handler: () => Promise.resolve({ body: { data: SCHEDULE_TEMPLATES } }),
    }),
    endpoint({
      method: 'get',
      path: '/api/schedules/{id}',
      summary: 'Read a schedule',
      tag: 'Schedules',
      scope: 'operations:read',
      params: byId,
      replies: { 200: saved },
      handler: async ({ caller, params }) => ({
        body: await read(parts, caller, requirePublicId('schedule', params.id)),
      }),
    }),
    endpoint({
      method: 'post',
      path: '/api/schedules/check',
      summary: 'Say when a cron line runs next',
      tag: 'Schedules',
      scope: 'operations:read',
      body: z.strictObject({ cron, time_zone: timeZone.optional().meta({ description: 'Absent: the shop’s' }) }),
      replies: { 200: { description: 'Its next runs', schema: times }, 422: refused },
      handler: async ({ caller, body }) => {
        const problem = cronProblem(body.cron)
        if (problem) throw invalid('cron', problem)
        const time_zone = body.time_zone ?? (await readShop(caller.scope)).settings.time_zone
        return { body: { ...timesOf(body.cron, time_zone, parts.clock()), time_zone } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/schedules/match',
      summary: 'Say which files a run would find at this moment',
      tag: 'Schedules',
      scope: 'files:read',
      body: z.strictObject({ filter: filterSchema.default({}), action, workflow }),
      replies: {
        200: {
          description: 'How many, and the names of the first ten',
          schema: z.object({ total: z.number().int(), sample: z.array(z.string()) }),
        },
      },
      handler: async ({ caller: { scope }, body }) => {
        const runs =
          (body.action ?? body.workflow) ? await workflowOf(scope, { ...body, options: {} }, parts.engine) : null
        const filter = runs ? selectionOf(body.filter, runs, parts.engine.plugins) : body.filter
        const [total, sample] = await Promise.all([
          countFiles(scope, filter),
          listFiles(scope, { filter, sort: 'created_at', after: null, limit: SAMPLE }),
        ])
        return { body: { total, sample: sample.map(({ filename }) => filename) } }
      },
    }),
  ]
}

function changes(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/api/schedules',
      summary: 'Make a schedule',
      tag: 'Schedules',
      scope: 'settings:write',
      body: scheduleBody,
      replies: { 201: saved, 422: refused },
      handler: async ({ caller, body }) => {
        await requireScopesFor(caller, body, parts)
        const id = await createSchedule(caller.scope, body, parts.engine, parts.clock())
        return { status: 201, body: await read(parts, caller, id) }
      },
    }),
    endpoint({
      method: 'put',
      path: '/api/schedules/{id}',
      summary: 'Replace a schedule',
      tag: 'Schedules',
      scope: 'settings:write',
      params: byId,
      body: scheduleBody,
      replies: { 200: saved, 422: refused },
      handler: async ({ caller, params, body }) => {
        const id = requirePublicId('schedule', params.id)
        await requireScopesFor(caller, body, parts)
        await replaceSchedule(caller.scope, id, body, parts.engine, parts.clock())
        return { body: await read(parts, caller, id) }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/api/schedules/{id}',
      summary: 'Delete a schedule',
      description: 'A run that it started goes on.',
      tag: 'Schedules',
      scope: 'settings:write',
      params: byId,
      replies: { 204: { description: 'It is gone', schema: null } },
      handler: async ({ caller, params }) => {
        await deleteSchedule(caller.scope, requirePublicId('schedule', params.id))
        return { status: 204, body: null }
      },
    }),
  ]
}

function runs(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/api/schedules/{id}/run',
      summary: 'Run a schedule now',
      description: 'Its next run stays where it is. Above its cap it is a preview, to be confirmed.',
      tag: 'Schedules',
      scope: 'operations:write',
      params: byId,
      replies: {
        202: { description: 'The operation', schema: operationSchema },
        409: { description: 'Its last run has not ended', schema: errorSchema },
      },
      handler: async ({ caller, params, idempotencyKey }) => {
        const id = requirePublicId('schedule', params.id)
        const schedule = await readSchedule(caller.scope, id)
        if (!schedule) throw new AppError('not_found')
        await requireScopesFor(caller, schedule, parts)
        const started = await runNow(caller.scope, parts.engine, id, {
          requestedBy: caller.name,
          now: parts.clock(),
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        })
        const operation = (await parts.engine.get(caller.scope, started))!
        return {
          status: 202,
          headers: { Location: operationPath(operation) },
          body: operationRecord(parts.engine, operation, parts.clock()),
        }
      },
    }),
  ]
}

/** Who may not delete files may not have a schedule delete them either. What can't be run is told apart when it is saved. */
async function requireScopesFor(
  caller: Caller,
  body: Pick<ScheduleRow, 'action' | 'workflow' | 'options'>,
  parts: ScheduleRouteParts,
): Promise<void> {
  const workflow = await workflowOf(caller.scope, body, parts.engine).catch((error: unknown) => {
    if (error instanceof AppError) return null
    throw error
  })
  if (workflow) requireScopes(caller, permissionsOf(workflow, parts.engine.plugins) as Scope[])
}

const invalid = (param: string, message: string) =>
  new AppError('validation_failed', { param, details: [{ param, code: 'invalid_value', message }] })

async function read(parts: ScheduleRouteParts, { scope }: Caller, id: string) {
  const [row, shop] = await Promise.all([readSchedule(scope, id), readShop(scope)])
  if (!row) throw new AppError('not_found')
  return recordOf(row, shop.settings.time_zone, parts.clock())
}

const timesOf = (cron: string, timeZone: string, now: Date) => ({
  next_runs: nextRuns(cron, timeZone, now, NEXT_RUNS).map((run) => run.toISOString()),
  schedule_text: scheduleText(cron),
})

function recordOf(row: ScheduleRow, time_zone: string, now: Date): z.output<typeof scheduleSchema> {
  const { name, enabled, cron, action, workflow, options, filter, notify, cap } = row
  const times = timesOf(cron, time_zone, now)
  return {
    id: toPublicId('schedule', row.id),
    ...{ name, enabled, cron, action, workflow, options, filter, notify, cap, time_zone },
    schedule_text: times.schedule_text,
    next_runs: enabled ? times.next_runs : [],
    last_run:
      row.last_operation_id && row.last_status && row.last_run_at
        ? {
            operation_id: toPublicId('op', row.last_operation_id),
            status: row.last_status,
            at: row.last_run_at.toISOString(),
          }
        : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
