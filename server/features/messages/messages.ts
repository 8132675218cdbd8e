// Messages as the shop reads them: content, recipients and status, and sending one again.
import { ENGLISH, type Text, type TextLanguage } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { endPauseOf } from '../../core/outbox/limits.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { withoutSecrets } from '../../core/client-address.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { CALLBACK_EVENT } from './callbacks.ts'
import { mailedDelivery, writeDeliveryMails } from '../orders/delivery-mail.ts'
import { linkInPayload } from '../links/mail.ts'
import { movedLinks, writeMovedMail } from '../move/moved-mail.ts'
import { withRecipients } from '../orders/mail-writer.ts'
import { textedDelivery, writeDeliveryText } from '../orders/delivery-text.ts'
import { writeLinkMails } from '../mail/link-mail.ts'
import type { FlowMessage } from '../flow/triggers.ts'
import type { Content, MailPayload, MessageKind, MessageStatus } from '../../core/outbox/outbox.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import type { WebhookPayload } from '../../core/outbox/webhook-events.ts'

export interface MessageRow extends Content {
  id: string
  kind: MessageKind
  status: MessageStatus
  attempts: number
  error: string | null
  error_text: Text | null
  operation_id: string | null
  operation_kind: 'import' | 'bulk' | null
  created_at: Date
  sent_at: Date | null
}

type StoredMessage = Omit<MessageRow, keyof Content> & { payload: unknown; content: Content | null }

const COLUMNS = `m.id, m.kind, m.status, m.attempts, m.error, m.error_text, m.payload, m.result as content, m.operation_id,
  o.kind as operation_kind, m.created_at, m.sent_at`

export interface MessageFilter {
  kind: MessageKind
  /** Lists only messages of this webhook. */
  webhook?: string
  /** Lists only this message. */
  id?: string
  status?: MessageStatus
  /** Lists messages before this UUID. */
  before?: string
  limit: number
}

/**
 * Lists messages, newest first. `baseUrl` is needed to render messages that have no content yet.
 */
export async function listMessages(
  scope: ShopScope,
  filter: MessageFilter,
  baseUrl: string,
): Promise<MessageRow[]> {
  const { kind, webhook, id, status, before, limit } = filter
  const rows = await scope.query<StoredMessage>(
    `select ${COLUMNS} from outbox m left join operations o on o.shop_id = m.shop_id
     and o.id = m.operation_id
     where m.shop_id = :shop and m.kind = :kind
       and (:webhook::uuid is null or m.webhook_id = :webhook)
       and (:id::uuid is null or m.id = :id)
       and (:status::text is null or m.status = :status)
       and (:before::uuid is null or m.id < :before) order by m.id desc limit :limit`,
    {
      kind,
      webhook: webhook ?? null,
      id: id ?? null,
      status: status ?? null,
      before: before ?? null,
      limit,
    },
  )
  return readable(scope, rows, baseUrl)
}

export async function readMessage(
  scope: ShopScope,
  id: string,
  baseUrl: string,
): Promise<MessageRow | null> {
  const rows = await scope.query<StoredMessage>(
    `select ${COLUMNS} from outbox m left join operations o on o.shop_id = m.shop_id
     and o.id = m.operation_id
     where m.shop_id = :shop and m.id = :id`,
    { id },
  )
  return (await readable(scope, rows, baseUrl))[0] ?? null
}

/** Queues the message again with all attempts. False while it is being sent. */
export function resendMessage(scope: ShopScope, id: string): Promise<boolean> {
  return scope.transaction(async (tx) => {
    const rows = await tx.query(
      `update outbox set status = 'waiting', attempts = 0, error = null, error_text = null
       where shop_id = :shop and id = :id and status <> 'sending' returning id`,
      { id },
    )
    if (rows.length === 0) return false
    // What came back is known again when this attempt ends.
    await tx.query(
      `update deliveries d set bounced_at = null from outbox m
       where m.shop_id = :shop and m.id = :id and d.shop_id = m.shop_id
         and d.id = (m.payload ->> 'delivery')::uuid and d.bounced_at is not null`,
      { id },
    )
    await endPauseOf(tx, id)
    await queueMessage(tx, id)
    return true
  })
}

const isWaiting = ({ status }: StoredMessage) => status === 'waiting'

async function readable(
  scope: ShopScope,
  rows: readonly StoredMessage[],
  baseUrl: string,
): Promise<MessageRow[]> {
  const waiting = rows.filter(({ content }) => content === null)
  const shop = waiting.length > 0 ? await readShop(scope) : null
  const recipients = shop?.settings.recipients ?? []
  const language = shop ? mailLanguageOf(shop) : ENGLISH
  const links = waiting.flatMap(({ payload }) => linkInPayload(payload) ?? [])
  const linkMails = await writeLinkMails(scope, links, baseUrl)
  const mailed = waiting.flatMap(({ id, payload }) => {
    const delivery = mailedDelivery(payload)
    return delivery === null ? [] : [{ id, delivery }]
  })
  const mails = await writeDeliveryMails(
    scope,
    mailed.map(({ delivery }) => delivery),
    baseUrl,
  )
  const delivered = new Map(mailed.map(({ id }, at) => [id, mails[at]]))
  for (const { id, payload } of waiting) {
    const moved = movedLinks(payload)
    if (moved) delivered.set(id, await writeMovedMail(scope, moved, baseUrl))
    const texted = textedDelivery(payload)
    // The list does not open the numbers.
    if (texted !== null)
      delivered.set(id, await writeDeliveryText(scope, texted, { secrets: null, baseUrl }))
  }
  const tried = await withRecipients(scope, rows.filter(isWaiting))
  return rows.map(({ payload, content, ...row }) => ({
    ...row,
    ...(tried.get(row.id) ?? content ?? delivered.get(row.id) ?? draft(row.kind, payload)),
  }))

  function draft(kind: MessageKind, payload: unknown): Content {
    if (kind === 'callback')
      return {
        to: [withoutSecrets((payload as { url: string }).url)],
        subject: CALLBACK_EVENT,
        text: '',
      }
    if (kind === 'flow') return { to: [], subject: (payload as FlowMessage).handle, text: '' }
    if (kind === 'webhook') return { to: [], subject: (payload as WebhookPayload).type, text: '' }
    if (kind === 'sms') {
      const { to, text } = payload as { to: string; text: string }
      return { to: [to], subject: text, text }
    }
    const link = linkInPayload(payload)
    const delivery = mailedDelivery(payload)
    return (
      (link && linkMails.get(link)) || {
        ...draftMail(payload as MailPayload, baseUrl, language),
        to: link || delivery || movedLinks(payload) ? [] : recipients,
      }
    )
  }
}

/**
 * Renders a mail for the list. A plugin may name a template that does not exist: such a message
 * must not break the list.
 */
function draftMail(
  payload: MailPayload,
  baseUrl: string,
  language: TextLanguage,
): Omit<Content, 'to'> {
  try {
    return renderMail(payload, baseUrl, language)
  } catch {
    return { subject: payload.template, text: '' }
  }
}
