// The app's triggers of the platform's automation (Flow). Raising one writes, in the transaction of
// the event, a message in the outbox if a workflow of the shop uses the trigger.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { isWanted } from '../../core/outbox/webhook-events.ts'
import { queueMessage, queuePromptMessages } from '../../core/queue/queue.ts'

/** The handles of the extensions `web/extensions/flow-*`. */
export const FLOW_TRIGGERS = ['import-finished', 'file-delivered', 'limit-reached'] as const
export type FlowTrigger = (typeof FLOW_TRIGGERS)[number]

/**
 * The payload in the outbox. Without `payload`, it is read from the operation when the message is
 * written.
 */
export interface FlowMessage {
  handle: FlowTrigger
  payload?: object
}

export interface RaisedTrigger extends FlowMessage {
  /** Unique for the event: the same event is not sent twice. */
  key: string
  /** The bare UUID of the operation. */
  operation?: string
}

/** SQL of a row `t` of flow_triggers: a workflow uses the trigger, and the platform accepts it. */
export const IS_USED = `t.enabled and (t.refused_at is null
  or t.refused_at < now() - interval '1 day')`

/**
 * Raises a trigger. Must be called in the transaction of the event. Writes nothing if no workflow
 * uses the trigger.
 */
export async function raiseTrigger(tx: ShopScope, trigger: RaisedTrigger): Promise<void> {
  const { handle, payload, key, operation = null } = trigger
  const [row] = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'flow/' || t.handle || '/' || :key::text, 'flow', :payload, :operation::uuid
     from flow_triggers t where t.shop_id = :shop and t.handle = :handle and ${IS_USED}
     on conflict do nothing returning id`,
    {
      handle,
      key,
      operation,
      payload: JSON.stringify({ handle, ...(payload ? { payload } : {}) } satisfies FlowMessage),
    },
  )
  if (row) await queueMessage(tx, row.id)
}

/** Raises `import-finished`. Must be called in the transaction that ends an operation. */
export async function raiseImportFinished(
  tx: ShopScope,
  { id, round }: { id: string; round: number },
): Promise<void> {
  // Retry Failed ends the operation again, and that end is another event.
  await raiseTrigger(tx, { handle: 'import-finished', key: `${id}/${round}`, operation: id })
}

/**
 * Raises one trigger for many events, as `raiseTrigger` does. Returns whether a webhook or a trigger
 * of ours wants the event `asked`, which takes no further statement.
 */
export async function raiseTriggers(
  tx: ShopScope,
  handle: FlowTrigger,
  events: readonly { key: string; payload: object }[],
  asked: string,
): Promise<boolean> {
  if (events.length === 0) return false
  const rows = await tx.query<{ id: string | null }>(
    `with sent as (
       insert into outbox (shop_id, key, kind, payload)
       select :shop, 'flow/' || t.handle || '/' || g.key, 'flow', g.payload::jsonb
       from flow_triggers t, unnest(:keys::text[], :payloads::text[]) as g (key, payload)
       where t.shop_id = :shop and t.handle = :handle and ${IS_USED}
       on conflict do nothing returning id)
     select id from sent union all select null where ${isWanted(':asked')}`,
    {
      handle,
      asked,
      keys: events.map(({ key }) => key),
      payloads: events.map(({ payload }) =>
        JSON.stringify({ handle, payload } satisfies FlowMessage),
      ),
    },
  )
  await queuePromptMessages(
    tx,
    rows.flatMap(({ id }) => id ?? []),
  )
  return rows.some(({ id }) => id === null)
}

/**
 * Records that the platform refuses the trigger: it is not sent for a day. False if it was recorded
 * before.
 */
export const recordTriggerRefusal = (
  tx: ShopScope,
  handle: FlowTrigger,
  reason: string,
): Promise<boolean> =>
  tx.has(
    `update flow_triggers t set refused_at = now(), refused = :reason
     where t.shop_id = :shop and t.handle = :handle and ${IS_USED} returning handle`,
    { handle, reason: reason.slice(0, 500) },
  )

/**
 * Records whether a workflow of the shop uses the trigger.
 * @param at the time of the platform's report: a report older than the last one is ignored.
 */
export async function recordTriggerUse(
  tx: ShopScope,
  use: { handle: FlowTrigger; enabled: boolean; at: Date },
): Promise<void> {
  await tx.query(
    `insert into flow_triggers (shop_id, handle, enabled, told_at)
       values (:shop, :handle, :enabled, :at)
     on conflict (shop_id, handle) do update
       set enabled = excluded.enabled, told_at = excluded.told_at, refused_at = null, refused = null
       where flow_triggers.told_at <= excluded.told_at`,
    { ...use },
  )
}
