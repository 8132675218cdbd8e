// Hands email to the mail server, at most once. In SMTP, the server's reply to DATA is the point of
// no return: before it nothing was sent, and a reply after the message is a clear yes or no. Only a
// missing reply after the message leaves the result unknown.
import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import { createTransport, type Transporter } from 'nodemailer'
import DKIM from 'nodemailer/lib/dkim'
import SMTPTransport from 'nodemailer/lib/smtp-transport'
import { type AnyText, say, sayPlain } from '../../../plugins/contract/index.ts'
import type { Attachment, DeliveryResult } from '../../core/outbox/outbox.ts'
import { present } from '../../core/lazy.ts'
import { keepSessions, type ConnectSocket, type SentMail } from './smtp-sessions.ts'

export interface MailAddress {
  name: string
  address: string
}

/** The key with which a mail is signed for its domain. */
export interface SigningKey {
  domainName: string
  keySelector: string
  /** PEM. */
  privateKey: string
}

export interface InlineImage {
  cid: string
  content: Buffer
  contentType: string
  filename: string
}

export interface Letter {
  from: string | MailAddress
  to: readonly string[]
  /** Where answers go; absent: to `from`. */
  replyTo?: string
  /** Where reports about the mail go (the sender of the envelope); absent: to `from`. */
  returnPath?: string
  signing?: SigningKey
  attachments?: readonly (InlineImage | Attachment)[]
  subject: string
  text: string
  html?: string
  messageId: string
  headers: Readonly<Record<string, string>>
}

export interface MailServer {
  /** Hands the message over unless `signal` aborts first. Never throws. */
  handOver(letter: Letter, signal: AbortSignal): Promise<DeliveryResult>
}

/**
 * Timeouts in milliseconds. The first two together are less than the two minutes after which the
 * sweep treats a message as lost.
 */
export interface MailTimeouts {
  /** The time until the server is ready for the message. */
  handOver: number
  /** The longest wait for a reply of the server. */
  answer: number
  connect: number
}
const TIMEOUTS: MailTimeouts = { handOver: 30_000, answer: 80_000, connect: 10_000 }

/** @param connect opens the sockets of a server that a merchant chose; see shop-server.ts. */
export function openMailServer(
  where: string | SMTPTransport.Options,
  timeouts: MailTimeouts = TIMEOUTS,
  connect?: ConnectSocket,
): MailServer {
  const server = new SMTPTransport({
    ...(typeof where === 'string' ? { url: where } : where),
    dnsTimeout: timeouts.connect,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    socketTimeout: timeouts.answer,
  })
  const transport = createTransport(keepSessions(server, connect))
  transport.use('stream', (mail, done) => {
    const { gate, signing } = mail.data as unknown as { gate: Gate; signing?: SigningKey }
    if (signing) mail.message.processFunc((input) => new DKIM(signing).sign(input))
    mail.message.build((error, raw) => {
      if (error) return done(error)
      mail.message.createReadStream = () => readThrough(gate, present(raw, 'The mail')) as never
      done()
    })
  })
  return {
    handOver: (letter, signal) => handOver(transport, letter, openGate(signal, timeouts.handOver)),
  }
}

/** Decides whether the message may still be sent when the server asks for it. */
interface Gate extends Pick<SentMail['gate'], 'passed'> {
  /** Called when the server is ready for the message; throws if it must not be sent any more. */
  pass(): void
  /** Whether this process is stopping. */
  readonly stopping: boolean
  /**
   * The signal that aborts when the message must not be sent any more; never after `pass` was
   * called.
   */
  readonly closed: AbortSignal
}

function openGate(stopping: AbortSignal, withinMs: number): Gate {
  const from = performance.now()
  const keepBack = AbortSignal.any([stopping, AbortSignal.timeout(withinMs)])
  const closed = new AbortController()
  let passed = false
  const close = () => passed || closed.abort(keepBack.reason)
  keepBack.addEventListener('abort', close, { once: true })
  if (keepBack.aborted) close()
  return {
    pass: () => {
      keepBack.throwIfAborted()
      // A process that was suspended may get here before its timers fire.
      if (performance.now() - from > withinMs)
        throw new Error('The mail server took too long to accept the message')
      passed = true
    },
    get passed() {
      return passed
    },
    get stopping() {
      return stopping.aborted
    },
    closed: closed.signal,
  }
}

/** The message as a stream, which is first read when the server has replied to DATA. */
function readThrough(gate: Gate, raw: Buffer): Readable {
  return new Readable({
    read() {
      try {
        gate.pass()
      } catch (error) {
        this.destroy(error as Error)
        return
      }
      this.push(raw)
      this.push(null)
    },
  })
}

async function handOver(
  transport: Pick<Transporter<{ rejected: string[]; response: string }>, 'sendMail'>,
  { returnPath, ...letter }: Letter,
  gate: Gate,
): Promise<DeliveryResult> {
  try {
    const to = [...letter.to]
    const envelope = returnPath === undefined ? {} : { envelope: { from: returnPath, to } }
    const { rejected, response } = await transport.sendMail({
      ...letter,
      ...envelope,
      to,
      gate,
      signal: gate.closed,
      ...exactHeaders(letter.headers),
      messageId: inAscii(letter.messageId),
    } as object)
    return {
      status: 'sent',
      content: { reply: wordsOf(response) },
      ...(rejected.length > 0
        ? { reason: say('Not accepted for {addresses}', { addresses: rejected.join(', ') }) }
        : {}),
    }
  } catch (error) {
    if (gate.stopping && !gate.passed) return { status: 'returned' }
    const replied = typeof (error as SmtpError).responseCode === 'number'
    if (gate.passed && !replied)
      return {
        status: 'unknown',
        reason: sayPlain('The mail server did not say whether it took it'),
      }
    const reason = reasonOf(error as SmtpError)
    const kind = kindOfRefusal(error as SmtpError)
    if (kind === 'again') return { status: 'again', reason }
    return { status: 'failed', reason, ...(kind === 'address' ? { badAddress: true } : {}) }
  }
}

