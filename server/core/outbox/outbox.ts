// The outbox: one worker takes a message under a lease, hands it over, and records the result. A
// deliverer for each kind of message decides how it is sent and how often.
import type { AnyText } from '../../../plugins/contract/index.ts'
import { type ShopScope } from '../db/for-shop.ts'
import { timedLease } from '../queue/lease.ts'
import type { Secrets } from '../secrets.ts'

export const MESSAGE_KINDS = ['email', 'callback', 'webhook', 'sms', 'flow'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/**
 * The lease of a message that is being sent, longer than any attempt can take. It is never
 * extended, and an expired one is not taken over: whether its message is sent again depends on its
 * kind. So it needs no worker, only its number.
 */
export const MESSAGE_LEASE = timedLease({ since: 'taken_at' }, '2 minutes')

/** A message as it is sent and as the shop reads it. */
export interface Content {
  to: readonly string[]
  subject: string
  text: string
  html?: string
  /** There is no mail server: the message was stored and not sent. */
  kept?: boolean
  /** The words with which the mail server accepted the message. */
  reply?: string
  /** The address in `From`. */
  sender?: string
}

export interface Message {
  id: string
  kind: MessageKind
  payload: unknown
  /** The content that an earlier attempt rendered; null: there was none. */
  content: Content | null
  operation_id: string | null
  created_at: Date
  attempts: number
  lease: number
  /** Consecutive attempts at its receiver without an answer, before this one. */
  failures: number
}

/**
 * The result of one attempt. Reasons are shown to the shop: they reveal nothing of this server's
 * network.
 */
export type DeliveryResult =
  | { status: 'sent'; content?: Partial<Content>; reason?: AnyText }
  /** Not delivered; another attempt may help. `unanswered`: the receiver did not answer in time. */
  | {
      status: 'again'
      reason: AnyText
      unanswered?: true
      /** Milliseconds after each attempt, in place of those of the deliverer. */
      delays?: readonly number[]
    }
  /**
   * Not delivered, and no attempt will help. `blocked`: nothing is sent to the address. `badAddress`:
   * the mail server does not know the address, which is blocked now.
   */
  | { status: 'failed'; reason: AnyText; blocked?: true; badAddress?: true }
  /** The message may have arrived, so it is never sent again automatically. */
  | { status: 'unknown'; reason: AnyText }
  /** Not delivered because this process stops; the attempt does not count. */
  | { status: 'returned' }

export interface WrittenMessage {
  message: Message
  content: Content
}

export interface Deliverer {
  /** Writes the content. The content of an earlier attempt is kept. */
  write(scope: ShopScope, message: Message): Promise<Content>
  /** Hands the content over. Never throws because of the receiver. */
  send(
    scope: ShopScope,
    content: Content,
    message: Message,
    signal: AbortSignal,
  ): Promise<DeliveryResult>
  /** Writes and sends many messages together. */
  batch?: {
    write(scope: ShopScope, messages: readonly Message[]): Promise<readonly Content[]>
    send(
      scope: ShopScope,
      written: readonly WrittenMessage[],
      signal: AbortSignal,
    ): Promise<readonly DeliveryResult[]>
  }
  /** Milliseconds to wait after each attempt; after the last one the message has failed. */
  delays: readonly number[]
  /** The status of a message whose worker died during an attempt. */
  lost: 'unknown' | 'waiting'
}

export type Deliverers = Readonly<Record<MessageKind, Deliverer>>

/** A mail as it is sent, or why it is not. */
export type SendableContent = Content | { unsent: DeliveryResult }

export interface KeyParts {
  secrets: Secrets
  baseUrl: string
  now: Date
}

/** Writes the mails of one template. Answers are in the order of the messages. */
export interface MailWriter {
  /** The contents without keys. The texts of an earlier attempt are kept. */
  write(scope: ShopScope, messages: readonly Message[], baseUrl: string): Promise<Content[]>
  /** The contents with their keys, directly before they are handed over. */
  fill(
    scope: ShopScope,
    written: readonly WrittenMessage[],
    parts: KeyParts,
  ): Promise<SendableContent[]>
}
