// Callbacks: the end of an operation, told to the address that its caller gave.
import type { ShopScope } from '../db/for-shop.ts'
import { queueMessage } from '../engine/queue.ts'

/** Call it in the transaction that ends the operation, whatever its status; without a `callback_url` it does nothing. */
export async function queueCallback(
  tx: ShopScope,
  operation: { id: string; round?: number; request: { callback_url?: string } },
): Promise<void> {
  const url = operation.request.callback_url
  if (url === undefined) return
  // Retry Failed ends the operation once more, and that is told too.
  const key = `callback/${operation.id}/${operation.round ?? 0}`
  const [row] = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     values (:shop, :key, 'callback', :payload, :operation) on conflict do nothing returning id`,
    { key, payload: JSON.stringify({ url }), operation: operation.id },
  )
  if (row) await queueMessage(tx, row.id)
}
