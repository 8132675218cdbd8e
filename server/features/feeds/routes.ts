// Feeds: tables at addresses that are imported again and again.
import { z } from 'zod'
import { PortError, say, textOf, type Sandbox } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { FetchTarget } from '../../core/fetch-headers.ts'
import { requirePublicId, parsePublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Engine } from '../../engine/engine.ts'
import { requireReachable, type Reach } from '../../http/auth.ts'
import { cutPage, fromCursor, integer, listPage, uuid } from '../../http/cursors.ts'
import { endpointsOf, requireScopes, type Caller, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, page, pageOfWhole } from '../../http/schemas.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import { findSavedMapping } from '../csv/saved-mappings.ts'
import { workbookReader } from '../csv/workbook.ts'
import { withTable } from './fetch-table.ts'
import {
  changeFeed,
  createFeed,
  deleteFeed,
  holdFeed,
  isSameHost,
  listFeeds,
  requireFeed,
  targetOf,
  type FeedOptions,
} from './feeds.ts'
import {
  changeOfFeed,
  feedBody,
  feedChange,
  feedChangeRecord,
  feedChangeSchema,
  feedProblems,
  feedRecord,
  feedRunSchema,
  feedSchema,
  newFeedOf,
  runRecord,
  tableBody,
  tableSchema,
  type FeedTotals,
} from './record.ts'
import {
  cancelFeedRuns,
  listChanges,
  listRuns,
  newestRuns,
  requireRun,
  settleRuns,
  startFeedRun,
} from './runs.ts'

export interface FeedRouteParts {
  engine: Engine
  secrets: Secrets
  client: GuardedClient
  sandboxOf: (shop: number) => Sandbox
  reach: Reach
  clock: () => Date
}

const reading = endpointsOf({ tag: 'Feeds', scope: ['imports:write', 'operations:read'] })
const writing = endpointsOf({ tag: 'Feeds', scope: 'imports:write' })
const feedReply = { description: 'The feed', schema: feedSchema }
const refused = { 422: { description: 'Every problem', schema: errorSchema } }
const idOf = ({ id }: { id: string }) => requirePublicId('feed', id)

/** Reading a table comes first: `table` is not an id. */
export const feedRoutes = (parts: FeedRouteParts): Endpoint[] => [
  table(parts),
  list(),
  create(parts),
  read(),
  change(parts),
  remove(parts),
  start(),
  runs(),
  changes(),
]

/** Its rows change files, and may move them to the trash. */
const permit = (caller: Caller, { vanished }: Pick<FeedOptions, 'vanished'>): void =>
  requireScopes(caller, [
    'files:write',
    ...(vanished === 'trash' ? (['files:delete'] as const) : []),
  ])

const NO_FILES: FeedTotals = { files: 0, failing: 0 }

async function totalsOf(scope: ShopScope): Promise<Map<string, FeedTotals>> {
  const rows = await scope.query<FeedTotals & { feed_id: string }>(
    `select feed_id, count(*) filter (where file_id is not null and not vanished)::int as files,
       count(*) filter (where failures > 0)::int as failing
     from feed_rows where shop_id = :shop group by feed_id`,
  )
  return new Map(rows.map(({ feed_id, files, failing }) => [feed_id, { files, failing }]))
}

async function readFeed(scope: ShopScope, id: string) {
  await settleRuns(scope, id)
  // One by one: in a transaction they have one connection.
  const feed = await requireFeed(scope, id)
  const [run = null] = await listRuns(scope, id, { limit: 1 })
  return feedRecord(feed, run, (await totalsOf(scope)).get(id) ?? NO_FILES)
}

const list = () =>
  reading('GET /api/feeds', {
    summary: 'List feeds, by name',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(feedSchema) } },
    handler: async ({ caller: { scope }, query }) => {
      const feeds = await listFeeds(scope)
      for (const { id } of feeds) await settleRuns(scope, id)
      const newest = await newestRuns(scope)
      const totals = await totalsOf(scope)
      const data = feeds.map((feed) =>
        feedRecord(feed, newest.get(feed.id) ?? null, totals.get(feed.id) ?? NO_FILES),
      )
      return { body: cutPage(data, query, ({ id }) => id) }
    },
  })

