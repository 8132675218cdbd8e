// Moving from another app: upload its export, look at what it would import, start.
import { z } from 'zod'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import { endpointsOf, type Endpoint, type Scope, requireScopes } from '../../http/endpoint.ts'
import { receivedFile } from '../../http/form-csv.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, listOf, pageOfWhole, timestamp } from '../../http/schemas.ts'
import { MAX_BYTES } from '../csv/uploads.ts'
import type { ReadWorkbook } from '../csv/workbook.ts'
import { acceptedOperation, operationSchema } from '../operations/record.ts'
import { channelOf } from '../operations/routes.ts'
import { listMoves, MAX_MOVES, removeMove, requireMove, type StoredMove } from './moves.ts'
import { receiveMove } from './receive.ts'
import { startMove } from './start.ts'
import { findingSchema } from './findings.ts'
import { MOVE_FIELDS, SOURCE_APPS, SOURCE_TABLES } from './presets.ts'

export interface MoveRouteParts {
  readWorkbook: ReadWorkbook
  engine: Engine
  clock: () => Date
}

const endpoint = endpointsOf({ tag: 'Move', scope: 'imports:write' })
const moveIdOf = (id: string) => requirePublicId('move', id)

export const moveRoutes = (parts: MoveRouteParts): Endpoint[] => [
  upload(parts),
  list(),
  read(),
  remove(),
  start(parts),
]

const upload = ({ readWorkbook, clock }: MoveRouteParts) =>
  endpoint('POST /api/moves', {
    summary: 'Upload an export of another app',
    description:
      'As the body (`text/csv`) or as the file of a form, in any form that `POST /api/csv` accepts. The app is recognised by the columns. Nothing is imported yet; it is kept for 24 hours.',
    query: z.strictObject({
      filename: z.string().max(255).optional().describe('Its name'),
    }),
    replies: {
      201: { description: 'What it would import', schema: moveSchema },
      413: { description: 'More than 50 MB', schema: errorSchema },
      422: { description: 'It cannot be read, or no app is recognised', schema: errorSchema },
    },
    readsBody: true,
    handler: async ({ caller: { scope }, query, ctx }) => {
      const { bytes, filename } = await receivedFile(ctx, query.filename, { maxBytes: MAX_BYTES })
      const id = await receiveMove(scope, bytes, { filename, readWorkbook, now: clock() })
      const body = moveRecord(await requireMove(scope, id))
      return { status: 201, headers: { Location: `/api/moves/${body.id}` }, body }
    },
  })

const list = () =>
  endpoint('GET /api/moves', {
    summary: 'List the exports of other apps',
    description: `Newest first, all that are kept: at most ${MAX_MOVES}.`,
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'The exports', schema: listOf(moveSchema) } },
    handler: async ({ caller, query }) => ({
      body: cutPage((await listMoves(caller.scope)).map(moveRecord), query, ({ id }) => id),
    }),
  })

const read = () =>
  endpoint('GET /api/moves/{id}', {
    summary: 'Read what an export of another app would import, or did',
    replies: { 200: { description: 'The export', schema: moveSchema } },
    handler: async ({ caller, params }) => ({
      body: moveRecord(await requireMove(caller.scope, moveIdOf(params.id))),
    }),
  })

const remove = () =>
  endpoint('DELETE /api/moves/{id}', {
    summary: 'Delete an export of another app; what it imported stays',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await removeMove(caller.scope, moveIdOf(params.id))
      return { status: 204, body: null }
    },
  })

const start = (parts: MoveRouteParts) =>
  endpoint('POST /api/moves/{id}/start', {
    summary: 'Import an export of another app',
    description:
      'Files as a CSV import; files from the same address as in an earlier move are left out. Buyers get links with what remains of their terms, which also needs `links:write`; those who have a link to the file are left out. Both can be undone.',
    body: z
      .strictObject({
        email: z
          .boolean()
          .default(false)
          .describe('Each buyer gets one email with all links. Files ignore this.'),
      })
      .meta({ id: 'MoveStart' }),
    replies: {
      202: { description: 'The operation; follow `Location`', schema: operationSchema },
      409: { description: 'It was imported already', schema: errorSchema },
      422: { description: 'Nothing is left to import', schema: errorSchema },
    },
    handler: async ({ caller, params, body, idempotencyKey }) => {
      const { engine, clock } = parts
      const id = await startMove(engine, caller.scope, moveIdOf(params.id), {
        email: body.email,
        requestedBy: caller.name,
        idempotencyKey,
        now: clock(),
        channel: channelOf(caller),
        permit: (scopes: readonly Scope[]) => requireScopes(caller, scopes),
      })
      return acceptedOperation(parts, caller.scope, id)
    },
  })

// A move, as every answer shows it.

const count = z.number().int()

const moveSchema = z
  .object({
    id: z.string(),
    filename: z.string(),
    app: z.enum(SOURCE_APPS).describe('`other`: a list with columns of these kinds'),
    table: z.enum(SOURCE_TABLES).describe('Which table of the app it is'),
    kind: z.enum(['files', 'buyers']).describe('What it is imported as'),
    columns: z.array(z.object({ field: z.enum(MOVE_FIELDS), header: z.string() })),
    unknown_columns: z.array(z.string()).describe('Columns that are not read'),
    rows: count,
    files: z
      .object({
        total: count.describe('Different addresses'),
        fresh: count.describe('Files that an import would create'),
        present: count.describe('The shop has the file from an earlier move'),
        without_files: count.describe('Products without files'),
        products: z
          .object({ id: count, sku: count, handle: count, title: count, none: count })
          .describe('Different products, by how they were found in this shop'),
      })
      .nullable(),
    buyers: z
      .object({
        total: count.describe('Different addresses of buyers'),
        links: count.describe('Links that an import would create'),
        files: count.describe('The files of these links'),
        present: count.describe('Buyers who have a link to the file already'),
        ended: count.describe('Access that has expired, or has no downloads left'),
        without_file: count.describe('Access to products without a file here'),
      })
      .nullable(),
    findings: z.array(findingSchema).describe('What was noticed in the rows, by cause'),
    operation_id: z.string().nullable().describe('The import, if it was started'),
    undone: z.boolean().describe('The import was undone'),
    started_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Move' })

function moveRecord(move: StoredMove): z.output<typeof moveSchema> {
  const { id, filename, app, source, kind, columns, counts, operation_id, operation_kind } = move
  return {
    id: toPublicId('move', id),
    filename,
    app,
    table: source,
    kind,
    columns: columns.read,
    unknown_columns: columns.unknown,
    rows: counts.rows,
    files: counts.files,
    buyers: counts.buyers,
    findings: counts.findings,
    operation_id: operation_id && operation_kind && toOperationId(operation_kind, operation_id),
    undone: move.undone,
    started_at: move.started_at?.toISOString() ?? null,
    created_at: move.created_at.toISOString(),
  }
}
