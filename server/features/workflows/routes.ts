// Workflows: built-in ones can be read, the shop's own can be created and changed. A broken
// workflow is not saved, and the answer lists its problems.
import { z } from 'zod'
import { say, type Workflow } from '../../../plugins/contract/index.ts'
import type { Engine } from '../../engine/engine.ts'
import { cannotUndo, permissionsOf, filePlaceOf } from '../../engine/steps.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, MAX_DETAILS } from '../../core/errors.ts'
import { parsePublicId, requirePublicId } from '../../core/ids.ts'
import {
  endpointsOf,
  type Caller,
  type Endpoint,
  type Scope,
  requireScopes,
} from '../../http/endpoint.ts'
import { storedMessage } from '../../core/texts.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, listOf, messageText, textSchema, pageOfWhole } from '../../http/schemas.ts'
import { validate } from '../../http/validate.ts'
import { bodyOfRecord } from './body.ts'
import { checkWorkflow, type Parts, type WorkflowBody } from './check.ts'
import { pairedTriggers } from './difference.ts'
import { ifNotProblems } from './if-not.ts'
import { foreignInTriggers, readTriggers } from './triggers.ts'
import { summaryFields } from './describe.ts'
import { runnable } from './find.ts'
import { referenceProblems, referencesOfSteps } from './references.ts'
import {
  cancelRuns,
  countRunning,
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  givenWorkflowProblems,
  readRunStates,
  readWorkflow,
  replaceWorkflow,
  type OwnWorkflow,
} from './workflows.ts'
import { workflowBody, workflowRecord, workflowSchema } from './record.ts'
import { requireVersion, workflowVersionRoutes } from './routes/version-endpoints.ts'
import { noteVersion } from './versions.ts'

const endpoint = endpointsOf({ tag: 'Workflows' })

export interface EnginedParts extends Parts {
  move: Engine['move']
}

const problems = z.array(
  z.object({ param: z.string(), message: z.string(), message_text: messageText }),
)
const checkSchema = z
  .object({
    problems: problems.describe(`Up to the first ${MAX_DETAILS}`),
    problems_total: z.number().int(),
    steps: z.array(z.object({ summary: z.string(), summary_text: textSchema })),
    cannot_undo: z.array(z.string()),
  })
  .meta({ id: 'WorkflowCheck' })

const saved = { description: 'The workflow', schema: workflowSchema }
const refused = { description: 'Every problem, with its place', schema: errorSchema }

export const workflowRoutes = (parts: EnginedParts): Endpoint[] => [
  list(parts),
  check(parts),
  create(parts),
  read(parts),
  replace(parts),
  remove(parts),
  restore(parts),
  ...workflowVersionRoutes(parts),
]

async function ownRecord(scope: ShopScope, own: OwnWorkflow, parts: Parts) {
  const [triggers, running, runs] = await Promise.all([
    readTriggers(scope, own.id),
    countRunning(scope),
    readRunStates(scope, [own.id]),
  ])
  return recordWith(own, { triggers, running, runs }, parts)
}

interface OwnParts {
  triggers: Awaited<ReturnType<typeof readTriggers>>
  running: ReadonlyMap<string, number>
  runs: Awaited<ReturnType<typeof readRunStates>>
}

function recordWith(own: OwnWorkflow, { triggers, running, runs }: OwnParts, parts: Parts) {
  const workflow = runnable(own)
  const when = triggers.get(own.id) ?? []
  const state = { when, running: running.get(workflow.id) ?? 0, runs: runs.get(own.id) }
  return workflowRecord(workflow, { ...own, ...state }, parts)
}
const builtInRecord = (workflow: Workflow, parts: Parts) => workflowRecord(workflow, null, parts)

