// Checks of CSV files: started, stopped, and the problems that they find.
import { z } from 'zod'
import { mergedHeaders } from '../../../core/fetch-headers.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { sealHeaders } from '../check-headers.ts'
import { queueCheck, stopCheck } from '../check-queue.ts'
import { FIELDS } from '../columns.ts'
import { errorsCsv, listProblems, type ProblemPlace } from '../problems.ts'
import { requireUpload } from '../uploads.ts'
import { csvSchema, problemRecord, problemSchema } from './record.ts'
import { fromCursor, integer, toCursor } from '../../../http/cursors.ts'
import { type Endpoint } from '../../../http/endpoint.ts'
import { fetchHeaders, listOf, onConflict, page } from '../../../http/schemas.ts'
import { sendChunks } from '../../../http/stream-body.ts'
import { csvConflict, csvFileOf, csvIdOf, csvReply, csvEndpoint, rowModes } from './parts.ts'

export const csvCheckRoutes = (parts: { secrets: Secrets }): Endpoint[] => [
  check(parts),
  stop(),
  problems(),
  errors(),
]

const check = ({ secrets }: { secrets: Secrets }) =>
  csvEndpoint('POST /api/csv/{id}/check', {
    summary: 'Check the whole file, in the background',
    body: z
      .strictObject({
        probe: z.boolean().default(true).describe('Check that each address answers'),
        on_conflict: onConflict.default('error').describe('What to do if a name is taken'),
        headers: fetchHeaders
          .optional()
          .describe(
            'Headers of the requests for the files, such as `Authorization`, also of the import. They are sealed, shown nowhere, and sent only to the host of each address: never after a redirect to another one. Absent: those of the check before; `{}`: none',
          ),
        ...rowModes,
      })
      .meta({ id: 'CsvCheck' }),
    replies: {
      202: { description: 'The check is queued: read the file to follow it', schema: csvSchema },
      409: csvConflict,
    },
    handler: async ({ caller, params, body }) => {
      const { headers, ...options } = body
      const { scope } = caller
      await queueCheck(scope, csvIdOf(params.id), {
        ...options,
        ...(headers
          ? { headers_sealed: sealHeaders(secrets, scope.shop, mergedHeaders(headers)) }
          : {}),
      })
      return { status: 202, body: await csvFileOf(caller, params.id) }
    },
  })

const stop = () =>
  csvEndpoint('POST /api/csv/{id}/stop', {
    summary: 'Stop the check',
    description: 'A file that is not being checked is unchanged.',
    replies: { 200: csvReply, 409: csvConflict },
    handler: async ({ caller, params }) => {
      await stopCheck(caller.scope, csvIdOf(params.id))
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const problems = () =>
  csvEndpoint('GET /api/csv/{id}/problems', {
    summary: 'List the problems that the check has found, by row',
    query: z.strictObject({ ...page, severity: z.enum(['error', 'warning']).optional() }),
    replies: {
      200: {
        description: 'Rows with errors are not imported, rows with warnings are',
        schema: listOf(problemSchema),
      },
    },
    handler: async ({ caller, params, query }) => {
      const file = await requireUpload(caller.scope, csvIdOf(params.id))
      const { severity, limit } = query
      const rows = await listProblems(caller.scope, file, {
        severity,
        after: placeAfter(query.cursor),
        limit,
      })
      const last = rows.at(-1)
      const next_cursor =
        last && rows.length === limit ? toCursor([last.row, last.place, last.number]) : null
      return { body: { data: rows.map(problemRecord), next_cursor } }
    },
  })

const field = (value: unknown): value is number =>
  integer(value) && value >= 0 && value <= FIELDS.length

function placeAfter(cursor: string | undefined): ProblemPlace | undefined {
  const values = fromCursor(cursor, [integer, field, integer])
  return values ? { row: values[0], place: values[1], number: values[2] } : undefined
}

const errors = () =>
  csvEndpoint('GET /api/csv/{id}/errors.csv', {
    summary: 'Download the rows with errors, to correct and import them',
    replies: {
      200: {
        description: 'The original rows, with a column that gives the reasons',
        schema: null,
        type: 'text/csv',
      },
    },
    handler: async ({ caller, params, ctx }) => {
      const file = await requireUpload(caller.scope, csvIdOf(params.id))
      ctx.set('Content-Disposition', `attachment; filename="${params.id}-errors.csv"`)
      ctx.type = 'text/csv; charset=utf-8'
      sendChunks(ctx, errorsCsv(caller.scope, file))
      return null
    },
  })
