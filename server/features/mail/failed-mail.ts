// Emails that could not be delivered: an in-app notice to the shop, and what the refused address means.
import { say, sentences, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { raiseFailure } from '../../core/outbox/notices.ts'
import type {
  Content,
  EndedMessage,
  FailedResult,
  MailPayload,
  MailWriter,
  MessageFailure,
} from '../../core/outbox/outbox.ts'
import { COMPLAINED, markBounced } from './settings.ts'
import { blockAddressOf } from './reports.ts'

/** Raises a notice, unless the mail waits, another one is sent instead, or the buyer wants no news. */
export async function raiseMailFailure(
  tx: ShopScope,
  message: EndedMessage,
  failure: MessageFailure,
  writerOf: (payload: unknown) => MailWriter | undefined,
): Promise<void> {
  const { status, reason } = failure
  const [row] = await tx.query<{
    result: Partial<Pick<Content, 'subject' | 'to'>> | null
    payload: unknown
  }>('select result, payload from outbox where shop_id = :shop and id = :id', { id: message.id })
  const writer = row && writerOf(row.payload)
  if ([COMPLAINED.reason, ...(writer?.expected ?? [])].some((known) => known === reason)) return
  const { subject = 'A message', to = [] } = row?.result ?? {}
  const values = { subject: textOf(subject), reason: textOf(reason) }
  const what =
    to.length > 0
      ? say('“{subject}” to {recipients}: {reason}.', { ...values, recipients: to.join(', ') })
      : say('“{subject}”: {reason}.', values)
  const title = {
    failed: say('An email could not be sent'),
    unknown: say('An email may not have arrived'),
    partly: say('An email was not sent to all recipients'),
  }[status]
  const named = (row?.payload as Partial<MailPayload> | undefined)?.to !== undefined
  const next = {
    failed:
      writer?.next ??
      (named ? CORRECT_WORKFLOW : null) ??
      say('Correct the recipients in your settings if they are wrong, and send it again.'),
    unknown: say(
      'It is not sent again automatically: ask the recipients, and send it again if it is missing.',
    ),
    partly: named ? CORRECT_WORKFLOW : say('Correct the recipients in your settings.'),
  }[status]
  await raiseFailure(tx, message, failure, { title, body: sentences(what, next) })
}

const CORRECT_WORKFLOW = say('Correct the addresses in the workflow.')

export async function refuseAddress(
  tx: ShopScope,
  { id }: EndedMessage,
  { badAddress, blocked, reason }: FailedResult,
): Promise<void> {
  if (badAddress) await blockAddressOf(tx, id, reason)
  if (blocked) await markBounced(tx, [id])
}
