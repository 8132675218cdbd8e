// Finds any workflow by id, built in or the shop's own, as the engine runs it.
import { say, type Plugin, type Workflow } from '../../../plugins/contract/index.ts'
import { workflowProblems } from './problems.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import { withOptions } from '../../engine/steps.ts'
import { actionOf, type Parts } from './check.ts'
import { ORDERS } from './triggers.ts'
import { readWorkflow, type OwnWorkflow } from './workflows.ts'

/** A shop's own workflow as the engine takes it. */
export const runnable = ({ id, name, kind, parallel, steps, version }: OwnWorkflow): Workflow => ({
  id: toPublicId('workflow', id),
  title: name,
  action: actionOf(kind),
  kind,
  parallel,
  steps,
  ...(version > 0 ? { version } : {}),
})

/**
 * Reads a workflow, by `workflow_…` or the id of a built-in one. Throws `not_found`, and
 * `workflow_broken` if a plugin is gone or takes other options now, or if the workflow is an
 * action's and requires options.
 */
export async function requireWorkflow(
  scope: ShopScope,
  id: string,
  parts: Parts,
): Promise<Workflow> {
  const builtIn = parts.workflows.find((one) => one.id === id)
  if (builtIn) return requireWhole(builtIn, parts.plugins)
  const uuid = parsePublicId('workflow', id)
  const own = uuid && (await readWorkflow(scope, uuid))
  if (!own) throw new AppError('not_found')
  return requireWhole(runnable(own), parts.plugins)
}

/** SQL: the name of what the source of a trigger `t` refers to by its id; null: it has the name. */
const SOURCE_NAME = `(
  select name from drop_accounts where shop_id = :shop
    and 'account:' || id = split_part(t.source, '/', 1)
  union all select name from connections where shop_id = :shop and 'connection:' || id = t.source
  union all select name from feeds where shop_id = :shop and 'feed:' || id = t.source
  union all select name from api_keys where shop_id = :shop and 'key:' || id = t.source)`

/**
 * Reads the workflow that the shop attached to these imports; null: the built-in one runs. Throws
 * `workflow_broken`.
 * @param sources those of the import, the most specific one first
 */
export async function attachedWorkflow(
  scope: ShopScope,
  sources: readonly string[],
  plugins: readonly Plugin[],
): Promise<{ workflow: Workflow; source: string; sourceName: string | null } | null> {
  const own = await scope.first<OwnWorkflow & { source: string; source_name: string | null }>(
    `select w.*, t.source, ${SOURCE_NAME} as source_name from triggers t
       join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id and w.enabled
     where t.shop_id = :shop and t.enabled and t.source = any(:sources::text[])
     order by array_position(:sources::text[], t.source) limit 1`,
    { sources },
  )
  if (!own) return null
  const { source, source_name: sourceName } = own
  return { workflow: requireWhole(runnable(own), plugins), source, sourceName }
}

function requireWhole(workflow: Workflow, plugins: readonly Plugin[]): Workflow {
  const problems = workflowProblems(workflow, plugins)
  if (problems.length === 0) return workflow
  const details = problems.map((problem) => ({ ...problem, code: 'invalid_value' as const }))
  const message = say('The workflow “{title}” cannot run: {message} ({param})', {
    title: workflow.title,
    message: firstOf(problems).message,
    param: firstOf(problems).param,
  })
  throw new AppError('workflow_broken', { message, details })
}

/**
 * Finds a workflow for deliveries (`workflow_…`), by its bare UUID; null: there is none, or it is of
 * another kind. Throws `workflow_broken`.
 */
export async function findDeliveryWorkflow(
  scope: ShopScope,
  id: string,
  plugins: readonly Plugin[],
): Promise<string | null> {
  const uuid = parsePublicId('workflow', id)
  const own = uuid && (await readWorkflow(scope, uuid))
  if (!own || own.kind !== 'delivery') return null
  requireWhole(runnable(own), plugins)
  return own.id
}

/** The workflow that prepares the shop's deliveries; null: none does. */
export async function ordersWorkflow(scope: ShopScope): Promise<Workflow | null> {
  const own = await scope.first<OwnWorkflow>(
    `select w.* from triggers t
       join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id
     where t.shop_id = :shop and t.source = '${ORDERS}'`,
  )
  return own && runnable(own)
}

/**
 * The built-in workflow of an action, with these options in the action's step; null if there is no
 * such action.
 */
export function actionWorkflow(
  action: string,
  options: Record<string, unknown>,
  parts: Parts,
): Workflow | null {
  const workflow = parts.workflows.find((one) => one.kind === 'bulk' && one.action === action)
  return workflow ? withOptions(workflow, action, options) : null
}
