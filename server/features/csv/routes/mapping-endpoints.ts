// Column mappings that a shop has saved.
import { z } from 'zod'
import { listMappings, removeMapping, saveMapping } from '../saved-mappings.ts'
import { requirePublicId } from '../../../core/ids.ts'
import { savedMappingRecord, savedMappingSchema } from './record.ts'
import { type Endpoint } from '../../../http/endpoint.ts'
import { cutPage } from '../../../http/cursors.ts'
import { givenName, listOf, pageOfWhole } from '../../../http/schemas.ts'
import { columnMapping, csvRefused, csvEndpoint } from './parts.ts'

export const csvMappingRoutes = (): Endpoint[] => [
  csvEndpoint('GET /api/csv/mappings', {
    summary: 'List saved column mappings',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'By name', schema: listOf(savedMappingSchema) } },
    handler: async ({ caller, query }) => ({
      body: cutPage(
        (await listMappings(caller.scope)).map(savedMappingRecord),
        query,
        ({ id }) => id,
      ),
    }),
  }),
  csvEndpoint('POST /api/csv/mappings', {
    logs: { kind: 'column_mapping' },
    summary: 'Save a column mapping',
    description:
      'Replaces a mapping with this name. It is applied automatically to files with these headers.',
    body: z
      .strictObject({
        name: givenName,
        headers: z.array(z.string().min(1).max(5000)).min(1).max(500),
        mapping: columnMapping,
      })
      .meta({ id: 'CsvColumnMappingRequest' }),
    replies: {
      201: { description: 'The saved mapping', schema: savedMappingSchema },
      422: csvRefused,
    },
    handler: async ({ caller, body }) => ({
      status: 201,
      body: savedMappingRecord(await saveMapping(caller.scope, body)),
    }),
  }),
  csvEndpoint('DELETE /api/csv/mappings/{id}', {
    logs: { kind: 'column_mapping' },
    summary: 'Delete a saved column mapping',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await removeMapping(caller.scope, requirePublicId('columns', params.id))
      return { status: 204, body: null }
    },
  }),
]
