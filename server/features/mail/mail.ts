// Email: rendered from its template before the first attempt. Mails about links, deliveries and
// libraries go to the buyer's address, from the sender that the shop has chosen; all others go to the
// shop's current recipients, or to the people whom a workflow names, from the installation.
import { sayPlain } from '../../../plugins/contract/index.ts'
import { NO_MAIL_SETTINGS, type MailEnvironment } from '../../core/configuration/mail-settings.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { toPublicId } from '../../core/ids.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { createSemaphore } from '../../core/body-budget.ts'
import type {
  Content,
  Deliverer,
  DeliveryResult,
  DocumentBlobs,
  FailedResult,
  MailPayload,
  MailWriter,
  Message,
  SendableContent,
  WrittenMessage,
} from '../../core/outbox/outbox.ts'
import { firstOf, present, zip } from '../../core/lazy.ts'
import { resolveByServers, type Resolver } from '../../ports/addresses.ts'
import { renderMail, isForBuyer } from './buyer-mail.ts'
import { blockedAmong, BLOCKED, COMPLAINED } from './settings.ts'
import { raiseMailFailure, refuseAddress } from './failed-mail.ts'
import { openMailServer } from './mail-server.ts'
import {
  createMailTokens,
  createShopServers,
  providerHeaders,
  TOKEN_HEADER,
  installationSender,
  senderOf,
  sendsItself,
  SENT_BY_SHOP,
  type Sender,
  type SenderParts,
} from './sender.ts'

const MINUTE = 60_000
/** The maximum number of connections for mails that are sent together. */
const SESSIONS = 4

export interface MailOptions extends SenderParts {
  /** Headers by which the provider of the mail server names the mail in its reports. */
  providerHeaders: (token: string) => Record<string, string>
  /** By template; a template that is absent is that of a mail to the shop. */
  mailWriters: MailWriters
  baseUrl: string
  secrets: Secrets
  blobs: DocumentBlobs
  clock: () => Date
}

export type MailWriters = ReadonlyMap<unknown, MailWriter>

export interface MailParts {
  secrets: Secrets
  baseUrl: string
  /** The mail server; null: email is written and stored, and none is sent. */
  smtpUrl: string | null
  /** Reports about mails; absent: none arrive. */
  mail?: MailEnvironment
  /** Mail servers of shops may be on this machine; for development and tests. */
  allowLoopback?: boolean
  /** Resolves the names of mail servers of shops; absent: by the name servers. */
  resolve?: Resolver
  from: string
  mailWriters: MailWriters
  /** Reads the documents that mails have; absent: no mail has one. */
  blobs?: DocumentBlobs
  clock: () => Date
  log: Logger
}

export function openMails(parts: MailParts): Deliverer {
  const { smtpUrl, secrets, mail = NO_MAIL_SETTINGS } = parts
  const { allowLoopback = false, resolve = resolveByServers, blobs = NO_BLOBS } = parts
  return mailDeliverer({
    ...parts,
    blobs,
    server: smtpUrl === null ? null : openMailServer(smtpUrl),
    returnAddress: mail.returnAddress,
    tokens: createMailTokens(secrets),
    shopServers: createShopServers({ allowLoopback, resolve }, secrets),
    providerHeaders: (token) => providerHeaders(mail, token),
  })
}

const NO_BLOBS: MailOptions['blobs'] = {
  read: () => Promise.reject(new Error('Documents cannot be read here')),
}

export function mailDeliverer(options: MailOptions): Deliverer {
  const { server, mailWriters } = options
  const write: MailBatch['write'] = (scope, messages) => writeMails(options, scope, messages)
  const send: MailBatch['send'] = async (scope, written, signal) => {
    // Before the first mail is handed over: an error after that would send mails a second time.
    const mails = await withKeys(options, scope, written)
    const senders = await sendersOf(options, scope, written, mails)
    const semaphore = createSemaphore(SESSIONS)
    return Promise.all(
      written.map(async ({ message: { id, payload } }, at) => {
        const release = await semaphore.acquire()
        const mail = present(mails[at], 'The mail')
        const sent = { id, mail, weekly: isWeekly(payload), sender: senders[at] ?? BLOCKED }
        return handOver(options, scope.shop, sent, signal).finally(release)
      }),
    )
  }
  return {
    delays: [MINUTE, 5 * MINUTE],
    // Without a mail server no message can have been sent.
    lost: server ? 'unknown' : 'waiting',
    batch: { write, send },
    own: { row: SENT_BY_SHOP, hasBatch: sendsItself },
    failed: (tx, message, failure) =>
      raiseMailFailure(tx, message, failure, (payload) => mailWriters.get(templateOf(payload))),
    refused: refuseAddress,
    write: async (scope, message) => firstOf(await write(scope, [message])),
    send: async (scope, content, message, signal) =>
      firstOf(await send(scope, [{ message, content }], signal)),
  }
}
type MailBatch = NonNullable<Deliverer['batch']>

/**
 * Writes the contents of the messages, without keys. The texts of an earlier attempt are kept, and go to
 * the current recipients.
 */
const writeMails = (
  { mailWriters, baseUrl }: MailOptions,
  scope: ShopScope,
  messages: readonly Message[],
): Promise<Content[]> =>
  byTemplate(
    mailWriters,
    messages,
    ({ payload }) => payload,
    (writer, own) => (writer ? writer.write(scope, own, baseUrl) : writeOther(scope, own, baseUrl)),
  )

