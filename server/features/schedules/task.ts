// The schedule channel: starts due schedules, each once, with any number of workers. It looks
// across shops; each run belongs to its own shop.
import { setTimeout as delay } from 'node:timers/promises'
import { say, textOf } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { isDatabaseUnavailable, isRollback } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { countDueJobs } from '../../core/queue/private-jobs.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { readShop } from '../../files/shop-settings.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { firstOf, lastOf, present } from '../../core/lazy.ts'
import { runningOperation, startRun } from './run.ts'
import { setNextRun, lockDue, type ScheduleRow } from './rows.ts'
import { nextRuns } from './times.ts'

/**
 * The interval at which schedules are read: one that was saved in the meantime is noticed within
 * it.
 */
const POLL_MS = 10_000
const DUE_BATCH = 100
/**
 * Starting a run is some 25 statements that wait for each other: one after another, the schedules of
 * 10,000 shops would start for an hour at a busy time.
 */
const FIRED_AT_ONCE = 4
/**
 * While so many jobs wait for a worker, no further run starts: an import that a person starts would
 * wait behind thousands of them.
 */
const WAITING_JOBS = 8
const PAUSE_MS = 200
/** Then a run starts in any case, so that a busy installation delays schedules and drops none. */
const LONGEST_PAUSE_MS = 5000

export interface ScheduleParts {
  engine: Engine
  database: Database
  clock: () => Date
  log: Logger
}

/** Starts due schedules, and runs again at the time of the next one. */
export const scheduleTask = (parts: ScheduleParts): BackgroundTask => ({
  name: 'run-schedules',
  concurrency: 1,
  run: async ({ signal }) => {
    const pause = () => waitForWorkers(parts.database, signal)
    await runDue(parts, parts.clock(), { signal, pause })
    return untilNext(parts.database, parts.clock())
  },
})

/**
 * Starts the schedules that are due at `now`; returns the number that this process has started. A
 * schedule that fails delays no other.
 * Exported for tests, which give the time.
 */
export async function runDue(
  parts: ScheduleParts,
  now: Date,
  { signal, pause }: { signal?: AbortSignal; pause?: () => Promise<void> } = {},
): Promise<number> {
  let fired = 0
  const due = dueSchedules(parts.database, now)
  const lane = async () => {
    for (let next = await due.next(); !next.done; next = await due.next()) {
      await pause?.()
      if (signal?.aborted) return
      if (await fireOne(parts, next.value, now)) fired++
    }
  }
  await Promise.all(Array.from({ length: FIRED_AT_ONCE }, lane))
  return fired
}

async function waitForWorkers({ pool }: Database, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < LONGEST_PAUSE_MS; waited += PAUSE_MS) {
    const due = await countDueJobs(pool, WAITING_JOBS)
    if (signal.aborted || due < WAITING_JOBS) return
    await delay(PAUSE_MS)
  }
}

async function fireOne(
  parts: ScheduleParts,
  { shop_id, id }: DueSchedule,
  now: Date,
): Promise<boolean> {
  try {
    return await forShop(parts.database, shop_id).transaction((tx) => fire(tx, parts, id, now))
  } catch (error) {
    parts.log.warn('a schedule could not be run, it will be tried again', {
      schedule: id,
      ...errorFields(error),
    })
    return false
  }
}

interface DueSchedule {
  shop_id: number
  id: string
  /** The due time as text, because a `Date` has no microseconds. */
  due_at: string
}

/** Yields each due schedule once, the earliest first: those that fail do not delay later ones. */
async function* dueSchedules({ pool }: Database, now: Date): AsyncGenerator<DueSchedule> {
  let after = { due_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
  while (true) {
    const { rows } = await pool.query<DueSchedule>(
      `select s.shop_id, s.id, s.next_run_at::text as due_at
       from triggers s join shops on shops.id = s.shop_id
       where s.next_run_at <= $1 and shops.uninstalled_at is null
         and (s.next_run_at, s.id) > ($3::timestamptz, $4::uuid)
       order by s.next_run_at, s.id limit $2`,
      [now, DUE_BATCH, after.due_at, after.id],
    )
    yield* rows
    if (rows.length < DUE_BATCH) return
    after = lastOf(rows)
  }
}

/**
 * Sets the next run and starts this one in one transaction: a crash neither loses a run nor repeats
 * it.
 */
async function fire(tx: ShopScope, parts: ScheduleParts, id: string, now: Date): Promise<boolean> {
  const schedule = await lockDue(tx, id, now)
  if (!schedule) return false
  const { time_zone } = (await readShop(tx)).settings
  // Counted from now, so that this one run replaces all that were missed while no worker ran.
  await setNextRun(tx, id, nextRuns(schedule.cron, time_zone, now, 1)[0] ?? null)
  if (!schedule.runs) return false
  const running = await runningOperation(tx, id)
  if (running) {
    const title = say('“{name}” was skipped', { name: schedule.name })
    const body = say('Its last run has not ended yet. It runs again at its next time.')
    await raiseNoticeOnce(tx, { level: 'warning', title, body, operation_id: running })
    return false
  }
  return started(tx, parts, schedule, now)
}

async function started(
  tx: ShopScope,
  parts: ScheduleParts,
  schedule: ScheduleRow,
  now: Date,
): Promise<boolean> {
  const { id, name, next_run_at } = schedule
  try {
    await tx.transaction((inner) =>
      startRun(inner, parts.engine, schedule, {
        requestedBy: `schedule ${name}`,
        idempotencyKey: `schedule/${id}/${present(next_run_at, 'The time of the run').toISOString()}`,
        now,
      }),
    )
    return true
  } catch (error) {
    if (isDatabaseUnavailable(error) || isRollback(error)) throw error
    parts.log.warn('a schedule could not start its run', { schedule: id, ...errorFields(error) })
    const reason = textOf(
      error instanceof AppError ? error.message : 'Something went wrong on our side',
    )
    await raiseNoticeOnce(tx, {
      level: 'critical',
      title: say('“{name}” could not run', { name }),
      body: say('{reason}. It tries again at its next time.', { reason }),
      operation_id: null,
    })
    return false
  }
}

/** Reads the milliseconds until a schedule may be due. */
async function untilNext(database: Database, now: Date): Promise<number> {
  const { rows } = await database.pool.query<{ next: Date | null }>(
    'select min(next_run_at) as next from triggers where next_run_at > $1',
    [now],
  )
  const next = firstOf(rows).next
  return next ? Math.min(POLL_MS, next.getTime() - now.getTime()) : POLL_MS
}
