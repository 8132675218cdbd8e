// Opens the outbox with the deliverers that the features state.
import type { Database } from '../core/db/database.ts'
import type { Deliverers } from '../core/outbox/outbox.ts'
import { allDeliverers, type SendParts } from '../features.ts'
import { runOutbox, type Outbox } from '../core/outbox/run-outbox.ts'

export type { Outbox }

export interface OutboxOptions extends Omit<SendParts, 'events' | 'mailWriters'> {
  database: Database
}

/** Exported for tests of the outbox without its workers. */
export const openDeliverers = (options: OutboxOptions): Deliverers => allDeliverers(options)

export const openOutbox = (options: OutboxOptions): Outbox =>
  runOutbox({ ...options, deliverers: openDeliverers(options) })
