// What mail servers and providers report about a sent mail: delivered, delayed, returned, or reported
// as spam. A report is recorded once, however often it arrives.
import { type AnyText, lines, say, textOf, type Text } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { EMAIL_CAME_BACK, raiseNotice, raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { BUYER_TEMPLATES_SQL } from './buyer-mail.ts'
import { blockAddress, markBounced } from './settings.ts'
import type { MailId } from './sender.ts'

export const REPORT_EVENTS = ['delivered', 'delayed', 'bounced', 'complained'] as const
export type ReportEvent = (typeof REPORT_EVENTS)[number]

export interface MailReport {
  mail: MailId
  event: ReportEvent
  /** The address is to blame, so another attempt cannot help. */
  permanent: boolean
  /** The address that the report is about; null: not known. */
  recipient: string | null
  /** The enhanced status code, like `5.1.1`. */
  code: string | null
  /** The words of the server. */
  reason: string
  source: 'mailbox' | 'postmark' | 'ses' | 'mailgun'
  /** Names the report: a second copy has the same. */
  key: string
}

const MAX_REASON = 500
const MAX_KEY = 200
/** More notices than these would hide all others. */
const MAX_NOTICES = 10

interface ReportedMail {
  to: string[]
  subject: string | null
  delivery: string | null
  for_buyer: boolean
}

/** Records the report. False: there is no such mail any more, or it was reported before. */
export function recordReport(database: Database, report: MailReport): Promise<boolean> {
  const { shop, message } = report.mail
  return forShop(database, shop).transaction(async (tx) => {
    const [mail] = await tx.query<ReportedMail>(
      `select coalesce(result -> 'to', '[]') as to, result ->> 'subject' as subject,
         payload ->> 'delivery' as delivery,
         payload ->> 'template' in (${BUYER_TEMPLATES_SQL}) as for_buyer
       from outbox where shop_id = :shop and id = :message and kind = 'email' for update`,
      { message },
    )
    if (!mail || !(await insertReport(tx, report))) return false
    await writeStatus(tx, report)
    if (report.event === 'bounced') await recordBounce(tx, mail, report)
    if (report.event === 'complained') await recordComplaint(tx, mail, report)
    return true
  })
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
const wordsOf = ({ reason }: MailReport) => oneLine(reason).slice(0, MAX_REASON)

function insertReport(tx: ShopScope, report: MailReport): Promise<boolean> {
  const { mail, event, permanent, recipient, code, source } = report
  return tx.has(
    `insert into mail_events (shop_id, message_id, key, event, permanent, recipient, code, reason, source)
     values (:shop, :message, :key, :event, :permanent, :recipient, :code, :reason, :source)
     on conflict do nothing returning 1`,
    {
      message: mail.message,
      event,
      permanent,
      code,
      source,
      key: `${source}/${oneLine(report.key)}`.slice(0, MAX_KEY),
      recipient: recipient && oneLine(recipient).slice(0, 320),
      reason: wordsOf(report),
    },
  )
}

/** A returned mail stays returned; a mail of unknown fate was sent after all. */
async function writeStatus(tx: ShopScope, report: MailReport): Promise<void> {
  const { event, mail } = report
  if (event === 'delayed') return
  await tx.query(
    `update outbox set status = :status, error = case when :status = 'sent' then error else :reason end,
       error_text = case when :status = 'sent' then error_text end,
       sent_at = coalesce(sent_at, now())
     where shop_id = :shop and id = :message and status = any(:from::text[])`,
    {
      message: mail.message,
      status: event === 'delivered' ? 'sent' : event,
      from: event === 'delivered' ? ['unknown'] : ['sent', 'unknown', 'sending', 'complained'],
      reason: wordsOf(report),
    },
  )
}

async function recordBounce(tx: ShopScope, mail: ReportedMail, report: MailReport): Promise<void> {
  const blocked = blockedBy(mail, report)
  if (mail.for_buyer) await markBounced(tx, [report.mail.message])
  if (blocked !== null) await blockAddress(tx, blocked, wordsOf(report))
  await raiseBounce(tx, mail, report)
}

/** The buyer's address to which nothing more is sent after this report, or null. */
function blockedBy(mail: ReportedMail, { permanent, recipient }: MailReport): string | null {
  const [address = null] = mail.to
  // A mail that was forwarded came back from an address that the shop does not know.
  const isOwn = recipient === null || recipient.toLowerCase() === address?.toLowerCase()
  return mail.for_buyer && permanent && isOwn ? address : null
}

const subjectOf = ({ subject }: ReportedMail): Text =>
  subject === null ? say('A message') : textOf(subject)

async function raiseBounce(tx: ShopScope, mail: ReportedMail, report: MailReport): Promise<void> {
  const title = EMAIL_CAME_BACK
  const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(
    `select count(*)::int as count from notices where shop_id = :shop and read_at is null
       and title = :title and created_at > now() - interval '1 day'`,
    { title: title.message },
  )
  if (count >= MAX_NOTICES) {
    const body = say('Find them under Deliveries, Cannot be reached, and in the list of sent mail.')
    await raiseNoticeOnce(tx, {
      level: 'warning',
      operation_id: null,
      title: say('Further emails came back'),
      body,
    })
    return
  }
  const what = say(
    '“{subject}” to {recipients} was not delivered. The mail server said: {reason}',
    {
      subject: subjectOf(mail),
      recipients: mail.to.join(', '),
      reason: textOf(wordsOf(report)),
    },
  )
  const delivery = mail.delivery
  const next = adviceOf(mail, report)
  await raiseNotice(tx, {
    level: 'warning',
    operation_id: null,
    delivery_id: delivery,
    title,
    body: lines(what, next),
  })
}

function adviceOf(mail: ReportedMail, report: MailReport): Text {
  if (!mail.for_buyer) return say('Correct the recipients in your settings if they are wrong.')
  if (blockedBy(mail, report) === null) return say('It may help to send it again later.')
  return mail.delivery === null
    ? say('Nothing more is sent to this address until you allow it under Settings, Mail to buyers.')
    : say('Nothing more is sent to this address: correct it, and the mail is sent again.')
}

async function recordComplaint(
  tx: ShopScope,
  mail: ReportedMail,
  report: MailReport,
): Promise<void> {
  const [address] = mail.to
  if (mail.for_buyer && address !== undefined)
    await blockAddress(tx, address, wordsOf(report), 'news')
  await raiseComplaint(tx, mail)
}

const raiseComplaint = (tx: ShopScope, mail: ReportedMail): Promise<void> =>
  raiseNotice(tx, {
    level: 'warning',
    operation_id: null,
    title: say('An email was reported as spam'),
    body: say(
      '{recipients} reported “{subject}” as spam. They got it. They still get mails about their purchases, but none about new versions and added files.',
      {
        recipients: mail.to.join(', '),
        subject: subjectOf(mail),
      },
    ),
  })

/** The mail server refused the only address of this message (a bare UUID), which does not exist. */
export async function blockAddressOf(
  tx: ShopScope,
  message: string,
  reason: AnyText,
): Promise<void> {
  const [row] = await tx.query<{ to: string[] }>(
    `select coalesce(result -> 'to', '[]') as to from outbox
     where shop_id = :shop and id = :message and payload ->> 'template' in (${BUYER_TEMPLATES_SQL})`,
    { message },
  )
  const [address] = row?.to ?? []
  if (address === undefined) return
  await blockAddress(tx, address, reason)
  await markBounced(tx, [message])
}

export interface MailEvent {
  at: Date
  event: ReportEvent
  permanent: boolean
  recipient: string | null
  code: string | null
  reason: string
}

/** What was reported about a message (a bare UUID), oldest first. */
export const listReports = (scope: ShopScope, message: string): Promise<MailEvent[]> =>
  scope.query<MailEvent>(
    `select at, event, permanent, recipient, code, reason from mail_events
     where shop_id = :shop and message_id = :message order by at, id limit 50`,
    { message },
  )
