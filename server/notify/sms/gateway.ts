// What sends text messages. Another provider is another file that makes one of these, chosen in
// server/config.ts.
import type { DeliveryResult } from '../outbox.ts'

export interface SmsGateway {
  /** One message to one number (E.164), at most once. Never throws. */
  send(message: { to: string; text: string }, signal: AbortSignal): Promise<DeliveryResult>
}
