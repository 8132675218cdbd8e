// Reads reports that mail servers send as mails: delivery status notifications (RFC 3464), reports
// of spam (ARF, RFC 5965), and the free texts of older servers.
import { ownValue } from '../../../plugins/contract/index.ts'
import { allParts, parseFields, parseMime, valueOf, type MimePart } from './mime.ts'
import { TOKEN_HEADER, type MailId, type MailTokens } from './sender.ts'
import { statusCodeIn } from './report-body.ts'
import type { MailReport } from './reports.ts'

export type ReportedFate = Pick<MailReport, 'event' | 'permanent' | 'recipient' | 'code' | 'reason'>

export interface ParsedReport {
  /** The mail that it is about; null: unknown, or not a mail of ours. */
  mail: MailId | null
  /** One for each address; empty: the mail is no report. */
  fates: readonly ReportedFate[]
  /** Its Message-ID; null: it has none. */
  id: string | null
}

const MAX_FATES = 100

export function parseMailReport(raw: string, tokens: MailTokens): ParsedReport {
  const whole = parseMime(raw)
  const parts = allParts(whole)
  const fates = (
    fatesOfStatus(parts) ??
    fatesOfComplaint(parts) ??
    fatesOfText(whole, parts) ??
    []
  ).slice(0, MAX_FATES)
  const id = valueOf(whole.headers, 'message-id')
  return { mail: fates.length === 0 ? null : findMail(raw, whole, parts, tokens), fates, id }
}

// Which mail

/** Headers in which servers write to which address a mail came. */
const ADDRESS_HEADERS = new Set([
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-forwarded-to',
  'original-recipient',
  'x-rcpt-to',
  'apparently-to',
])
const ADDRESS = /[^\s<>,;:"()]+@[^\s<>,;:"()]+/g
const TOKEN_LINE = new RegExp(`^[ \\t>]*${TOKEN_HEADER}:[ \\t]*([a-z2-7]+)`, 'gim')

function findMail(
  raw: string,
  whole: MimePart,
  parts: readonly MimePart[],
  tokens: MailTokens,
): MailId | null {
  const addresses = whole.headers
    .filter(({ name }) => ADDRESS_HEADERS.has(name))
    .flatMap(({ value }) => value.match(ADDRESS) ?? [])
  // A report of spam names the sender of the envelope.
  const senders = parts
    .filter(({ type }) => type === 'message/feedback-report')
    .flatMap(({ text }) => valueOf(parseFields(text), 'original-mail-from')?.match(ADDRESS) ?? [])
  for (const address of [...addresses, ...senders]) {
    const mail = tokens.readAddress(address)
    if (mail) return mail
  }
  // The returned mail, or its headers, which may be encoded.
  for (const text of [raw, ...parts.map((part) => part.text)])
    for (const [, token = ''] of text.matchAll(TOKEN_LINE)) {
      const mail = tokens.read(token)
      if (mail) return mail
    }
  return null
}

// What happened to it

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status']
const EVENTS: Readonly<Record<string, ReportedFate['event']>> = {
  failed: 'bounced',
  delayed: 'delayed',
  delivered: 'delivered',
  relayed: 'delivered',
  expanded: 'delivered',
}

function fatesOfStatus(parts: readonly MimePart[]): ReportedFate[] | null {
  const statuses = parts.filter(({ type }) => STATUS_TYPES.includes(type))
  if (statuses.length === 0) return null
  return statuses.flatMap(({ text }) =>
    text
      .trim()
      .split(/\n[ \t]*\n+/)
      .flatMap((block) => fateOfBlock(block)),
  )
}

/** Some servers write the fields of the mail and of the address into one block. */
function fateOfBlock(block: string): ReportedFate[] {
  const fields = parseFields(block)
  const action = valueOf(fields, 'action')?.toLowerCase().match(/^\w+/)?.[0] ?? ''
  const recipient = addressIn(
    valueOf(fields, 'original-recipient') ?? valueOf(fields, 'final-recipient'),
  )
  const event = ownValue(EVENTS, action)
  if (event === undefined) return []
  const diagnostic = valueOf(fields, 'diagnostic-code') ?? ''
  const status = valueOf(fields, 'status') ?? ''
  const reason = diagnostic.replace(/^\s*(smtp|x-[\w-]+|x400)\s*;\s*/i, '') || status
  const code = codeIn(status, reason)
  return [
    {
      event,
      recipient,
      code,
      reason: reason || 'The mail was not delivered',
      permanent: event === 'bounced' && isAddressToBlame(code, reason),
    },
  ]
}

/** `rfc822; ada+2Bfiles@example.com`, in which `+2B` is a plus (RFC 3461, xtext). */
function addressIn(field: string | null): string | null {
  if (field === null) return null
  const text = field
    .replace(/^[^;]*;/, '')
    .trim()
    .replace(/^<|>$/g, '')
  const decoded = text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  return /@/.test(decoded) ? decoded : null
}

/** A general status code, like 5.0.0, says less than the one in the server's words. */
function codeIn(status: string, words: string): string | null {
  const own = statusCodeIn(status)
  const said = statusCodeIn(words)
  return own === null || own.endsWith('.0.0') ? (said ?? own) : own
}

