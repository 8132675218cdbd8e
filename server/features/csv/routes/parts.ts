// What the routes of CSV imports share.
import { z } from 'zod'
import { FIELDS, type ColumnMapping, type CsvField } from '../columns.ts'
import { requireUpload, ROW_MODES } from '../uploads.ts'
import { requirePublicId } from '../../../core/ids.ts'
import { csvRecord, csvSchema } from './record.ts'
import { endpointsOf, type Caller } from '../../../http/endpoint.ts'
import { errorSchema } from '../../../http/schemas.ts'

export const csvEndpoint = endpointsOf({ tag: 'CSV import', scope: 'imports:write' })
const header = z.string().min(1).max(5000).nullable()
export const columnMapping = z
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
  .describe('Field → the header of its column; absent or null: no column')

const mode = z.enum(['add', 'replace'])
/** How the rows change existing files. */
export const rowModes = {
  tags: mode
    .default(ROW_MODES.tags)
    .describe('Of existing files: tags without signs are added to theirs, or replace them'),
  packs: mode
    .default(ROW_MODES.packs)
    .describe('Of existing files: packs without signs are added to theirs, or replace them'),
  products: mode
    .default(ROW_MODES.products)
    .describe('Of existing files: named products are added to theirs, or replace them'),
  match: z
    .enum(['id', 'filename'])
    .default(ROW_MODES.match)
    .describe('`filename`: rows without an id change the file of their name, if there is one'),
}

export const csvIdOf = (id: string) => requirePublicId('csv', id)
export const csvFileOf = async (caller: Caller, id: string) =>
  csvRecord(await requireUpload(caller.scope, csvIdOf(id)))
export const csvReply = { description: 'The current state of the file', schema: csvSchema }
export const csvRefused = { description: 'Every problem', schema: errorSchema }
export const csvConflict = {
  description: 'Not possible in the current state of the file: the message says why',
  schema: errorSchema,
}