const list = (parts: Parts) =>
  endpoint('GET /api/workflows', {
    summary: 'List workflows: the shop’s own, then the built-in ones',
    scope: 'operations:read',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(workflowSchema) } },
    handler: async ({ caller, query }) => {
      const [own, triggers, running] = await Promise.all([
        listWorkflows(caller.scope),
        readTriggers(caller.scope),
        countRunning(caller.scope),
      ])
      const runs = await readRunStates(
        caller.scope,
        own.map(({ id }) => id),
      )
      // A workflow that works on rows belongs to the CSV channel.
      const shared = parts.workflows.filter(
        (workflow) => filePlaceOf(workflow, parts.plugins) !== 'rows',
      )
      const all = [
        ...own.map((each) => recordWith(each, { triggers, running, runs }, parts)),
        ...shared.map((each) => builtInRecord(each, parts)),
      ]
      return { body: cutPage(all, query, ({ id }) => id) }
    },
  })

const check = (parts: EnginedParts) =>
  endpoint('POST /api/workflows/check', {
    summary: 'Check a workflow without saving it',
    scope: 'operations:read',
    body: workflowBody,
    problems: ({ caller, body }) => givenWorkflowProblems(caller.scope, body, parts),
    replies: {
      200: { description: 'Its problems, and what its steps would do', schema: checkSchema },
    },
    handler: async ({ caller, body }) => {
      const { workflow, problems: wrong } = checkWorkflow(body, parts)
      const named = referencesOfSteps(workflow.steps, parts.plugins)
      const problems = [
        ...wrong,
        ...(await referenceProblems(caller.scope, named)),
        ...(await foreignInTriggers(caller.scope, body.when ?? [])),
        ...(await ifNotProblems(caller.scope, body, { id: null, plugins: parts.plugins })),
      ]
      const summaries = workflow.steps.map((step) => summaryFields(step, parts.plugins))
      return {
        body: {
          problems: problems
            .slice(0, MAX_DETAILS)
            .map(({ param, message }) => ({ param, ...storedMessage(message) })),
          problems_total: problems.length,
          steps: summaries,
          cannot_undo: cannotUndo(workflow, parts.plugins),
        },
      }
    },
  })

const create = (parts: EnginedParts) =>
  endpoint('POST /api/workflows', {
    logs: { kind: 'workflow' },
    summary: 'Create a workflow',
    scope: 'settings:write',
    feature: 'workflows',
    body: workflowBody,
    problems: ({ caller, body }) => givenWorkflowProblems(caller.scope, body, parts, null),
    replies: { 201: saved, 422: refused },
    handler: async ({ caller, body }) => {
      requireScopes(caller, await neededScopes(caller.scope, body, parts))
      const record = await caller.scope.transaction(async (tx) => {
        const own = await createWorkflow(tx, body, parts)
        return keptRecord(tx, own, { parts, by: caller.name })
      })
      return { status: 201, body: record }
    },
  })

const read = (parts: Parts) =>
  endpoint('GET /api/workflows/{id}', {
    summary: 'Read a workflow',
    scope: 'operations:read',
    replies: { 200: saved },
    handler: async ({ caller, params }) => {
      const found = parts.workflows.find(({ id }) => id === params.id)
      if (found) return { body: builtInRecord(found, parts) }
      const own = await readWorkflow(caller.scope, requirePublicId('workflow', params.id))
      if (!own) throw new AppError('not_found')
      return { body: await ownRecord(caller.scope, own, parts) }
    },
  })

const replace = (parts: EnginedParts) =>
  endpoint('PUT /api/workflows/{id}', {
    logs: { kind: 'workflow' },
    summary: 'Replace a workflow',
    description: 'Running operations continue with the previous steps.',
    scope: 'settings:write',
    feature: 'workflows',
    body: workflowBody,
    problems: ({ caller, params, body }) =>
      givenWorkflowProblems(caller.scope, body, parts, parsePublicId('workflow', params.id)),
    replies: { 200: saved, 422: refused },
    handler: async ({ caller, params, body }) => {
      requireScopes(caller, await neededScopes(caller.scope, body, parts))
      const id = ownId(params.id, parts)
      return { body: await replaced(caller, id, body, { parts }) }
    },
  })

