// Writes the mails about deliveries, and says to whom they go: to the address that the delivery has when
// they are sent, also after an earlier attempt. Their keys are inserted then.
import { say, sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content, MailWriter, SendableContent, Message } from '../../core/outbox/outbox.ts'
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import { GONE_MAIL, unsentMail } from '../mail/buyer-mail.ts'
import {
  mailedDelivery,
  NOT_READY,
  withDeliveryKeys,
  writeDeliveryMails,
  type WrittenDelivery,
  buyersOf,
  queueDeliveryMails,
} from './delivery-mail.ts'

/** The error of a mail whose order lost its address after the mail was queued. */
export const NO_ADDRESS = sayPlain('The order has no email address any more')
/**
 * The error of a mail whose recipient was corrected after it was written: a later mail has the link.
 * Exported for tests.
 */
export const CORRECTED = sayPlain('The address was corrected: another email goes to the new one')
/**
 * The error of a message that waited for another attempt when the merchant sent a new one. Exported for
 * tests.
 */
export const REPLACED = sayPlain('It was sent again as another message')
/** The errors of messages that failed only because another one is sent instead. */
export const NOT_FAILURES: readonly string[] = [CORRECTED, REPLACED]

export const deliveryMails: MailWriter = {
  next: say('Correct the buyer’s address under Deliveries if it is wrong, and resend it there.'),
  expected: [NOT_READY, CORRECTED, REPLACED],
  isNews: (payload) => ['update', 'added'].includes(mailedDelivery(payload)?.about ?? ''),
  write: async (scope, messages, baseUrl) => {
    const fresh = messages.flatMap(({ id, payload, content }) => {
      const mailed = content === null ? mailedDelivery(payload) : null
      return mailed ? [{ id, mailed }] : []
    })
    const mails = await writeDeliveryMails(
      scope,
      fresh.map(({ mailed }) => mailed),
      baseUrl,
    )
    const written = new Map(fresh.map(({ id }, at) => [id, mails[at] ?? GONE_MAIL]))
    for (const [id, content] of await withRecipients(scope, messages)) written.set(id, content)
    return messages.map(({ id }) => written.get(id) ?? GONE_MAIL)
  },
  fill: async (scope, written, parts) => {
    const deliveries = written.flatMap(({ message: { id, payload }, content }) => {
      const mailed = mailedDelivery(payload)
      return mailed ? [{ id, delivery: mailed.delivery, content }] : []
    })
    const mails = await withDeliveryKeys(scope, deliveries, parts)
    // After the keys were read: they change with the address.
    const outdated = await withOldAddress(scope, deliveries)
    const filled = new Map(
      deliveries.map(({ id, content }, at): [string, SendableContent] => {
        const old = outdated.get(at)
        // The next attempt writes it to the new address, or ends because the order has none.
        if (old)
          return [id, old.followed ? unsentMail(CORRECTED) : { unsent: { status: 'returned' } }]
        const mail = mails[at]
        if (!mail) return [id, unsentMail(NOT_READY)]
        return [id, content.to.length === 0 ? unsentMail(NO_ADDRESS) : mail]
      }),
    )
    return written.map(({ message: { id } }) => filled.get(id) ?? unsentMail(NOT_READY))
  },
}

/**
 * Ends the messages about a delivery as a whole that wait for another attempt. Call it in the transaction
 * that queues a new one, also to a corrected address or number.
 * @param email the address of the new message; null: it is a text
 */
export async function endTriedMessages(
  tx: ShopScope,
  delivery: string,
  email: string | null,
): Promise<{ first: boolean }> {
  const ended = await tx.query<{ first: boolean }>(
    `update outbox set status = 'failed', error_text = null,
       error = case when kind = 'email' and lower(result -> 'to' ->> 0) <> lower(:email::text)
         then :corrected::text else :replaced::text end
     where shop_id = :shop and payload ->> 'delivery' = :delivery::text and status = 'waiting'
       and coalesce(payload ->> 'about', 'order') in ('order', 'edited')
       and (attempts > 0 or result is not null or due_at > now())
     returning key like '%/first' as first`,
    { delivery, email, corrected: CORRECTED, replaced: REPLACED },
  )
  return { first: ended.some(({ first }) => first) }
}

