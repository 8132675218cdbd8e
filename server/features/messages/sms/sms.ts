// Text messages, handed to the gateway: to the shop, queued once for each number when a large import
// ends, and to buyers without an email address (delivery-text.ts).
import { z } from 'zod'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { queueMessage } from '../../../core/queue/queue.ts'
import { readShop } from '../../../files/shop-settings.ts'
import type { Deliverer, DeliveryResult } from '../../../core/outbox/outbox.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { firstOf } from '../../../core/lazy.ts'
import { textedDelivery, wholeDeliveryText, writeDeliveryText } from '../delivery-text.ts'

const MINUTE = 60_000

const smsPayload = z.object({ to: z.string(), text: z.string() })

/**
 * Queues the text message of an operation: one for each number, even if the operation ends again.
 * Must be called in the transaction that ends the operation's step.
 */
export async function queueSms(tx: ShopScope, operation: string, text: string): Promise<void> {
  const { settings } = await readShop(tx)
  for (const to of settings.sms_recipients) {
    const [row] = (await tx
      .insert('outbox', {
        key: `sms/${operation}/${to}`,
        kind: 'sms',
        payload: JSON.stringify({ to, text } satisfies z.output<typeof smsPayload>),
        operation_id: operation,
      })
      .onConflict()
      .ignore()
      .returning('id')) as { id: string }[]
    if (row) await queueMessage(tx, row.id)
  }
}

/** @param gateway null: messages are stored in the list, and none is sent. */
export function smsDeliverer(
  gateway: SmsGateway | null,
  parts: { secrets: Secrets; baseUrl: string },
): Deliverer {
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Without a gateway no message can have been sent.
    lost: gateway ? 'unknown' : 'waiting',
    write: async (scope, { payload, content }) => {
      const delivery = textedDelivery(payload)
      if (delivery !== null) {
        const written = await writeDeliveryText(scope, delivery, parts)
        // The number may have been corrected since an earlier attempt wrote the text.
        return content ? { ...content, to: written.to } : written
      }
      const { to, text } = smsPayload.parse(payload)
      return { to: [to], subject: text, text }
    },
    send: async (scope, content, { payload }, signal) => {
      const about = textedDelivery(payload)
      const whole =
        about === null
          ? { to: firstOf(content.to), text: content.text }
          : await wholeDeliveryText(scope, about, content, parts)
      if ('gone' in whole) return { status: 'failed', reason: whole.gone }
      if (!gateway) return { status: 'sent', content: { kept: true } }
      const delivery = await gateway.send(whole, signal)
      return delivery.status === 'sent' ? { ...delivery, content: { kept: false } } : delivery
    },
  }
}

// The interface of a provider of text messages. To add a provider, implement it in another file and
// choose it in server/startup/outbox.ts.

export interface SmsGateway {
  /** Sends one message to one number (E.164), at most once. Never throws. */
  send(message: { to: string; text: string }, signal: AbortSignal): Promise<DeliveryResult>
}
