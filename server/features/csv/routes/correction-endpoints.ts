// Corrections of a file in the browser: its problems by cause, its rows, edits of rows, and fixes of
// all rows with one problem.
import { z } from 'zod'
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { fromCursor, integer, toCursor, cutPage } from '../../../http/cursors.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import { listOf, page, pageOfWhole } from '../../../http/schemas.ts'
import { sendChunks } from '../../../http/stream-body.ts'
import { forgetFailures, queueRecheck } from '../check-queue.ts'
import { FIELDS, type CsvField } from '../columns.ts'
import { listRows, readChangedRows } from '../corrected-rows.ts'
import { changeRows, fixGroup, requireCorrectable, undoLast } from '../fixes.ts'
import { listGroups } from '../problem-groups.ts'
import { correctedCsv } from '../problems.ts'
import { requireUpload } from '../uploads.ts'
import {
  correctableRowSchema,
  problemTexts,
  correctableRowRecord,
  csvRecord,
  csvSchema,
  problemGroupSchema,
} from './record.ts'
import { csvConflict, csvFileOf, csvIdOf, csvRefused, csvReply, csvEndpoint } from './parts.ts'

export const csvCorrectionRoutes = (): Endpoint[] => [
  groups(),
  rows(),
  change(),
  fix(),
  undo(),
  recheck(),
  corrected(),
]

/** The most rows that one request changes, and the most characters of a cell. */
const MAX_ROWS = 1000
const MAX_CHARACTERS = 8000
const text = z.string().max(MAX_CHARACTERS)
const groupId = z.string().regex(/^[0-9a-f]{32}$/, sayPlain('This is not the id of a group'))

const groups = () =>
  csvEndpoint('GET /api/csv/{id}/problem-groups', {
    summary: 'List the problems that the check has found, by cause',
    description: 'Errors first, then the groups with most rows; at most 100.',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'The groups', schema: listOf(problemGroupSchema) } },
    handler: async ({ caller, params, query }) => {
      const file = await requireUpload(caller.scope, csvIdOf(params.id))
      const found = await listGroups(caller.scope, file)
      const data = found.map((group) => ({ ...group, ...problemTexts(group) }))
      return { body: cutPage(data, query, ({ id }) => id) }
    },
  })

const rows = () =>
  csvEndpoint('GET /api/csv/{id}/rows', {
    summary: 'List rows to correct, and corrected rows',
    query: z.strictObject({
      ...page,
      group: groupId
        .optional()
        .describe('Rows with a problem of this group; absent: rows with corrections'),
      only: z
        .enum(['corrected', 'left_out'])
        .optional()
        .describe('Without `group`: only rows with this correction'),
    }),
    replies: {
      200: { description: 'In the order of the file', schema: listOf(correctableRowSchema) },
    },
    handler: async ({ caller, params, query: { group, only, cursor, limit } }) => {
      const file = await requireUpload(caller.scope, csvIdOf(params.id))
      const [after = 0] = fromCursor(cursor, [integer]) ?? []
      const data = await listRows(caller.scope, file, { group, only, after, limit })
      const last = data.at(-1)
      const next_cursor = last && data.length === limit ? toCursor([last.row]) : null
      return { body: { data: data.map(correctableRowRecord), next_cursor } }
    },
  })

const values = z.strictObject(
  Object.fromEntries(FIELDS.map((field) => [field, text.nullable().optional()])) as Record<
    CsvField,
    z.ZodOptional<z.ZodNullable<typeof text>>
  >,
)

const change = () =>
  csvEndpoint('PATCH /api/csv/{id}/rows', {
    summary: 'Correct rows, or leave them out',
    description:
      'The uploaded file does not change: its corrections are stored beside it, are checked immediately if the file was checked, and are what is imported. Only new addresses and SKUs are requested.',
    body: z
      .strictObject({
        rows: z
          .array(
            z.strictObject({
              row: z.int().min(1).describe('As a spreadsheet counts'),
              values: values.optional().describe('The corrected texts; null: the text of the file'),
              left_out: z
                .boolean()
                .optional()
                .describe('true: the row is not imported; false: it is put back'),
            }),
          )
          .min(1, sayPlain('At least one row'))
          .max(MAX_ROWS, `At most ${MAX_ROWS} rows`),
      })
      .meta({ id: 'CsvRowChanges' }),
    replies: {
      200: {
        description: 'The changed rows, with the problems of their values, and the file',
        schema: z.object({ rows: z.array(correctableRowSchema), file: csvSchema }),
      },
      409: csvConflict,
      422: csvRefused,
    },
    handler: async ({ caller, params, body }) => {
      const id = csvIdOf(params.id)
      await changeRows(caller.scope, id, body.rows)
      const file = await requireUpload(caller.scope, id)
      const numbers = [...new Set(body.rows.map(({ row }) => row))]
      const changed = await readChangedRows(caller.scope, file, numbers)
      return { body: { rows: changed.map(correctableRowRecord), file: csvRecord(file) } }
    },
  })

const fixSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('leave_out') }),
  z.strictObject({ type: z.literal('set'), text }),
  z.strictObject({ type: z.literal('prefix'), text: text.min(1) }),
  z.strictObject({ type: z.literal('replace'), find: text.min(1), with: text }),
  z.strictObject({ type: z.literal('number') }),
  z.strictObject({ type: z.literal('from_address') }),
  z.strictObject({ type: z.literal('extension') }),
  z.strictObject({ type: z.literal('decode') }),
  z.strictObject({ type: z.literal('meant') }),
])

const fix = () =>
  csvEndpoint('POST /api/csv/{id}/fixes', {
    summary: 'Correct all rows with one problem',
    description:
      '`leave_out`: the rows are not imported. `set`: the cell gets this text. `prefix`: the text is put before the cell’s. `replace`: a part of the cell is replaced. `number`: taken names get a number. `from_address`: the file is named after the end of its address. `extension`: the ending of its address is put after the name. `decode`: letters that were read in a wrong encoding are restored. `meant`: unknown SKUs become the SKU of the shop that they are a typing error of, if there is one. It is one correction, which can be undone.',
    body: z
      .strictObject({
        group: groupId.describe('The id of a group of problems'),
        value: text
          .optional()
          .describe('Only rows whose cells have this text; absent: all of the group'),
        fix: fixSchema,
      })
      .meta({ id: 'CsvFix' }),
    replies: {
      200: {
        description: 'The number of changed rows, and the file',
        schema: z.object({ rows: z.number().int(), file: csvSchema }),
      },
      409: csvConflict,
    },
    handler: async ({ caller, params, body }) => {
      const { fix: wanted, ...part } = body
      const changed = await fixGroup(caller.scope, csvIdOf(params.id), part, wanted)
      return { body: { rows: changed, file: await csvFileOf(caller, params.id) } }
    },
  })

const undo = () =>
  csvEndpoint('POST /api/csv/{id}/undo', {
    summary: 'Undo the last correction',
    description: 'The last 50 corrections can be undone, one after another.',
    replies: { 200: csvReply, 409: csvConflict },
    handler: async ({ caller, params }) => {
      await undoLast(caller.scope, csvIdOf(params.id))
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const recheck = () =>
  csvEndpoint('POST /api/csv/{id}/recheck', {
    summary: 'Check what failed again',
    description:
      'Requests the addresses and SKUs again that had problems. A file that was not checked is unchanged.',
    replies: {
      202: { description: 'The check is queued: read the file to follow it', schema: csvSchema },
      409: csvConflict,
    },
    handler: async ({ caller, params }) => {
      await caller.scope.transaction(async (tx) => {
        const file = await requireCorrectable(tx, csvIdOf(params.id))
        await forgetFailures(tx, file.id)
        await queueRecheck(tx, file)
      })
      return { status: 202, body: await csvFileOf(caller, params.id) }
    },
  })

const corrected = () =>
  csvEndpoint('GET /api/csv/{id}/corrected.csv', {
    summary: 'Download the file with its corrections',
    replies: {
      200: {
        description: 'All rows that are not left out, in UTF-8',
        schema: null,
        type: 'text/csv',
      },
    },
    handler: async ({ caller, params, ctx }) => {
      const file = await requireUpload(caller.scope, csvIdOf(params.id))
      ctx.set('Content-Disposition', `attachment; filename="${params.id}-corrected.csv"`)
      ctx.type = 'text/csv; charset=utf-8'
      sendChunks(ctx, correctedCsv(caller.scope, file))
      return null
    },
  })