/** The addresses of deliveries as they are now; null: the order has none. */
async function recipientsOf(
  scope: ShopScope,
  deliveries: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (deliveries.length === 0) return new Map()
  const rows = await scope.query<{ id: string; email: string | null }>(
    `select d.id, coalesce(d.email, o.email) as email from deliveries d
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where d.shop_id = :shop and d.id = any(:deliveries::uuid[])`,
    { deliveries },
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/**
 * The mails whose delivery got another address since they were written, or has none any more, by their
 * place. `followed`: another mail about the delivery as a whole goes to the new one.
 */
export async function withOldAddress(
  scope: ShopScope,
  /** With the bare UUIDs of the messages. */
  written: readonly (WrittenDelivery & { id: string })[],
): Promise<ReadonlyMap<number, { followed: boolean }>> {
  if (written.length === 0) return new Map()
  const rows = await scope.query<{ place: number; followed: boolean }>(
    `select g.place::int, a.email is not null and exists (select from outbox n
         where n.shop_id = :shop and n.kind = 'email'
           and n.payload ->> 'delivery' = g.delivery_id::text and n.id > g.message_id
           and coalesce(n.payload ->> 'about', 'order') in ('order', 'edited')
           and n.status in ('waiting', 'sending')) as followed
     from unnest(:messages::uuid[], :deliveries::uuid[], :recipients::text[]) with ordinality
       as g (message_id, delivery_id, recipient, place)
     join deliveries d on d.shop_id = :shop and d.id = g.delivery_id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     cross join lateral (select coalesce(d.email, o.email) as email) a
     where lower(a.email) is distinct from lower(g.recipient)`,
    {
      messages: written.map(({ id }) => id),
      deliveries: written.map(({ delivery }) => delivery),
      recipients: written.map(({ content }) => content.to[0] ?? null),
    },
  )
  return new Map(rows.map(({ place, followed }) => [place - 1, { followed }]))
}

/**
 * The mails about deliveries that an earlier attempt wrote, by their ids, with the addresses that their
 * deliveries have now.
 */
export async function withRecipients(
  scope: ShopScope,
  messages: readonly Pick<Message, 'id' | 'payload' | 'content'>[],
): Promise<ReadonlyMap<string, Content>> {
  const tried = messages.flatMap(({ id, payload, content }) => {
    const mailed = mailedDelivery(payload)
    return content && mailed ? [{ id, content, delivery: mailed.delivery }] : []
  })
  const recipients = await recipientsOf(
    scope,
    tried.map(({ delivery }) => delivery),
  )
  return new Map(
    tried.map(({ id, content, delivery }) => {
      const email = recipients.get(delivery) ?? null
      return [id, { ...content, to: email === null ? [] : [email] }]
    }),
  )
}

// Mails to past buyers about a new version of a file, at most one for each delivery and operation.

export const buyersEffect = defineEffect({
  name: 'buyers',
  write: async (tx, { id }, requests) => {
    const { buyers, records } = await findBuyers(tx, requests)
    await queueDeliveryMails(tx, buyers, { about: 'update', operation: id })
    return records
  },
  preview: async (tx, requests) => (await findBuyers(tx, requests)).records,
})

/** Finds the deliveries that contain the files, and their number for each item with some. */
async function findBuyers(tx: ShopScope, requests: readonly EffectRequest<'tell'>[]) {
  const found = await buyersOf(
    tx,
    requests.map(({ file }) => file),
  )
  return {
    buyers: [...new Set([...found.values()].flat())],
    records: new Map(
      requests.flatMap(({ item, file }) => {
        const buyers = found.get(file)?.length ?? 0
        return buyers > 0 ? [[item, { buyers }]] : []
      }),
    ),
  }
}
