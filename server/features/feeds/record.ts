// Feeds, their runs and what a run found, as the API receives and returns them.
import { z } from 'zod'
import { say, tag, textIssue } from '../../../plugins/contract/index.ts'
import { toOperationId, toPublicId } from '../../core/ids.ts'
import type { ErrorDetail } from '../../core/errors.ts'
import { OPERATION_STATUSES } from '../../engine/types.ts'
import { fetchHeaders, fetchUrl, givenName, messageText, timestamp } from '../../http/schemas.ts'
import { FIELDS, type ColumnMapping } from '../csv/columns.ts'
import { columnMapping } from '../csv/routes/parts.ts'
import { perField } from '../csv/routes/record.ts'
import { cronProblem, scheduleText } from '../schedules/times.ts'
import type { Feed, FeedInput, FeedOptions } from './feeds.ts'
import { FEED_CHANGES, MAX_FAILURES, type FeedCounts } from './plan.ts'
import { isFeedRunning, type FeedChangeRow, type RunView } from './runs.ts'

const cron = z
  .string()
  .max(200)
  .superRefine((line, context) => {
    const problem = cronProblem(line)
    if (problem) context.addIssue(textIssue(problem))
  })
  .nullable()
  .describe('Five fields, in the shop’s time zone; null: by hand')
  .meta({ example: '0 2 * * *' })

const optionFields = {
  vanished: z
    .enum(['keep', 'trash', 'tag'])
    .describe('What happens to the file of a row that the table has no more'),
  vanished_tag: tag.nullable().describe('With `vanished: tag`: the tag that the file gets'),
  tags: z
    .enum(['add', 'replace'])
    .describe('Tags of a row without signs are added to those of its file, or replace them'),
  products: z
    .enum(['add', 'replace'])
    .describe('Products of a row are added to those of its file, or replace them'),
  auto_map: z.boolean().describe('Whether products of new files are found by their names'),
  notify: z.boolean().describe('Whether the recipients of the settings get a mail after a run'),
}

const DEFAULT_OPTIONS: FeedOptions = {
  vanished: 'keep',
  vanished_tag: null,
  tags: 'replace',
  products: 'add',
  auto_map: true,
  notify: false,
}

const changeFields = {
  name: givenName.optional(),
  url: fetchUrl.optional(),
  headers: fetchHeaders
    .optional()
    .describe(
      'Of the requests for the table, and for files at its host. They replace those before, and no answer shows them; another address at another host drops them',
    ),
  mapping: columnMapping.optional(),
  key_column: z
    .string()
    .min(1)
    .max(5000)
    .nullable()
    .optional()
    .describe('The column that names a row for ever; null: its id, or its filename'),
  ...z.object(optionFields).partial().shape,
  cron: cron.optional(),
  enabled: z.boolean().optional().describe('false: it is paused'),
}

export const feedChange = z.strictObject(changeFields).meta({ id: 'FeedChange' })
export const feedBody = z
  .strictObject({ ...changeFields, name: givenName, url: fetchUrl, mapping: columnMapping })
  .meta({ id: 'FeedRequest' })
export const tableBody = z
  .strictObject({
    url: fetchUrl.optional(),
    headers: fetchHeaders.optional(),
    feed_id: z
      .string()
      .max(100)
      .optional()
      .describe('A feed whose address and headers are used where none are given'),
  })
  .meta({ id: 'FeedTableRequest' })

type Change = z.output<typeof feedChange>

const optionsOf = (change: Change, before: FeedOptions): FeedOptions => ({
  vanished: change.vanished ?? before.vanished,
  vanished_tag: change.vanished_tag === undefined ? before.vanished_tag : change.vanished_tag,
  tags: change.tags ?? before.tags,
  products: change.products ?? before.products,
  auto_map: change.auto_map ?? before.auto_map,
  notify: change.notify ?? before.notify,
})

/** A new feed, with what the request leaves out. */
export const newFeedOf = (body: z.output<typeof feedBody>): FeedInput => ({
  name: body.name,
  url: body.url,
  mapping: body.mapping,
  headers: body.headers ?? {},
  key_column: body.key_column ?? null,
  cron: body.cron ?? null,
  enabled: body.enabled ?? true,
  options: optionsOf(body, DEFAULT_OPTIONS),
})

/** The change of a feed. */
export const changeOfFeed = (body: Change, before: Feed): Partial<FeedInput> => ({
  ...(body.name === undefined ? {} : { name: body.name }),
  ...(body.url === undefined ? {} : { url: body.url }),
  ...(body.headers === undefined ? {} : { headers: body.headers }),
  ...(body.mapping === undefined ? {} : { mapping: body.mapping }),
  ...(body.key_column === undefined ? {} : { key_column: body.key_column }),
  ...(body.cron === undefined ? {} : { cron: body.cron }),
  ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
  options: optionsOf(body, before.options),
})

/** The problems of fields that belong together. */
export function feedProblems({
  mapping,
  options,
}: {
  mapping: ColumnMapping
  options: FeedOptions
}): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (mapping.filename === null && mapping.id === null)
    problems.push({
      param: 'mapping.filename',
      code: 'required',
      message: say('Choose the column of the filenames, or of the ids'),
    })
  if (options.vanished === 'tag' && options.vanished_tag === null)
    problems.push({
      param: 'vanished_tag',
      code: 'required',
      message: say('Enter the tag that files of vanished rows get'),
    })
  return problems
}

