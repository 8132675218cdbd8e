// The webhooks of Postmark: bounces, complaints and deliveries. They are not signed; Postmark sends
// the user name and password of the address (HTTP basic authentication).
// https://postmarkapp.com/developer/webhooks/bounce-webhook
import { timingSafeEqual, hash } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import type { MailTokens } from './sender.ts'
import { jsonOf, statusCodeIn, type ReadReports } from './report-body.ts'
import type { MailReport } from './reports.ts'

const text = z.string().max(5000).catch('')
const schema = z.object({
  RecordType: z.string().catch('Bounce'),
  ID: z.union([z.number(), z.string()]).optional().catch(undefined),
  Type: text.optional(),
  MessageID: text.optional(),
  Email: text.optional(),
  Recipient: text.optional(),
  Details: text.optional(),
  Description: text.optional(),
  DeliveredAt: text.optional(),
  Metadata: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

/** Types after which Postmark delivers nothing more to the address, because it is wrong. */
const PERMANENT = ['HardBounce', 'BadEmailAddress']
const NOT_RETURNED = ['AutoResponder', 'Subscribe', 'Unsubscribe', 'AddressChange', 'OpenRelayTest']
const COMPLAINTS = ['SpamComplaint', 'SpamNotification']

export const readPostmark =
  (password: string, tokens: MailTokens): ReadReports =>
  ({ headers, body }) => {
    if (!isPassword(headers.authorization, password)) throw new AppError('unauthenticated')
    const record = schema.parse(jsonOf(body))
    const [, token] =
      Object.entries(record.Metadata ?? {}).find(([name]) => name.toLowerCase() === 'message') ?? []
    const mail = typeof token === 'string' ? tokens.read(token) : null
    const fate = fateOf(record)
    if (!mail || !fate) return Promise.resolve([])
    const key = `${record.RecordType}/${record.ID ?? record.MessageID ?? ''}`
    const recipient = record.Email || record.Recipient || null
    return Promise.resolve([{ ...fate, mail, key, recipient, source: 'postmark' }])
  }

type Fate = Pick<MailReport, 'event' | 'permanent' | 'code' | 'reason'>

function fateOf(record: z.output<typeof schema>): Fate | null {
  const { RecordType: kind, Type: type = '' } = record
  const reason = record.Details || record.Description || type || 'The mail was not delivered'
  const code = statusCodeIn(reason)
  if (kind === 'Delivery') return { event: 'delivered', permanent: false, code, reason }
  if (kind === 'SpamComplaint' || COMPLAINTS.includes(type))
    return { event: 'complained', permanent: false, code: null, reason: 'Reported as spam' }
  if (kind !== 'Bounce' || NOT_RETURNED.includes(type)) return null
  if (type === 'Transient') return { event: 'delayed', permanent: false, code, reason }
  return { event: 'bounced', permanent: PERMANENT.includes(type), code, reason }
}

function isPassword(header: string | undefined, password: string): boolean {
  const [, encoded = ''] = /^Basic ([\w+/=-]{1,2000})$/i.exec(header ?? '') ?? []
  const sent = Buffer.from(encoded, 'base64').toString()
  const digest = (value: string) => hash('sha256', value, 'buffer')
  return timingSafeEqual(digest(sent.slice(sent.indexOf(':') + 1)), digest(password))
}
