// A move, as every answer shows it.
import { z } from 'zod'
import { toOperationId, toPublicId } from '../../core/ids.ts'
import { timestamp } from '../../http/schemas.ts'
import { findingSchema } from './findings.ts'
import type { StoredMove } from './moves.ts'
import { MOVE_FIELDS, SOURCE_APPS, SOURCE_TABLES } from './presets.ts'

const count = z.number().int()

export const moveSchema = z
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

export function moveRecord(move: StoredMove): z.output<typeof moveSchema> {
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
