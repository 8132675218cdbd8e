// The outbox: one worker takes a message under a lease, hands it over, and records the result. A
// deliverer for each kind of message decides how it is sent and how often.
import type { Readable } from 'node:stream'
import type { AnyText, Text } from '../../../plugins/contract/index.ts'
import { type ShopScope } from '../db/for-shop.ts'
import type { TaskKind } from '../queue/background.ts'
import { timedLease } from '../queue/lease.ts'
import type { Secrets } from '../secrets.ts'

export const MESSAGE_KINDS = ['email', 'callback', 'webhook', 'sms', 'flow'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

export const MESSAGE_STATUSES = [
  'waiting',
  'sending',
  'sent',
  'failed',
  'unknown',
  'bounced',
  'complained',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/**
 * The task that sends the mails of a shop that have no job of their own. Its key is the shop's
 * number.
 */
export const SEND_MAILS: TaskKind = { name: 'send-mails' }

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

export type FailedResult = DeliveryResult & { status: 'failed' }

export type EndedMessage = Pick<Message, 'id' | 'kind' | 'operation_id'>

/** How a message ended that did not reach everybody. `partly`: it was sent, but not to all recipients. */
export interface MessageFailure {
  status: 'failed' | 'unknown' | 'partly'
  reason: AnyText
}

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
  /** Messages that leave through a server of their shop, and do not wait for those of other shops. */
  own?: {
    /** SQL, of a row `o` of the outbox: is it one of them? */
    row: string
    /** Whether all messages of the shop's next batch are. */
    hasBatch(scope: ShopScope): Promise<boolean>
  }
  /** What follows from a message that did not reach everybody, in the transaction that records it. */
  failed?(tx: ShopScope, message: EndedMessage, failure: MessageFailure): Promise<void>
  /** What follows from a message that was stored and not sent. */
  kept?(tx: ShopScope, message: EndedMessage): Promise<void>
  /** What follows from an address that takes no message, also if the message has ended meanwhile. */
  refused?(tx: ShopScope, message: EndedMessage, result: FailedResult): Promise<void>
  /** Milliseconds to wait after each attempt; after the last one the message has failed. */
  delays: readonly number[]
  /** The status of a message whose worker died during an attempt. */
  lost: 'unknown' | 'waiting'
}

export type Deliverers = Readonly<Record<MessageKind, Deliverer>>

/** What a mail is written from. */
export interface MailPayload {
  template: string
  data: Record<string, unknown>
  /** The addresses that the mail goes to; absent: the shop's current recipients. */
  to?: readonly string[]
}

/** A mail as it is sent, or why it is not. */
export type SendableContent =
  | (Content & { attachments?: readonly Attachment[] })
  | { unsent: DeliveryResult }

export interface Attachment {
  content: Buffer
  contentType: string
  filename: string
}

/** Reads the bytes of documents. */
export interface DocumentBlobs {
  read(blob: {
    shop: number
    hash: string
    location: string
    size_bytes: number
  }): Promise<Readable>
}

export interface KeyParts {
  secrets: Secrets
  baseUrl: string
  now: Date
  blobs: DocumentBlobs
}

/** Writes the mails of one template. Answers are in the order of the messages. */
export interface MailWriter {
  /** What the shop can do about one that failed; absent: correct its own recipients. */
  next?: Text
  /** Reasons that are no failures to report. */
  expected?: readonly string[]
  /** Whether a buyer can do without it: a new version, added files. */
  isNews?(payload: unknown): boolean
  /** The contents without keys. The texts of an earlier attempt are kept. */
  write(scope: ShopScope, messages: readonly Message[], baseUrl: string): Promise<Content[]>
  /** The contents with their keys, directly before they are handed over. */
  fill(
    scope: ShopScope,
    written: readonly WrittenMessage[],
    parts: KeyParts,
  ): Promise<SendableContent[]>
}
