// The files in the drop folders, and the last connections.
import type { ReleaseParts } from '../dropped-bytes.ts'
import { textOf } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import { listConnections } from '../connections.ts'
import { DropError } from '../errors.ts'
import { deleteFile, listFiles, readDropFile, retryFile, type ListedDropFile } from '../listing.ts'
import { AWAITED_EVENTS } from '../waits-for.ts'
import { joinPath } from '../paths.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import { fromCursor, listPage, text, cutPage } from '../../../http/cursors.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import {
  errorSchema,
  itemError,
  listOf,
  shortPage,
  timestamp,
  pageOfWhole,
} from '../../../http/schemas.ts'
import { dropReading, dropWriting } from './account-endpoints.ts'

const fileState = z.enum(['writing', 'partial', 'waiting', 'importing', 'processed', 'failed'])
const fileSchema = z
  .object({
    id: z.string(),
    path: z.string().describe('Relative to the home'),
    state: fileState,
    size_bytes: z.number(),
    modified_at: timestamp,
    quiet_since: timestamp.describe('The time of the last change'),
    protocol: z.string().nullable(),
    account_id: z.string().nullable(),
    account_name: z.string().nullable(),
    writing_since: timestamp.nullable(),
    bytes_per_second: z.number().nullable().describe('Of a running transfer'),
    import_id: z.string().nullable().describe('The import that takes or took it'),
    error: itemError.partial({ retryable: true }).nullable().describe('Why it failed'),
    cleared_at: timestamp.nullable().describe('When it is removed'),
    waits_for: z
      .enum(AWAITED_EVENTS)
      .nullable()
      .describe(
        'What a waiting file needs before it is imported: a name that is not temporary (`rename`), the import.csv that is being sent (`manifest`), or the files that it names (`files`). `nothing`: an operating system made it, so it is not imported and is removed after a day',
      ),
  })
  .meta({ id: 'DropFile' })
const connectionSchema = z
  .object({
    id: z.string(),
    account_id: z.string().nullable(),
    account_name: z.string().nullable(),
    username: z.string(),
    address: z.string(),
    protocol: z.string(),
    refused: z.string().nullable().describe('The reason; null: it was accepted'),
    connected_at: timestamp,
    ended_at: timestamp.nullable(),
    files: z.number(),
    bytes: z.number(),
  })
  .meta({ id: 'DropConnection' })

export const dropFileRoutes = (parts: ReleaseParts): Endpoint[] => [
  ...listRoutes(),
  ...changeRoutes(parts),
]

function listRoutes(): Endpoint[] {
  return [
    dropReading('GET /api/drop/files', {
      summary: 'List the files in the drop folders',
      description: 'Without `state`: those that are not imported yet.',
      query: z.strictObject({ ...shortPage, state: fileState.optional() }),
      replies: { 200: { description: 'A page, by path', schema: listOf(fileSchema) } },
      handler: async ({ caller, query: { limit, cursor, state } }) => {
        const [folder = '', after = ''] = fromCursor(cursor, [text, text]) ?? []
        const rows = await listFiles(caller.scope, {
          folder,
          after,
          limit: limit + 1,
          state: state ?? null,
        })
        return { body: listPage(rows, limit, (last) => [last.folder, last.name], fileRecord) }
      },
    }),
    dropReading('GET /api/drop/connections', {
      summary: 'List the last 100 connections and refusals, newest first',
      query: z.strictObject(pageOfWhole),
      replies: { 200: { description: 'All of them', schema: listOf(connectionSchema) } },
      handler: async ({ caller, query }) => {
        const rows = await listConnections(caller.scope)
        const data = rows.map((row) => ({
          ...row,
          id: toPublicId('connection', row.id),
          connected_at: row.connected_at.toISOString(),
          ended_at: row.ended_at?.toISOString() ?? null,
          account_id: row.account_id === null ? null : toPublicId('account', row.account_id),
        }))
        return { body: cutPage(data, query, ({ id }) => id) }
      },
    }),
  ]
}

/** The shown path: a file that is being imported is shown in the folder where it was dropped. */
const pathOf = (row: ListedDropFile): string =>
  row.state === 'importing'
    ? joinPath(row.dropped_folder ?? row.folder, row.dropped_name ?? row.name)
    : joinPath(row.folder, row.name)

const fileRecord = (row: ListedDropFile): z.output<typeof fileSchema> => ({
  id: toPublicId('dropped', row.id),
  path: pathOf(row),
  state: row.state as z.output<typeof fileState>,
  size_bytes: row.size_bytes,
  modified_at: row.modified_at.toISOString(),
  quiet_since: row.quiet_since.toISOString(),
  protocol: row.protocol,
  account_id: row.account_id === null ? null : toPublicId('account', row.account_id),
  account_name: row.account_name,
  writing_since: row.writing_since?.toISOString() ?? null,
  bytes_per_second:
    row.state === 'writing'
      ? Math.round(row.size_bytes / Math.max(row.writing_seconds ?? 1, 1))
      : null,
  // A waiting file is in no import: its operation can only be a preview.
  import_id:
    row.operation_id === null || row.state === 'waiting'
      ? null
      : toPublicId('import', row.operation_id),
  error: row.error,
  cleared_at: row.cleared_at?.toISOString() ?? null,
  waits_for: row.waits_for,
})

function changeRoutes(parts: ReleaseParts): Endpoint[] {
  return [
    dropWriting('POST /api/drop/files/{id}/retry', {
      summary: 'Import a failed or imported file again',
      description:
        'It is moved back to the folder where it was dropped, and the next import takes it.',
      replies: {
        200: { description: 'The file', schema: fileSchema },
        409: { description: 'It is waiting already, or its name is taken', schema: errorSchema },
      },
      handler: async ({ caller, params }) => {
        const id = requirePublicId('dropped', params.id)
        await asAppError(retryFile(caller.scope, id))
        return { body: fileRecord(present(await readDropFile(caller.scope, id), 'The file')) }
      },
    }),
    dropWriting('DELETE /api/drop/files/{id}', {
      summary: 'Delete a file from the drop folder',
      description: 'The imported file stays.',
      replies: {
        204: { description: 'It is deleted', schema: null },
        409: { description: 'It is being sent or imported', schema: errorSchema },
      },
      handler: async ({ caller, params }) => {
        await asAppError(deleteFile(parts, caller.scope, requirePublicId('dropped', params.id)))
        return { status: 204, body: null }
      },
    }),
  ]
}

async function asAppError<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof DropError)) throw error
    if (error.code === 'not_found') throw new AppError('not_found')
    throw new AppError('conflict', { message: textOf(error.message) })
  })
}