const count = z.number().int()
const said = z
  .object({
    code: z.string(),
    message: z.string(),
    message_text: messageText,
    detail: z.string().optional(),
    detail_text: messageText,
  })
  .nullable()

export const feedRunSchema = z
  .object({
    id: z.string(),
    dry_run: z.boolean().describe('It only lists what would change'),
    status: z
      .enum(['reading', 'running', 'waiting', 'unchanged', 'listed', 'done', 'partial', 'failed'])
      .describe(
        '`waiting`: what it would do to files of vanished rows must be confirmed. `unchanged`: nothing differed',
      ),
    rows: count,
    new: count,
    changed: count,
    vanished: count,
    unchanged: count,
    problems: count.describe('Rows that cannot be taken'),
    given_up: count.describe(
      `Rows that have failed ${MAX_FAILURES} times: they are tried again when they change`,
    ),
    incomplete: z.boolean().describe('A row could not be read: vanished rows were not looked for'),
    operations: z.array(
      z.object({
        id: z.string(),
        part: z
          .enum(['imports', 'updates', 'vanished'])
          .describe('New files and versions; changed files; files of vanished rows'),
        status: z.enum(OPERATION_STATUSES),
        discarded: z.boolean(),
        done: count,
        failed: count,
      }),
    ),
    error: said,
    started_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'FeedRun' })

export const feedSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().describe('Without its query, which may contain a secret'),
    headers: z.array(z.string()).describe('The names of the headers; their values are not shown'),
    mapping: perField(z.string().nullable()),
    key_column: z.string().nullable(),
    ...optionFields,
    cron: z.string().nullable(),
    schedule_text: z.string().nullable().meta({ example: 'Daily at 02:00' }),
    enabled: z.boolean(),
    next_run_at: timestamp.nullable(),
    files: count.describe('Files that its rows have'),
    failing: count.describe('Rows that failed when they were tried last'),
    error: said.describe('Why the last run failed; null: it did not'),
    last_run: feedRunSchema.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Feed' })

export const feedChangeSchema = z
  .object({
    row: count.nullable().describe('As a spreadsheet counts; null: the table has it no more'),
    kind: z.enum(FEED_CHANGES),
    filename: z.string(),
    fields: z.array(z.string()).describe('The fields that differ from the last time'),
    file_id: z.string().nullable(),
    problem: said.describe('Why the row cannot be taken'),
  })
  .meta({ id: 'FeedRowChange' })

export const tableSchema = z
  .object({
    rows: count,
    headers: z.array(z.string()),
    mapping: perField(z.string().nullable()).describe('The suggested column of each field'),
    saved_mapping: z.string().nullable(),
    sample: z.array(z.object({ row: count, cells: z.array(z.string()) })),
  })
  .meta({ id: 'FeedTable' })

const moment = (at: Date | string | null): string | null => at && new Date(at).toISOString()

const COUNTS: readonly (keyof FeedCounts)[] = [
  'rows',
  'new',
  'changed',
  'vanished',
  'unchanged',
  'problems',
  'given_up',
]

export function runRecord(run: RunView): z.output<typeof feedRunSchema> {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, run.counts[name] ?? 0])) as Record<
    keyof FeedCounts,
    number
  >
  return {
    id: toPublicId('run', run.id),
    dry_run: run.dry_run,
    status: statusOf(run),
    ...counts,
    incomplete: run.counts.incomplete ?? false,
    operations: run.operations.map(({ id, kind, part, status, discarded, done, failed }) => ({
      id: toOperationId(kind, id),
      part,
      status,
      discarded,
      done,
      failed,
    })),
    error: run.error,
    started_at: run.started_at.toISOString(),
    finished_at: moment(run.finished_at),
  }
}

function statusOf(run: RunView): z.output<typeof feedRunSchema>['status'] {
  const { phase, operations } = run
  if (phase !== 'started') return phase
  if (isFeedRunning(run)) return 'running'
  if (operations.some(({ status }) => status === 'previewed')) return 'waiting'
  const carried = operations.filter(({ discarded }) => !discarded)
  return carried.every(({ status }) => status === 'success') ? 'done' : 'partial'
}

/** What a feed has. */
export interface FeedTotals {
  files: number
  failing: number
}

export function feedRecord(
  feed: Feed,
  run: RunView | null,
  totals: FeedTotals,
): z.output<typeof feedSchema> {
  const { id, name, url, key_column, options, enabled, error } = feed
  return {
    id: toPublicId('feed', id),
    name,
    url,
    headers: feed.header_names,
    mapping: Object.fromEntries(
      FIELDS.map((field) => [field, feed.mapping[field] ?? null]),
    ) as ColumnMapping,
    key_column,
    ...options,
    cron: feed.cron,
    schedule_text: feed.cron === null ? null : scheduleText(feed.cron),
    enabled,
    next_run_at: moment(feed.next_run_at),
    ...totals,
    error,
    last_run: run && runRecord(run),
    created_at: feed.created_at.toISOString(),
  }
}

export const feedChangeRecord = ({
  number: _,
  file_id,
  ...change
}: FeedChangeRow): z.output<typeof feedChangeSchema> => ({
  ...change,
  file_id: file_id && toPublicId('file', file_id),
})
