// Runs of triggers: one run takes all events that a trigger has and starts the workflow on their
// files, both in one transaction, so that each event is in exactly one run.
import {
  english,
  say,
  sentences,
  textOf,
  type Text,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Database } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { raiseNotice, raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { TRIGGER_TASK, type WebhookEvent } from '../../core/outbox/webhook-events.ts'
import { queueTask, type BackgroundTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { endedIn, isAbout } from '../../engine/event-files.ts'
import { placedFilter } from '../../engine/steps.ts'
import type { OperationCause } from '../../engine/types.ts'
import { compileFilter, type FileFilter } from '../../files/filter.ts'
import { triggerChannel } from '../imports/origins.ts'
import { deletes } from '../workflows/describe.ts'
import { requireWorkflow } from '../workflows/find.ts'

/** Runs of one trigger within an hour; above it, it pauses. */
const RUNS_PER_HOUR = 60
/** Events of one run. The next run takes the others. */
const MAX_EVENTS = 1000

export interface TriggerTaskParts {
  engine: Engine
  database: Database
  events: readonly WebhookEvent[]
  log: Logger
}

/** SQL: triggers with events, and when their run is due. */
const WANTED = `
  select e.shop_id, e.trigger_id::text as key,
    min(e.created_at) + t.collect * interval '1 second' as due_at
  from trigger_events e
    join triggers t on t.shop_id = e.shop_id and t.id = e.trigger_id
      and t.enabled and t.paused is null
    join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id and w.enabled
    join shops s on s.id = e.shop_id and s.uninstalled_at is null
  where e.taken_at is null group by e.shop_id, e.trigger_id, t.collect`

export const triggerTask = (parts: TriggerTaskParts): BackgroundTask => ({
  ...TRIGGER_TASK,
  concurrency: 4,
  wanted: WANTED,
  run: async ({ shop, key }) => {
    await runTrigger(parts, forShop(parts.database, present(shop, 'The shop of the run')), key)
    return null
  },
})

interface LockedTrigger {
  id: string
  workflow_id: string
  name: string
  kind: 'event' | 'hook'
  filter: FileFilter
  cap: number
  max_files: number | null
  /** Runs and files of the last hour. */
  runs: number
  files: number
}

/** Why a trigger pauses itself. */
class Paused extends Error {
  readonly reason: Text
  constructor(reason: Text) {
    super(english(reason))
    this.reason = reason
  }
}

/**
 * Starts the run of a trigger, by its bare UUID; returns the operations. A trigger that cannot run
 * pauses itself and keeps its events. Exported for tests.
 */
export function runTrigger(
  parts: TriggerTaskParts,
  scope: ShopScope,
  id: string,
): Promise<string[]> {
  return scope.transaction(async (tx) => {
    const trigger = await lockTrigger(tx, id)
    if (!trigger) return []
    try {
      return await tx.transaction((inner) => takeAndStart(parts, inner, trigger))
    } catch (error) {
      const reason = lastingReason(error)
      if (!reason) throw error
      parts.log.warn('a trigger pauses', { trigger: id, ...errorFields(error) })
      await pause(tx, trigger, reason)
      return []
    }
  })
}

/** Why another try would fail too; null: it may succeed. */
export function lastingReason(error: unknown): Text | null {
  if (error instanceof Paused) return error.reason
  const lasting =
    error instanceof AppError && error.status < 500 && error.code !== 'operation_quota'
  return lasting ? textOf(error.text) : null
}

/** SQL: the runs of the last hour. */
const RECENT = `(select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements(recent) one
  where (one ->> 'at')::float8 > extract(epoch from now()) - 3600)`

const lockTrigger = (tx: ShopScope, id: string): Promise<LockedTrigger | null> =>
  tx.first<LockedTrigger>(
    `select t.id, t.workflow_id, w.name, t.kind, t.filter, t.cap, t.max_files,
       jsonb_array_length(r.recent) as runs,
       (select coalesce(sum((one ->> 'files')::int), 0)::int
        from jsonb_array_elements(r.recent) one) as files
     from triggers t join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id
       join shops s on s.id = t.shop_id, lateral (select ${RECENT} as recent) r
     where t.shop_id = :shop and t.id = :id and t.enabled and t.paused is null and w.enabled
       and s.uninstalled_at is null
     for no key update of t`,
    { id },
  )

interface TakenEvent {
  id: string
  event: string
  operation_id: string | null
  path: string[]
}

async function takeAndStart(
  parts: TriggerTaskParts,
  tx: ShopScope,
  trigger: LockedTrigger,
): Promise<string[]> {
  const taken = await takeEvents(tx, trigger.id)
  if (taken.length === 0) return []
  const started: string[] = []
  let { runs, files } = trigger
  // Events of different paths start different operations: each leads on to what its own path allows.
  // Those of another name, from before the trigger was changed, are about other files.
  for (const group of Map.groupBy(taken, ({ event, path }) => [event, ...path].join()).values()) {
    const run = await runOf(parts, tx, trigger, group)
    if (run.ids.length === 0) continue
    runs++
    files += run.ids.length
    if (runs > RUNS_PER_HOUR) throw new Paused(await overRuns(tx, trigger, group))
    if (trigger.max_files !== null && files > trigger.max_files)
      throw new Paused(await overFiles(tx, trigger, group, files))
    started.push(await startRun(parts, tx, trigger, run))
  }
  if (taken.length === MAX_EVENTS) await queueTask(tx, TRIGGER_TASK, trigger.id)
  return started
}

const takeEvents = (tx: ShopScope, trigger: string): Promise<TakenEvent[]> =>
  tx.query<TakenEvent>(
    `update trigger_events set taken_at = now() where shop_id = :shop and id in (
       select id from trigger_events
       where shop_id = :shop and trigger_id = :trigger and taken_at is null order by id limit :most)
     returning id, event, operation_id, path`,
    { trigger, most: MAX_EVENTS },
  )

/** What one run works on. */
interface Run {
  workflow: Workflow
  /** The files: bare UUIDs. */
  ids: string[]
  of: readonly TakenEvent[]
}

async function runOf(
  { engine, events }: TriggerTaskParts,
  tx: ShopScope,
  trigger: LockedTrigger,
  of: readonly TakenEvent[],
): Promise<Run> {
  const workflow = await requireWorkflow(tx, toPublicId('workflow', trigger.workflow_id), engine)
  const filter = placedFilter(trigger.filter, workflow, engine.plugins)
  return { workflow, ids: await filesOf(tx, of, { filter, events }), of }
}

/** Returns the operation. */
async function startRun(
  { engine }: TriggerTaskParts,
  tx: ShopScope,
  trigger: LockedTrigger,
  { workflow, ids, of }: Run,
): Promise<string> {
  const total = ids.length
  const above = deletes(workflow, engine.plugins) && total > trigger.cap
  const operation = await engine.start(tx, {
    workflow,
    channel: triggerChannel.id,
    source: { type: 'files', ids },
    request: {},
    requestedBy: trigger.name,
    dryRun: above,
    path: [...(of[0]?.path ?? []), trigger.id],
    cause: causeOf(trigger, of),
  })
  await noteRun(tx, trigger.id, { operation, total, of: of.map(({ id }) => id) })
  if (above) await tellAbove(tx, { operation, name: trigger.name, total, limit: trigger.cap })
  return operation
}

/** Says that a run is a preview, because it would delete more files than its limit. */
export const tellAbove = (
  tx: ShopScope,
  about: { operation: string; name: string; total: number; limit: number },
): Promise<void> =>
  raiseNoticeOnce(tx, {
    level: 'warning',
    title: say('“{name}” waits for your confirmation', { name: about.name }),
    body: sentences(
      say(
        'It works on {count, plural, one {# file} other {# files}}, and one run may delete {limit}.',
        { count: about.total, limit: about.limit },
      ),
      say('Nothing was deleted: look at the preview and confirm it.'),
    ),
    operation_id: about.operation,
  })

function causeOf({ kind }: LockedTrigger, of: readonly TakenEvent[]): OperationCause {
  const operation = of.findLast(({ operation_id }) => operation_id !== null)?.operation_id
  return {
    kind,
    ...(kind === 'event' && of[0] ? { event: of[0].event } : {}),
    ...(operation ? { operation } : {}),
    count: of.length,
  }
}

/** The files of these events that the trigger selects, each once. */
async function filesOf(
  tx: ShopScope,
  group: readonly TakenEvent[],
  { filter, events }: { filter: FileFilter; events: readonly WebhookEvent[] },
): Promise<string[]> {
  const { sql, bindings } = await compileFilter(tx, filter)
  const operations = events.find(({ name }) => name === group[0]?.event)?.operations
  // An array is made once. The planner, which does not know how many files these are, might ask
  // `in (select …)` again for each file of the shop.
  const rows = await tx.query<{ id: string }>(
    `select files.id from files where files.shop_id = :shop and ${sql} and files.id = any(array(
       select unnest(e.files) from trigger_events e
       where e.shop_id = :shop and e.id = any(:events::uuid[])
       union all select i.file_id from items i
         join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
       where i.shop_id = :shop and i.operation_id = any(:operations::uuid[])
         and ${isAbout(operations?.takes ?? operations?.about)}
         and exists (select from trigger_events e where e.shop_id = :shop
           and e.id = any(:events::uuid[]) and e.operation_id = i.operation_id
           and ${endedIn({ since: 'e.since', until: 'e.created_at' })})))
     order by files.id`,
    {
      ...bindings,
      operations: group.flatMap((one) => one.operation_id ?? []),
      events: group.map(({ id }) => id),
    },
  )
  return rows.map(({ id }) => id)
}

async function noteRun(
  tx: ShopScope,
  id: string,
  { operation, total, of }: { operation: string; total: number; of: readonly string[] },
): Promise<void> {
  await tx.query(
    `with noted as (update trigger_events set run_id = :operation
       where shop_id = :shop and id = any(:of::uuid[]))
     update triggers set last_run_at = now(), last_operation_id = :operation,
       recent = ${RECENT} || jsonb_build_object('at', extract(epoch from now()), 'files', :total::int)
     where shop_id = :shop and id = :id`,
    { id, operation, total, of },
  )
}

// A trigger that pauses itself.

/** The workflows that led to an event and the trigger's own one: `“Mark” → “Tidy up”`. */
async function chainOf(
  tx: ShopScope,
  { name }: LockedTrigger,
  group: readonly TakenEvent[],
): Promise<string> {
  const path = group[0]?.path ?? []
  const rows = await tx.query<{ name: string }>(
    `select w.name from unnest(:path::uuid[]) with ordinality as p (id, n)
       left join triggers t on t.shop_id = :shop and t.id = p.id
       join workflows w on w.shop_id = :shop and w.id = coalesce(t.workflow_id, p.id)
     order by p.n`,
    { path },
  )
  return [...rows.map((row) => row.name), name].map((one) => `“${one}”`).join(' → ')
}

const overRuns = async (
  tx: ShopScope,
  trigger: LockedTrigger,
  group: readonly TakenEvent[],
): Promise<Text> =>
  say('It would run more than {most} times within an hour, the last time by {chain}', {
    most: RUNS_PER_HOUR,
    chain: await chainOf(tx, trigger, group),
  })

const overFiles = async (
  tx: ShopScope,
  trigger: LockedTrigger,
  group: readonly TakenEvent[],
  files: number,
): Promise<Text> =>
  say('It would work on {files} files within an hour, and may on {most}: by {chain}', {
    files,
    most: trigger.max_files ?? 0,
    chain: await chainOf(tx, trigger, group),
  })

async function pause(tx: ShopScope, { id, name }: LockedTrigger, reason: Text): Promise<void> {
  await tx.query('update triggers set paused = :reason where shop_id = :shop and id = :id', {
    id,
    reason: JSON.stringify(reason),
  })
  await raiseNotice(tx, {
    level: 'critical',
    title: say('“{name}” has paused', { name }),
    body: sentences(
      say('{reason}.', { reason }),
      say('What happens is kept for 7 days: look at the workflow, and resume it.'),
    ),
    operation_id: null,
  })
}
