// E-mail: written from its template before its first try, sent to the recipients that the shop has by then.
import { readShop } from '../files/shop-settings.ts'
import { toPublicId } from '../ids.ts'
import type { MailServer } from './mail-server.ts'
import type { Deliverer } from './outbox.ts'
import { renderMail, type MailPayload } from './templates.ts'

const MINUTE = 60_000

export interface MailOptions {
  /** Null: messages are written and kept, and none leaves. */
  server: MailServer | null
  from: string
  baseUrl: string
}

export function mailDeliverer({ server, from, baseUrl }: MailOptions): Deliverer {
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Where none leaves, none can have left.
    lost: server ? 'unknown' : 'waiting',
    write: async (scope, message) => {
      const { settings } = await readShop(scope)
      const written = message.content ?? renderMail(message.payload as MailPayload, baseUrl)
      return { ...written, to: settings.recipients }
    },
    send: async (_scope, { to, subject, text, html }, { id }, signal) => {
      if (to.length === 0) return { status: 'failed', reason: 'There are no recipients in the settings' }
      if (!server) return { status: 'sent', content: { kept: true } }
      const letter = { from, to, subject, text, ...(html ? { html } : {}), ...stamps(id) }
      const delivery = await server.handOver(letter, signal)
      return delivery.status === 'sent' ? { ...delivery, content: { kept: false } } : delivery
    },
  }
}

/** The same in every try, so that a receiver can drop a second copy; and nobody's holiday note answers it. */
const stamps = (id: string) => ({
  messageId: `<${toPublicId('message', id)}@stevedore>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})
