// The mails to buyers, by their templates: what each says, and its keys, which are inserted when it
// is sent. All other mails go to the shop.
import { sayPlain, type AnyText } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content, KeyParts, MailWriter, SendableContent } from '../../core/outbox/outbox.ts'
import { linkInPayload } from '../links/mail.ts'
import type { BuyerTemplate } from '../mail/buyer-mail.ts'
import { mailedDelivery, NOT_READY, withDeliveryKeys, writeDeliveryMails } from './delivery-mail.ts'
import { libraryInPayload, withLibraryKey, writeLibraryMail } from './library-mail.ts'
import { withKey, writeLinkMails } from './link-mail.ts'
import { movedLinks, withMovedKeys, writeMovedMail } from './moved-mail.ts'
import { CORRECTED, NO_ADDRESS, withOldAddress, withRecipients } from './recipients.ts'

const GONE: Content = { to: [], subject: 'A download link', text: '' }

const failed = (reason: AnyText): SendableContent => ({ unsent: { status: 'failed', reason } })
const EXPIRED_LINK = failed(sayPlain('The link does not work any more'))

interface SingleMail<About> {
  /** What the message is about; null: its payload is of another form. */
  aboutOf(payload: unknown): About | null
  /** Null: it was deleted. */
  write(scope: ShopScope, about: About, baseUrl: string): Promise<Content | null | undefined>
  /** Null: its links do not work any more. */
  fill(scope: ShopScope, content: Content, about: About, parts: KeyParts): Promise<Content | null>
}

/** Mails that are written one by one. */
const eachOf = <About>({ aboutOf, write, fill }: SingleMail<About>): MailWriter => ({
  write: (scope, messages, baseUrl) =>
    Promise.all(
      messages.map(async ({ payload, content }) => {
        const about = aboutOf(payload)
        return content ?? (about === null ? null : await write(scope, about, baseUrl)) ?? GONE
      }),
    ),
  fill: (scope, written, parts) =>
    Promise.all(
      written.map(async ({ message: { payload }, content }) => {
        const about = aboutOf(payload)
        return (about === null ? null : await fill(scope, content, about, parts)) ?? EXPIRED_LINK
      }),
    ),
})

const deliveryMails: MailWriter = {
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
    const written = new Map(fresh.map(({ id }, at) => [id, mails[at] ?? GONE]))
    for (const [id, content] of await withRecipients(scope, messages)) written.set(id, content)
    return messages.map(({ id }) => written.get(id) ?? GONE)
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
        if (old) return [id, old.followed ? failed(CORRECTED) : { unsent: { status: 'returned' } }]
        const mail = mails[at]
        if (!mail) return [id, failed(NOT_READY)]
        return [id, content.to.length === 0 ? failed(NO_ADDRESS) : mail]
      }),
    )
    return written.map(({ message: { id } }) => filled.get(id) ?? failed(NOT_READY))
  },
}

export const BUYER_MAIL_WRITERS: Readonly<Record<BuyerTemplate, MailWriter>> = {
  'order-delivery': deliveryMails,
  'download-link': eachOf({
    aboutOf: linkInPayload,
    write: async (scope, link, baseUrl) => (await writeLinkMails(scope, [link], baseUrl)).get(link),
    fill: withKey,
  }),
  'moved-links': eachOf({ aboutOf: movedLinks, write: writeMovedMail, fill: withMovedKeys }),
  'library-link': eachOf({
    aboutOf: libraryInPayload,
    write: writeLibraryMail,
    fill: withLibraryKey,
  }),
}
