// One run of a schedule: selects its files again, obeys its cap, and never overlaps an earlier run
// of the same schedule.
import { say, sentences, type Step, type Workflow } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { placedFilter } from '../../engine/steps.ts'
import type { Engine } from '../../engine/engine.ts'
import type { RunGuard } from '../../engine/parts.ts'
import { AppError } from '../../core/errors.ts'
import type { FileFilter } from '../../files/filter.ts'
import { impactOf } from '../files/impact.ts'
import { countFiles } from '../../files/list.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { present } from '../../core/lazy.ts'
import { deletes, deletesAll } from '../workflows/describe.ts'
import { workflowOf } from './check.ts'
import { lockSchedule, readSchedule, type ScheduleRow } from './rows.ts'
import { scheduleChannel } from '../imports/origins.ts'

export interface ScheduleRun {
  requestedBy: string
  idempotencyKey?: string
  now: Date
}

/**
 * Starts the operation and returns its UUID. Above the schedule's cap it is a preview, and a notice
 * asks to confirm it. The transaction holds the lock of `schedule`. Throws what `workflowOf` and
 * the engine throw.
 */
export async function startRun(
  tx: ShopScope,
  engine: Engine,
  schedule: ScheduleRow,
  run: ScheduleRun,
): Promise<string> {
  const workflow = await scheduledWorkflow(tx, engine, schedule)
  const { plugins } = engine
  const filter = placedFilter(schedule.filter, workflow, plugins)
  const start = (scope: ShopScope, dryRun: boolean) =>
    engine.start(scope, {
      workflow,
      channel: scheduleChannel.id,
      source: { type: 'filter', filter },
      // The schedule's own choice overrides the shop's setting.
      request: { notify: schedule.notify !== 'never' },
      requestedBy: run.requestedBy,
      dryRun,
      scheduleId: schedule.id,
      ...(run.idempotencyKey === undefined ? {} : { idempotencyKey: run.idempotencyKey }),
    })
  await discardPreviews(tx, engine, schedule.id)
  const cap = deletes(workflow, plugins) ? schedule.cap : Infinity
  const within = cap === Infinity || (await countFiles(tx, filter, cap + 1)) <= cap
  const started = within ? await startWithin(tx, engine, start, cap) : null
  const operation = started ?? (await start(tx, true))
  if (started === null)
    await askToConfirm(tx, engine, schedule, operation, {
      filter,
      now: run.now,
      all: deletesAll(workflow, plugins),
    })
  await tx.query(
    `update triggers set last_run_at = :now, last_operation_id = :operation where shop_id = :shop
       and id = :id`,
    { id: schedule.id, now: run.now, operation },
  )
  return operation
}

/** What a schedule runs, with its notification. Throws as `workflowOf`. */
async function scheduledWorkflow(
  scope: ShopScope,
  engine: Engine,
  schedule: ScheduleRow,
): Promise<Workflow> {
  return withNotification(await workflowOf(scope, schedule, engine), schedule.notify)
}

/** What the schedule with this UUID would run now; null: it was deleted. Throws as `workflowOf`. */
export async function workflowOfSchedule(
  scope: ShopScope,
  engine: Engine,
  id: string,
): Promise<Workflow | null> {
  const schedule = await readSchedule(scope, id)
  return schedule && scheduledWorkflow(scope, engine, schedule)
}

/**
 * Starts a run for a person. Throws `not_found`, and `conflict` while the last run has not ended.
 */
export function runNow(
  scope: ShopScope,
  engine: Engine,
  id: string,
  run: ScheduleRun,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const schedule = await lockSchedule(tx, id)
    if (await runningOperation(tx, id)) throw notEnded()
    return startRun(tx, engine, schedule, run)
  })
}

/** A run that is retried or confirmed never overlaps another one either. */
export const guardRun: RunGuard = async (tx, { id, schedule_id }) => {
  if (schedule_id === null) return
  // As `lockSchedule`; it may have been deleted.
  await tx.query('select from triggers where shop_id = :shop and id = :schedule_id for update', {
    schedule_id,
  })
  if (await runningOperation(tx, schedule_id, id)) throw notEnded()
}

const notEnded = () =>
  new AppError('conflict', { message: say('The last run of this schedule has not ended yet') })

