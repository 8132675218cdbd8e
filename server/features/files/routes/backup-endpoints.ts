// Backups of files: what the shop keeps in the backup location, also of purged files, and deleting
// them, which makes room in the shop's storage.
import { z } from 'zod'
import { deleteRow } from '../../../core/db/delete-row.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { listBackups } from '../../../files/backups.ts'
import { fromCursor, listPage, uuid } from '../../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { listOf, page, timestamp } from '../../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Files' })

const backupSchema = z
  .object({
    id: z.string(),
    file_id: z.string().describe('The file; it may be deleted'),
    filename: z.string().describe('Its name at that time'),
    size_bytes: z.number().int(),
    location: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'Backup' })

export const backupRoutes = (): Endpoint[] => [
  endpoint('GET /api/backups', {
    summary: 'List backups of files, newest first',
    description:
      'Backups of the same content share one stored copy, which counts once in the storage of the shop.',
    scope: 'files:read',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page of backups', schema: listOf(backupSchema) } },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const [before] = fromCursor(cursor, [uuid]) ?? []
      const rows = await listBackups(caller.scope, { before: before ?? null, limit: limit + 1 })
      const body = listPage(
        rows,
        limit,
        ({ id }) => [id],
        ({ created_at, ...row }) => ({
          ...row,
          id: toPublicId('backup', row.id),
          file_id: toPublicId('file', row.file_id),
          created_at: created_at.toISOString(),
        }),
      )
      return { body }
    },
  }),
  endpoint('DELETE /api/backups/{id}', {
    summary: 'Delete a backup; its file stays',
    description:
      'Its bytes are removed about a day later, unless a file or another backup has them.',
    scope: 'files:purge',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteRow(caller.scope, 'backups', requirePublicId('backup', params.id))
      return { status: 204, body: null }
    },
  }),
]
