// Hands email to the mail server, at most once. In SMTP, the server's reply to DATA is the point of
// no return: before it nothing was sent, and a reply after the message is a clear yes or no. Only a
// missing reply after the message leaves the result unknown.
import { type AnyText, say, sayPlain } from '../../../plugins/contract.ts'
import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import { createTransport, type Transporter } from 'nodemailer'
import DKIM from 'nodemailer/lib/dkim'
import SMTPTransport from 'nodemailer/lib/smtp-transport'
import type { DeliveryResult } from '../../core/outbox/outbox.ts'
import { present } from '../../core/present.ts'
import { kindOfRefusal } from './smtp-replies.ts'
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
  attachments?: readonly InlineImage[]
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
