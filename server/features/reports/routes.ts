// Reports as CSV and JSON: what is counted, by what, of which period, and limited to what.
import type { Context } from 'koa'
import { z } from 'zod'
import { beginningOf, dayAt, sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import { publicId } from '../../core/public-id.ts'
import { readShop } from '../../files/shop-settings.ts'
import { endpointsOf, type Endpoint, type Scope } from '../../http/endpoint.ts'
import { csvText, sendChunks } from '../../http/stream-body.ts'
import { REFUSED_REASONS } from '../downloads/refused-attempts.ts'
import { deliveryFilterFields, deliveryFilterOf } from '../orders/delivery-filter.ts'
import { KEY_STATUSES } from '../preparation/key-records.ts'
import {
  activationFacts,
  deliveryFacts,
  downloadFacts,
  FIGURES,
  GROUP_COLUMNS,
  GROUPS,
  refusalFacts,
  reportOf,
  type Group,
  type Report,
  type Statement,
  type Wanted,
} from './report-sql.ts'
import { RunningReports, type ReportRow } from './report-stream.ts'

const endpoint = endpointsOf({ tag: 'Reports' })

/** Records of downloads and refusals are deleted after this time. */
const KEPT_MONTHS = 13
const MAX_GROUPS = 2

const day = z.iso.date(sayPlain('Write a day as 2026-01-31'))
const isDay = (value: unknown) => day.safeParse(value).success

/** Rules that are checked with others see what was sent. */
const sizeOf = (groups: unknown): number => (Array.isArray(groups) ? groups.length : 0)

const periodFields = {
  by: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',') : value),
      z
        .array(z.enum(GROUPS))
        .min(1)
        // Named with the other problems, such as a group that does not exist.
        .refine((groups) => sizeOf(groups) <= MAX_GROUPS, {
          message: sayPlain('Count by at most two'),
          when: () => true,
        })
        .refine((groups) => new Set(groups).size === sizeOf(groups), {
          message: sayPlain('This is named twice'),
          when: () => true,
        }),
    )
    .describe('One or two of `product`, `file`, `buyer` and `month`, separated by a comma'),
  from: day.optional().describe('The first day, in the time zone of the shop'),
  to: day.optional().describe('The last day'),
}
type Period = z.output<z.ZodObject<typeof periodFields>>

/** The query of a report; a period that ends before it begins is named with all other problems. */
const queryOf = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.strictObject({ ...periodFields, ...fields }).refine(
    (query) => {
      const { from, to } = query as { from?: unknown; to?: unknown }
      return !isDay(from) || !isDay(to) || (from as string) <= (to as string)
    },
    {
      message: sayPlain('The last day is before the first one'),
      path: ['to'],
      when: () => true,
    },
  )

const subjectFields = {
  file_id: publicId('file', 'a file').optional(),
  product: deliveryFilterFields.product.describe(
    'Of this product: the platform’s id, its number, or a SKU',
  ),
  email: deliveryFilterFields.email,
}
const subjectOf = ({ file_id, product, email }: z.output<z.ZodObject<typeof subjectFields>>) => ({
  file: file_id === undefined ? undefined : requirePublicId('file', file_id),
  product,
  email: email?.trim(),
})

interface ReportParts {
  clock: () => Date
}

const readers = ['files:read', 'links:write'] as const
const OF_FILES =
  'Products are those that a file has now; a file with several products counts for each of them.'

export function reportRoutes({ clock }: ReportParts): Endpoint[] {
  const running = new RunningReports()
  const parts = { clock, running }
  return [
    ...reportEndpoints(parts, 'downloads', {
      scope: readers,
      about: `${OF_FILES} Whose a download was is known of files with tracking; all others of the group have no \`buyer\`, so that the sum is the same for each \`by\`. Kept for ${KEPT_MONTHS} months.`,
      query: queryOf(subjectFields),
      statement: async (scope, wanted, query) => {
        const first = await firstDayKept(scope, clock(), wanted.timeZone)
        const from = query.from !== undefined && query.from > first ? query.from : first
        const whole = { ...wanted, begin: beginningOf(from, wanted.timeZone) }
        const days = { first: from, last: query.to ?? null }
        return reportOf(whole, downloadFacts(whole, days, subjectOf(query)))
      },
    }),
    ...reportEndpoints(parts, 'deliveries', {
      scope: readers,
      about:
        'By the time at which they were made. A delivery counts once in each group: for each of its files, and each product whose files it has. `opened`: the buyer has opened its page; `withdrawn`: it was withdrawn or revoked.',
      query: queryOf(deliveryFilterFields),
      statement: async (scope, wanted, query) =>
        reportOf(wanted, await deliveryFacts(scope, wanted, deliveryFilterOf(query))),
    }),
    ...reportEndpoints(parts, 'refusals', {
      scope: readers,
      about: `Refused attempts to download, as far as they are kept: the last ones of each link, for ${KEPT_MONTHS} months. ${OF_FILES} Without \`file_id\`: the page of a delivery or a pack.`,
      query: queryOf({ ...subjectFields, reason: z.enum(REFUSED_REASONS).optional() }),
      statement: (_, wanted, query) =>
        reportOf(wanted, refusalFacts(wanted, { ...subjectOf(query), reason: query.reason })),
    }),
    ...reportEndpoints(parts, 'activations', {
      scope: 'links:write',
      about:
        'Activations that have not ended, by the time at which they began, and how many keys have them. Products are those of the order’s lines for which the key was assigned.',
      query: queryOf({
        ...subjectFields,
        list_id: publicId('licences', 'a list of licence keys').optional(),
        status: z.enum(KEY_STATUSES).optional().describe('Of the key'),
      }),
      statement: (_, wanted, { list_id, status, ...query }) => {
        const list = list_id === undefined ? undefined : requirePublicId('licences', list_id)
        return reportOf(wanted, activationFacts(wanted, { ...subjectOf(query), list, status }))
      },
    }),
  ]
}