const read = () =>
  reading('GET /api/feeds/{id}', {
    summary: 'Read a feed',
    replies: { 200: feedReply },
    handler: async ({ caller, params }) => ({ body: await readFeed(caller.scope, idOf(params)) }),
  })

const create = ({ secrets, reach, clock }: FeedRouteParts) =>
  writing('POST /api/feeds', {
    logs: { kind: 'feed' },
    summary: 'Create a feed: a table at an address that is imported again and again',
    description:
      'A CSV file, a workbook (.xlsx, .ods), an array of JSON objects, or JSON Lines, up to 50 MB (20 MB as JSON) and 50,000 rows. Rows are found by their ids, or their filenames, or a column of yours; only those that differ from the last time are carried out. It also needs `files:write`, and `files:delete` with `vanished: trash`.',
    body: feedBody,
    problems: ({ body }) =>
      Promise.resolve(
        body.mapping === undefined || body.name === undefined || body.url === undefined
          ? []
          : feedProblems(newFeedOf(body as z.output<typeof feedBody>)),
      ),
    replies: { 201: feedReply, ...refused },
    handler: async ({ caller, body }) => {
      const input = newFeedOf(body)
      permit(caller, input.options)
      await requireReachable(reach, 'url', input.url)
      const id = await createFeed(secrets, caller.scope, input, clock())
      return { status: 201, body: await readFeed(caller.scope, id) }
    },
  })

const change = ({ secrets, reach, clock }: FeedRouteParts) =>
  writing('PATCH /api/feeds/{id}', {
    logs: { kind: 'feed' },
    summary: 'Change a feed',
    description:
      'Its next run fetches the table whole. It also needs `files:write`, and `files:delete` with `vanished: trash`.',
    body: feedChange,
    problems: async ({ caller: { scope }, params, body }) => {
      const id = parsePublicId('feed', params.id)
      const before = id === null ? null : await requireFeed(scope, id).catch(() => null)
      if (!before) return []
      const after = changeOfFeed(body as z.output<typeof feedChange>, before)
      return feedProblems({
        mapping: after.mapping ?? before.mapping,
        options: after.options ?? before.options,
      })
    },
    edits: () => () => undefined,
    replies: { 200: feedReply, ...refused },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params)
      const input = changeOfFeed(body, await requireFeed(caller.scope, id))
      permit(caller, input.options ?? { vanished: 'keep' })
      if (input.url !== undefined) await requireReachable(reach, 'url', input.url)
      await changeFeed(secrets, caller.scope, id, input, clock())
      return { body: await readFeed(caller.scope, id) }
    },
  })

const remove = ({ engine }: FeedRouteParts) =>
  writing('DELETE /api/feeds/{id}', {
    logs: { kind: 'feed' },
    summary: 'Delete a feed',
    description: 'Its files stay. What it does now is cancelled.',
    replies: { 204: { description: 'It is deleted', schema: null } },
    handler: async ({ caller: { scope }, params }) => {
      const id = idOf(params)
      await scope.transaction(async (tx) => {
        await holdFeed(tx, id)
        await cancelFeedRuns(tx, engine, id)
        await deleteFeed(tx, id)
      })
      return { status: 204, body: null }
    },
  })

