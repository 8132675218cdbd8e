// The webhooks of Mailgun, signed with the account's key over a time and a token.
// https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import type { MailId, MailTokens } from './message-token.ts'
import { jsonOf, statusCodeIn, type ReadReports } from './report-body.ts'
import type { MailReport } from './reports.ts'

/** Mailgun repeats a request for eight hours, with the time of the first one. */
const MAX_AGE_MS = 24 * 3600 * 1000

const text = z.string().max(5000)
const schema = z.object({
  signature: z.object({
    timestamp: z.union([text, z.number()]).transform(String),
    token: text,
    signature: text,
    'parent-signature': text.optional().catch(undefined),
  }),
  'event-data': z.object({
    id: text.optional().catch(undefined),
    event: text,
    severity: text.optional().catch(undefined),
    reason: text.optional().catch(undefined),
    recipient: text.optional().catch(undefined),
    envelope: z.object({ sender: text.optional() }).optional().catch(undefined),
    'user-variables': z.record(z.string(), z.unknown()).optional().catch(undefined),
    'delivery-status': z
      .object({
        code: z.union([z.number(), text]).optional().catch(undefined),
        'enhanced-code': text.optional().catch(undefined),
        message: text.optional().catch(undefined),
        description: text.optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
})
type EventData = z.output<typeof schema>['event-data']

export const readMailgun =
  (key: string, tokens: MailTokens): ReadReports =>
  ({ body, now }) => {
    const parsed = schema.safeParse(jsonOf(body))
    if (!parsed.success) throw new AppError('malformed_request')
    const { signature, 'event-data': event } = parsed.data
    if (!isSigned(signature, key, now)) throw new AppError('unauthenticated')
    const mail = mailOf(event, tokens)
    const fate = fateOf(event)
    if (!mail || !fate) return Promise.resolve([])
    const report = { ...fate, mail, recipient: event.recipient ?? null, source: 'mailgun' } as const
    return Promise.resolve([{ ...report, key: event.id ?? signature.token }])
  }

function isSigned(
  { timestamp, token, ...signatures }: z.output<typeof schema>['signature'],
  key: string,
  now: Date,
): boolean {
  const age = Math.abs(now.getTime() - Number(timestamp) * 1000)
  if (!(age <= MAX_AGE_MS)) return false
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest()
  // A subaccount signs with its own key, and adds the signature of the account.
  return [signatures.signature, signatures['parent-signature']].some((hex) => {
    const sent = Buffer.from(hex ?? '', 'hex')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}

function mailOf(event: EventData, tokens: MailTokens): MailId | null {
  const token = event['user-variables']?.message
  const named = typeof token === 'string' ? tokens.read(token) : null
  return named ?? tokens.readAddress(event.envelope?.sender ?? '')
}

function fateOf(
  event: EventData,
): Pick<MailReport, 'event' | 'permanent' | 'code' | 'reason'> | null {
  const status = event['delivery-status']
  const reason = status?.message || status?.description || event.reason || event.event
  const code = status?.['enhanced-code'] || statusCodeIn(reason)
  if (event.event === 'delivered') return { event: 'delivered', permanent: false, code, reason }
  if (event.event === 'complained')
    return { event: 'complained', permanent: false, code: null, reason: 'Reported as spam' }
  if (event.event !== 'failed' && event.event !== 'rejected') return null
  if (event.severity === 'temporary') return { event: 'delayed', permanent: false, code, reason }
  // `bounce`: the server refused the address; `suppress-bounce`: it did so before. Others are full
  // mailboxes, policies, and servers that did not answer for hours.
  const isRefused = event.reason === 'bounce' || event.reason === 'suppress-bounce'
  const isOther = /^5\.(2\.[2-9]|[367]\.)/.test(code ?? '') || String(code).startsWith('4')
  return { event: 'bounced', permanent: isRefused && !isOther, code, reason }
}
