// What a person does with the triggers of a workflow beside saving them: resume those that have
// paused, give a hook its address, and stop what runs.
import { z } from 'zod'
import { randomBytes } from 'node:crypto'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { TRIGGER_TASK } from '../../core/outbox/webhook-events.ts'
import { queueTask } from '../../core/queue/background.ts'
import { hashKey } from '../../core/secrets.ts'
import type { Engine } from '../../engine/engine.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { cancelRuns, readWorkflow } from '../workflows/workflows.ts'
import { HOOKS } from './hook.ts'

const endpoint = endpointsOf({ tag: 'Workflows' })

export interface TriggerRouteParts {
  engine: Engine
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
}

const address = z.object({ address: z.string() }).meta({ id: 'HookAddress' })
const stopped = z.object({ cancelled: z.int() }).meta({ id: 'StoppedRuns' })

export const triggerRoutes = ({ engine, baseUrl }: TriggerRouteParts): Endpoint[] => [
  endpoint('POST /api/triggers/{id}/address', {
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
]

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