/** A header has no other characters; the library converts addresses only. */
const inAscii = (messageId: string): string =>
  messageId.replace(/@([^@>]+)>$/, (_, domain: string) => `@${domainToASCII(domain)}>`)

/**
 * Headers as they are named and written here: providers read them as they are. The library would write
 * `X-Pm-Metadata-Message`, and JSON as encoded words.
 */
function exactHeaders(headers: Letter['headers']) {
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]))
  return {
    normalizeHeaderKey: (name: string) => names.get(name.toLowerCase()) ?? name,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /["=]/.test(value) ? { prepared: true, value } : value,
      ]),
    ),
  }
}

interface SmtpError extends Error {
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/** The mail server's reply, without its address. */
function reasonOf({ code, response }: SmtpError): AnyText {
  if (code === 'EAUTH') return sayPlain('The mail server did not accept our sign-in')
  if (response) return say('The mail server answered: {reply}', { reply: wordsOf(response) })
  return sayPlain('The mail server could not be reached')
}

const MAX_WORDS = 200

/** A reply in one line of bounded length. */
const wordsOf = (reply: string): string =>
  reply
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)

// What a mail server's refusal means (RFC 5321, and the enhanced codes of RFC 3463 and 5248): the
// address is wrong, the mail is refused for good, or another attempt may help. Servers use the codes
// loosely, so that their words count too.

export type RefusalKind =
  /** The recipient's address does not exist: nothing more is sent to it. */
  | 'address'
  /** Not this mail, or not from this sender: the same mail would be refused again. */
  | 'refused'
  /** Another attempt may help. */
  | 'again'

interface SmtpReply {
  /** The command that it answers, as nodemailer names it. */
  command?: string | undefined
  response?: string | undefined
}

/** Addresses: unknown, bad system, syntax, moved, no such domain (null MX). */
const WRONG_ADDRESS = /^5\.(?:1\.(?:0|1|2|3|4|6|9|10)|2\.1|4\.4)$/
const UNKNOWN_WORDS =
  /no such (?:user|recipient|mailbox|person|address|account)|(?:user|recipient|mailbox|address|account|addressee)(?: \S+@\S+| <\S+>)?:? (?:is )?(?:unknown|invalid|not (?:found|known|exist)|disabled|does(?: not|n't) exist|no longer)|(?:unknown|invalid|non-?existent|inactive|undeliverable) (?:or \w+ )?(?:user|recipient|mailbox|address|account)|unrouteable address|doesn't have an? |mailbox unavailable|no mailbox here|not a valid (?:user|mailbox|recipient)|recipient (?:address )?rejected: (?:user|undeliverable|invalid|unknown)|recipientnotfound/i

/** A code of a permanent failure that its words, or its subject, call temporary. */
const TEMPORARY_WORDS =
  /gr[ea]ylist|try (?:again|later)|temporar|over ?quota|quota exceeded|mailbox (?:is )?full|out of storage|insufficient (?:system )?storage|too many (?:connections|messages|recipients)|rate limit|throttl|unusual rate/i
const FULL_OR_BUSY = /^5\.(?:2\.2|3\.[012]|4\.[01235679]|5\.3)$/

/** Words of a policy, also behind a code of an address: `550 5.1.1 … blocked`. */
const POLICY_WORDS =
  /spam|block(?:ed|list)|black ?list|spamhaus|reputation|spf|dkim|dmarc|relay|policy|not permitted|access denied|unauthenticated|banned|sender/i

/** @throws nothing; a reply that cannot be read means another attempt. */
function kindOfRefusal({ command = '', response = '' }: SmtpReply): RefusalKind {
  const [, code = '', enhanced = ''] =
    /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? []
  if (!code.startsWith('5') || enhanced.startsWith('4')) return 'again'
  // The sign-in and the greeting are about this server's settings, which the merchant may correct.
  if (!['MAIL FROM', 'RCPT TO', 'DATA'].includes(command) || isSignIn(code, enhanced))
    return 'again'
  // Exchange Online says so of addresses that its directory does not have.
  if (enhanced === '5.4.1' && /recipient address rejected/i.test(response)) return 'address'
  if (TEMPORARY_WORDS.test(response) || FULL_OR_BUSY.test(enhanced)) return 'again'
  if (command === 'MAIL FROM') return 'refused'
  const words = response.replace(/\S*@\S*|<[^>]*>/g, '')
  const isUnknown = UNKNOWN_WORDS.test(words) || UNKNOWN_WORDS.test(response)
  if (WRONG_ADDRESS.test(enhanced))
    return POLICY_WORDS.test(words) && !isUnknown ? 'refused' : 'address'
  if (enhanced.startsWith('5.7'))
    return /^5\.7\.(?:0|1)$/.test(enhanced) && isUnknown && !POLICY_WORDS.test(words)
      ? 'address'
      : 'refused'
  if (isUnknown && !POLICY_WORDS.test(words)) return 'address'
  // Only at RCPT a bare 550, 551 or 553 is about this recipient.
  const isBare = enhanced === '' && /^55[013]$/.test(code) && command === 'RCPT TO'
  return isBare && !POLICY_WORDS.test(words) ? 'address' : 'refused'
}

const isSignIn = (code: string, enhanced: string): boolean =>
  /^53[0458]$/.test(code) || /^5\.7\.(?:8|9|11)$/.test(enhanced)
