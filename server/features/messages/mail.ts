// Email: rendered from its template before the first attempt; sent to the shop's current
// recipients, or, if it contains a link or a delivery, to the buyer's address.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { toPublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import { createSemaphore } from '../../core/semaphore.ts'
import { mailedDelivery, NOT_READY, withDeliveryKeys, writeDeliveryMails } from './delivery-mail.ts'
import { libraryInPayload, withLibraryKey, writeLibraryMail } from './library-mail.ts'
import { linkInPayload, withKey, writeLinkMails } from '../links/mail.ts'
import type { MailServer } from './mail-server.ts'
import type {
  Content,
  Deliverer,
  DeliveryResult,
  Message,
  WrittenMessage,
} from '../../core/outbox/outbox.ts'
import { renderMail, type MailPayload } from '../../core/outbox/templates.ts'
import { firstOf, present } from '../../core/present.ts'

const MINUTE = 60_000
/** The maximum number of connections for mails that are sent together. */
const SESSIONS = 4

export interface MailOptions {
  /** The mail server; null: messages are rendered and stored, and none is sent. */
  server: MailServer | null
  from: string
  baseUrl: string
  secrets: Secrets
  clock: () => Date
}

export function mailDeliverer(options: MailOptions): Deliverer {
  const { server, baseUrl } = options
  const write: MailBatch['write'] = (scope, messages) => writeMails(scope, messages, baseUrl)
  const send: MailBatch['send'] = async (scope, written, signal) => {
    // Before the first mail is handed over: an error after that would send mails a second time.
    const mails = await withKeys(options, scope, written)
    const semaphore = createSemaphore(SESSIONS)
    return Promise.all(
      written.map(async ({ message: { id } }, at) => {
        const release = await semaphore.acquire()
        return handOver(options, id, present(mails[at], 'The mail'), signal).finally(release)
      }),
    )
  }
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Without a mail server no message can have been sent.
    lost: server ? 'unknown' : 'waiting',
    batch: { write, send },
    write: async (scope, message) => firstOf(await write(scope, [message])),
    send: async (scope, content, message, signal) =>
      firstOf(await send(scope, [{ message, content }], signal)),
  }
}
type MailBatch = NonNullable<Deliverer['batch']>

/** Writes the contents of the messages, without keys. Those of an earlier attempt are kept. */
async function writeMails(
  scope: ShopScope,
  messages: readonly Message[],
  baseUrl: string,
): Promise<Content[]> {
  const deliveries = messages.flatMap(({ id, payload, content }) => {
    const mailed = content === null ? mailedDelivery(payload) : null
    return mailed ? [{ id, mailed }] : []
  })
  const mails = await writeDeliveryMails(
    scope,
    deliveries.map(({ mailed }) => mailed),
    baseUrl,
  )
  const written = new Map(deliveries.map(({ id }, at) => [id, mails[at] ?? GONE]))
  return Promise.all(messages.map((one) => written.get(one.id) ?? writeOther(scope, one, baseUrl)))
}

/** A mail as it is sent, or why its link does not work any more. */
type Sendable = Content | { gone: string }
const EXPIRED_LINK: Sendable = { gone: 'The link does not work any more' }

async function withKeys(
  { secrets, baseUrl, clock }: MailOptions,
  scope: ShopScope,
  written: readonly WrittenMessage[],
): Promise<Sendable[]> {
  const deliveries = written.flatMap(({ message: { id, payload }, content }) => {
    const mailed = mailedDelivery(payload)
    return mailed ? [{ id, delivery: mailed.delivery, content }] : []
  })
  const mails = await withDeliveryKeys(scope, deliveries, { secrets, baseUrl })
  const filled = new Map(
    deliveries.map(({ id }, at) => [id, mails[at] ?? { gone: NOT_READY }] as const),
  )
  return Promise.all(
    written.map(async ({ message: { id, payload }, content }) => {
      const library = libraryInPayload(payload)
      const parts = { secrets, baseUrl, now: clock() }
      if (library) return (await withLibraryKey(scope, content, library, parts)) ?? EXPIRED_LINK
      const link = linkInPayload(payload)
      if (!link) return filled.get(id) ?? content
      return (await withKey(scope, content, link, parts)) ?? EXPIRED_LINK
    }),
  )
}

/**
 * Writes mails that are not about a delivery: their recipients may have changed since an earlier
 * attempt.
 */
async function writeOther(
  scope: ShopScope,
  { payload, content }: Message,
  baseUrl: string,
): Promise<Content> {
  if (mailedDelivery(payload)) return present(content, 'The mail of a delivery')
  const link = linkInPayload(payload)
  if (link) return content ?? (await writeLinkMails(scope, [link], baseUrl)).get(link) ?? GONE
  const library = libraryInPayload(payload)
  if (library) return content ?? (await writeLibraryMail(scope, library, baseUrl)) ?? GONE
  const shop = await readShop(scope)
  return {
    ...(content ?? renderMail(payload as MailPayload, baseUrl, mailLanguageOf(shop))),
    to: shop.settings.recipients,
  }
}

async function handOver(
  { server, from }: MailOptions,
  id: string,
  sent: Sendable,
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
 * Headers that are equal in every attempt, so that receivers can drop copies, and that suppress
 * automatic replies.
 */
const stamps = (id: string) => ({
  messageId: `<${toPublicId('message', id)}@stevedore>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})
