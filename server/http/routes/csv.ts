// CSV import: upload, map the columns, check the whole file, start. The check runs in the
// background, and the file's record shows its progress.
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { queueCheck, stopCheck } from '../../channels/csv/check-queue.ts'
import { FIELDS, type ColumnMapping, type CsvField } from '../../channels/csv/columns.ts'
import { mapColumns } from '../../channels/csv/map-columns.ts'
import { errorsCsv, listProblems, type ProblemPlace } from '../../channels/csv/problems.ts'
import { listMappings, removeMapping, saveMapping } from '../../channels/csv/saved-mappings.ts'
import { startCsvImport } from '../../channels/csv/start.ts'
import {
  listUploads,
  MOST_BYTES,
  MOST_KEPT,
  MOST_CSV_ROWS,
  receiveCsv,
  removeUpload,
  requireUpload,
} from '../../channels/csv/uploads.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../errors.ts'
import { requirePublicId, toOperationId } from '../../ids.ts'
import type { Secrets } from '../../secrets.ts'
import { receivedFile } from '../csv-body.ts'
import {
  csvRecord,
  csvSchema,
  listedCsvRecord,
  listedCsvSchema,
  problemRecord,
  problemSchema,
  savedMappingRecord,
  savedMappingSchema,
} from '../csv-record.ts'
import { fromCursor, integer, toCursor } from '../cursors.ts'
import { endpoint, type Caller, type Endpoint, type Reply, type Scope } from '../endpoint.ts'
import { runIdempotently } from '../idempotency.ts'
import { operationPath, operationRecord, operationSchema } from '../operation-record.ts'
import { errorSchema, givenName, listOf, page } from '../schemas.ts'
import { requireScopes } from '../scopes.ts'

interface CsvParts {
  secrets: Secrets
  engine: Engine
  clock: () => Date
}

const common = { tag: 'CSV import', scope: 'imports:write' } as const
const byId = z.strictObject({ id: z.string() })
const header = z.string().min(1).max(5000).nullable()
const columnMapping = z
  .strictObject(
    Object.fromEntries(FIELDS.map((field) => [field, header.optional()])) as Record<
      CsvField,
      z.ZodOptional<typeof header>
    >,
  )
  .transform(
    (given) =>
      Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? null])) as ColumnMapping,
  )
  .meta({ description: 'Field → the header of its column; absent or null: no column has it' })
const conflicts = z.enum(['error', 'rename', 'overwrite', 'new_version'])

const startedSchema = operationSchema
  .extend({
    job_id: z.string().nullable().meta({ description: 'The import; null: no row brings a file' }),
    update_job_id: z
      .string()
      .nullable()
      .meta({ description: 'The operation over rows with an id; null: there are none' }),
  })
  .meta({ id: 'CsvStarted' })

const idOf = (id: string) => requirePublicId('csv', id)
const fileOf = async (caller: Caller, id: string) =>
  csvRecord(await requireUpload(caller.scope, idOf(id)))
const asItStands = { description: 'The file as it stands', schema: csvSchema }
const refused = { description: 'Every problem', schema: errorSchema }
const conflict = {
  description: 'Not as the file stands now: the message says why',
  schema: errorSchema,
}

/** The routes of saved mappings come first: `mappings` is not an id. */
export const csvRoutes = (parts: CsvParts): Endpoint[] => [
  ...mappingRoutes(),
  upload(parts),
  list(),
  read(),
  remove(),
  columns(),
  check(),
  stop(),
  problems(),
  errors(),
  start(parts),
]

