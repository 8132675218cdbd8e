// What the schedule form needs: templates, when a cron line runs, which files a filter finds.
import type { Text } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import { workflowOf } from '../check.ts'
import { SCHEDULE_TEMPLATES } from '../templates.ts'
import { cronProblem } from '../times.ts'
import { placedFilter } from '../../../engine/steps.ts'
import type { Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../core/errors.ts'
import { compileFilter, filterSchema } from '../../../files/filter.ts'
import { impactOf } from '../../files/impact.ts'
import { listFilePage, totalOfFiles } from '../../../files/list.ts'
import { readShop, timeZone } from '../../../files/shop-settings.ts'
import { deletes } from '../../workflows/describe.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { actionField, cron, scheduleBody, timesOf, workflow } from '../record.ts'
import { cutPage } from '../../../http/cursors.ts'
import { errorSchema, listOf, pageOfWhole, timestamp, totalIsExact } from '../../../http/schemas.ts'
import { impactSchema } from '../../files/routes/impact-endpoints.ts'

const endpoint = endpointsOf({ tag: 'Schedules' })

const SAMPLE = 10

const times = z
  .object({ next_runs: z.array(timestamp), schedule_text: z.string(), time_zone: z.string() })
  .meta({ id: 'CronCheck' })
const refused = { description: 'Every problem', schema: errorSchema }

export interface ScheduleRouteParts {
  engine: Engine
  clock: () => Date
}

export const scheduleCheckRoutes = (parts: ScheduleRouteParts): Endpoint[] => [
  templates(),
  nextRuns(parts),
  match(parts),
]

const templates = (): Endpoint =>
  endpoint('GET /api/schedules/templates', {
    summary: 'List templates of schedules, in the form of request bodies',
    scope: 'operations:read',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(scheduleBody) } },
    handler: ({ query }) =>
      Promise.resolve({ body: cutPage(SCHEDULE_TEMPLATES, query, ({ name }) => name) }),
  })

const nextRuns = ({ clock }: ScheduleRouteParts): Endpoint =>
  endpoint('POST /api/schedules/check', {
    summary: 'List the next runs of a cron line',
    scope: 'operations:read',
    body: z.strictObject({
      cron,
      time_zone: timeZone.optional().describe('Absent: the shop’s'),
    }),
    replies: { 200: { description: 'Its next runs', schema: times }, 422: refused },
    handler: async ({ caller, body }) => {
      const problem = cronProblem(body.cron)
      if (problem) throw invalid('cron', problem)
      const time_zone = body.time_zone ?? (await readShop(caller.scope)).settings.time_zone
      return { body: { ...timesOf(body.cron, time_zone, clock()), time_zone } }
    },
  })

const match = ({ engine, clock }: ScheduleRouteParts): Endpoint =>
  endpoint('POST /api/schedules/match', {
    summary: 'Show which files a run would find now',
    scope: 'files:read',
    body: z.strictObject({ filter: filterSchema.default({}), action: actionField, workflow }),
    replies: {
      200: {
        description: 'Their number, the names of the first ten, and what deleting them affects',
        schema: z
          .object({
            total: z.number().int(),
            total_is_exact: totalIsExact,
            sample: z.array(z.string()),
            impact: impactSchema.nullable().describe('Null: it deletes nothing'),
          })
          .meta({ id: 'ScheduleMatch' }),
      },
    },
    handler: async ({ caller: { scope }, body }) => {
      const runs =
        (body.action ?? body.workflow)
          ? await workflowOf(scope, { ...body, options: {} }, engine)
          : null
      const filter = runs ? placedFilter(body.filter, runs, engine.plugins) : body.filter
      const isDeletion = runs !== null && deletes(runs, engine.plugins)
      const condition = await compileFilter(scope, filter)
      const [{ total, isExact }, impact, sample] = await Promise.all([
        totalOfFiles(scope, filter, { condition }),
        isDeletion ? impactOf(scope, { filter }, clock()) : null,
        listFilePage(scope, { filter: condition, sort: 'created_at', after: null, limit: SAMPLE }),
      ])
      return {
        body: {
          total,
          total_is_exact: isExact,
          impact,
          sample: sample.map(({ filename }) => filename),
        },
      }
    },
  })

const invalid = (param: string, message: Text) =>
  new AppError('validation_failed', { param, details: [{ param, code: 'invalid_value', message }] })
