// POST /mail-reports/postmark, /ses and /mailgun: providers of mail servers report what happened to
// mails. Each request is checked before anything in it is read, recorded once, and answered with 200
// when the mail is unknown, so that the provider does not repeat it.
import { ownValue } from '../../../plugins/contract.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MailEnvironment } from '../../core/configuration/mail-settings.ts'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit } from '../../core/db/rate-limits.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import type { Secrets } from '../../core/secrets.ts'
import { networkOfRequest } from '../../http/clients.ts'
import type { RawMount } from '../../http/mounts.ts'
import { createMailTokens } from './message-token.ts'
import { readMailgun } from './provider-mailgun.ts'
import { readPostmark } from './provider-postmark.ts'
import { createSesReader, type AwsGet } from './provider-ses.ts'
import type { ReadReports } from './report-body.ts'
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
