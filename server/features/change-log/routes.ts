// The log of changes: who changed settings, keys, workflows, rules and connections, and what.
import { z } from 'zod'
import { dayAt, ownValue } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { readShop } from '../../files/shop-settings.ts'
import {
  CHANGE_KINDS,
  CHANGE_VERBS,
  type LoggedKind,
  type ChangeVerb,
} from '../../http/logged-change.ts'
import { fromCursor, listPage, uuid } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { listOf, page, timestamp } from '../../http/schemas.ts'
import { csvText, sendChunks } from '../../http/stream-body.ts'

/** Months: a year, and one to look back at it. */
const KEPT_MONTHS = 13

const endpoint = endpointsOf({ tag: 'Settings', scope: 'settings:write' })

const value = z
  .unknown()
  .describe('As the record has it; the beginning of its JSON above 4,000 characters')

const changeSchema = z
  .object({
    id: z.string(),
    created_at: timestamp,
    by: z.object({
      name: z.string().describe('The person’s or the key’s name then'),
      api_key_id: z.string().nullable().describe('null: a person in the admin page'),
    }),
    kind: z.enum(CHANGE_KINDS),
    verb: z.enum(CHANGE_VERBS),
    subject_id: z.string().nullable().describe('null: the shop has one of this kind'),
    name: z.string().nullable().describe('The name of what was changed'),
    fields: z
      .array(z.object({ field: z.string(), before: value, after: value }))
      .describe('What differs, as a GET shows it before and after the change'),
    secrets: z
      .array(z.string())
      .describe('Fields that no answer shows, such as passwords: they were replaced'),
  })
  .meta({ id: 'LoggedChange' })

const filterFields = {
  kind: z.enum(CHANGE_KINDS).optional(),
  by: z.string().max(200).optional().describe('A part of the person’s or key’s name'),
  since: timestamp.optional(),
  until: timestamp.optional(),
}
type ChangeFilter = z.output<z.ZodObject<typeof filterFields>>

export const changeLogRoutes = ({ clock }: { clock: () => Date }): Endpoint[] => [
  endpoint('GET /api/change-log', {
    summary: 'List changes of the shop’s configuration, newest first',
    description: `Who changed settings, keys, workflows, rules and connections, and what; kept for ${KEPT_MONTHS} months.`,
    query: z.strictObject({ ...page, ...filterFields }),
    replies: { 200: { description: 'A page of changes', schema: listOf(changeSchema) } },
    handler: async ({ caller, query: { limit, cursor, ...filter } }) => {
      const before = fromCursor(cursor, [uuid])?.[0] ?? null
      const rows = await readChanges(caller.scope, filter, { before, limit: limit + 1 })
      return { body: listPage(rows, limit, (last) => [last.id], recordOf) }
    },
  }),
  endpoint('GET /api/change-log/export.csv', {
    summary: 'Export changes of the shop’s configuration as CSV',
    description: 'All changes that match the filter, newest first; one row for each field.',
    query: z.strictObject(filterFields),
    replies: { 200: { description: 'The changes', schema: null, type: 'text/csv' } },
    handler: async ({ caller, query, ctx }) => {
      const { settings } = await readShop(caller.scope)
      const day = dayAt(clock(), settings.time_zone)
      ctx.set('Content-Disposition', `attachment; filename="changes-${day}.csv"`)
      ctx.set('Cache-Control', 'no-store')
      ctx.type = 'text/csv; charset=utf-8'
      sendChunks(ctx, csvText(COLUMNS, pagesOf(caller.scope, query)))
      return null
    },
  }),
]

interface ChangeRow {
  id: string
  created_at: Date
  actor: string
  api_key_id: string | null
  kind: LoggedKind
  verb: ChangeVerb
  subject: string | null
  name: string | null
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
  secrets: string[]
}

const readChanges = (
  scope: ShopScope,
  { kind, by, since, until }: ChangeFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<ChangeRow[]> =>
  scope.query<ChangeRow>(
    `select id, created_at, actor, api_key_id, kind, verb, subject, name, before, after, secrets
     from change_log
     where shop_id = :shop and (:before::uuid is null or id < :before::uuid)
       and (:kind::text is null or kind = :kind)
       and (:by::text is null or strpos(lower(actor), lower(:by)) > 0)
       and (:since::timestamptz is null or created_at >= :since)
       and (:until::timestamptz is null or created_at < :until)
     order by id desc limit :limit`,
    {
      before,
      limit,
      kind: kind ?? null,
      by: by ?? null,
      since: since ?? null,
      until: until ?? null,
    },
  )

const recordOf = (row: ChangeRow): z.output<typeof changeSchema> => ({
  id: toPublicId('change', row.id),
  created_at: row.created_at.toISOString(),
  by: {
    name: row.actor,
    api_key_id: row.api_key_id && toPublicId('key', row.api_key_id),
  },
  kind: row.kind,
  verb: row.verb,
  subject_id: row.subject,
  name: row.name,
  fields: Object.keys({ ...row.before, ...row.after }).map((field) => ({
    field,
    before: ownValue(row.before ?? {}, field) ?? null,
    after: ownValue(row.after ?? {}, field) ?? null,
  })),
  secrets: row.secrets,
})

const COLUMNS = [
  'time',
  'by',
  'api_key_id',
  'kind',
  'verb',
  'id',
  'name',
  'field',
  'before',
  'after',
]
const CSV_PAGE = 500

async function* pagesOf(
  scope: ShopScope,
  filter: ChangeFilter,
): AsyncGenerator<(string | null)[][]> {
  let before: string | null = null
  for (;;) {
    const rows: ChangeRow[] = await readChanges(scope, filter, { before, limit: CSV_PAGE })
    yield rows.map(recordOf).flatMap(linesOf)
    before = rows.at(-1)?.id ?? null
    if (rows.length < CSV_PAGE) return
  }
}

function linesOf(change: z.output<typeof changeSchema>): (string | null)[][] {
  const { created_at, by, kind, verb, subject_id, name } = change
  const head = [created_at, by.name, by.api_key_id, kind, verb, subject_id, name]
  const fields = change.fields.map(({ field, before, after }) => [field, cell(before), cell(after)])
  const secrets = change.secrets.map((field) => [field, null, 'replaced'])
  const lines = [...fields, ...secrets]
  return (lines.length > 0 ? lines : [[null, null, null]]).map((line) => [...head, ...line])
}

const cell = (given: unknown): string | null =>
  given === null || typeof given === 'string' ? given : JSON.stringify(given)

/** Deletes what is older than it is kept. Resolves to the number of rows. */
export async function sweepChanges({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from change_log where created_at < now() - interval '${KEPT_MONTHS} months'`,
  )
  return rowCount ?? 0
}
