// Opens the outbox: a deliverer for each kind of message, and the sweep of messages whose worker
// died.
import type { Database } from '../core/db/database.ts'
import type { BackgroundTask } from '../core/queue/background.ts'
import type { OutboxJob } from '../core/queue/queue.ts'
import { type Logger, errorFields } from '../core/log.ts'
import type { Secrets } from '../core/secrets.ts'
import type { SendTrigger } from '../storefront/flow.ts'
import { callbackDeliverer, type CallbackOptions } from '../features/messages/callbacks.ts'
import { flowDeliverer } from '../features/flow/deliverer.ts'
import { staleMessageTask } from '../features/messages/stale-message-sweep.ts'
import { mailDeliverer } from '../features/messages/mail.ts'
import { openMailServer } from '../features/mail/mail-server.ts'
import { createMailTokens } from '../features/mail/message-token.ts'
import { providerHeaders } from '../features/mail/providers.ts'
import { createShopServers } from '../features/mail/sender.ts'
import { NO_MAIL_SETTINGS, type MailEnvironment } from '../core/configuration/mail-settings.ts'
import { resolveByServers, type Resolver } from '../ports/addresses.ts'
import { smsDeliverer } from '../features/messages/sms/sms.ts'
import type { TwilioAccount } from '../core/configuration/environment.ts'
import { twilioGateway } from '../features/messages/sms/twilio.ts'
import type { Deliverers } from '../core/outbox/outbox.ts'
import { createStart } from '../features/messages/deliver.ts'
import { createMessageLimiter } from '../features/messages/message-limiter.ts'
import { mailBatchTask } from '../features/messages/mail-batches.ts'
import { EVENTS } from '../features.ts'
import { webhookDeliverer } from '../features/webhooks/deliverer.ts'

export interface OutboxOptions extends CallbackOptions {
  database: Database
  /** The mail server; null: email is written and stored, and none is sent. */
  smtpUrl: string | null
  /** Reports about mails; absent: none arrive. */
  mail?: MailEnvironment
  /** Mail servers of shops may be on this machine; for development and tests. */
  allowLoopback?: boolean
  /** Resolves the names of mail servers of shops; absent: by the name servers. */
  resolve?: Resolver
  /** The account for text messages; null: they are stored, and none is sent. */
  twilio: TwilioAccount | null
  /** The platform's automation of a shop; absent: there is none. */
  triggers?: (shop: number) => SendTrigger
  from: string
  baseUrl: string
  secrets: Secrets
  log: Logger
}

export interface Outbox {
  /** Delivers one message, and resolves when its result is recorded. */
  deliver(job: OutboxJob): Promise<void>
  /** Delivers one message for a job of the worker, and resolves when the job may end. */
  run(job: OutboxJob): Promise<void>
  /** The sweep of messages whose worker died, and the shops' batches of mails. */
  tasks: readonly BackgroundTask[]
  /**
   * Returns messages that were not handed over yet to the queue, and waits until the posts that
   * have no job any more are recorded; call it before the worker is stopped.
   */
  close(): Promise<void>
}

/** Exported for tests of the outbox without its workers. */
export function openDeliverers(options: OutboxOptions): Deliverers {
  const { smtpUrl, twilio, secrets, mail = NO_MAIL_SETTINGS } = options
  const { allowLoopback = false, resolve = resolveByServers } = options
  return {
    email: mailDeliverer({
      ...options,
      server: smtpUrl === null ? null : openMailServer(smtpUrl),
      returnAddress: mail.returnAddress,
      tokens: createMailTokens(secrets),
      shopServers: createShopServers({ allowLoopback, resolve }, secrets),
      providerHeaders: (token) => providerHeaders(mail, token),
    }),
    callback: callbackDeliverer(options),
    webhook: webhookDeliverer({ ...options, events: EVENTS }),
    flow: flowDeliverer(options.triggers),
    sms: smsDeliverer(twilio === null ? null : twilioGateway(twilio), options),
  }
}

export function openOutbox(options: OutboxOptions): Outbox {
  const { database, log } = options
  const stopping = new AbortController()
  const deliverers = openDeliverers(options)
  const parts = { database, deliverers, log, signal: stopping.signal }
  const start = createStart(parts, createMessageLimiter())
  const detached = new Set<Promise<void>>()
  return {
    deliver: async (job) => (await start(job)).ended,
    run: async (job) => {
      const message = await start(job)
      if (!message.detached) return message.ended
      const ended = message.ended
        .catch((error: unknown) => log.error('a result was not recorded', errorFields(error)))
        .finally(() => detached.delete(ended))
      detached.add(ended)
    },
    tasks: [staleMessageTask(database, deliverers), mailBatchTask(parts)],
    close: async () => {
      stopping.abort(new Error('the worker is stopping'))
      await Promise.all(detached)
    },
  }
}
