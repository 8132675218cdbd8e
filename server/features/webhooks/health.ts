// Tracks whether a webhook's receiver works: a success clears its failures, and days of failures
// without a success switch it off.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'

/**
 * After this many days of failures a webhook is switched off. It is longer than all attempts of one
 * message.
 */
const SWITCHED_OFF_AFTER_DAYS = 5

export async function recordSuccess(scope: ShopScope, webhook: string): Promise<void> {
  await scope.query(
    `update webhook_endpoints set failing_since = null, last_error = null, last_success_at = now()
     where shop_id = :shop and id = :webhook`,
    { webhook },
  )
}

/**
 * Records a failure, and switches the webhook off after days of failures.
 * @param gone the receiver said that it wants no more messages.
 */
export function recordFailure(
  scope: ShopScope,
  webhook: string,
  { reason, gone, now }: { reason: string; gone: boolean; now: Date },
): Promise<void> {
  return scope.transaction(async (tx) => {
    const [row] = await tx.query<{ url: string; switched: boolean }>(
      `update webhook_endpoints set last_error = :reason,
         failing_since = coalesce(failing_since, :now::timestamptz),
         enabled = enabled and not :gone::boolean
           and coalesce(failing_since > :now::timestamptz - :days::integer * interval '1 day', true)
       where shop_id = :shop and id = :webhook
       returning url, old.enabled and not new.enabled as switched`,
      { webhook, reason, gone, now, days: SWITCHED_OFF_AFTER_DAYS },
    )
    if (!row?.switched) return
    const why = gone
      ? 'it answered 410, which means that it wants no more messages'
      : `nothing has reached it for ${SWITCHED_OFF_AFTER_DAYS} days: ${lowered(reason)}`
    await tx.query(
      `update webhook_endpoints set switched_off = :why, switched_off_at = :now
       where shop_id = :shop and id = :webhook`,
      { webhook, why, now },
    )
    await raiseNotice(tx, {
      level: 'critical',
      title: 'A webhook was switched off',
      body: `${URL.parse(row.url)?.host ?? 'The address'} gets no more messages, because ${why}. Repair the address, switch the webhook on under Settings, Webhooks, and replay what it missed.`,
      operation_id: null,
    })
  })
}

const lowered = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)
