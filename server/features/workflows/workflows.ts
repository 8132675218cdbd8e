// The shop's own workflows: read, saved if they have no problems, deleted if no schedule uses them.
import { say, type Step, type Workflow } from '../../../plugins/contract/index.ts'
import { asDetail, type WorkflowProblem } from './problems.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { takeTurn } from '../../core/db/shop-maximum.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OperationStatus } from '../../engine/types.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Given } from '../../http/endpoint.ts'
import { ifNotProblems, ifNotUsers, type IfNot } from './if-not.ts'
import { checkGiven, checkWorkflow, type Parts, type WorkflowBody } from './check.ts'
import { referenceProblems, referencesOfSteps } from './references.ts'
import {
  forgetEvents,
  ORDERS,
  readTriggers,
  triggerProblems,
  triggersAfter,
  writeTriggers,
} from './triggers.ts'

export interface OwnWorkflow {
  /** The bare UUID of the workflow. */
  id: string
  name: string
  kind: Workflow['kind']
  parallel: number
  steps: Step[]
  enabled: boolean
  if_not: IfNot | null
  failing_since: Date | null
  /** How often it was saved with a change; 0: not yet. */
  version: number
  created_at: Date
  updated_at: Date
}

const MAX_WORKFLOWS = 200

/** Lists the shop's workflows by name. */
export function listWorkflows(scope: ShopScope): Promise<OwnWorkflow[]> {
  return scope.query<OwnWorkflow>(
    'select * from workflows where shop_id = :shop order by lower(name), id',
  )
}

export const readWorkflow = (scope: ShopScope, id: string): Promise<OwnWorkflow | null> =>
  scope.first<OwnWorkflow>('select * from workflows where shop_id = :shop and id = :id', { id })

/** Creates a workflow. Throws `validation_failed` with every problem. */
export function createWorkflow(
  scope: ShopScope,
  body: WorkflowBody,
  parts: Parts,
): Promise<OwnWorkflow> {
  return serialized(scope, async (tx) => {
    const steps = await checkedSteps(tx, body, parts, null)
    const row = await tx.one<OwnWorkflow>(
      `insert into workflows (shop_id, name, kind, parallel, steps, enabled, if_not)
       values (:shop, :name, :kind, :parallel, :steps, :enabled, :ifNot) returning *`,
      columnsOf(body, steps, null),
    )
    await writeTriggers(tx, row.id, triggersAfter(body, []))
    return row
  })
}

/**
 * Replaces the workflow. Running operations continue as they started. Throws `not_found`,
 * `validation_failed`.
 */
export function replaceWorkflow(
  scope: ShopScope,
  id: string,
  body: WorkflowBody,
  parts: Parts,
): Promise<OwnWorkflow> {
  return serialized(scope, async (tx) => {
    const old = await readWorkflow(tx, id)
    if (!old) throw new AppError('not_found')
    const steps = await checkedSteps(tx, body, parts, id)
    const row = await tx.one<OwnWorkflow>(
      `update workflows set name = :name, kind = :kind, parallel = :parallel, steps = :steps,
         enabled = :enabled, if_not = :ifNot, updated_at = now()
       where shop_id = :shop and id = :id returning *`,
      { id, ...columnsOf(body, steps, old.if_not) },
    )
    const before = (await readTriggers(tx, id)).get(id) ?? []
    await writeTriggers(tx, id, triggersAfter(body, before))
    if (body.enabled === false) await forgetEvents(tx, id)
    if (body.enabled === false || !row.if_not?.again.length) await forgetTries(tx, id)
    return row
  })
}

/**
 * Deletes a workflow. Throws `not_found`, and `workflow_in_use` with the names of the schedules
 * and workflows that use it.
 */
export function deleteWorkflow(
  scope: ShopScope,
  id: string,
  engine: Pick<Engine, 'move'>,
): Promise<void> {
  return serialized(scope, async (tx) => {
    const users = await schedulesOf(tx, id)
    if (users.length > 0)
      throw new AppError('workflow_in_use', {
        message: say('This workflow is run by {users}', { users: users.map(quoted).join(', ') }),
      })
    const failing = await ifNotUsers(tx, toPublicId('workflow', id))
    if (failing.length > 0)
      throw new AppError('workflow_in_use', {
        message: say('This workflow is run by {users}, if files fail', {
          users: failing.map(quoted).join(', '),
        }),
      })
    if (await delivers(tx, id))
      throw new AppError('workflow_in_use', {
        message: say('This workflow runs on deliveries: take them from it first'),
      })
    await writeTriggers(tx, id, [])
    await deleteRow(tx, 'workflows', id)
    // Last: a run that ends meanwhile waits for the lock of the row, or its wait is seen here.
    await cancelRuns(tx, id, engine, 'asking')
  })
}

