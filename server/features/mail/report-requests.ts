// POST /mail-reports/postmark, /ses and /mailgun: providers of mail servers report what happened to
// mails. Each request is checked before anything in it is read, recorded once, and answered with 200
// when the mail is unknown, so that the provider does not repeat it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { ownValue } from '../../../plugins/contract/index.ts'
import type { MailEnvironment } from '../../core/configuration/mail-settings.ts'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import type { Secrets } from '../../core/secrets.ts'
import { networkOfRequest } from '../../core/client-address.ts'
import type { RawMount } from '../../http/listen.ts'
import { createMailTokens, type MailId, type MailTokens } from './sender.ts'
import { readPostmark } from './provider-postmark.ts'
import { createSesReader, type AwsGet } from './provider-ses.ts'
import { type ReadReports, jsonOf, statusCodeIn } from './report-body.ts'
import { recordReport, type MailReport } from './reports.ts'

const PREFIX = '/mail-reports/'

const PROVIDERS = ['postmark', 'ses', 'mailgun'] as const
/** An SNS message has at most 256 KB, and its text is escaped. */
const MAX_BODY_BYTES = 1024 * 1024
/** Requests that are not authentic, for one network. */
const WRONG_PER_MINUTE = 30

export interface ReportRequestParts {
  database: Database
  secrets: Secrets
  trustProxy: boolean
  clock: () => Date
  log: Logger
  mail: Pick<MailEnvironment, 'postmarkSecret' | 'mailgunKey' | 'sesTopics'>
  /** Reads certificates, and confirms subscriptions, at Amazon. */
  awsGet: AwsGet
}

/** Unknown addresses below the prefix are counted as one. */
export function reportRequests(parts: ReportRequestParts): RawMount[] {
  const handle = answerRequests(parts)
  return [
    { raw: true, path: PROVIDERS.map((name) => PREFIX + name), handle },
    { raw: true, path: PREFIX, route: PREFIX, handle },
  ]
}

function answerRequests(parts: ReportRequestParts): RawMount['handle'] {
  const { database, secrets, trustProxy, mail } = parts
  const tokens = createMailTokens(secrets)
  const wrong = openRateLimit(database.pool, {
    name: 'mail-reports',
    points: WRONG_PER_MINUTE,
    seconds: 60,
  })
  const readers: Readonly<Record<string, ReadReports | null>> = {
    postmark: mail.postmarkSecret === null ? null : readPostmark(mail.postmarkSecret, tokens),
    mailgun: mail.mailgunKey === null ? null : readMailgun(mail.mailgunKey, tokens),
    ses: mail.sesTopics.length === 0 ? null : createSesReader(mail.sesTopics, tokens, parts.awsGet),
  }
  const answer = async (request: IncomingMessage): Promise<number> => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const name = path.slice(PREFIX.length)
    const read = ownValue(readers, name) ?? null
    if (!read) throw new AppError('not_found')
    if (request.method !== 'POST') throw new AppError('method_not_allowed')
    const network = networkOfRequest(request, trustProxy)
    if ((await wrong.consumed(network)) >= WRONG_PER_MINUTE) throw new AppError('rate_limited')
    const body = await readRequest(request, MAX_BODY_BYTES)
    let reports: MailReport[]
    try {
      reports = await read({ headers: request.headers, body, now: parts.clock() })
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated')
        await wrong.consume(network)
      throw error
    }
    for (const report of reports) await recordReport(database, report)
    return 200
  }
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let status: number
    let retryAfter: number | null = null
    try {
      status = await answer(request)
    } catch (error) {
      status = 503
      if (error instanceof AppError) ({ status, retryAfter } = error)
      if (status >= 500) parts.log.error('a report about a mail failed', errorFields(error))
    }
    if (response.destroyed) return
    setEndHeaders(request, response, retryAfter)
    response.writeHead(status, { 'content-length': 0 }).end()
  }
}

// The webhooks of Mailgun, signed with the account's key over a time and a token.
// https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks

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

const readMailgun =
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