/** No such mailbox, no such host, wrong syntax, moved, disabled (RFC 3463, and Exchange's own). */
const BAD_ADDRESS = /^5\.(1\.(0|1|2|3|6|10|20)|2\.1|4\.4)$/
/** Full, too large, policy, spam: the address exists. */
const OTHER_REASON = /^5\.([2-7])\.\d+$/
const UNKNOWN_WORDS =
  /(user|recipient|mailbox|address|account)[\w\s'"<>@.:+-]{0,80}?(unknown|not found|does(n.t| not) exist|not exist|invalid|no longer|disabled|rejected: no such)|no such (user|recipient|mailbox|address|person)|unknown (user|recipient|mailbox|address)|invalid (recipient|mailbox)|no mailbox here|unrouteable address|host (or domain name )?not found|domain not found/i
const TEMPORARY_WORDS = /quota|full|over limit|try again|temporar|spam|blocked|policy|reputation/i

function isAddressToBlame(code: string | null, words: string): boolean {
  if (code !== null && code.startsWith('4')) return false
  if (code !== null && BAD_ADDRESS.test(code))
    return !TEMPORARY_WORDS.test(words) || code !== '5.1.0'
  if (code !== null && OTHER_REASON.test(code) && !/^5\.5\.0$/.test(code)) return false
  return UNKNOWN_WORDS.test(words) && !TEMPORARY_WORDS.test(words)
}

function fatesOfComplaint(parts: readonly MimePart[]): ReportedFate[] | null {
  const part = parts.find(({ type }) => type === 'message/feedback-report')
  if (!part) return null
  const fields = parseFields(part.text)
  const kind = valueOf(fields, 'feedback-type')?.toLowerCase() ?? ''
  // `not-spam` is the contrary, and `auth-failure` is about DNS.
  if (!['abuse', 'fraud', 'virus', 'other', 'complaint'].includes(kind)) return []
  const recipient = addressIn(valueOf(fields, 'original-rcpt-to'))
  const agent = valueOf(fields, 'user-agent')
  const reason = agent === null ? 'Reported as spam' : `Reported as spam (${agent})`
  return [{ event: 'complained', permanent: false, recipient, code: null, reason }]
}

/** Exim says of its reports that they are replies, as programs do that answer for people. */
const SERVER = /mailer-daemon|postmaster|mail delivery|system administrator/i
const FAILED_SUBJECT =
  /undeliver|deliver\w* (has |have )?fail|fail\w* to deliver|failure notice|returned mail|delivery status notification \(failure\)/i
const FAILED_TEXT =
  /permanent(ly)?|undeliver|could ?n[o']t be delivered|was(n't| not) delivered|did not reach|error delivering|unable to deliver|failed|qmail-send/i
const DELAYED = /will be retried|has not yet been delivered|has been delayed|warning message only/i
/** After it follows the returned mail. */
const RETURNED =
  /^ *[-=*]{2}.*\b(copy|original message|headers|returned)\b.*$|^message headers follow|^received:|^return-path:/im

/** No address or reason is as long; searching one in such a line takes the square of its length. */
const LONG_LINE = /^(.{1000}).+$/gm

/** Older servers (qmail, Exim) write for people only. */
function fatesOfText(whole: MimePart, parts: readonly MimePart[]): ReportedFate[] | null {
  const { headers } = whole
  const of = (name: string) => valueOf(headers, name) ?? ''
  const plain = parts.find(
    ({ type, parts: inner }) => type === 'text/plain' && inner.length === 0,
  )?.text
  if (plain === undefined) return null
  const all = plain.replaceAll(LONG_LINE, '$1')
  const returned = all.search(RETURNED)
  const text = returned === -1 ? all : all.slice(0, returned)
  const named = valueOf(headers, 'x-failed-recipients')
  const isServer = SERVER.test(of('from'))
  const isReply =
    !isServer &&
    (/auto-replied/i.test(of('auto-submitted')) ||
      valueOf(headers, 'x-auto-response-suppress') !== null)
  const isFromServer = isServer || (/^<>$/.test(of('return-path')) && !isReply)
  const isFailure =
    (named !== null && !isReply) ||
    (isFromServer && (FAILED_SUBJECT.test(of('subject')) || FAILED_TEXT.test(text)))
  if (!isFailure || DELAYED.test(text)) return null
  const recipients = named?.match(ADDRESS) ?? text.match(/(?<=^<)[^<>\s]+@[^<>\s]+(?=>:?\s*$)/gm)
  const sections = sectionsOf(text, recipients ?? [])
  return (recipients ?? [null]).map((recipient) => {
    const reason = replyIn(sections.get(recipient?.toLowerCase() ?? '') ?? text)
    const code = codeIn('', reason)
    return {
      event: 'bounced' as const,
      recipient,
      code,
      reason,
      permanent: isAddressToBlame(code, reason),
    }
  })
}

const ADDRESS_LINE = /^[ \t]*<?([^<>\s]+@[^<>\s]+?)>?:?[ \t]*$/

/** What a text says about each address: the lines between its own and that of another one. */
function sectionsOf(text: string, recipients: readonly string[]): ReadonlyMap<string, string> {
  const named = new Set(recipients.map((one) => one.toLowerCase()))
  const sections = new Map<string, string>()
  let current: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const address = ADDRESS_LINE.exec(line)?.[1]?.toLowerCase()
    if (address !== undefined && named.has(address)) current = address
    else if (current !== null && (line.trim() !== '' || sections.has(current)))
      sections.set(current, `${sections.get(current) ?? ''}${line}\n`)
  }
  return sections
}

/** The reply of the other server within a text, or what follows the address (qmail, Exim). */
function replyIn(text: string): string {
  const reply = text.search(/\b[45]\d\d[ -](\d\.\d+\.\d+\b|[A-Za-z<])/)
  const named = /^[ \t]*<?[^<>\s]+@[^<>\s]+>?:?[ \t]*\n/m.exec(text)
  const from = reply !== -1 ? reply : named ? named.index + named[0].length : 0
  const words = text.slice(from, from + MAX_WORDS).split(/\n\s*\n/, 1)[0] ?? ''
  return words.replace(/\s+/g, ' ').trim() || 'The mail was not delivered'
}

const MAX_WORDS = 400