/** Is it the workflow of the shop's deliveries? */
const delivers = (tx: ShopScope, id: string): Promise<boolean> =>
  tx.has(
    `select 1 from triggers where shop_id = :shop and source = '${ORDERS}' and workflow_id = :id`,
    { id },
  )

/**
 * Cancels the runs of a workflow, by its bare UUID; returns how many.
 * @param which `waiting`: those that nobody started by hand and that have not begun. `asking`: only
 *   what waits for the next part, or for an answer
 */
export async function cancelRuns(
  tx: ShopScope,
  id: string,
  { move }: Pick<Engine, 'move'>,
  which: 'all' | 'waiting' | 'asking',
): Promise<number> {
  // First: the next part that one of them starts now is found below.
  const waits = (await forgetWaits(tx, id)) + (await forgetTries(tx, id))
  const rows = await tx.query<{ id: string }>(
    `select id from operations where shop_id = :shop and finished_at is null
       and status <> 'cancelled' and workflow ->> 'id' = :workflow
       and (:which = 'all' or (question is not null and status in ('previewing', 'previewed'))
         or (:which = 'waiting' and (path <> '{}' or schedule_id is not null)
           and status in ('queued', 'previewed') and started_at is null))
     for no key update`,
    { workflow: toPublicId('workflow', id), which },
  )
  for (const run of rows) await move(tx, run.id, 'cancel')
  return rows.length + waits
}

/** SQL: ends the wait of an operation. Files that a retry finishes after it wait and continue alone. */
export const END_WAIT = 'continue_at = null, continue_since = clock_timestamp()'

/** Ends the waits of a workflow’s runs: what follows them does not start. Returns how many. */
async function forgetWaits(tx: ShopScope, id: string): Promise<number> {
  const rows = await tx.query(
    `update operations set ${END_WAIT} where shop_id = :shop and continue_at is not null
       and finished_at is not null and workflow ->> 'id' = :workflow returning 1`,
    { workflow: toPublicId('workflow', id) },
  )
  return rows.length
}

/** Ends the tries of a workflow’s runs that wait. Returns how many runs had some. */
async function forgetTries(tx: ShopScope, id: string): Promise<number> {
  const rows = await tx.query(
    `update operations set again_at = null
     where shop_id = :shop and again_at is not null and workflow ->> 'id' = :workflow returning 1`,
    { workflow: toPublicId('workflow', id) },
  )
  return rows.length
}

/** The runs that have not ended, by the id of their workflow. */
export async function countRunning(scope: ShopScope): Promise<ReadonlyMap<string, number>> {
  const rows = await scope.query<{ id: string; runs: number }>(
    `select workflow ->> 'id' as id, count(*)::int as runs from operations
     where shop_id = :shop and finished_at is null group by 1`,
  )
  return new Map(rows.map(({ id, runs }) => [id, runs]))
}

/** What the list says about a workflow: its last run, and what comes next. */
export interface RunState {
  last: { id: string; kind: 'import' | 'bulk'; status: OperationStatus; at: Date } | null
  /** When a scheduled task is due, or a wait ends. */
  next: Date | null
  /** Who may answer the question of a run; empty: anyone who may run workflows. Null: none asks. */
  who: string[] | null
}

