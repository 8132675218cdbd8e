// What a workflow does about the failed files of a run: they are tried again at the times of its If
// not, and when no try is left, another workflow runs on those that still fail. The end of a round
// notes what comes next, and a job does it then, each in one transaction: every try happens once.
import { say, sentences } from '../../../plugins/contract/index.ts'
import { forShop, retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { MAX_PATH } from '../../core/outbox/webhook-events.ts'
import { queueTask, type BackgroundTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { isAbout } from '../../engine/event-files.ts'
import { hasEnded } from '../../engine/lifecycle.ts'
import { placedFilter } from '../../engine/steps.ts'
import type { AgainState, OperationRow } from '../../engine/types.ts'
import { compileFilter, type FileFilter } from '../../files/filter.ts'
import { triggerChannel } from '../imports/origins.ts'
import { retriedWorkflow } from '../operations/retry.ts'
import { workflowOfSchedule } from '../schedules/run.ts'
import { deletes } from '../workflows/describe.ts'
import { requireWorkflow } from '../workflows/find.ts'
import { againSeconds, type IfNot } from '../workflows/if-not.ts'
import { lastingReason, tellAbove } from './run.ts'
import type { WaitParts } from './wait.ts'

const AGAIN_TASK = { name: 'try-again' } as const
/** The most files that a run on failed files may delete without a confirmation. */
const CAP = 100

/** The state of the operation's workflow; null: it was deleted. */
const workflowOf = (tx: ShopScope, { workflow }: OperationRow) =>
  tx.first<{ id: string; name: string; if_not: IfNot | null; failed: number; now: Date }>(
    `select id, name, case when enabled then if_not end as if_not, now() as now,
       cardinality(failed_runs) as failed
     from workflows where shop_id = :shop and id = :id for key share`,
    { id: parsePublicId('workflow', workflow.id) },
  )

/** Notes what follows the failed files of a round. In the transaction that ends it. */
export async function armAgain(tx: ShopScope, operation: OperationRow): Promise<void> {
  const own = await workflowOf(tx, operation)
  if (!own?.if_not) return
  const { again, run } = own.if_not
  const since = operation.again?.since ?? own.now.toISOString()
  const later = again.map((time) => Date.parse(since) + (againSeconds(time) ?? 0) * 1000)
  // A time that is over, because a try took longer, is left out.
  const next = later.find((time) => time > own.now.getTime())
  if (next === undefined && run === null) return
  const at = new Date(next ?? own.now)
  const state: AgainState = {
    since,
    later: later.map((time) => new Date(time).toISOString()),
    run: next === undefined,
  }
  await tx.query(
    `update operations set again_at = :at, again = :state where shop_id = :shop and id = :id`,
    { id: operation.id, at, state: JSON.stringify(state) },
  )
  await queueTask(tx, AGAIN_TASK, operation.id, at)
}

/** Ends the tries of an operation; returns whether one waited. */
export async function cancelAgain(tx: ShopScope, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update operations set again_at = null where shop_id = :shop and id = :id
       and again_at is not null and finished_at is not null returning 1`,
    { id },
  )
  return rows.length > 0
}

const WANTED = `
  select o.shop_id, o.id::text as key, o.again_at as due_at
  from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
  where o.again_at is not null and o.finished_at is not null`

export const againTask = ({ engine, database }: WaitParts): BackgroundTask => ({
  ...AGAIN_TASK,
  concurrency: 4,
  wanted: WANTED,
  run: async ({ shop, key }) => {
    await tryAgain(engine, forShop(database, present(shop, 'The shop of the operation')), key)
    return null
  },
})

/**
 * Does what is due about the failed files of an operation, by its bare UUID. Exported for tests.
 * @returns the operation that works on them now: itself, or another one. Null: nothing was due
 */
export const tryAgain = (engine: Engine, scope: ShopScope, id: string): Promise<string | null> =>
  retryTransaction(scope, async (tx) => {
    const operation = await tx.first<OperationRow>(
      `select o.* from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
       where o.shop_id = :shop and o.id = :id and o.again_at <= now() for no key update of o`,
      { id },
    )
    if (!operation || !hasEnded(operation)) return null
    await cancelAgain(tx, id)
    const own = await workflowOf(tx, operation)
    if (!own?.if_not || operation.undone_by !== null) return null
    const { if_not: ifNot } = own
    try {
      return await tx.transaction((inner) =>
        operation.again?.run
          ? startOnFailed(engine, inner, operation, { ...own, if_not: ifNot })
          : retry(engine, inner, operation),
      )
    } catch (error) {
      const reason = lastingReason(error)
      if (!reason) throw error
      await raiseNotice(tx, {
        level: 'critical',
        title: say('The failed files of “{name}” were not tried again', { name: own.name }),
        body: sentences(say('{reason}.', { reason })),
        operation_id: id,
      })
      return null
    }
  })

/** The retry that a person can make, with the workflow as it is now. */
async function retry(
  engine: Engine,
  tx: ShopScope,
  operation: OperationRow,
): Promise<string | null> {
  const { id } = operation
  if (!engine.actions(operation).includes('retry')) return null
  const parts = {
    engine,
    workflowOfSchedule: (scope: ShopScope, schedule: string) =>
      workflowOfSchedule(scope, engine, schedule),
  }
  const workflow = await retriedWorkflow(parts, tx, operation, {})
  if (workflow) await engine.retryWith(tx, id, workflow)
  else await engine.move(tx, id, 'retry')
  return id
}

/** Starts the workflow of the If not on the files that still fail, unless it led here itself. */
async function startOnFailed(
  engine: Engine,
  tx: ShopScope,
  operation: OperationRow,
  own: { id: string; name: string; if_not: IfNot; failed: number },
): Promise<string | null> {
  const { after, run } = own.if_not
  if (run === null || own.failed < after) return null
  const path = [...operation.path, own.id]
  const led = [...path, ...(await startedBy(tx, operation.path))]
  const target = parsePublicId('workflow', run) ?? ''
  const isLoop = operation.path.includes(own.id) || led.includes(target)
  if (isLoop || operation.path.length >= MAX_PATH) {
    await tellLoop(tx, operation, own.name)
    return null
  }
  const workflow = await requireWorkflow(tx, run, engine)
  const ids = await failedFiles(tx, operation.id, placedFilter({}, workflow, engine.plugins))
  if (ids.length === 0) return null
  const total = ids.length
  const above = deletes(workflow, engine.plugins) && total > CAP
  const started = await engine.start(tx, {
    workflow,
    channel: triggerChannel.id,
    source: { type: 'files', ids },
    request: {},
    requestedBy: own.name,
    dryRun: above,
    path,
    cause: { kind: 'if_not', operation: operation.id, count: 1 },
  })
  if (above) await tellAbove(tx, { operation: started, name: workflow.title, total, limit: CAP })
  return started
}

/** The workflows that the triggers on a path started: bare UUIDs. */
async function startedBy(tx: ShopScope, path: readonly string[]): Promise<string[]> {
  if (path.length === 0) return []
  const rows = await tx.query<{ workflow_id: string }>(
    `select workflow_id from triggers where shop_id = :shop and id = any(:path::uuid[])
       and workflow_id is not null`,
    { path },
  )
  return rows.map((row) => row.workflow_id)
}

async function failedFiles(tx: ShopScope, id: string, filter: FileFilter): Promise<string[]> {
  const { sql, bindings } = await compileFilter(tx, filter)
  const rows = await tx.query<{ id: string }>(
    `select files.id from files where files.shop_id = :shop and ${sql} and files.id in (
       select i.file_id from items i where i.shop_id = :shop and i.operation_id = :id
         and ${isAbout('failed')})
     order by files.id`,
    { ...bindings, id },
  )
  return rows.map((row) => row.id)
}

const tellLoop = (tx: ShopScope, { id, workflow }: OperationRow, name: string): Promise<void> =>
  raiseNotice(tx, {
    level: 'warning',
    title: say('No workflow runs on the failed files of “{name}”', { name }),
    body: sentences(
      say('It would run because of itself, or as the fourth in a row.'),
      say('Look at the failed files, and at what follows a failure in “{title}”.', {
        title: workflow.title,
      }),
    ),
    operation_id: id,
  })
