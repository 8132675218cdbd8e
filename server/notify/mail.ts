// Email: rendered from its template before the first attempt; sent to the shop's current
// recipients, or, if it contains a link or a delivery, to the buyer's address.
import { readShop } from '../files/shop-settings.ts'
import { toPublicId } from '../ids.ts'
import type { Secrets } from '../secrets.ts'
import { broughtDelivery, withDeliveryKey, writeDeliveryMails } from './delivery-mail.ts'
import { linkInPayload, withKey, writeLinkMails } from './link-mail.ts'
import type { MailServer } from './mail-server.ts'
import type { Deliverer } from './outbox.ts'
import { renderMail, type MailPayload } from './templates.ts'

const MINUTE = 60_000

export interface MailOptions {
  /** Null: messages are rendered and kept, and none is sent. */
  server: MailServer | null
  from: string
  baseUrl: string
  secrets: Secrets
  clock: () => Date
}

export function mailDeliverer({ server, from, baseUrl, secrets, clock }: MailOptions): Deliverer {
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Without a mail server no message can have been sent.
    lost: server ? 'unknown' : 'waiting',
    write: async (scope, message) => {
      const link = linkInPayload(message.payload)
      if (link)
        return (
          message.content ??
          (await writeLinkMails(scope, [link], baseUrl)).get(link) ?? { to: [], ...GONE }
        )
      const delivery = broughtDelivery(message.payload)
      if (delivery)
        return (
          message.content ??
          (await writeDeliveryMails(scope, [delivery], baseUrl))[0] ?? { to: [], ...GONE }
        )
      const { settings } = await readShop(scope)
      const written = message.content ?? renderMail(message.payload as MailPayload, baseUrl)
      return { ...written, to: settings.recipients }
    },
    send: async (scope, content, { id, payload }, signal) => {
      const link = linkInPayload(payload)
      const brought = broughtDelivery(payload)
      const sent = link
        ? await withKey(scope, content, link, { secrets, baseUrl, now: clock() })
        : brought
          ? await withDeliveryKey(scope, content, brought.delivery, { secrets, baseUrl })
          : content
      if (!sent) return { status: 'failed', reason: 'The link does not work any more' }
      const { to, subject, text, html } = sent
      if (to.length === 0)
        return { status: 'failed', reason: 'There are no recipients in the settings' }
      if (!server) return { status: 'sent', content: { kept: true } }
      const letter = { from, to, subject, text, ...(html ? { html } : {}), ...stamps(id) }
      const delivery = await server.handOver(letter, signal)
      return delivery.status === 'sent' ? { ...delivery, content: { kept: false } } : delivery
    },
  }
}

const GONE = { subject: 'A download link', text: '' }

/**
 * Equal in every attempt, so that receivers can drop copies; the header suppresses automatic
 * replies.
 */
const stamps = (id: string) => ({
  messageId: `<${toPublicId('message', id)}@stevedore>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})
