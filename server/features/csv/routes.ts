// CSV import: upload, map the columns, check the whole file, start. The check runs in the
// background, and the file's record shows its progress.
import { createHash, type Hash } from 'node:crypto'
import { z } from 'zod'
import { ENCODINGS } from '../../core/encoding.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { toOperationId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import { receivedFile } from '../../http/form-csv.ts'
import {
  type Caller,
  type Endpoint,
  type Reply,
  type Scope,
  requireScopes,
} from '../../http/endpoint.ts'
import { runIdempotently } from '../../http/idempotency.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, givenName, listOf, onConflict, pageOfWhole } from '../../http/schemas.ts'
import { operationPath, operationRecord, operationSchema } from '../operations/record.ts'
import { mapColumns } from './map-columns.ts'
import { startCsvImport } from './start.ts'
import { MAX_COLUMNS } from './columns.ts'
import {
  chooseEncoding,
  chooseHeader,
  chooseSheet,
  listUploads,
  MAX_BYTES,
  MAX_KEPT,
  MAX_CSV_ROWS,
  receiveCsv,
  removeUpload,
  requireUpload,
} from './uploads.ts'
import type { ReadWorkbook } from './workbook.ts'
import { csvRecord, csvSchema, listedCsvRecord, listedCsvSchema } from './routes/record.ts'
import { csvCheckRoutes } from './routes/check-endpoints.ts'
import { csvCorrectionRoutes } from './routes/correction-endpoints.ts'
import { csvMappingRoutes } from './routes/mapping-endpoints.ts'
import {
  columnMapping,
  csvConflict,
  csvFileOf,
  csvIdOf,
  csvRefused,
  csvReply,
  csvEndpoint,
} from './routes/parts.ts'

export interface CsvParts {
  readWorkbook: ReadWorkbook
  secrets: Secrets
  engine: Engine
  clock: () => Date
}

const startedSchema = operationSchema
  .extend({
    job_id: z.string().nullable().describe('The import; null: no row imports a file'),
    update_job_id: z
      .string()
      .nullable()
      .describe('The operation on rows with an id; null: there are none'),
  })
  .meta({ id: 'CsvStarted' })

/** The routes of saved mappings come first: `mappings` is not an id. */
export const csvRoutes = (parts: CsvParts): Endpoint[] => [
  ...csvMappingRoutes(),
  upload(parts),
  list(),
  read(),
  remove(),
  columns(),
  encoding(),
  header(),
  sheet(),
  ...csvCheckRoutes(parts),
  ...csvCorrectionRoutes(),
  start(parts),
]

