// Between the parts of a workflow: the end of a part notes when the next one starts, and a job starts
// it then, on the files that are done. After a step that asks it starts immediately, as a preview
// (question.ts). Both are one transaction each, so that the next part starts once.
import { say, sentences, type Workflow } from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { queueTask, type BackgroundTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { endedIn } from '../../engine/event-files.ts'
import { hasEnded } from '../../engine/lifecycle.ts'
import { placedFilter } from '../../engine/steps.ts'
import type { OperationRow, StoredWorkflow } from '../../engine/types.ts'
import { momentOf } from '../../files/condition-sql.ts'
import { compileFilter } from '../../files/filter.ts'
import { END_WAIT } from '../workflows/workflows.ts'
import { lastingReason, type TriggerTaskParts } from './run.ts'

/** Passes what a workflow waits at: the end of a wait, or of the time to answer. */
const WAIT_TASK = { name: 'continue-workflows' } as const

/** SQL: when the job of a wait is due. A time in JavaScript has milliseconds, and must not be too early. */
export const WAIT_DUE = `date_trunc('milliseconds', continue_at) + interval '1 ms' as due`

/** Queues the job of an operation's wait in place of an earlier one. */
export const queueWait = (tx: ShopScope, id: string, due: Date): Promise<void> =>
  queueTask(tx, WAIT_TASK, id, due)

/**
 * Notes when the next part of the workflow starts, unless the workflow was deleted meanwhile. In the
 * transaction that ends the part.
 */
export async function armWait(
  tx: ShopScope,
  { id, workflow, stopped }: OperationRow,
): Promise<void> {
  const { after } = workflow
  if (!after || stopped) return
  const { wait } = after
  const until = 'until' in wait ? await momentOf(tx, wait.until) : null
  // A retry within the wait keeps its time, and adds its files.
  const armed = await tx.first<{ due: Date }>(
    `update operations set
       continue_at = greatest(now(), coalesce(continue_at, :until::timestamptz,
         now() + :seconds * interval '1 second'))
     where shop_id = :shop and id = :id and exists (
       select from workflows w where w.shop_id = :shop and w.id = :workflow for key share)
     returning ${WAIT_DUE}`,
    {
      id,
      until,
      seconds: 'seconds' in wait ? wait.seconds : 0,
      workflow: parsePublicId('workflow', workflow.id),
    },
  )
  if (armed) await queueWait(tx, id, armed.due)
}

/** SQL: waits and open questions, and when they end. */
const WANTED = `
  select o.shop_id, o.id::text as key, o.continue_at as due_at
  from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
  where o.continue_at is not null and (o.finished_at is not null or o.status = 'previewed')`

export type WaitParts = Pick<TriggerTaskParts, 'engine' | 'database'>

/** @param endQuestion what follows when nobody has answered the question of an operation in time */
export const waitTask = (
  parts: WaitParts,
  endQuestion: (engine: Engine, scope: ShopScope, id: string) => Promise<void>,
): BackgroundTask => ({
  ...WAIT_TASK,
  concurrency: 4,
  wanted: WANTED,
  run: async ({ shop, key }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the wait'))
    await continueRun(parts.engine, scope, key)
    await endQuestion(parts.engine, scope, key)
    return null
  },
})

/**
 * Starts the next part of an operation's workflow, as a preview after a step that asks; null: it does
 * not wait, or there is no file left.
 * @param id the operation: a bare UUID
 * @param now whether a person ends the wait before its time
 */
export const continueRun = (
  engine: Engine,
  scope: ShopScope,
  id: string,
  now = false,
): Promise<string | null> =>
  scope.transaction(async (tx) => {
    const operation = await tx.first<OperationRow>(
      `select o.* from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
       where o.shop_id = :shop and o.id = :id
         and o.continue_at ${now ? 'is not null' : '<= now()'} for no key update of o`,
      { id },
    )
    // A retry sets the time again at its end.
    if (!operation || !hasEnded(operation)) return null
    await endWait(tx, id)
    const { after } = operation.workflow
    if (!after || operation.undone_by !== null) return null
    try {
      return await tx.transaction((inner) => startNext(engine, inner, operation, after))
    } catch (error) {
      const reason = now ? null : lastingReason(error)
      if (!reason) throw error
      await raiseNotice(tx, {
        level: 'critical',
        title: say('“{name}” did not continue after its wait', { name: operation.workflow.title }),
        body: sentences(say('{reason}.', { reason })),
        operation_id: id,
      })
      return null
    }
  })

/** Ends the wait of an operation; what follows it does not start. False: it did not wait. */
export async function endWait(tx: ShopScope, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update operations set ${END_WAIT}
     where shop_id = :shop and id = :id and continue_at is not null and finished_at is not null
     returning 1`,
    { id },
  )
  return rows.length > 0
}

/** What an operation does after its wait, as a start takes it. */
export const nextWorkflow = (
  engine: Engine,
  scope: ShopScope,
  { workflow: { id, title, parallel } }: Pick<OperationRow, 'workflow'>,
  { steps }: NonNullable<StoredWorkflow['after']>,
): Workflow =>
  engine.given(scope, {
    workflow: { id, title, parallel, action: 'workflow', kind: 'bulk', steps: steps.slice(1) },
  })

async function startNext(
  engine: Engine,
  tx: ShopScope,
  operation: OperationRow,
  after: NonNullable<StoredWorkflow['after']>,
): Promise<string | null> {
  const workflow = nextWorkflow(engine, tx, operation, after)
  const ids = await doneFiles(tx, operation, placedFilter({}, workflow, engine.plugins))
  if (ids.length === 0) return null
  const { id, channel, request, requested_by, path, cause } = operation
  return engine.start(tx, {
    workflow,
    channel,
    source: { type: 'files', ids },
    request: request.notify === undefined ? {} : { notify: request.notify },
    requestedBy: requested_by,
    path,
    ...(cause ? { cause } : {}),
    continues: id,
    ...('ask' in after.wait ? { question: after.wait.ask } : {}),
  })
}

/** The files that are done since its last wait ended. */
async function doneFiles(
  tx: ShopScope,
  { id, continue_since }: OperationRow,
  filter: Parameters<typeof compileFilter>[1],
): Promise<string[]> {
  const { sql, bindings } = await compileFilter(tx, filter)
  const rows = await tx.query<{ id: string }>(
    `select files.id from files where files.shop_id = :shop and ${sql} and files.id in (
       select i.file_id from items i where i.shop_id = :shop and i.operation_id = :id
         and i.status = 'done' and i.file_id is not null
         and ${endedIn({ since: ':since::timestamptz', until: 'null::timestamptz' })})
     order by files.id`,
    { ...bindings, id, since: continue_since },
  )
  return rows.map((row) => row.id)
}
