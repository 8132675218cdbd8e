// The interface of a provider of text messages. To add a provider, implement it in another file and
// choose it in server/startup/outbox.ts.
import type { DeliveryResult } from '../../../core/outbox/outbox.ts'

export interface SmsGateway {
  /** Sends one message to one number (E.164), at most once. Never throws. */
  send(message: { to: string; text: string }, signal: AbortSignal): Promise<DeliveryResult>
}
