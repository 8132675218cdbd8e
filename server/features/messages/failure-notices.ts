// In-app notices about messages that could not be delivered. Not by mail, which might not arrive
// either.
import { say, sentences, textOf, type AnyText, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { mailedDelivery, NOT_READY } from './delivery-mail.ts'
import { NOT_FAILURES } from './buyer-mails.ts'
import { COMPLAINED } from '../mail/blocks.ts'
import { movedLinks } from './moved-mail.ts'
import { textedDelivery } from './delivery-text.ts'
import { linkInPayload } from '../links/mail.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { Message, MessageKind } from '../../core/outbox/outbox.ts'

export interface Failure {
  /** How the message failed. `partly`: it was sent, but not to all recipients. */
  status: 'failed' | 'unknown' | 'partly'
  reason: AnyText
}

type FailedMessage = Pick<Message, 'id' | 'kind' | 'operation_id'>

/** Raises a notice about a failure. Must be called in the transaction that records it. */
export async function raiseFailureNotice(
  tx: ShopScope,
  message: FailedMessage,
  failure: Failure,
): Promise<void> {
  const describe = DESCRIPTIONS[message.kind]
  if (!describe) return
  const text = await describe(tx, message, failure)
  if (!text) return
  const level = failure.status === 'failed' ? 'critical' : 'warning'
  await raiseNotice(tx, { level, ...text, operation_id: message.operation_id })
}

type NoticeText = { title: Text; body: Text }

/**
 * The text of the notice for each kind of message; null: no notice. A webhook's failures are in its
 * list, and a notice is raised when it is switched off; a trigger that the platform refuses is
 * reported once a day (flow/deliverer.ts).
 */
const DESCRIPTIONS: Record<
  MessageKind,
  ((tx: ShopScope, message: FailedMessage, failure: Failure) => Promise<NoticeText | null>) | null
> = { email: ofEmail, callback: ofCallback, webhook: null, sms: ofSms, flow: null }

async function ofEmail(tx: ShopScope, message: FailedMessage, { status, reason }: Failure) {
  // Not failures to report: it waits until the delivery is ready, another one is sent instead, or the
  // buyer wants no news.
  if ([NOT_READY, COMPLAINED.reason, ...NOT_FAILURES].some((known) => known === reason)) return null
  const { subject, to, link, delivery } = await contentOf(tx, message)
  const values = { subject: textOf(subject ?? 'A message'), reason: textOf(reason) }
  const what = to?.length
    ? say('“{subject}” to {recipients}: {reason}.', { ...values, recipients: to.join(', ') })
    : say('“{subject}”: {reason}.', values)
  const title = {
    failed: say('An email could not be sent'),
    unknown: say('An email may not have arrived'),
    partly: say('An email was not sent to all recipients'),
  }[status]
  const next = {
    failed: delivery
      ? say('Correct the buyer’s address under Deliveries if it is wrong, and resend it there.')
      : link
        ? say('Create a new link if it has ended, or if the address is wrong.')
        : say('Correct the recipients in your settings if they are wrong, and send it again.'),
    unknown: say(
      'It is not sent again automatically: ask the recipients, and send it again if it is missing.',
    ),
    partly: say('Correct the recipients in your settings.'),
  }[status]
  return { title, body: sentences(what, next) }
}

async function ofCallback(tx: ShopScope, message: FailedMessage, { reason }: Failure) {
  const [url] = (await contentOf(tx, message)).to ?? []
  const host = (url && URL.parse(url)?.host) ?? say('The address')
  return {
    title: say('A callback could not be delivered'),
    body: say(
      '{host} was not notified that this operation ended: {reason}. It can be sent again over the API.',
      { host, reason: textOf(reason) },
    ),
  }
}

async function ofSms(tx: ShopScope, message: FailedMessage, { status, reason }: Failure) {
  if ([NOT_READY, ...NOT_FAILURES].some((known) => known === reason)) return null
  const { to, delivery, mailed } = await contentOf(tx, message)
  // It got an email address, and a mail, in the meantime.
  if (mailed) return null
  const [number = say('a number')] = to ?? []
  const title =
    status === 'failed'
      ? say('A text message could not be sent')
      : say('A text message may not have arrived')
  const values = { number, reason: textOf(reason) }
  return {
    title,
    body: delivery
      ? say(
          'To {number}: {reason}. Correct the buyer’s number under Deliveries if it is wrong, or add an email address.',
          values,
        )
      : say('To {number}: {reason}. Correct the number in your settings if it is wrong.', values),
  }
}

interface FailedContent {
  subject?: string
  to?: readonly string[]
  /** Whether the mail contains a buyer's link. */
  link: boolean
  /** Whether the mail or the text is about a delivery. */
  delivery: boolean
  /** Whether its delivery has an email address. */
  mailed: boolean
}

async function contentOf(tx: ShopScope, { id }: FailedMessage): Promise<FailedContent> {
  const [row] = await tx.query<{
    result: Pick<FailedContent, 'subject' | 'to'> | null
    payload: unknown
    mailed: boolean
  }>(
    `select m.result, m.payload, coalesce(d.email, o.email) is not null as mailed from outbox m
     left join deliveries d on d.shop_id = m.shop_id and d.id = (m.payload ->> 'delivery')::uuid
     left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where m.shop_id = :shop and m.id = :id`,
    { id },
  )
  const delivery =
    row !== undefined &&
    (mailedDelivery(row.payload) !== null || textedDelivery(row.payload) !== null)
  return {
    ...row?.result,
    link:
      row !== undefined &&
      (linkInPayload(row.payload) !== null || movedLinks(row.payload) !== null),
    delivery,
    mailed: row?.mailed ?? false,
  }
}