const upload = ({ secrets, readWorkbook }: CsvParts) =>
  csvEndpoint('POST /api/csv', {
    summary: 'Upload a CSV file',
    description: `As the body (\`text/csv\`) or as the file of a form. At most 50 MB, ${MAX_CSV_ROWS.toLocaleString('en')} rows and ${MAX_COLUMNS} columns; UTF-8, UTF-16 or an encoding of a country, which is detected; separated by comma, semicolon, tab or |. Workbooks (.xlsx, .ods) are accepted too. It is kept for 24 hours, unless newer ones take its place: at most ${MAX_KEPT} are kept.`,
    query: z.strictObject({
      filename: z.string().max(255).optional().describe('Its name'),
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
      const { bytes, filename } = await receivedFile(ctx, query.filename, { maxBytes: MAX_BYTES })
      const hash = createHash('sha256')
      const id = await receiveCsv(caller.scope, hashed(bytes, hash), filename, readWorkbook)
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
  csvEndpoint('GET /api/csv', {
    summary: 'List the stored CSV files',
    description: `Newest first, all of them: at most ${MAX_KEPT}. Those that were imported are among them.`,
    query: z.strictObject(pageOfWhole),
    replies: {
      200: { description: 'The files, without their rows', schema: listOf(listedCsvSchema) },
    },
    handler: async ({ caller, query }) => ({
      body: cutPage((await listUploads(caller.scope)).map(listedCsvRecord), query, ({ id }) => id),
    }),
  })

const read = () =>
  csvEndpoint('GET /api/csv/{id}', {
    summary: 'Read a CSV file: columns, first rows, progress of its check',
    replies: { 200: csvReply },
    handler: async ({ caller, params }) => ({ body: await csvFileOf(caller, params.id) }),
  })

const remove = () =>
  csvEndpoint('DELETE /api/csv/{id}', {
    summary: 'Delete a CSV file; imported files stay',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      if (!(await removeUpload(caller.scope, csvIdOf(params.id)))) throw new AppError('not_found')
      return { status: 204, body: null }
    },
  })

const columns = () =>
  csvEndpoint('PUT /api/csv/{id}/columns', {
    summary: 'Assign columns to fields',
    description: 'Results of an earlier check are dropped; corrections stay.',
    body: z
      .strictObject({
        mapping: columnMapping,
        save_as: givenName
          .optional()
          .describe(
            'Saves the mapping under this name; it is applied automatically to files with the same headers',
          ),
      })
      .meta({ id: 'CsvColumns' }),
    replies: { 200: csvReply, 409: csvConflict, 422: csvRefused },
    handler: async ({ caller, params, body }) => {
      await mapColumns(caller.scope, csvIdOf(params.id), body.mapping, body.save_as ?? null)
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const encoding = () =>
  csvEndpoint('PUT /api/csv/{id}/encoding', {
    summary: 'Choose the encoding of a CSV file',
    description:
      'The stored file is read again. Columns are suggested again, and corrections and results of an earlier check are dropped.',
    body: z
      .strictObject({ encoding: z.enum(ENCODINGS) })
      .meta({ id: 'CsvEncoding', example: { encoding: 'shift_jis' } }),
    replies: { 200: csvReply, 409: csvConflict, 422: csvRefused },
    handler: async ({ caller, params, body }) => {
      await chooseEncoding(caller.scope, csvIdOf(params.id), body.encoding)
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const header = () =>
  csvEndpoint('PUT /api/csv/{id}/header', {
    summary: 'Choose the row of the header of a CSV file',
    description:
      'Rows before it are not imported. 0: the file has no header, and its columns are called `Column 1` and so on. Columns are suggested again, and corrections and results of an earlier check are dropped.',
    body: z
      .strictObject({ row: z.number().int().min(0).max(1_000_000) })
      .meta({ id: 'CsvHeader', example: { row: 3 } }),
    replies: { 200: csvReply, 409: csvConflict, 422: csvRefused },
    handler: async ({ caller, params, body }) => {
      await chooseHeader(caller.scope, csvIdOf(params.id), body.row)
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const sheet = () =>
  csvEndpoint('PUT /api/csv/{id}/sheet', {
    summary: 'Choose the sheet of a workbook',
    description:
      'Columns are suggested again, and corrections and results of an earlier check are dropped. First the sheet is read that has most of the known columns.',
    body: z
      .strictObject({ sheet: z.string().max(255) })
      .meta({ id: 'CsvSheet', example: { sheet: 'Files' } }),
    replies: { 200: csvReply, 409: csvConflict, 422: csvRefused },
    handler: async ({ caller, params, body }) => {
      await chooseSheet(caller.scope, csvIdOf(params.id), body.sheet)
      return { body: await csvFileOf(caller, params.id) }
    },
  })

const start = ({ engine, secrets, clock }: CsvParts) =>
  csvEndpoint('POST /api/csv/{id}/start', {
    summary: 'Start the import of a checked file',
    description:
      'Rows with the id of a file change that file, in a separate operation, which also needs `files:write`, like `overwrite` and `new_version`; rows that delete or restore files need `files:delete`. If it would move more than 100 files, or a fifth of all, to the trash, it is a preview until it is confirmed.',
    body: z
      .strictObject({
        only_valid: z.boolean().default(false).describe('Leave out rows with errors'),
        auto_map: z.boolean().optional(),
        notify: z.boolean().optional(),
        dry_run: z
          .boolean()
          .default(false)
          .describe('Only preview what each row would do, until the operation is confirmed'),
        on_conflict: onConflict.optional().describe('Absent, or the same as in the check'),
      })
      .meta({ id: 'CsvStart' }),
    replies: {
      202: {
        description:
          'The import, or the operation on rows that change files if there are no others',
        schema: startedSchema,
      },
      409: csvConflict,
      422: csvRefused,
    },
    handler: async ({ caller, params, body, idempotencyKey }) => {
      const permit = (scopes: readonly Scope[]) => requireScopes(caller, scopes)
      const who = { name: caller.name, idempotencyKey, permit }
      const { imports, updates } = await startCsvImport(
        { engine, secrets },
        caller.scope,
        csvIdOf(params.id),
        body,
        who,
      )
      const operation = present(
        await engine.get(caller.scope, present(imports ?? updates, 'The started operation')),
        'The operation',
      )
      const reply = {
        ...operationRecord(engine, operation, clock()),
        job_id: imports && toOperationId('import', imports),
        update_job_id: updates && toOperationId('bulk', updates),
      }
      return { status: 202, headers: { Location: operationPath(operation) }, body: reply }
    },
  })