interface Definition<Query extends z.ZodType<Period>> {
  scope: Scope | readonly Scope[]
  about: string
  query: Query
  statement(
    scope: ShopScope,
    wanted: Wanted,
    query: z.output<Query>,
  ): Statement | Promise<Statement>
}

const FORMATS = {
  csv: { name: 'CSV', type: 'text/csv', text: csvOf },
  json: { name: 'JSON', type: 'application/json', text: jsonOf },
} as const
type Format = keyof typeof FORMATS

/** The report as CSV and as JSON. */
function reportEndpoints<Query extends z.ZodType<Period>>(
  { clock, running }: ReportParts & { running: RunningReports },
  report: Report,
  { scope, about, query, statement }: Definition<Query>,
): Endpoint[] {
  return (Object.keys(FORMATS) as Format[]).map((format) => {
    const { name, type, text } = FORMATS[format]
    return endpoint(`GET /api/reports/${report}.${format}`, {
      summary: `Report ${report} as ${name}`,
      description: about,
      scope,
      query,
      replies: {
        200:
          format === 'json'
            ? { description: 'A row for each group, ordered by them', schema: schemaOf(report) }
            : { description: 'A line for each group, ordered by them', schema: null, type },
      },
      handler: async ({ caller, query: given, ctx, signal }) => {
        const { time_zone } = (await readShop(caller.scope)).settings
        const wanted = wantedOf(given, time_zone)
        const made = await statement(caller.scope, wanted, given)
        const pages = await running.open(caller.scope, made, signal)
        setHeaders(ctx, `${report}-by-${given.by.join('-')}-${dayAt(clock(), time_zone)}.${format}`)
        ctx.type = `${type}; charset=utf-8`
        sendChunks(ctx, text(columnsOf(report, given.by), pages))
        return null
      },
    })
  })
}

function setHeaders(ctx: Context, filename: string): void {
  ctx.set('Content-Disposition', `attachment; filename="${filename}"`)
  ctx.set('Cache-Control', 'no-store')
}

const wantedOf = ({ by, from, to }: Period, timeZone: string): Wanted => ({
  by,
  begin: from === undefined ? null : beginningOf(from, timeZone),
  end: to === undefined ? null : beginningOf(dayAfter(to), timeZone),
  timeZone,
})

const DAY_MS = 24 * 60 * 60 * 1000
const dayAfter = (day: string) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)

/** The first day of which counts are certainly kept. */
async function firstDayKept(scope: ShopScope, now: Date, timeZone: string): Promise<string> {
  const [first] = await scope.withoutRows<{ day: string }>(
    `select ((:today::date - interval '${KEPT_MONTHS} months')::date + 1)::text as day`,
    { today: dayAt(now, timeZone) },
  )
  return first?.day ?? ''
}

const ABOUT_COLUMNS = {
  product_id: 'null: none',
  product_title: 'As it is now, or was last',
  file_id: 'null: none',
  filename: 'null: the file was deleted',
  buyer: 'The email address, in lower case; null: unknown',
  month: 'As 2026-01, in the time zone of the shop',
} as const

const schemaOf = (report: Report) => {
  const count = z.number().int()
  const columns = Object.entries(ABOUT_COLUMNS).map(
    ([name, about]) => [name, z.string().nullable().optional().describe(about)] as const,
  )
  const figures = FIGURES[report].map((name) => [name, count] as const)
  return z.object({
    rows: z.array(z.object({ ...Object.fromEntries(columns), ...Object.fromEntries(figures) })),
  })
}

const columnsOf = (report: Report, by: readonly Group[]): readonly string[] => [
  ...by.flatMap((group): readonly string[] => GROUP_COLUMNS[group]),
  ...FIGURES[report],
]

type Pages = AsyncIterable<readonly ReportRow[]>

const shown = (row: ReportRow, column: string) => {
  const value = row[column] ?? null
  return column === 'file_id' && typeof value === 'string' ? toPublicId('file', value) : value
}

function csvOf(columns: readonly string[], pages: Pages): AsyncIterable<string> {
  async function* cells() {
    for await (const rows of pages)
      yield rows.map((row) => columns.map((column) => shown(row, column)))
  }
  return csvText(columns, cells())
}

async function* jsonOf(columns: readonly string[], pages: Pages): AsyncGenerator<string> {
  yield '{"rows":['
  let before = '\n'
  for await (const rows of pages) {
    const records = rows.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map((column) => [column, shown(row, column)]))),
    )
    yield before + records.join(',\n')
    before = ',\n'
  }
  yield '\n]}\n'
}