const withKeys = (
  { mailWriters, secrets, baseUrl, blobs, clock }: MailOptions,
  scope: ShopScope,
  written: readonly WrittenMessage[],
): Promise<SendableContent[]> =>
  byTemplate(
    mailWriters,
    written,
    ({ message }) => message.payload,
    async (writer, own): Promise<SendableContent[]> =>
      writer
        ? writer.fill(scope, own, { secrets, baseUrl, blobs, now: clock() })
        : own.map(({ content }) => content),
  )

/** Calls `work` once for each template, and returns the answers in the order of the mails. */
async function byTemplate<Mail, Made>(
  writers: MailWriters,
  mails: readonly Mail[],
  payloadOf: (mail: Mail) => unknown,
  work: (writer: MailWriter | undefined, own: readonly Mail[]) => Promise<Made[]>,
): Promise<Made[]> {
  const groups = Map.groupBy(mails, (mail) => writers.get(templateOf(payloadOf(mail))))
  const made = new Map<Mail, Made>()
  await Promise.all(
    [...groups].map(async ([writer, own]) => {
      for (const [mail, one] of zip(own, await work(writer, own))) made.set(mail, one)
    }),
  )
  return mails.map((mail) => present(made.get(mail), 'The mail'))
}

/** Writes mails to the shop. */
async function writeOther(
  scope: ShopScope,
  messages: readonly Message[],
  baseUrl: string,
): Promise<Content[]> {
  const shop = await readShop(scope)
  return messages.map(({ payload, content }) => ({
    ...(content ?? renderMail(payload as MailPayload, baseUrl, mailLanguageOf(shop))),
    to: (payload as MailPayload).to ?? shop.settings.recipients,
  }))
}

/** The sender of each mail, or why its address gets none. */
async function sendersOf(
  options: MailOptions,
  scope: ShopScope,
  written: readonly WrittenMessage[],
  mails: readonly SendableContent[],
): Promise<(Sender | FailedResult)[]> {
  const forBuyers = written.map(({ message }) => isForBuyer(message.payload))
  const installation = installationSender(options, scope.shop)
  if (!forBuyers.includes(true)) return written.map(() => installation)
  const addresses = mails.flatMap((mail, at) => ('unsent' in mail || !forBuyers[at] ? [] : mail.to))
  const [sender, blocked] = await Promise.all([
    senderOf(scope, options),
    blockedAmong(scope, addresses),
  ])
  return mails.map((mail, at) => {
    if (!forBuyers[at]) return installation
    const kinds = 'unsent' in mail ? [] : mail.to.map((to) => blocked.get(to.toLowerCase()))
    if (kinds.includes('all')) return BLOCKED
    return kinds.includes('news') && isNews(options, written[at]) ? COMPLAINED : sender
  })
}

/** Whether a buyer can do without the mail. */
const isNews = ({ mailWriters }: MailOptions, mail: WrittenMessage | undefined): boolean => {
  const payload = mail?.message.payload
  return mailWriters.get(templateOf(payload))?.isNews?.(payload) ?? false
}

interface SentLetter {
  id: string
  mail: SendableContent
  /** A mail that the shop can do without: it says where to switch it off. */
  weekly: boolean
  sender: Sender | FailedResult
}

async function handOver(
  options: MailOptions,
  shop: number,
  { id, mail, weekly, sender }: SentLetter,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  if ('unsent' in mail) return mail.unsent
  if (mail.to.length === 0)
    return { status: 'failed', reason: sayPlain('There are no recipients in the settings') }
  if ('status' in sender) return sender
  if (!sender.server) return { status: 'sent', content: { kept: true } }
  const { to, subject, text, html } = mail
  const { from, replyTo, signing, logo } = sender
  const returnPath = sender.returnPathOf(id)
  const shown = [
    ...(logo && html?.includes(`cid:${logo.cid}`) ? [logo] : []),
    ...(mail.attachments ?? []),
  ]
  const letter = {
    from,
    to,
    subject,
    text,
    ...(html ? { html } : {}),
    ...(replyTo === null ? {} : { replyTo }),
    ...(signing === null ? {} : { signing }),
    ...(returnPath === null ? {} : { returnPath }),
    ...(shown.length > 0 ? { attachments: shown } : {}),
    messageId: `<${toPublicId('message', id)}@${domainOf(from.address)}>`,
    headers: headersOf(options, { shop, message: id }, weekly),
  }
  const result = await sender.server.handOver(letter, signal)
  if (result.status === 'sent')
    return { ...result, content: { ...result.content, kept: false, sender: from.address } }
  // The shop may have to correct its server, which takes longer than a restart of ours.
  const mayHelp = result.status === 'again' || (result.status === 'failed' && !result.badAddress)
  return mayHelp && sender.own
    ? { status: 'again', reason: result.reason, delays: OWN_DELAYS }
    : result
}

const HOUR = 60 * MINUTE
const OWN_DELAYS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR]

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

const templateOf = (payload: unknown) => (payload as Partial<MailPayload> | undefined)?.template
const isWeekly = (payload: unknown): boolean => templateOf(payload) === 'weekly-summary'

/**
 * Headers that are equal in every attempt, so that receivers can drop copies, and that suppress
 * automatic replies. Mails about a purchase have no `List-Unsubscribe`: nobody has subscribed to them.
 */
const headersOf = (
  { tokens, providerHeaders: headersOfProvider, baseUrl }: MailOptions,
  mail: Parameters<typeof tokens.tokenOf>[0],
  weekly: boolean,
): Record<string, string> => ({
  'Auto-Submitted': 'auto-generated',
  [TOKEN_HEADER]: tokens.tokenOf(mail),
  ...headersOfProvider(tokens.tokenOf(mail)),
  ...(weekly ? { 'List-Unsubscribe': `<${baseUrl}/settings>` } : {}),
})