/**
 * Reads the UUID of a run that has not ended, other than `except`. A preview that waits for confirmation
 * counts as ended.
 */
export async function runningOperation(
  tx: ShopScope,
  id: string,
  except: string | null = null,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from operations where shop_id = :shop and schedule_id = :id
       and (:except::uuid is null or id <> :except::uuid)
       and (status in ('previewing', 'queued', 'running', 'paused')
         or (status = 'cancelled' and finished_at is null))
     limit 1`,
    { id, except },
  )
  return row?.id ?? null
}

/** Discards previews that were not confirmed, because a new run replaces them. */
async function discardPreviews(tx: ShopScope, engine: Engine, id: string): Promise<void> {
  // Locked first, so that a preview that is being confirmed concurrently is not cancelled.
  const waiting = await tx.query<{ id: string }>(
    `select id from operations where shop_id = :shop and schedule_id = :id and status = 'previewed'
     for no key update skip locked`,
    { id },
  )
  for (const preview of waiting) await engine.move(tx, preview.id, 'cancel')
  await tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null
       and operation_id = any(:ids::uuid[])`,
    { ids: waiting.map((preview) => preview.id) },
  )
}

/**
 * Starts the operation; null: nothing was started, because the selection has grown above the cap
 * since it was counted.
 */
async function startWithin(
  tx: ShopScope,
  engine: Engine,
  start: (scope: ShopScope, dryRun: boolean) => Promise<string>,
  cap: number,
): Promise<string | null> {
  const above = new Error('above the cap')
  try {
    return await tx.transaction(async (inner) => {
      const operation = await start(inner, false)
      if (cap < Infinity && (await totalOf(inner, engine, operation)) > cap) throw above
      return operation
    })
  } catch (error) {
    if (error === above) return null
    throw error
  }
}

const totalOf = async (scope: ShopScope, engine: Engine, operation: string) =>
  present(await engine.get(scope, operation), 'The operation').total

/** `all`: it deletes all files that match, and not only those that meet a condition of a step. */
async function askToConfirm(
  tx: ShopScope,
  engine: Engine,
  schedule: ScheduleRow,
  operation: string,
  { filter, now, all }: { filter: FileFilter; now: Date; all: boolean },
): Promise<void> {
  const count = await totalOf(tx, engine, operation)
  const { paid_deliveries: paid } = await impactOf(tx, { filter }, now)
  await raiseNoticeOnce(tx, {
    level: 'warning',
    title: say('“{name}” waits for your confirmation', { name: schedule.name }),
    body: sentences(
      all ? allText(count, schedule.cap) : someText(count, schedule.cap),
      ...(paid > 0 ? [all ? allPaidText(paid) : somePaidText(paid)] : []),
      say('Nothing was deleted: look at the preview and confirm it.'),
    ),
    operation_id: operation,
  })
}

const allText = (count: number, limit: number) =>
  say(
    'It would delete {count, plural, one {# file} other {# files}}, and one run may delete {limit}.',
    { count, limit },
  )
const someText = (count: number, limit: number) =>
  say(
    'It would delete some of {count, plural, one {# file} other {# files}}, and a run on more than {limit} waits for you.',
    { count, limit },
  )
const allPaidText = (count: number) =>
  say(
    '{count, plural, one {# paid delivery contains} other {# paid deliveries contain}} them: the buyers would lose them.',
    { count },
  )
const somePaidText = (count: number) =>
  say(
    '{count, plural, one {# paid delivery contains} other {# paid deliveries contain}} some of them: buyers would lose those that are deleted.',
    { count },
  )

/**
 * Returns the workflow with a notify step that sends email as the schedule requires. Every run
 * raises a notice.
 */
function withNotification(workflow: Workflow, when: ScheduleRow['notify']): Workflow {
  const isNotify = ({ plugin }: Step) => plugin === 'notify'
  if (workflow.steps.some(isNotify)) {
    const steps = workflow.steps.map((step) =>
      isNotify(step) ? { ...step, options: { ...step.options, when } } : step,
    )
    return { ...workflow, steps }
  }
  return {
    ...workflow,
    steps: [...workflow.steps, { id: 'schedule-notify', plugin: 'notify', options: { when } }],
  }
}