const start = () =>
  writing('POST /api/feeds/{id}/run', {
    summary: 'Import a feed now, or list what would change',
    description:
      'With `dry_run` nothing is changed, and the run lists each row that differs. A run that would move more than 20 % of the feed’s files, or more than 100, to the trash leaves that part as a preview to confirm.',
    body: z
      .strictObject({ dry_run: z.boolean().optional() })
      .default({})
      .meta({ id: 'FeedRunRequest' }),
    replies: {
      202: { description: 'The run', schema: feedRunSchema },
      409: { description: 'A run has not ended yet', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params)
      permit(caller, (await requireFeed(caller.scope, id)).options)
      const run = await startFeedRun(caller.scope, id, {
        dryRun: body.dry_run ?? false,
        requestedBy: caller.name,
      })
      return { status: 202, body: runRecord(await requireRun(caller.scope, id, run)) }
    },
  })

const runs = () =>
  reading('GET /api/feeds/{id}/runs', {
    summary: 'List the runs of a feed, newest first',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page', schema: listOf(feedRunSchema) } },
    handler: async ({ caller: { scope }, params, query: { limit, cursor } }) => {
      const id = idOf(params)
      await requireFeed(scope, id)
      const [before] = fromCursor(cursor, [uuid]) ?? []
      const rows = await listRuns(scope, id, { limit: limit + 1, before })
      return { body: listPage(rows, limit, (last) => [last.id], runRecord) }
    },
  })

const changes = () =>
  reading('GET /api/feeds/{id}/runs/{run}/changes', {
    summary: 'List what a run of a feed found, row by row',
    description: 'In the order of the table; rows that it has no more come last.',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page', schema: listOf(feedChangeSchema) } },
    handler: async ({ caller: { scope }, params, query: { limit, cursor } }) => {
      const run = await requireRun(scope, idOf(params), requirePublicId('run', params.run))
      const [after = -1] = fromCursor(cursor, [integer]) ?? []
      const rows = await listChanges(scope, run.id, { after, limit: limit + 1 })
      return { body: listPage(rows, limit, (last) => [last.number], feedChangeRecord) }
    },
  })

// Reading a table once, to choose its columns.

const READ_MS = 60_000

const table = ({ client, sandboxOf, secrets }: FeedRouteParts) =>
  writing('POST /api/feeds/table', {
    summary: 'Read the table at an address, to choose its columns',
    description: 'Nothing is stored or imported.',
    body: tableBody,
    replies: {
      200: { description: 'Its columns and first rows', schema: tableSchema },
      422: { description: 'It cannot be fetched, or is no table', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, body, signal }) => {
      const target = await givenTarget(secrets, scope, body)
      const parts = { client, readWorkbook: workbookReader(sandboxOf) }
      const asked = { since: null, withinMs: READ_MS, signal }
      try {
        const found = await withTable(parts, scope, target, asked, async ({ upload }) => {
          const saved = await findSavedMapping(scope, upload.headers)
          return {
            rows: upload.rows,
            headers: upload.headers,
            mapping: upload.mapping,
            saved_mapping: saved?.name ?? null,
            sample: upload.sample,
          }
        })
        return { body: found }
      } catch (error) {
        throw refusalOf(error)
      }
    },
  })

/** An error of the address is a problem of the request. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof PortError)) return error
  const { message, detail } = error.texts
  const text =
    detail === undefined
      ? textOf(message)
      : say('{message}: {detail}', { message: textOf(message), detail: textOf(detail) })
  return new AppError('validation_failed', {
    param: 'url',
    details: [{ param: 'url', code: 'url_not_accessible', message: text }],
    cause: error,
  })
}

async function givenTarget(
  secrets: Secrets,
  scope: ShopScope,
  { url, headers, feed_id }: z.output<typeof tableBody>,
): Promise<FetchTarget> {
  const stored =
    feed_id === undefined
      ? null
      : targetOf(secrets, scope, await requireFeed(scope, requirePublicId('feed', feed_id)))
  const address = url ?? stored?.url
  if (address === undefined)
    throw new AppError('validation_failed', {
      param: 'url',
      details: [{ param: 'url', code: 'required', message: say('Enter an address') }],
    })
  // Stored headers stay with their host.
  const kept = stored && isSameHost(stored.url, address) ? stored.headers : undefined
  return { url: address, headers: headers ?? kept ?? {} }
}
