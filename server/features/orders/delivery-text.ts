// Texts that bring the files of an order to a buyer without an email address: one link to the
// delivery's page. As with mails, a message stores neither the key nor the whole number; both are
// inserted when it is sent.
import { sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content } from '../../core/outbox/outbox.ts'
import { queuePromptMessages, queueTimedMessages } from '../../core/queue/queue.ts'
import type { Secrets } from '../../core/secrets.ts'
import { translatorForFirst } from '../downloads/translate.ts'
import { HIDDEN_KEY } from '../links/mail.ts'
import { linkAddress } from '../links/model/links.ts'
import { inOneLine, readMailLook } from '../mail/buyer-mail.ts'
import { mailText } from '../mail/texts.ts'
import { NOT_READY, withDeliveryKeys } from './delivery-mail.ts'

const TEMPLATE = 'delivery-text'
const NO_PHONE = sayPlain('The order has no phone number any more')

interface TextPayload {
  template: typeof TEMPLATE
  /** The bare UUID of the delivery. */
  delivery: string
}

/** The delivery that a message is about, or null for other messages. */
export function textedDelivery(payload: unknown): string | null {
  const { template, delivery } = payload as Partial<TextPayload>
  return template === TEMPLATE && typeof delivery === 'string' ? delivery : null
}

/**
 * Queues the texts of deliveries (bare UUIDs), before all messages that are sent in bulk. Idempotent for
 * each `occasion`. Call it in the transaction that decides to send them.
 */
export async function queueDeliveryTexts(
  tx: ShopScope,
  deliveries: readonly string[],
  occasion: string,
  delayMinutes = 0,
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, due_at)
     select :shop, 'delivery-text/' || delivery || '/' || :occasion::text, 'sms',
       jsonb_build_object('template', :template::text, 'delivery', delivery),
       now() + nullif(:delay::int, 0) * interval '1 minute'
     from unnest(:deliveries::uuid[]) delivery on conflict do nothing returning id`,
    { deliveries, occasion, template: TEMPLATE, delay: delayMinutes },
  )
  const ids = rows.map(({ id }) => id)
  if (delayMinutes > 0) await queueTimedMessages(tx, ids)
  else await queuePromptMessages(tx, ids)
  await tx.query(
    `update deliveries set texted_at = coalesce(texted_at, now())
     where shop_id = :shop and id = any(:deliveries::uuid[])`,
    { deliveries },
  )
}

/**
 * Queues texts again that failed because their delivery was held. Call it in the transaction in which
 * the deliveries (bare UUIDs) become ready again.
 */
export async function queueHeldTexts(tx: ShopScope, deliveries: readonly string[]): Promise<void> {
  if (deliveries.length === 0) return
  const rows = await tx.query<{ id: string }>(
    `update outbox set status = 'waiting', attempts = 0, error = null, error_text = null, result = null
     where shop_id = :shop and kind = 'sms' and status = 'failed' and error = :reason
       and payload ->> 'delivery' = any(:deliveries::text[]) returning id`,
    { deliveries, reason: NOT_READY },
  )
  await queuePromptMessages(
    tx,
    rows.map(({ id }) => id),
  )
}

interface TextRow {
  order_name: string
  locale: string | null
  phone: Buffer | null
}

const readTexted = async (scope: ShopScope, delivery: string): Promise<TextRow | undefined> =>
  (
    await scope.query<TextRow>(
      `select o.name as order_name, o.locale, coalesce(d.phone, o.phone) as phone
       from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       where d.shop_id = :shop and d.id = :delivery`,
      { delivery },
    )
  )[0]

/** Writes the message, without its key and with the ends of the number. */
export async function writeDeliveryText(
  scope: ShopScope,
  delivery: string,
  { secrets, baseUrl }: { secrets: Pick<Secrets, 'open'> | null; baseUrl: string },
): Promise<Content> {
  const row = await readTexted(scope, delivery)
  if (!row) return { to: [], subject: 'Files of an order', text: '' }
  const look = await readMailLook(scope)
  const { locale } = translatorForFirst([row.locale, look.page.page.language])
  const values = { shop: look.shop, order: inOneLine(row.order_name) }
  const subject = mailText({ mail: 'text', locale, own: look.own, values }, 'intro')
  const phone = row.phone && secrets && openPhone(secrets, scope.shop, row.phone)
  return {
    to: phone ? [shortenedPhone(phone)] : [],
    subject,
    text: `${subject}\n${linkAddress(baseUrl, HIDDEN_KEY)}`,
  }
}

/** Reasons of texts that are no failures to report: they wait until the delivery is ready. */
export const UNREPORTED: readonly string[] = [NOT_READY]

/** The number and the whole text, or why it cannot be sent. */
export async function wholeDeliveryText(
  scope: ShopScope,
  delivery: string,
  content: Content,
  { secrets, baseUrl }: { secrets: Secrets; baseUrl: string },
): Promise<{ to: string; text: string } | { gone: string }> {
  const [whole] = await withDeliveryKeys(scope, [{ delivery, content }], { secrets, baseUrl })
  if (!whole) return { gone: NOT_READY }
  const sealed = (await readTexted(scope, delivery))?.phone
  if (!sealed) return { gone: NO_PHONE }
  return { to: openPhone(secrets, scope.shop, sealed), text: whole.text }
}

/**
 * Marks the delivery of a text that did not reach its buyer, or may not have, so that it is listed as
 * unreachable. Other messages are ignored, and deliveries that got an email address since.
 */
export async function markTextLost(tx: ShopScope, message: string): Promise<void> {
  await tx.query(
    `update deliveries d set bounced_at = now() from outbox m, orders o
     where m.shop_id = :shop and m.id = :message and m.kind = 'sms' and d.shop_id = m.shop_id
       and d.id = (m.payload ->> 'delivery')::uuid and m.error is distinct from :reason
       and o.shop_id = d.shop_id and o.id = d.order_id and coalesce(d.email, o.email) is null`,
    { message, reason: NOT_READY },
  )
}

// Phone numbers of buyers, for texts to those without an email address. They are stored sealed, and
// messages show only their ends.

/** Country and number, without spaces; 15 digits at most (ITU-T E.164). */
const E164 = /^\+[1-9]\d{6,14}$/
const SHOWN_DIGITS = 3

/**
 * The number in the international form (E.164); null: this is none. Without a country's code a number
 * cannot be dialled from elsewhere.
 */
export function normalPhone(written: string): string | null {
  const number = written
    .normalize('NFKC')
    .trim()
    .replace(/^00/, '+')
    // The digit that is dialled within the country only.
    .replace('(0)', '')
    .replaceAll(/[\s().\-/\u2010-\u2015]/g, '')
  return E164.test(number) ? number : null
}

/** `+49…678`: enough to recognise a number, and too little to call it. */
const shortenedPhone = (phone: string): string =>
  `${phone.slice(0, SHOWN_DIGITS)}…${phone.slice(-SHOWN_DIGITS)}`

/** What the numbers of orders and deliveries are sealed for. */
export const phonePlace = (shop: number): string => `${shop}/orders.phone`

export const sealPhone = (secrets: Pick<Secrets, 'seal'>, shop: number, phone: string): Buffer =>
  secrets.seal(phone, phonePlace(shop))

export const openPhone = (secrets: Pick<Secrets, 'open'>, shop: number, sealed: Buffer): string =>
  secrets.open(sealed, phonePlace(shop))
