// The shop's own workflows: read, saved if they have no problems, deleted if no schedule uses them.
import { say, type Step, type Workflow } from '../../../plugins/contract/index.ts'
import { asDetail, type WorkflowProblem } from './problems.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { takeTurn } from '../../core/db/shop-maximum.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Given } from '../../http/endpoint.ts'
import { checkGiven, checkWorkflow, type Parts, type WorkflowBody } from './check.ts'
import { referenceProblems, referencesOfSteps } from './references.ts'

export interface OwnWorkflow {
  /** The bare UUID of the workflow. */
  id: string
  name: string
  kind: Workflow['kind']
  parallel: number
  steps: Step[]
  channel: string | null
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
      `insert into workflows (shop_id, name, kind, parallel, steps, channel)
       values (:shop, :name, :kind, :parallel, :steps, :channel) returning *`,
      columnsOf(body, steps),
    )
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
    if (!(await readWorkflow(tx, id))) throw new AppError('not_found')
    const steps = await checkedSteps(tx, body, parts, id)
    const row = await tx.one<OwnWorkflow>(
      `update workflows set name = :name, kind = :kind, parallel = :parallel, steps = :steps,
         channel = :channel, updated_at = now() where shop_id = :shop and id = :id returning *`,
      { id, ...columnsOf(body, steps) },
    )
    return row
  })
}

/**
 * Deletes a workflow. Throws `not_found`, and `workflow_in_use` with the names of the schedules
 * that use it.
 */
export function deleteWorkflow(scope: ShopScope, id: string): Promise<void> {
  return serialized(scope, async (tx) => {
    const users = await schedulesOf(tx, id)
    if (users.length > 0)
      throw new AppError('workflow_in_use', {
        message: say('This workflow is run by {users}', { users: users.map(quoted).join(', ') }),
      })
    const delivers = await tx.query(
      `select 1 from shops where id = :shop and settings ->> 'delivery_workflow' = :id`,
      { id: toPublicId('workflow', id) },
    )
    if (delivers.length > 0)
      throw new AppError('workflow_in_use', {
        message: say('This workflow runs on deliveries: choose another one in the settings first'),
      })
    await deleteRow(tx, 'workflows', id)
  })
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

const columnsOf = ({ name, kind, parallel, channel }: WorkflowBody, steps: readonly Step[]) => ({
  name: name.trim(),
  kind,
  parallel,
  steps: JSON.stringify(steps),
  channel,
})

async function checkedSteps(
  tx: ShopScope,
  body: WorkflowBody,
  parts: Parts,
  id: string | null,
): Promise<readonly Step[]> {
  const { workflow, problems } = checkWorkflow(body, parts)
  const named = await referenceProblems(tx, referencesOfSteps(workflow.steps, parts.plugins))
  const all = [...problems, ...named, ...(await shopProblems(tx, body, id))]
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
  const ofShop = id === undefined ? [] : await shopProblems(scope, body, id)
  return [...problems, ...named, ...ofShop].map(asDetail)
}

/** Finds conflicts with the shop's other workflows and its schedules. */
async function shopProblems(
  tx: ShopScope,
  body: Pick<Given<WorkflowBody>, 'name' | 'kind' | 'channel'>,
  id: string | null,
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
  const attached = body.channel && others.find(({ channel }) => channel === body.channel)
  if (attached)
    problems.push({
      param: 'channel',
      message: say('{name} is attached to these imports: detach it first', {
        name: quoted(attached.name),
      }),
    })
  const users = id && body.kind && body.kind !== 'bulk' ? await schedulesOf(tx, id) : []
  if (users.length > 0)
    problems.push({
      param: 'kind',
      message: say('{users} runs it, so it has to work on files', {
        users: users.map(quoted).join(', '),
      }),
    })
  return problems
}

async function schedulesOf(scope: ShopScope, id: string): Promise<string[]> {
  const rows = await scope.query<{ name: string }>(
    'select name from schedules where shop_id = :shop and workflow_id = :id order by name',
    { id },
  )
  return rows.map(({ name }) => name)
}
