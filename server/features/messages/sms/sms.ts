// Text messages, handed to the gateway: to the shop, queued once for each number when a large import
// ends, and to buyers without an email address (delivery-text.ts).
import { z } from 'zod'
import { say, textOf } from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { queueMessage } from '../../../core/queue/queue.ts'
import { readShop } from '../../../files/shop-settings.ts'
import { raiseFailure } from '../../../core/outbox/notices.ts'
import type {
  Content,
  Deliverer,
  DeliveryResult,
  EndedMessage,
  MessageFailure,
} from '../../../core/outbox/outbox.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { firstOf } from '../../../core/lazy.ts'
import {
  markTextLost,
  textedDelivery,
  UNREPORTED,
  wholeDeliveryText,
  writeDeliveryText,
} from '../../orders/delivery-text.ts'

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
    failed: async (tx, message, failure) => {
      if (failure.status !== 'partly') await markTextLost(tx, message.id)
      await raiseTextFailure(tx, message, failure)
    },
    // No buyer has it.
    kept: (tx, { id }) => markTextLost(tx, id),
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

async function raiseTextFailure(
  tx: ShopScope,
  message: EndedMessage,
  failure: MessageFailure,
): Promise<void> {
  const { status, reason } = failure
  if (UNREPORTED.some((known) => known === reason)) return
  const [row] = await tx.query<{
    result: Partial<Pick<Content, 'to'>> | null
    payload: unknown
    mailed: boolean
  }>(
    `select m.result, m.payload, coalesce(d.email, o.email) is not null as mailed from outbox m
     left join deliveries d on d.shop_id = m.shop_id and d.id = (m.payload ->> 'delivery')::uuid
     left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where m.shop_id = :shop and m.id = :id`,
    { id: message.id },
  )
  // It got an email address, and a mail, in the meantime.
  if (row?.mailed) return
  const [number = say('a number')] = row?.result?.to ?? []
  const title =
    status === 'failed'
      ? say('A text message could not be sent')
      : say('A text message may not have arrived')
  const values = { number, reason: textOf(reason) }
  const body =
    row && textedDelivery(row.payload) !== null
      ? say(
          'To {number}: {reason}. Correct the buyer’s number under Deliveries if it is wrong, or add an email address.',
          values,
        )
      : say('To {number}: {reason}. Correct the number in your settings if it is wrong.', values)
  await raiseFailure(tx, message, failure, { title, body })
}

// The interface of a provider of text messages. To add a provider, implement it in another file and
// choose it in `openTexts` (twilio.ts).

export interface SmsGateway {
  /** Sends one message to one number (E.164), at most once. Never throws. */
  send(message: { to: string; text: string }, signal: AbortSignal): Promise<DeliveryResult>
}