const upload = ({ secrets }: CsvParts) =>
  endpoint({
    ...common,
    method: 'post',
    path: '/api/csv',
    summary: 'Upload a CSV file',
    description: `As the body (\`text/csv\`) or as the file of a form. At most 50 MB and ${MOST_CSV_ROWS.toLocaleString('en')} rows; UTF-8, UTF-16 or Windows-1252; separated by comma, semicolon, tab or |. It is kept for 24 hours, unless newer ones take its place: at most ${MOST_KEPT} are kept.`,
    query: z.strictObject({
      filename: z.string().max(255).optional().meta({ description: 'What it is called' }),
    }),
    replies: {
      201: {
        description: 'The file, with suggested columns and its first rows',
        schema: csvSchema,
      },
      413: { description: 'More than 50 MB', schema: errorSchema },
      422: {
        description: 'It cannot be read: `Invalid CSV format`, with row and column',
        schema: errorSchema,
      },
    },
    readsBody: true,
    handler: async ({ caller, query, ctx, signal }) => {
      const { bytes, filename } = await receivedFile(ctx, query.filename, MOST_BYTES)
      const hash = createHash('sha256')
      const id = await receiveCsv(caller.scope, hashed(bytes, hash), filename)
      const reply = async (): Promise<Reply> => {
        const body = csvRecord(await requireUpload(caller.scope, id))
        return { status: 201, headers: { Location: `/api/csv/${body.id}` }, body }
      }
      const key = ctx.get('Idempotency-Key')
      if (!key) return reply()
      const body = { filename, sha256: hash.digest('hex') }
      const request = { key, method: 'post', path: ctx.path, body, secrets, signal }
      return onceFor(caller, id, (work) => runIdempotently(caller.scope, request, work), reply)
    },
  })

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

/**
 * The file was received before it could be compared: it is not stored if the key has a reply, or
 * was used for another file.
 */
async function onceFor(
  caller: Caller,
  id: string,
  once: (work: () => Promise<Reply>) => Promise<Reply>,
  reply: () => Promise<Reply>,
): Promise<Reply> {
  let kept = false
  try {
    return await once(() => {
      kept = true
      return reply()
    })
  } finally {
    if (!kept) await removeUpload(caller.scope, id)
  }
}

const list = () =>
  endpoint({
    ...common,
    method: 'get',
    path: '/api/csv',
    summary: 'List the CSV files that are kept',
    description: `Newest first, all of them: at most ${MOST_KEPT}. Those that were imported are among them.`,
    replies: {
      200: { description: 'The files, without their rows', schema: listOf(listedCsvSchema) },
    },
    handler: async ({ caller }) => ({
      body: { data: (await listUploads(caller.scope)).map(listedCsvRecord), next_cursor: null },
    }),
  })

const read = () =>
  endpoint({
    ...common,
    method: 'get',
    path: '/api/csv/{id}',
    summary: 'Read a CSV file: columns, first rows, how far its check is',
    params: byId,
    replies: { 200: asItStands },
    handler: async ({ caller, params }) => ({ body: await fileOf(caller, params.id) }),
  })

const remove = () =>
  endpoint({
    ...common,
    method: 'delete',
    path: '/api/csv/{id}',
    summary: 'Remove a CSV file; what was imported from it stays',
    params: byId,
    replies: { 204: { description: 'It is gone', schema: null } },
    handler: async ({ caller, params }) => {
      if (!(await removeUpload(caller.scope, idOf(params.id)))) throw new AppError('not_found')
      return { status: 204, body: null }
    },
  })

const columns = () =>
  endpoint({
    ...common,
    method: 'put',
    path: '/api/csv/{id}/columns',
    summary: 'Say which column is which field',
    description: 'What a check had found before counts no more.',
    params: byId,
    body: z
      .strictObject({
        mapping: columnMapping,
        save_as: givenName.optional().meta({
          description:
            'Keeps it under this name; it applies by itself when the same headers come again',
        }),
      })
      .meta({ id: 'CsvColumns' }),
    replies: { 200: asItStands, 409: conflict, 422: refused },
    handler: async ({ caller, params, body }) => {
      await mapColumns(caller.scope, idOf(params.id), body.mapping, body.save_as ?? null)
      return { body: await fileOf(caller, params.id) }
    },
  })

const check = () =>
  endpoint({
    ...common,
    method: 'post',
    path: '/api/csv/{id}/check',
    summary: 'Check the whole file, in the background',
    params: byId,
    body: z
      .strictObject({
        probe: z.boolean().default(true).meta({ description: 'Ask whether each address answers' }),
        on_conflict: conflicts
          .default('error')
          .meta({ description: 'What becomes of names that are taken' }),
      })
      .meta({ id: 'CsvCheck' }),
    replies: {
      202: { description: 'The check is in line: read the file to follow it', schema: csvSchema },
      409: conflict,
    },
    handler: async ({ caller, params, body }) => {
      await queueCheck(caller.scope, idOf(params.id), body)
      return { status: 202, body: await fileOf(caller, params.id) }
    },
  })

