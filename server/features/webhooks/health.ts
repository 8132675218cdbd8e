// Tracks whether a webhook's receiver works: a success clears its failures, and days of failures
// without a success switch it off.
import { type AnyText, say, sentences, textOf } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { reasonColumns } from '../../core/texts.ts'
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
  { because, gone, now }: { because: AnyText; gone: boolean; now: Date },
): Promise<void> {
  const { reason, reasonText } = reasonColumns(because)
  return scope.transaction(async (tx) => {
    const [row] = await tx.query<{ url: string; switched: boolean }>(
      `update webhook_endpoints set last_error = :reason, last_error_text = :reasonText,
         failing_since = coalesce(failing_since, :now::timestamptz),
         enabled = enabled and not :gone::boolean
           and coalesce(failing_since > :now::timestamptz - :days::integer * interval '1 day', true)
       where shop_id = :shop and id = :webhook
       returning url, old.enabled and not new.enabled as switched`,
      { webhook, reason, reasonText, gone, now, days: SWITCHED_OFF_AFTER_DAYS },
    )
    if (!row?.switched) return
    const why = gone
      ? say('it answered 410, which means that it wants no more messages')
      : say('nothing has reached it for {days} days: {reason}', {
          days: SWITCHED_OFF_AFTER_DAYS,
          reason: textOf(because),
        })
    await tx.query(
      `update webhook_endpoints set switched_off = :reason, switched_off_text = :reasonText,
         switched_off_at = :now
       where shop_id = :shop and id = :webhook`,
      { webhook, ...reasonColumns(why), now },
    )
    await raiseNotice(tx, {
      level: 'critical',
      title: say('A webhook was switched off'),
      body: sentences(
        say('{host} gets no more messages, because {why}.', {
          host: URL.parse(row.url)?.host ?? say('The address'),
          why,
        }),
        say(
          'Repair the address, switch the webhook on under Settings, Webhooks, and replay what it missed.',
        ),
      ),
      operation_id: null,
    })
  })
}
