// Schedules: an action or a workflow, on the files that a filter selects, at the times of a cron
// line.
import { z } from 'zod'
import { permissionsOf } from '../../engine/steps.ts'
import { AppError } from '../../core/errors.ts'
import { readShop } from '../../files/shop-settings.ts'
import { parsePublicId, requirePublicId } from '../../core/ids.ts'
import {
  endpointsOf,
  type Caller,
  type Endpoint,
  type Scope,
  requireScopes,
} from '../../http/endpoint.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, listOf, pageOfWhole } from '../../http/schemas.ts'
import { acceptedOperation, operationSchema } from '../operations/record.ts'
import { workflowOf } from './check.ts'
import { runNow } from './run.ts'
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  givenScheduleProblems,
  readSchedule,
  replaceSchedule,
  type ScheduleRow,
} from './rows.ts'
import { scheduleBody, scheduleRecord, scheduleSchema } from './record.ts'
import { scheduleCheckRoutes, type ScheduleRouteParts } from './routes/check-endpoints.ts'

const endpoint = endpointsOf({ tag: 'Schedules' })

const saved = { description: 'The schedule', schema: scheduleSchema }
const refused = { description: 'Every problem', schema: errorSchema }

export function scheduleRoutes(parts: ScheduleRouteParts): Endpoint[] {
  return [...scheduleCheckRoutes(parts), ...reads(parts), ...changes(parts), ...runs(parts)]
}

function reads(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint('GET /api/schedules', {
      summary: 'List schedules, by name',
      scope: 'operations:read',
      query: z.strictObject(pageOfWhole),
      replies: { 200: { description: 'All of them', schema: listOf(scheduleSchema) } },
      handler: async ({ caller: { scope }, query }) => {
        const [rows, shop] = await Promise.all([listSchedules(scope), readShop(scope)])
        const data = rows.map((row) => scheduleRecord(row, shop.settings.time_zone, parts.clock()))
        return { body: cutPage(data, query, ({ id }) => id) }
      },
    }),
    endpoint('GET /api/schedules/{id}', {
      summary: 'Read a schedule',
      scope: 'operations:read',
      replies: { 200: saved },
      handler: async ({ caller, params }) => ({
        body: await read(parts, caller, requirePublicId('schedule', params.id)),
      }),
    }),
  ]
}

function changes(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint('POST /api/schedules', {
      logs: { kind: 'schedule' },
      summary: 'Create a schedule',
      scope: 'settings:write',
      feature: 'schedules',
      body: scheduleBody,
      problems: ({ caller, body }) => givenScheduleProblems(caller.scope, body, parts.engine, null),
      replies: { 201: saved, 422: refused },
      handler: async ({ caller, body }) => {
        await requireScopesFor(caller, body, parts)
        const id = await createSchedule(caller.scope, body, parts.engine, parts.clock())
        return { status: 201, body: await read(parts, caller, id) }
      },
    }),
    endpoint('PUT /api/schedules/{id}', {
      logs: { kind: 'schedule' },
      summary: 'Replace a schedule',
      scope: 'settings:write',
      feature: 'schedules',
      switchesOff: ({ enabled }) => !enabled,
      body: scheduleBody,
      problems: ({ caller, params, body }) =>
        givenScheduleProblems(
          caller.scope,
          body,
          parts.engine,
          parsePublicId('schedule', params.id),
        ),
      replies: { 200: saved, 422: refused },
      handler: async ({ caller, params, body }) => {
        const id = requirePublicId('schedule', params.id)
        await requireScopesFor(caller, body, parts)
        await replaceSchedule(caller.scope, id, body, parts.engine, parts.clock())
        return { body: await read(parts, caller, id) }
      },
    }),
    endpoint('DELETE /api/schedules/{id}', {
      logs: { kind: 'schedule' },
      summary: 'Delete a schedule',
      description: 'A run that it started continues.',
      scope: 'settings:write',
      replies: { 204: { description: 'Deleted', schema: null } },
      handler: async ({ caller, params }) => {
        await deleteSchedule(caller.scope, requirePublicId('schedule', params.id))
        return { status: 204, body: null }
      },
    }),
  ]
}

function runs(parts: ScheduleRouteParts): Endpoint[] {
  return [
    endpoint('POST /api/schedules/{id}/run', {
      summary: 'Run a schedule now',
      description:
        'Its next run is unchanged. Above the cap it is a preview that must be confirmed.',
      scope: 'operations:write',
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
        return acceptedOperation(parts, caller.scope, started)
      },
    }),
  ]
}

/**
 * Checks the caller's scopes: without permission to delete files, their deletion cannot be
 * scheduled either. Workflows that cannot run are refused separately when the schedule is saved.
 */
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

async function read(parts: ScheduleRouteParts, { scope }: Caller, id: string) {
  const [row, shop] = await Promise.all([readSchedule(scope, id), readShop(scope)])
  if (!row) throw new AppError('not_found')
  return scheduleRecord(row, shop.settings.time_zone, parts.clock())
}
