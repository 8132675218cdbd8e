// Starting: the operation, its items and its first jobs in one transaction. Once it commits, nothing can lose the work.
import type { Entry, Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Draft } from '../files/drafts.ts'
import { queueChain, queueFinish } from './queue.ts'
import type { OperationRequest } from './types.ts'

export interface StartInput {
  workflow: Workflow
  channel: string
  entries: readonly { entry: Entry; draft: Draft }[]
  request: OperationRequest
  /** For history: a person, or an API key's name. */
  requestedBy: string
  /** A second start with the same key gives the first one's operation. */
  idempotencyKey?: string
}

export const FINISH_CHAIN = -1

/** Gives the operation's UUID. `batch`: how many items one job takes. */
export function startOperation(scope: ShopScope, input: StartInput, batch: number): Promise<string> {
  return scope.transaction(async (tx) => {
    const total = input.entries.length
    const [created] = await tx.query<{ id: string }>(
      `insert into operations (shop_id, kind, action, channel, workflow, request, requested_by, idempotency_key, total)
       values (:shop, :kind, :action, :channel, :workflow, :request, :requestedBy, :key, :total)
       on conflict (shop_id, idempotency_key) do nothing
       returning id`,
      {
        kind: input.workflow.kind,
        action: input.workflow.action,
        channel: input.channel,
        workflow: JSON.stringify(input.workflow),
        request: JSON.stringify(input.request),
        requestedBy: input.requestedBy,
        key: input.idempotencyKey ?? null,
        total,
      },
    )
    if (!created) return existingOperation(tx, input.idempotencyKey!)
    const chains = Math.max(1, Math.min(input.workflow.parallel, Math.ceil(total / batch)))
    await insertItems(tx, created.id, input.entries)
    await tx.query(
      `insert into chains (shop_id, operation_id, chain)
       select :shop, :operation::uuid, n from generate_series(0, :chains - 1) n
       union all select :shop, :operation::uuid, :finish::int`,
      { operation: created.id, chains, finish: FINISH_CHAIN },
    )
    for (let chain = 0; chain < chains; chain++) await queueChain(tx, created.id, chain)
    if (total === 0) await queueFinish(tx, created.id)
    return created.id
  })
}

async function existingOperation(tx: ShopScope, key: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    'select id from operations where shop_id = :shop and idempotency_key = :key',
    { key },
  )
  return row!.id
}

async function insertItems(tx: ShopScope, operation: string, entries: StartInput['entries']): Promise<void> {
  if (entries.length === 0) return
  await tx.query(
    `insert into items (shop_id, operation_id, position, entry, draft)
     select :shop, :operation, n - 1, e -> 'entry', e -> 'draft'
     from jsonb_array_elements(:entries::jsonb) with ordinality as t(e, n)`,
    { operation, entries: JSON.stringify(entries) },
  )
}