interface Replacing {
  parts: EnginedParts
  /** The version that is restored. */
  restored?: number
}

const replaced = (caller: Caller, id: string, body: WorkflowBody, { parts, restored }: Replacing) =>
  caller.scope.transaction(async (tx) => {
    const own = await replaceWorkflow(tx, id, body, parts)
    if (!own.enabled) await cancelRuns(tx, id, parts, 'waiting')
    return keptRecord(tx, own, {
      parts,
      by: caller.name,
      ...(restored === undefined ? {} : { restored }),
    })
  })

/** The record after a save, which is kept as a version. */
async function keptRecord(
  tx: ShopScope,
  own: OwnWorkflow,
  { parts, ...kept }: { parts: Parts; by: string; restored?: number },
) {
  const record = await ownRecord(tx, own, parts)
  const version = await noteVersion(tx, own.id, { ...kept, body: bodyOfRecord(record) })
  return { ...record, version }
}

const restore = (parts: EnginedParts) =>
  endpoint('POST /api/workflows/{id}/restore', {
    logs: { kind: 'workflow', verb: 'changed' },
    summary: 'Restore a version of a workflow, as a new one',
    description:
      'Refused if it names something that the shop does not have any more. Running operations continue with the previous steps.',
    scope: 'settings:write',
    feature: 'workflows',
    body: z.strictObject({ version: z.int().min(1) }).meta({ id: 'WorkflowRestore' }),
    replies: { 200: saved, 422: refused },
    handler: async ({ caller, params, body: { version } }) => {
      const id = ownId(params.id, parts)
      const { body: then } = await requireVersion(caller.scope, id, version)
      const before = (await readTriggers(caller.scope, id)).get(id) ?? []
      // A trigger that was removed since is a new one.
      const triggers = pairedTriggers(before, then.when ?? [])
      const when = (then.when ?? []).map(({ id: _, ...trigger }, at) => ({
        ...trigger,
        ...(triggers[at] ? { id: triggers[at].id } : {}),
      }))
      const body = validate(workflowBody, { ...then, when })
      requireScopes(caller, await neededScopes(caller.scope, body, parts))
      return { body: await replaced(caller, id, body, { parts, restored: version }) }
    },
  })

const remove = (parts: EnginedParts) =>
  endpoint('DELETE /api/workflows/{id}', {
    logs: { kind: 'workflow' },
    summary: 'Delete a workflow',
    scope: 'settings:write',
    replies: {
      204: { description: 'Deleted', schema: null },
      409: { description: 'Schedules run it: the message names them', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      await deleteWorkflow(caller.scope, ownId(params.id, parts), parts)
      return { status: 204, body: null }
    },
  })

/**
 * The scopes that saving the workflow needs. A caller who may not delete files may not save a
 * workflow that deletes them: a schedule could run it.
 */
async function neededScopes(
  scope: ShopScope,
  body: z.output<typeof workflowBody>,
  parts: Parts,
): Promise<Scope[]> {
  const { workflow } = checkWorkflow(body, parts)
  const run = body.if_not?.run && parsePublicId('workflow', body.if_not.run)
  const other = run ? await readWorkflow(scope, run) : null
  const all = [...(workflow.kind === 'bulk' ? [workflow] : []), ...(other ? [other] : [])]
  return all.flatMap((one) => permissionsOf(one, parts.plugins) as Scope[])
}

/**
 * The bare UUID of the shop's own workflow. Throws `conflict` for a built-in one, which cannot be
 * changed.
 */
function ownId(id: string, { workflows }: Parts): string {
  if (workflows.some((one) => one.id === id))
    throw new AppError('conflict', {
      message: say('A built-in workflow cannot be changed: copy it'),
    })
  return requirePublicId('workflow', id)
}