/** By the bare UUIDs of these workflows. */
export async function readRunStates(
  scope: ShopScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunState>> {
  if (ids.length === 0) return new Map()
  const rows = await scope.query<RunState & { id: string }>(
    `select g.id, last.run as last, least(due.at, ends.at) as next, asks.who
     from unnest(:ids::uuid[], :keys::text[]) as g (id, key)
     left join lateral (select jsonb_build_object('id', o.id, 'kind', o.kind, 'status', o.status,
         'at', o.created_at) as run from operations o
       where o.shop_id = :shop and o.workflow ->> 'id' = g.key order by o.id desc limit 1) last
       on true
     cross join lateral (select min(t.next_run_at) as at from triggers t
       where t.shop_id = :shop and t.workflow_id = g.id) due
     cross join lateral (select min(o.continue_at) as at from operations o
       where o.shop_id = :shop and o.workflow ->> 'id' = g.key and o.continue_at is not null
         and o.finished_at is not null) ends
     left join lateral (select o.question -> 'who' as who from operations o
       where o.shop_id = :shop and o.workflow ->> 'id' = g.key and o.continue_at is not null
         and o.finished_at is null and o.question is not null order by o.continue_at limit 1) asks
       on true`,
    { ids, keys: ids.map((id) => toPublicId('workflow', id)) },
  )
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

const quoted = (name: string) => `“${name}”`

/**
 * Runs one change of a shop's workflows at a time, so that checked conditions still hold when it is
 * written.
 */
function serialized<T>(scope: ShopScope, work: (tx: ShopScope) => Promise<T>): Promise<T> {
  return scope.transaction(async (tx) => {
    await takeTurn(tx)
    return work(tx)
  })
}

/** `before`: what it does if it fails, which a request without this leaves as it is. */
const columnsOf = (
  { name, kind, parallel, enabled = true, if_not: ifNot }: WorkflowBody,
  steps: readonly Step[],
  before: IfNot | null,
) => ({
  name: name.trim(),
  kind,
  parallel,
  steps: JSON.stringify(steps),
  enabled,
  ifNot: jsonOrNull(ifNot === undefined && kind !== 'delivery' ? before : (ifNot ?? null)),
})

const jsonOrNull = (value: IfNot | null) => value && JSON.stringify(value)

async function checkedSteps(
  tx: ShopScope,
  body: WorkflowBody,
  parts: Parts,
  id: string | null,
): Promise<readonly Step[]> {
  const { workflow, problems } = checkWorkflow(body, parts)
  const named = await referenceProblems(tx, referencesOfSteps(workflow.steps, parts.plugins))
  const all = [...problems, ...named, ...(await shopProblems(tx, body, { id, parts }))]
  if (all.length > 0) {
    const details = all.map(asDetail)
    throw new AppError('validation_failed', { param: firstOf(details).param, details })
  }
  return workflow.steps
}

/**
 * The problems of the well-formed fields of a workflow.
 * @param id the workflow that it replaces; null: a new one. Undefined: it is not saved.
 */
export async function givenWorkflowProblems(
  scope: ShopScope,
  body: Given<WorkflowBody>,
  parts: Parts,
  id?: string | null,
): Promise<ErrorDetail[]> {
  const { steps, problems } = checkGiven(body, parts)
  const named = await referenceProblems(scope, referencesOfSteps(steps, parts.plugins))
  const ofShop = id === undefined ? [] : await shopProblems(scope, body, { id, parts })
  return [...problems, ...named, ...ofShop].map(asDetail)
}

/** Finds conflicts with the shop's other workflows and its schedules. */
async function shopProblems(
  tx: ShopScope,
  body: Pick<
    Given<WorkflowBody>,
    'name' | 'kind' | 'channel' | 'enabled' | 'when' | 'if_not' | 'steps'
  >,
  { id, parts: { startingEvents: events, plugins } }: { id: string | null; parts: Parts },
): Promise<WorkflowProblem[]> {
  const others = (await listWorkflows(tx)).filter((one) => one.id !== id)
  const problems: WorkflowProblem[] = []
  if (others.length >= MAX_WORKFLOWS)
    problems.push({
      param: 'name',
      message: say('A shop has at most {most} workflows', { most: MAX_WORKFLOWS }),
    })
  if (others.some(({ name }) => name === body.name?.trim()))
    problems.push({ param: 'name', message: say('Another workflow has this name') })
  if (body.channel) problems.push(...(await attachedProblems(tx, body.channel, id)))
  problems.push(...(await triggerProblems(tx, body, { id, events })))
  problems.push(...(await ifNotProblems(tx, body, { id, plugins })))
  const orders = body.when?.some((trigger) => trigger?.kind === 'orders')
  if (body.enabled === false && (orders ?? (id !== null && (await delivers(tx, id)))))
    problems.push({
      param: 'enabled',
      message: say('This workflow runs on deliveries: take them from it first'),
    })
  const users =
    id && body.kind && body.kind !== 'bulk'
      ? [...(await schedulesOf(tx, id)), ...(await ifNotUsers(tx, toPublicId('workflow', id)))]
      : []
  if (users.length > 0)
    problems.push({
      param: 'kind',
      message: say('{users} runs it, so it has to work on files', {
        users: users.map(quoted).join(', '),
      }),
    })
  return problems
}

/** Another workflow that has the imports of this channel. */
async function attachedProblems(
  tx: ShopScope,
  channel: string,
  id: string | null,
): Promise<WorkflowProblem[]> {
  const attached = await tx.first<{ name: string }>(
    `select w.name from triggers t join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id
     where t.shop_id = :shop and t.source = :source and (:id::uuid is null or w.id <> :id)`,
    { id, source: `channel:${channel}` },
  )
  if (!attached) return []
  const name = quoted(attached.name)
  const message = say('{name} is attached to these imports: detach it first', { name })
  return [{ param: 'channel', message }]
}

async function schedulesOf(scope: ShopScope, id: string): Promise<string[]> {
  const rows = await scope.query<{ name: string }>(
    `select name from triggers where shop_id = :shop and workflow_id = :id and kind = 'times'
     order by name`,
    { id },
  )
  return rows.map(({ name }) => name)
}
