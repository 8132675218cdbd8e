// The background tasks of feeds: those that are due are started, and each run fetches its table,
// compares it, and starts the operations. A killed run is repeated from its beginning; its operations
// begin in the transaction that ends it.
import {
  PortError,
  say,
  sentence,
  sentences,
  type Sandbox,
} from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { isDatabaseUnavailable, isRollback } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { RetryLater, type BackgroundTask, type TaskLease } from '../../core/queue/background.ts'
import type { Secrets } from '../../core/secrets.ts'
import { storedDetail, textsOfDetail } from '../../core/texts.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BytesIdentity, GuardedClient } from '../../ports/guarded-fetch.ts'
import { startRowChanges, deletesMany } from '../csv/start.ts'
import { workbookReader } from '../csv/workbook.ts'
import { startImport } from '../imports/start.ts'
import { feedChannel } from './channel.ts'
import { isPassing, withTable, type FetchedTable } from './fetch-table.ts'
import {
  feedTitles,
  holdFeed,
  nextRunOf,
  readFailure,
  requireFeed,
  targetOf,
  type Feed,
} from './feeds.ts'
import { MAX_FAILURES, planFeed, type FeedChange, type FeedPlan } from './plan.ts'
import {
  listRuns,
  openWork,
  readRun,
  RUN_TASK,
  settleRuns,
  startFeedRun,
  type RunOperation,
  type RunRow,
} from './runs.ts'

export interface FeedTaskParts {
  database: Database
  engine: Engine
  client: GuardedClient
  sandboxOf: (shop: number) => Sandbox
  secrets: Secrets
  clock: () => Date
  log: Logger
}

const CONCURRENCY = 4
const MAX_ATTEMPTS = 3
const RETRY_MS = 20_000
const LOOK_MS = 10_000
const DUE_BATCH = 100
/** How long one table may take to arrive. */
const FETCH_MS = 10 * 60_000

export const feedTasks = (parts: FeedTaskParts): BackgroundTask[] => [
  runTask(parts),
  dueTask(parts),
]

const dueTask = (parts: FeedTaskParts): BackgroundTask => ({
  name: 'feeds-due',
  concurrency: 1,
  run: async () => {
    await startDueFeeds(parts)
    return LOOK_MS
  },
})

/** Starts the runs that are due and returns their number. Exported for tests, which do not wait. */
export async function startDueFeeds(parts: FeedTaskParts): Promise<number> {
  const now = parts.clock()
  const { rows } = await parts.database.pool.query<{ shop_id: number; id: string }>(
    `select f.shop_id, f.id from feeds f join shops on shops.id = f.shop_id
     where f.next_run_at <= $1 and shops.uninstalled_at is null order by f.next_run_at limit $2`,
    [now, DUE_BATCH],
  )
  let started = 0
  for (const { shop_id, id } of rows)
    try {
      const scope = forShop(parts.database, shop_id)
      if (await scope.transaction((tx) => fire(parts, tx, id, now))) started++
    } catch (error) {
      parts.log.warn('a feed could not be started, it will be tried again', {
        feed: id,
        ...errorFields(error),
      })
    }
  return started
}

/** Sets the next time in the transaction that starts this run: none is lost or started twice. */
async function fire(
  { log }: FeedTaskParts,
  tx: ShopScope,
  id: string,
  now: Date,
): Promise<boolean> {
  const feed = await holdFeed(tx, id)
  if (feed.next_run_at === null || feed.next_run_at > now) return false
  await tx.query('update feeds set next_run_at = :next where shop_id = :shop and id = :id', {
    id,
    next: await nextRunOf(tx, feed, now),
  })
  try {
    const requestedBy = `feed ${feed.name}`
    await tx.transaction((inner) => startFeedRun(inner, id, { dryRun: false, requestedBy }))
    return true
  } catch (error) {
    if (isDatabaseUnavailable(error) || isRollback(error) || !(error instanceof AppError))
      throw error
    // Its last run has not ended, which its page shows.
    log.info('a feed was not started', { feed: id, code: error.code })
    return false
  }
}

