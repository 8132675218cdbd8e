// Runs of feeds as rows: started one at a time for each feed, listed with the states of their
// operations, and settled: what their operations did becomes what the next run compares with.
import { say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { queueTask } from '../../core/queue/background.ts'
import type { StoredDetail } from '../../core/texts.ts'
import { IS_ENDED_PREVIEW } from '../../engine/lifecycle.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OperationStatus } from '../../engine/types.ts'
import { holdFeed } from './feeds.ts'
import type { FeedChangeKind, FeedCounts } from './plan.ts'

export const RUN_TASK = { name: 'feed-run' } as const

export type RunPhase = 'reading' | 'unchanged' | 'started' | 'listed' | 'failed'

export interface RunRow {
  id: string
  feed_id: string
  dry_run: boolean
  phase: RunPhase
  counts: Partial<FeedCounts> & { incomplete?: boolean }
  error: (StoredDetail & { code: string }) | null
  requested_by: string
  import_id: string | null
  update_id: string | null
  vanished_id: string | null
  started_at: Date
  finished_at: Date | null
}

/** An operation of a run, as long as history has it. */
export interface RunOperation {
  part: 'imports' | 'updates' | 'vanished'
  id: string
  kind: 'import' | 'bulk'
  status: OperationStatus
  discarded: boolean
  finished_at: Date | null
  done: number
  failed: number
}

/** A run with its operations. */
export interface RunView extends RunRow {
  operations: RunOperation[]
}

const VIEW = `select r.*, coalesce((
    select jsonb_agg(jsonb_build_object('part', p.part, 'id', o.id, 'kind', o.kind,
      'status', o.status, 'discarded', ${IS_ENDED_PREVIEW}, 'finished_at', o.finished_at,
      'done', case when o.preview and o.round = 0 then 0 else o.done end, 'failed', o.failed)
      order by p.place)
    from (values ('imports', r.import_id, 1), ('updates', r.update_id, 2),
      ('vanished', r.vanished_id, 3)) as p (part, id, place)
    join operations o on o.shop_id = r.shop_id and o.id = p.id), '[]') as operations
  from feed_runs r`

/** Lists the runs of a feed, newest first. */
export const listRuns = (
  scope: ShopScope,
  feed: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<RunView[]> =>
  scope.query<RunView>(
    `${VIEW} where r.shop_id = :shop and r.feed_id = :feed
       and (:before::uuid is null or r.id < :before::uuid) order by r.id desc limit :limit`,
    { feed, limit, before: before ?? null },
  )

export const readRun = (scope: ShopScope, id: string): Promise<RunView | null> =>
  scope.first<RunView>(`${VIEW} where r.shop_id = :shop and r.id = :id`, { id })

/** Reads a run of the feed. Throws `not_found`. */
export async function requireRun(scope: ShopScope, feed: string, id: string): Promise<RunView> {
  const run = await readRun(scope, id)
  if (run?.feed_id !== feed) throw new AppError('not_found')
  return run
}

/** Reads the newest run of each feed, previews too. */
export async function newestRuns(scope: ShopScope): Promise<Map<string, RunView>> {
  const rows = await scope.query<RunView>(
    `${VIEW} where r.shop_id = :shop and r.id in (
       select max(id::text)::uuid from feed_runs where shop_id = :shop group by feed_id)`,
  )
  return new Map(rows.map((row) => [row.feed_id, row]))
}

/** Is it running? A part that waits for a person counts as ended. */
export const isFeedRunning = ({
  phase,
  operations,
}: Pick<RunView, 'phase' | 'operations'>): boolean =>
  phase === 'reading' ||
  operations.some(({ status, finished_at }) => finished_at === null && status !== 'previewed')

/** A change of a run, with its place. */
export interface FeedChangeRow {
  number: number
  row: number | null
  kind: FeedChangeKind
  filename: string
  fields: string[]
  file_id: string | null
  problem: (StoredDetail & { code: string }) | null
}

/** Lists what a run found, in the order of the table. */
export const listChanges = (
  scope: ShopScope,
  run: string,
  { limit, after }: { limit: number; after: number },
): Promise<FeedChangeRow[]> =>
  scope.query<FeedChangeRow>(
    `select number, row, kind, filename, fields, file_id, problem from feed_changes
     where shop_id = :shop and run_id = :run and number > :after order by number limit :limit`,
    { run, limit, after },
  )

/**
 * Starts a run and returns its UUID. Throws `not_found`, and `conflict` while another run of the feed
 * has not ended.
 */
export function startFeedRun(
  scope: ShopScope,
  feed: string,
  request: { dryRun: boolean; requestedBy: string },
): Promise<string> {
  return scope.transaction(async (tx) => {
    await holdFeed(tx, feed)
    const newest = await listRuns(tx, feed, { limit: 5 })
    if (newest.some(isFeedRunning))
      throw new AppError('conflict', { message: say('A run of this feed has not ended yet') })
    const run = await tx.one<{ id: string }>(
      `insert into feed_runs (shop_id, feed_id, dry_run, requested_by)
       values (:shop, :feed, :dryRun, :requestedBy) returning id`,
      { feed, ...request },
    )
    // One list of what would change is enough.
    if (request.dryRun)
      await tx.query(
        `delete from feed_runs where shop_id = :shop and feed_id = :feed and dry_run
           and id <> :id`,
        { feed, id: run.id },
      )
    await queueTask(tx, RUN_TASK, run.id)
    return run.id
  })
}

/** Stops what a feed does now, before it is deleted. */
export async function cancelFeedRuns(tx: ShopScope, engine: Engine, feed: string): Promise<void> {
  for (const { operations } of await listRuns(tx, feed, { limit: 5 }))
    for (const { id } of operations) {
      const operation = await engine.get(tx, id)
      if (operation && engine.actions(operation).includes('cancel'))
        await engine.move(tx, id, 'cancel')
    }
}

/**
 * Makes what the operations of earlier runs did the base of the next comparison. Safe at any time:
 * it is read from the items' outcomes, so nothing is lost if a worker dies in between.
 */
export async function settleRuns(scope: ShopScope, feed: string): Promise<void> {
  const runs = await scope.query<{ run: string }>(
    `select distinct c.run_id as run from feed_changes c
     join feed_runs r on r.shop_id = c.shop_id and r.id = c.run_id and r.feed_id = :feed
     where c.shop_id = :shop and c.operation_id is not null and not c.settled
     order by run`,
    { feed },
  )
  for (const { run } of runs)
    await scope.transaction(async (tx) => {
      await holdFeed(tx, feed)
      await settleRun(tx, feed, run)
    })
}

async function settleRun(tx: ShopScope, feed: string, run: string): Promise<void> {
  await tx.query(
    `with ended as materialized (
       select c.number, c.key, c.kind, c.cells, c.filename, present.id as file_id,
         case when ${IS_ENDED_PREVIEW} then 'cancelled' else i.status end as status
       from feed_changes c
       join operations o on o.shop_id = c.shop_id and o.id = c.operation_id
         and o.finished_at is not null
       left join items i on i.shop_id = c.shop_id and i.operation_id = c.operation_id
         and i.position = c.position
       -- Purged files have no row.
       left join lateral (select id from files where shop_id = c.shop_id
         and id = coalesce(i.file_id, c.file_id) offset 0) present on true
       where c.shop_id = :shop and c.run_id = :run and c.operation_id is not null and not c.settled
     ), marked as (
       update feed_changes c set settled = true from ended
       where c.shop_id = :shop and c.run_id = :run and c.number = ended.number
     ), gone as (
       update feed_rows r set vanished = true from ended
       where r.shop_id = :shop and r.feed_id = :feed and r.key = ended.key
         and ended.kind in ('trash', 'tag') and ended.status in ('done', 'skipped')
     )
     insert into feed_rows (shop_id, feed_id, key, cells, file_id, filename, failures)
     select :shop, :feed, key, cells, file_id, filename,
       case when status = 'failed' then 1 else 0 end
     from ended
     where kind not in ('trash', 'tag', 'problem') and status in ('done', 'skipped', 'failed')
     on conflict (shop_id, feed_id, key) do update set
       file_id = coalesce(excluded.file_id, feed_rows.file_id),
       filename = coalesce(nullif(excluded.filename, ''), feed_rows.filename),
       failures = case when excluded.failures = 0 then 0
         when feed_rows.cells = excluded.cells then feed_rows.failures + 1 else 1 end,
       vanished = feed_rows.vanished and excluded.failures > 0,
       cells = excluded.cells`,
    { feed, run },
  )
}

/** What earlier runs left open. */
export interface OpenWork {
  /** Operations whose outcomes are not known yet. */
  unsettled: boolean
  /** Rows that failed and are tried again. */
  retried: boolean
}

export const openWork = (scope: ShopScope, feed: string, most: number): Promise<OpenWork> =>
  scope.one<OpenWork>(
    `select exists (select from feed_changes c
         join feed_runs r on r.shop_id = c.shop_id and r.id = c.run_id and r.feed_id = :feed
         join operations o on o.shop_id = c.shop_id and o.id = c.operation_id
         where c.shop_id = :shop and c.operation_id is not null and not c.settled) as unsettled,
       exists (select from feed_rows where shop_id = :shop and feed_id = :feed
         and failures between 1 and :most - 1) as retried`,
    { feed, most },
  )

const KEPT_DAYS = 90

/** Deletes old runs of all shops, except the newest one of each feed. For the hourly upkeep. */
export async function sweepRuns({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(
    `delete from feed_runs r where started_at < now() - interval '${KEPT_DAYS} days' and exists (
       select from feed_runs newer where newer.shop_id = r.shop_id and newer.feed_id = r.feed_id
         and newer.id > r.id)`,
  )
}
