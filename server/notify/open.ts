// The outbox put together: every kind of message with its deliverer, and the sweep of those whose worker died.
import type { Database } from '../db/database.ts'
import type { OutboxJob } from '../engine/worker/queue.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import { callbackDeliverer, type CallbackOptions } from './callbacks.ts'
import { sweepLost } from './lost.ts'
import { mailDeliverer } from './mail.ts'
import { openMailServer } from './mail-server.ts'
import { createDeliver, type Deliverers } from './outbox.ts'

export interface OutboxOptions extends CallbackOptions {
  database: Database
  /** Null: email is written and kept, and none leaves. */
  smtpUrl: string | null
  from: string
  baseUrl: string
  secrets: Secrets
  log: Logger
}

export interface Outbox {
  /** Carries out one message. */
  deliver(job: OutboxJob): Promise<void>
  /** Puts back what has not been handed over yet; call it before the worker is stopped. */
  close(): Promise<void>
}

export function openOutbox(options: OutboxOptions): Outbox {
  const { database, smtpUrl, log } = options
  const stopping = new AbortController()
  const deliverers: Deliverers = {
    email: mailDeliverer({ ...options, server: smtpUrl === null ? null : openMailServer(smtpUrl) }),
    callback: callbackDeliverer(options),
  }
  const stopSweep = sweepLost(database, deliverers, log)
  return {
    deliver: createDeliver({ database, deliverers, log, signal: stopping.signal }),
    close: async () => {
      stopping.abort(new Error('the worker is stopping'))
      await stopSweep()
    },
  }
}
