// What a person does with the triggers of a workflow beside saving them: resume those that have
// paused, give a hook its address, and stop what runs.
import { z } from 'zod'
import { randomBytes } from 'node:crypto'
import { say } from '../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { TRIGGER_TASK } from '../../core/outbox/webhook-events.ts'
import { queueTask } from '../../core/queue/background.ts'
import { hashKey } from '../../core/secrets.ts'
import type { Engine } from '../../engine/engine.ts'
import { permissionsOf } from '../../engine/steps.ts'
import { endpointsOf, requireScopes, type Endpoint, type Scope } from '../../http/endpoint.ts'
import { errorSchema } from '../../http/schemas.ts'
import { acceptedOperation, operationRecord, operationSchema } from '../operations/record.ts'
import { findOperation } from '../operations/routes.ts'
import { cancelRuns, readWorkflow } from '../workflows/workflows.ts'
import { HOOKS } from './hook.ts'
import { cancelAgain } from './again.ts'
import { answerQuestion } from './question.ts'
import { continueRun, endWait, nextWorkflow } from './wait.ts'

const endpoint = endpointsOf({ tag: 'Workflows' })

export interface TriggerRouteParts {
  engine: Engine
  clock: () => Date
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
}

const address = z.object({ address: z.string() }).meta({ id: 'HookAddress' })
const stopped = z.object({ cancelled: z.int() }).meta({ id: 'StoppedRuns' })

export const triggerRoutes = ({ engine, baseUrl, clock }: TriggerRouteParts): Endpoint[] => [
  endpoint('POST /api/triggers/{id}/address', {
    logs: { kind: 'trigger', renews: 'address' },
    summary: 'Give a hook a new address',
    description:
      'The address is shown only here, and the earlier one no longer works. Who knows it can start the workflow.',
    scope: 'settings:write',
    feature: 'workflows',
    replies: { 200: { description: 'The address', schema: address } },
    handler: async ({ caller: { scope }, params }) => {
      const secret = randomBytes(32).toString('base64url')
      const rows = await scope.query(
        `update triggers set secret_hash = :hash where shop_id = :shop and id = :id
           and kind = 'hook' returning id`,
        { id: requirePublicId('trigger', params.id), hash: hashKey(secret) },
      )
      if (rows.length === 0) throw new AppError('not_found')
      return { body: { address: `${baseUrl}${HOOKS}${secret}` }, kept: { address: null } }
    },
  }),
  endpoint('POST /api/workflows/{id}/resume', {
    summary: 'Resume the triggers of a workflow that have paused',
    description: 'Their events of the last 7 days make the next run.',
    scope: 'settings:write',
    replies: { 204: { description: 'Resumed', schema: null } },
    handler: async ({ caller, params }) => {
      await resume(caller.scope, await ownWorkflow(caller.scope, params.id))
      return { status: 204, body: null }
    },
  }),
  endpoint('POST /api/workflows/{id}/stop', {
    summary: 'Cancel all runs of a workflow',
    scope: 'operations:write',
    replies: { 200: { description: 'How many were cancelled', schema: stopped } },
    handler: async ({ caller: { scope }, params }) => {
      const id = await ownWorkflow(scope, params.id)
      const cancelled = await retryTransaction(scope, (tx) => cancelRuns(tx, id, engine, 'all'))
      return { body: { cancelled } }
    },
  }),
  ...waitRoutes(engine, clock),
  answerRoute(engine, clock),
]

const waitRoutes = (engine: Engine, clock: () => Date): Endpoint[] => [
  endpoint('POST /api/operations/{id}/continue', {
    summary: 'Start the next part of an operation’s workflow now, before its wait is over',
    scope: 'operations:write',
    replies: {
      202: { description: 'The next part; follow `Location`', schema: operationSchema },
      409: { description: 'It does not wait, or no file is left', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const { scope } = caller
      const operation = await findOperation(engine, scope, params.id)
      const { after } = operation.workflow
      if (after)
        requireScopes(
          caller,
          permissionsOf(nextWorkflow(engine, scope, operation, after), engine.plugins) as Scope[],
        )
      const next = await continueRun(engine, scope, operation.id, true)
      if (next === null) throw new AppError('operation_state', { message: NO_WAIT })
      return acceptedOperation({ engine, clock }, scope, next)
    },
  }),
  endpoint('DELETE /api/operations/{id}/wait', {
    summary: 'End the wait of an operation’s workflow: its next part does not start',
    scope: 'operations:write',
    replies: {
      204: { description: 'Ended', schema: null },
      409: { description: 'It does not wait', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, params }) => {
      const { id } = await findOperation(engine, scope, params.id)
      if (!(await endWait(scope, id))) throw new AppError('operation_state', { message: NO_WAIT })
      return { status: 204, body: null }
    },
  }),
  endpoint('DELETE /api/operations/{id}/again', {
    summary: 'Cancel the tries of an operation’s failed files that its workflow still makes',
    description: 'A retry by hand is still possible; the workflow makes none after it.',
    scope: 'operations:write',
    replies: {
      204: { description: 'Cancelled', schema: null },
      409: { description: 'No try waits', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, params }) => {
      const { id } = await findOperation(engine, scope, params.id)
      if (!(await cancelAgain(scope, id)))
        throw new AppError('operation_state', { message: NO_TRY })
      return { status: 204, body: null }
    },
  }),
]

const answerRoute = (engine: Engine, clock: () => Date): Endpoint =>
  endpoint('POST /api/operations/{id}/answer', {
    summary: 'Answer the question of an operation’s workflow',
    description:
      'Approving confirms the preview, which runs; rejecting discards it. If `asks.who` names people, only they answer, with the link in their mail.',
    scope: 'operations:write',
    body: z.strictObject({ answer: z.enum(['approve', 'reject']) }).meta({ id: 'OperationAnswer' }),
    replies: {
      200: { description: 'The operation', schema: operationSchema },
      403: { description: 'Another person has to answer', schema: errorSchema },
      409: { description: 'It does not wait for an answer', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const { scope } = caller
      const operation = await findOperation(engine, scope, params.id)
      if (!operation.question) throw new AppError('operation_state', { message: NO_QUESTION })
      const approves = body.answer === 'approve'
      if (approves)
        requireScopes(caller, (await engine.permissions(scope, operation, 'confirm')) as Scope[])
      await answerQuestion(engine, scope, operation.id, {
        answer: approves ? 'approved' : 'rejected',
        by: { name: caller.name, asked: false },
      })
      const answered = await findOperation(engine, scope, params.id)
      return { body: operationRecord(engine, answered, clock()) }
    },
  })

const NO_QUESTION = say('This operation asks nothing')
const NO_TRY = say('No try of this operation waits')
const NO_WAIT = say('This operation does not wait, or no file is left')

/** The bare UUID of a workflow of the shop. Throws `not_found`. */
async function ownWorkflow(scope: ShopScope, given: string): Promise<string> {
  const id = requirePublicId('workflow', given)
  if (!(await readWorkflow(scope, id))) throw new AppError('not_found')
  return id
}

const resume = (scope: ShopScope, workflow: string): Promise<void> =>
  scope.transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `update triggers set paused = null, recent = '[]'
       where shop_id = :shop and workflow_id = :workflow and paused is not null returning id`,
      { workflow },
    )
    for (const { id } of rows) await queueTask(tx, TRIGGER_TASK, id)
  })
