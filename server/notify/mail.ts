// Email: rendered from its template before the first attempt; sent to the shop's current
// recipients, or, if it contains a link or a delivery, to the buyer's address.
import type { ShopScope } from '../db/for-shop.ts'
import { readShop } from '../files/shop-settings.ts'
import { toPublicId } from '../ids.ts'
import type { Secrets } from '../secrets.ts'
import { createSemaphore } from '../semaphore.ts'
import { mailedDelivery, NOT_READY, withDeliveryKeys, writeDeliveryMails } from './delivery-mail.ts'
import { linkInPayload, withKey, writeLinkMails } from './link-mail.ts'
import type { MailServer } from './mail-server.ts'
import type { Content, Deliverer, DeliveryResult, Message } from './outbox.ts'
import { renderMail, type MailPayload } from './templates.ts'

const MINUTE = 60_000
/** Concurrent connections for mails that are sent together. */
const SESSIONS = 4

export interface MailOptions {
  /** Null: messages are rendered and stored, and none is sent. */
  server: MailServer | null
  from: string
  baseUrl: string
  secrets: Secrets
  clock: () => Date
}

export function mailDeliverer(options: MailOptions): Deliverer {
  const { server, baseUrl, secrets, clock } = options
  const write: Together['write'] = async (scope, messages) => {
    const unwritten = messages.filter(({ content }) => content === null)
    const deliveries = unwritten.flatMap(({ id, payload }) => {
      const brought = mailedDelivery(payload)
      return brought ? [{ id, brought }] : []
    })
    const mails = await writeDeliveryMails(
      scope,
      deliveries.map(({ brought }) => brought),
      baseUrl,
    )
    const written = new Map(deliveries.map(({ id }, at) => [id, mails[at] ?? GONE]))
    return Promise.all(
      messages.map((one) => written.get(one.id) ?? writeOther(scope, one, baseUrl)),
    )
  }
  const send: Together['send'] = async (scope, written, signal) => {
    const brought = written.flatMap(({ message: { id, payload }, content }) => {
      const found = mailedDelivery(payload)
      return found ? [{ id, delivery: found.delivery, content }] : []
    })
    const filled = await withDeliveryKeys(scope, brought, { secrets, baseUrl })
    const letters = new Map(brought.map(({ id }, at) => [id, filled[at]!]))
    const semaphore = createSemaphore(SESSIONS)
    return Promise.all(
      written.map(async ({ message: { id, payload }, content }) => {
        const release = await semaphore.acquire()
        const link = linkInPayload(payload)
        const sent = link
          ? await withKey(scope, content, link, { secrets, baseUrl, now: clock() })
          : letters.has(id)
            ? letters.get(id)!
            : content
        const gone = letters.has(id) ? NOT_READY : 'The link does not work any more'
        return handOver(options, id, sent ?? { gone }, signal).finally(release)
      }),
    )
  }
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Without a mail server no message can have been sent.
    lost: server ? 'unknown' : 'waiting',
    together: { write, send },
    write: async (scope, message) => (await write(scope, [message]))[0]!,
    send: async (scope, content, message, signal) =>
      (await send(scope, [{ message, content }], signal))[0]!,
  }
}

type Together = NonNullable<Deliverer['together']>

/**
 * Writes mails that are not about a delivery: their recipients may have changed since an earlier
 * attempt.
 */
async function writeOther(
  scope: ShopScope,
  { payload, content }: Message,
  baseUrl: string,
): Promise<Content> {
  if (mailedDelivery(payload)) return content!
  const link = linkInPayload(payload)
  if (link) return content ?? (await writeLinkMails(scope, [link], baseUrl)).get(link) ?? GONE
  const { settings } = await readShop(scope)
  return {
    ...(content ?? renderMail(payload as MailPayload, baseUrl)),
    to: settings.recipients,
  }
}

/** @param sent `gone`: why the link in it does not work any more. */
async function handOver(
  { server, from }: MailOptions,
  id: string,
  sent: Content | { gone: string },
  signal: AbortSignal,
): Promise<DeliveryResult> {
  if ('gone' in sent) return { status: 'failed', reason: sent.gone }
  const { to, subject, text, html } = sent
  if (to.length === 0)
    return { status: 'failed', reason: 'There are no recipients in the settings' }
  if (!server) return { status: 'sent', content: { kept: true } }
  const letter = { from, to, subject, text, ...(html ? { html } : {}), ...stamps(id) }
  const delivery = await server.handOver(letter, signal)
  return delivery.status === 'sent' ? { ...delivery, content: { kept: false } } : delivery
}

const GONE: Content = { to: [], subject: 'A download link', text: '' }

/**
 * Equal in every attempt, so that receivers can drop copies; the header suppresses automatic
 * replies.
 */
const stamps = (id: string) => ({
  messageId: `<${toPublicId('message', id)}@stevedore>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})