const stop = () =>
  endpoint({
    ...common,
    method: 'post',
    path: '/api/csv/{id}/stop',
    summary: 'Stop the check',
    description: 'A file that is not being checked stays as it is.',
    params: byId,
    replies: { 200: asItStands, 409: conflict },
    handler: async ({ caller, params }) => {
      await stopCheck(caller.scope, idOf(params.id))
      return { body: await fileOf(caller, params.id) }
    },
  })

const problems = () =>
  endpoint({
    ...common,
    method: 'get',
    path: '/api/csv/{id}/problems',
    summary: 'List what the check has found, by row',
    params: byId,
    query: z.strictObject({ ...page, severity: z.enum(['error', 'warning']).optional() }),
    replies: {
      200: {
        description: 'Errors hold up the import, warnings do not',
        schema: listOf(problemSchema),
      },
    },
    handler: async ({ caller, params, query }) => {
      const file = await requireUpload(caller.scope, idOf(params.id))
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
  endpoint({
    ...common,
    method: 'get',
    path: '/api/csv/{id}/errors.csv',
    summary: 'Take away the rows with errors, to correct and import them',
    params: byId,
    replies: {
      200: {
        description: 'Those rows as they came, and a column that says why',
        schema: null,
        type: 'text/csv',
      },
    },
    handler: async ({ caller, params, ctx }) => {
      const file = await requireUpload(caller.scope, idOf(params.id))
      ctx.set('Content-Disposition', `attachment; filename="${params.id}-errors.csv"`)
      ctx.type = 'text/csv; charset=utf-8'
      ctx.body = Readable.from(errorsCsv(caller.scope, file))
      return null
    },
  })

const start = ({ engine, clock }: CsvParts) =>
  endpoint({
    ...common,
    method: 'post',
    path: '/api/csv/{id}/start',
    summary: 'Start the import of a checked file',
    description:
      'Rows with the id of a file change that file, in an operation of their own; that needs `files:write` too, and so do `overwrite` and `new_version`.',
    params: byId,
    body: z
      .strictObject({
        only_valid: z.boolean().default(false).meta({ description: 'Leave out rows with errors' }),
        auto_map: z.boolean().optional(),
        notify: z.boolean().optional(),
        on_conflict: conflicts.optional().meta({ description: 'As it was checked for, or absent' }),
      })
      .meta({ id: 'CsvStart' }),
    replies: {
      202: {
        description: 'The import; the operation over rows that change files, where all do',
        schema: startedSchema,
      },
      409: conflict,
      422: refused,
    },
    handler: async ({ caller, params, body, idempotencyKey }) => {
      const permit = (scopes: readonly Scope[]) => requireScopes(caller, scopes)
      const who = { name: caller.name, idempotencyKey, permit }
      const { imports, updates } = await startCsvImport(
        engine,
        caller.scope,
        idOf(params.id),
        body,
        who,
      )
      const operation = (await engine.get(caller.scope, (imports ?? updates)!))!
      const reply = {
        ...operationRecord(engine, operation, clock()),
        job_id: imports && toOperationId('import', imports),
        update_job_id: updates && toOperationId('bulk', updates),
      }
      return { status: 202, headers: { Location: operationPath(operation) }, body: reply }
    },
  })

const mappingRoutes = (): Endpoint[] => [
  endpoint({
    ...common,
    method: 'get',
    path: '/api/csv/mappings',
    summary: 'List saved column mappings',
    replies: { 200: { description: 'By name', schema: listOf(savedMappingSchema) } },
    handler: async ({ caller }) => ({
      body: { data: (await listMappings(caller.scope)).map(savedMappingRecord), next_cursor: null },
    }),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/api/csv/mappings',
    summary: 'Save a column mapping',
    description:
      'In place of the one that has this name. It applies by itself to files with these headers.',
    body: z
      .strictObject({
        name: givenName,
        headers: z.array(z.string().min(1).max(5000)).min(1).max(500),
        mapping: columnMapping,
      })
      .meta({ id: 'CsvColumnMappingRequest' }),
    replies: { 201: { description: 'It is saved', schema: savedMappingSchema }, 422: refused },
    handler: async ({ caller, body }) => ({
      status: 201,
      body: savedMappingRecord(await saveMapping(caller.scope, body)),
    }),
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: '/api/csv/mappings/{id}',
    summary: 'Forget a saved column mapping',
    params: byId,
    replies: { 204: { description: 'It is gone', schema: null } },
    handler: async ({ caller, params }) => {
      await removeMapping(caller.scope, requirePublicId('columns', params.id))
      return { status: 204, body: null }
    },
  }),
]
