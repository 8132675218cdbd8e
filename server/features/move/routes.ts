// Moving from another app: upload its export, look at what it would import, start.
import { z } from 'zod'
import { requirePublicId } from '../../core/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import { endpointsOf, type Endpoint, type Scope } from '../../http/endpoint.ts'
import { receivedFile } from '../../http/form-csv.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, listOf, pageOfWhole } from '../../http/schemas.ts'
import { requireScopes } from '../../http/scopes.ts'
import { MAX_BYTES } from '../csv/uploads.ts'
import type { ReadWorkbook } from '../csv/workbook.ts'
import { acceptedOperation, operationSchema } from '../operations/record.ts'
import { channelOf } from '../operations/routes.ts'
import { listMoves, MAX_MOVES, removeMove, requireMove } from './moves.ts'
import { receiveMove } from './receive.ts'
import { moveRecord, moveSchema } from './record.ts'
import { startMove } from './start.ts'

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
