// The app's triggers of the platform's automation (Flow), and raising one: in the transaction of what
// happened, a message in the outbox, where a workflow of the shop uses the trigger.
import type { ShopScope } from '../../db/for-shop.ts'
import { queueMessage } from '../../queue/queue.ts'

/** The handles of the extensions `web/extensions/flow-*`. */
export const FLOW_TRIGGERS = ['import-finished', 'file-delivered', 'limit-reached'] as const
export type FlowTrigger = (typeof FLOW_TRIGGERS)[number]

/** What the outbox keeps. Absent payload: it is written when the message is, about its operation. */
export interface FlowMessage {
  handle: FlowTrigger
  payload?: object
}

export interface RaisedTrigger extends FlowMessage {
  /** Unique for what happened: the same is not told twice. */
  key: string
  /** A bare UUID. */
  operation?: string
}

/** Of a row `t` of flow_triggers: the platform has said that a workflow uses it, and takes it. */
export const IS_USED = `t.enabled and (t.refused_at is null or t.refused_at < now() - interval '1 day')`

/** Call it in the transaction of the event. Without a workflow that uses it, it writes nothing. */
export async function raiseTrigger(tx: ShopScope, trigger: RaisedTrigger): Promise<void> {
  const { handle, payload, key, operation = null } = trigger
  const [row] = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'flow/' || t.handle || '/' || :key::text, 'flow', :payload, :operation::uuid
     from flow_triggers t where t.shop_id = :shop and t.handle = :handle and ${IS_USED}
     on conflict do nothing returning id`,
    {
      ...{ handle, key, operation },
      payload: JSON.stringify({ handle, ...(payload ? { payload } : {}) } satisfies FlowMessage),
    },
  )
  if (row) await queueMessage(tx, row.id)
}

/** The same for many events of one trigger. */
export async function raiseTriggers(
  tx: ShopScope,
  handle: FlowTrigger,
  events: readonly { key: string; payload: object }[],
): Promise<void> {
  if (events.length === 0) return
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload)
     select :shop, 'flow/' || t.handle || '/' || g.key, 'flow', g.payload::jsonb
     from flow_triggers t, unnest(:keys::text[], :payloads::text[]) as g (key, payload)
     where t.shop_id = :shop and t.handle = :handle and ${IS_USED}
     on conflict do nothing returning id`,
    {
      handle,
      keys: events.map(({ key }) => key),
      payloads: events.map(({ payload }) =>
        JSON.stringify({ handle, payload } satisfies FlowMessage),
      ),
    },
  )
  for (const { id } of rows) await queueMessage(tx, id)
}

/** The platform refuses the trigger: it is not sent for a day. False: that is known already. */
export async function recordTriggerRefusal(
  tx: ShopScope,
  handle: FlowTrigger,
  reason: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update flow_triggers t set refused_at = now(), refused = :reason
     where t.shop_id = :shop and t.handle = :handle and ${IS_USED} returning handle`,
    { handle, reason: reason.slice(0, 500) },
  )
  return rows.length > 0
}

/**
 * A workflow of the shop begins to use the trigger, or none uses it any more.
 * @param at when the platform told it: an older report than the last one is ignored.
 */
export async function recordTriggerUse(
  tx: ShopScope,
  use: { handle: FlowTrigger; enabled: boolean; at: Date },
): Promise<void> {
  await tx.query(
    `insert into flow_triggers (shop_id, handle, enabled, told_at) values (:shop, :handle, :enabled, :at)
     on conflict (shop_id, handle) do update
       set enabled = excluded.enabled, told_at = excluded.told_at, refused_at = null, refused = null
       where flow_triggers.told_at <= excluded.told_at`,
    { ...use },
  )
}