const runTask = (parts: FeedTaskParts): BackgroundTask => ({
  ...RUN_TASK,
  concurrency: CONCURRENCY,
  waits: true,
  wanted: `select shop_id, id::text as key, now() as due_at from feed_runs
    where phase = 'reading'`,
  run: async ({ shop, key, attempt, lease, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    const run = await readRun(scope, key)
    if (run?.phase !== 'reading') return null
    try {
      await perform(parts, scope, run, { lease, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (isDatabaseUnavailable(error) || isRollback(error)) throw error
      if (attempt < MAX_ATTEMPTS && isPassing(error)) throw retryOf(parts, error, key)
      await fail(parts, scope, run, error)
    }
    return null
  },
})

function retryOf({ log }: FeedTaskParts, error: unknown, run: string): RetryLater {
  log.warn('a feed could not be read, it will be tried again', { run, ...errorFields(error) })
  const seconds = error instanceof PortError ? (error.retryAfter ?? 0) : 0
  return new RetryLater(Math.max(RETRY_MS, seconds * 1000), { cause: error })
}

async function perform(
  parts: FeedTaskParts,
  scope: ShopScope,
  run: RunRow,
  { lease, signal }: { lease: TaskLease; signal: AbortSignal },
): Promise<void> {
  await settleRuns(scope, run.feed_id)
  const feed = await requireFeed(scope, run.feed_id)
  const target = targetOf(parts.secrets, scope, feed)
  const asked = {
    since: await identityToSend(scope, feed, run),
    withinMs: FETCH_MS,
    signal,
  }
  const table = { client: parts.client, readWorkbook: workbookReader(parts.sandboxOf) }
  const read = await withTable(table, scope, target, asked, async (fetched) => {
    await scope.transaction(async (tx) => {
      await lease.hold(tx)
      const held = await holdFeed(tx, feed.id)
      const plan = await planFeed(tx, { feed: held, upload: fetched.upload, target })
      await carryOut(parts, tx, { feed: held, run, plan, fetched })
    })
    return true
  })
  if (read === null)
    await scope.transaction(async (tx) => {
      await lease.hold(tx)
      await endRun(tx, run, { phase: 'unchanged', counts: {} })
      await succeeded(tx, feed)
    })
}

/** Asks only for a table that has changed, unless rows of the last one are open. */
async function identityToSend(
  scope: ShopScope,
  { id, identity }: Feed,
  { dry_run }: RunRow,
): Promise<BytesIdentity | null> {
  if (dry_run || identity === null) return null
  const { unsettled, retried } = await openWork(scope, id, MAX_FAILURES)
  return unsettled || retried ? null : identity
}

interface Planned {
  feed: Feed
  run: RunRow
  plan: FeedPlan
  fetched: FetchedTable
}

/** Starts the operations of a run, and records what each is to do. */
async function carryOut(
  parts: FeedTaskParts,
  tx: ShopScope,
  { feed, run, plan, fetched }: Planned,
): Promise<void> {
  const { work, counts, incomplete, forgotten } = plan
  const shown = { ...counts, incomplete }
  if (run.dry_run) {
    await writeChanges(tx, run, plan.changes, NO_OPERATIONS)
    return endRun(tx, run, { phase: 'listed', counts: shown })
  }
  await forgetRows(tx, feed, forgotten)
  if (work.rows.length > 0) await discardWaiting(tx, parts.engine, feed, 'updates')
  const waiting = plan.vanished.length > 0 ? await sameWaiting(tx, parts.engine, feed, plan) : false
  const operations: Operations = {
    imports: await startFiles(parts.engine, tx, feed, run, work.files),
    updates: await startChanges(parts.engine, tx, feed, run, work.rows),
    vanished: waiting ? null : await startVanished(parts.engine, tx, { feed, run, plan }),
  }
  const changes = waiting
    ? plan.changes.filter(({ operation }) => operation !== 'vanished')
    : plan.changes
  await writeChanges(tx, run, changes, operations)
  const isStarted = Object.values(operations).some((id) => id !== null)
  await endRun(tx, run, { phase: isStarted ? 'started' : 'unchanged', counts: shown, operations })
  await succeeded(tx, feed)
  // A row that returned is compared again, and one with a problem may be read after a change here.
  const again = counts.problems > 0 || plan.changes.some(isReturned)
  await tx.query('update feeds set identity = :identity where shop_id = :shop and id = :id', {
    id: feed.id,
    identity: again || fetched.identity === null ? null : JSON.stringify(fetched.identity),
  })
}

const isReturned = ({ kind, cells, operation }: FeedChange): boolean =>
  operation === 'updates' && kind !== 'delete' && Object.keys(cells).length === 0

type Operations = Readonly<Record<'imports' | 'updates' | 'vanished', string | null>>
const NO_OPERATIONS: Operations = { imports: null, updates: null, vanished: null }

async function startFiles(
  engine: Engine,
  tx: ShopScope,
  { id, name, options: { auto_map, notify } }: Feed,
  run: RunRow,
  files: FeedPlan['work']['files'],
): Promise<string | null> {
  if (files.length === 0) return null
  return startImport(engine, tx, feedChannel, {
    files,
    label: name,
    from: { feed: id },
    requestedBy: run.requested_by,
    idempotencyKey: `feed-run/${run.id}/files`,
    auto_map,
    notify,
  })
}

async function startChanges(
  engine: Engine,
  tx: ShopScope,
  { name, options: { notify } }: Feed,
  run: RunRow,
  rows: FeedPlan['work']['rows'],
): Promise<string | null> {
  if (rows.length === 0) return null
  return startRowChanges(engine, tx, rows, {
    ...UPDATE,
    label: name,
    requestedBy: run.requested_by,
    notify,
    dryRun: await deletesMany(tx, rows),
    idempotencyKey: `feed-run/${run.id}/rows`,
  })
}

const UPDATE = { workflow: 'update-from-feed', channel: feedChannel.id } as const

async function startVanished(
  engine: Engine,
  tx: ShopScope,
  { feed, run, plan }: Omit<Planned, 'fetched'>,
): Promise<string | null> {
  const { vanished: rows, asks } = plan
  if (rows.length === 0) return null
  const operation = await startRowChanges(engine, tx, rows, {
    ...UPDATE,
    label: feed.name,
    requestedBy: run.requested_by,
    notify: feed.options.notify,
    dryRun: asks,
    idempotencyKey: `feed-run/${run.id}/vanished`,
  })
  if (asks)
    await raiseNoticeOnce(tx, {
      level: 'warning',
      title: feedTitles.waiting(feed.name),
      body: sentences(
        say(
          'Its table has {count, plural, one {# row} other {# rows}} less, and a run may move 20 % of its files or 100 to the trash.',
          { count: rows.length },
        ),
        say('Nothing was deleted: look at the preview and confirm it.'),
      ),
      operation_id: operation,
    })
  return operation
}

/**
 * Does a preview of exactly these vanished rows wait for a person already? One of other rows is
 * discarded, because the new one replaces it.
 */
async function sameWaiting(
  tx: ShopScope,
  engine: Engine,
  feed: Feed,
  plan: FeedPlan,
): Promise<boolean> {
  const keys = plan.changes.filter(({ operation }) => operation === 'vanished')
  const wanted = keys.map(({ key }) => key).toSorted()
  const runs = await listRuns(tx, feed.id, { limit: 20 })
  for (const { id, operations } of runs)
    for (const { part, id: operation, status } of operations) {
      if (part !== 'vanished' || status !== 'previewed') continue
      const rows = await tx.query<{ key: string }>(
        `select key from feed_changes where shop_id = :shop and run_id = :id
           and operation_id = :operation`,
        { id, operation },
      )
      const before = rows.map(({ key }) => key).toSorted()
      if (JSON.stringify(before) === JSON.stringify(wanted)) return true
      await engine.move(tx, operation, 'cancel')
    }
  return false
}

/** Discards previews of earlier runs that the new run replaces. */
async function discardWaiting(
  tx: ShopScope,
  engine: Engine,
  feed: Feed,
  part: RunOperation['part'],
): Promise<void> {
  for (const { operations } of await listRuns(tx, feed.id, { limit: 20 }))
    for (const one of operations)
      if (one.part === part && one.status === 'previewed') await engine.move(tx, one.id, 'cancel')
}

const WRITTEN_AT_ONCE = 5000

async function writeChanges(
  tx: ShopScope,
  { id }: RunRow,
  changes: readonly FeedChange[],
  operations: Operations,
): Promise<void> {
  for (let first = 0; first < changes.length; first += WRITTEN_AT_ONCE) {
    const rows = changes.slice(first, first + WRITTEN_AT_ONCE).map((change, at) => ({
      ...change,
      number: first + at,
      operation_id: change.operation && operations[change.operation],
    }))
    await tx.query(
      `insert into feed_changes (shop_id, run_id, number, row, key, kind, filename, fields, cells,
         file_id, problem, operation_id, position)
       select :shop, :id, number, row, key, kind, filename, fields, cells, file_id,
         nullif(problem, 'null'), operation_id, position
       from jsonb_to_recordset(:rows::jsonb) as c (number int, row int, key text, kind text,
         filename text, fields text[], cells jsonb, file_id uuid, problem jsonb, operation_id uuid,
         position int)`,
      { id, rows: JSON.stringify(rows) },
    )
  }
}

async function forgetRows(tx: ShopScope, { id }: Feed, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await tx.query(
    `delete from feed_rows where shop_id = :shop and feed_id = :id and key = any(:keys::text[])`,
    { id, keys },
  )
}

async function endRun(
  tx: ShopScope,
  { id }: RunRow,
  end: { phase: RunRow['phase']; counts: RunRow['counts']; operations?: Operations },
): Promise<void> {
  const { imports, updates, vanished } = end.operations ?? NO_OPERATIONS
  await tx.query(
    `update feed_runs set phase = :phase, counts = :counts, import_id = :imports,
       update_id = :updates, vanished_id = :vanished, finished_at = now()
     where shop_id = :shop and id = :id`,
    { id, phase: end.phase, counts: JSON.stringify(end.counts), imports, updates, vanished },
  )
}

async function succeeded(tx: ShopScope, feed: Feed): Promise<void> {
  if (feed.error === null) return
  await tx.query('update feeds set error = null where shop_id = :shop and id = :id', {
    id: feed.id,
  })
  await readFailure(tx, feed)
}

/** Why a run failed, as its row and the feed keep it. */
function storedFailureOf(error: unknown) {
  if (error instanceof PortError) {
    const { code, texts } = error
    return { code, ...storedDetail(texts.message, texts.detail) }
  }
  const known = error instanceof AppError ? error : new AppError('internal')
  const [first] = known.details
  const detail = first && (first.message_text ?? first.message)
  return { code: known.code, ...storedDetail(known.text, detail) }
}

/** Ends the run as failed. Nothing is carried out, and no row counts as vanished. */
async function fail(
  { log }: FeedTaskParts,
  scope: ShopScope,
  { id, feed_id, dry_run }: RunRow,
  error: unknown,
): Promise<void> {
  if (!(error instanceof PortError || error instanceof AppError))
    log.error('a feed could not be read', { run: id, ...errorFields(error) })
  const failure = storedFailureOf(error)
  const said = JSON.stringify(failure)
  await scope.transaction(async (tx) => {
    const feed = await holdFeed(tx, feed_id)
    await tx.query(
      `update feed_runs set phase = 'failed', error = :said, finished_at = now()
       where shop_id = :shop and id = :id`,
      { id, said },
    )
    if (dry_run) return
    await tx.query('update feeds set error = :said where shop_id = :shop and id = :feed_id', {
      feed_id,
      said,
    })
    // Its next failures for the same reason are shown at the feed.
    if (feed.error?.code === failure.code) return
    await raiseNoticeOnce(tx, {
      level: 'critical',
      title: feedTitles.failure(feed.name),
      body: sentence(textsOfDetail(failure).message),
      operation_id: null,
    })
  })
}
