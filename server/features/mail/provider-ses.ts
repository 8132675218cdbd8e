// The reports of Amazon SES, which come through topics of Amazon SNS. The signature of each request
// is checked with a certificate of Amazon, and only configured topics count.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
import { createVerify, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { TOKEN_HEADER, type MailId, type MailTokens } from './sender.ts'
import { jsonOf, statusCodeIn, type ReadReports } from './report-body.ts'
import type { MailReport } from './reports.ts'

/** Reads an address of Amazon; rejects if it does not answer with 200. */
export type AwsGet = (url: string) => Promise<string>

const text = z.string().max(300_000)
const short = z.string().max(2000)
const snsSchema = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: short,
  TopicArn: short,
  Message: text,
  Subject: short.nullish(),
  Timestamp: short,
  SignatureVersion: z.enum(['1', '2']),
  Signature: short,
  SigningCertURL: short,
  SubscribeURL: short.optional(),
  Token: short.optional(),
})
type SnsMessage = z.output<typeof snsSchema>

const AMAZON = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/
/** A repeated old request is ignored; SNS repeats one for hours. */
const MAX_AGE_MS = 24 * 3600 * 1000

/** An https address of SNS, without a port or user info. */
function amazonUrl(address: string | undefined): URL | null {
  const url = URL.parse(address ?? '')
  const isOk =
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    AMAZON.test(url.hostname)
  return isOk ? url : null
}

export function createSesReader(
  topics: readonly string[],
  tokens: MailTokens,
  get: AwsGet,
): ReadReports {
  const keyOf = createCertificates(get)
  return async ({ body, now }) => {
    const parsed = snsSchema.safeParse(jsonOf(body))
    if (!parsed.success) throw new AppError('malformed_request')
    const message = parsed.data
    // Before the certificate is read: another topic costs no request to Amazon.
    if (!topics.includes(message.TopicArn)) throw new AppError('unauthenticated')
    const age = Math.abs(now.getTime() - Date.parse(message.Timestamp))
    if (!(age <= MAX_AGE_MS) || !(await isSigned(message, keyOf)))
      throw new AppError('unauthenticated')
    if (message.Type === 'SubscriptionConfirmation') await confirm(message, get)
    return message.Type === 'Notification' ? reportsIn(message, tokens) : []
  }
}

/** The certificates that were read: Amazon changes them once a year. */
function createCertificates(get: AwsGet) {
  const MAX_KEPT = 20
  const kept = new Map<string, Promise<X509Certificate>>()
  return (url: string): Promise<X509Certificate> => {
    const known = kept.get(url)
    if (known) return known
    if (kept.size >= MAX_KEPT) kept.clear()
    const reading = get(url).then((pem) => new X509Certificate(pem))
    kept.set(url, reading)
    reading.catch(() => kept.delete(url))
    return reading
  }
}

async function isSigned(
  message: SnsMessage,
  certificateAt: (url: string) => Promise<X509Certificate>,
): Promise<boolean> {
  const url = amazonUrl(message.SigningCertURL)
  if (!url?.pathname.endsWith('.pem')) return false
  const { publicKey } = await certificateAt(url.href)
  const algorithm = message.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1'
  return createVerify(algorithm)
    .update(signedText(message))
    .verify(publicKey, message.Signature, 'base64')
}

const NOTIFICATION_FIELDS = [
  'Message',
  'MessageId',
  'Subject',
  'Timestamp',
  'TopicArn',
  'Type',
] as const
const CONFIRMATION_FIELDS = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const

/** The names and values of the signed fields, each in a line. */
export function signedText(message: Partial<SnsMessage>): string {
  const names = message.Type === 'Notification' ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS
  return names
    .flatMap((name) => {
      const value = message[name]
      return value === undefined || value === null ? [] : [`${name}\n${value}\n`]
    })
    .join('')
}

async function confirm({ SubscribeURL }: SnsMessage, get: AwsGet): Promise<void> {
  const url = amazonUrl(SubscribeURL)
  if (!url) throw new AppError('malformed_request')
  await get(url.href)
}

const recipient = z.object({
  emailAddress: short.optional(),
  status: short.optional(),
  diagnosticCode: text.optional(),
})
const sesSchema = z.object({
  notificationType: short.optional(),
  eventType: short.optional(),
  mail: z.object({
    source: short.optional(),
    messageId: short.optional(),
    tags: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
    headers: z
      .array(z.object({ name: short, value: text }))
      .optional()
      .catch(undefined),
  }),
  bounce: z
    .object({
      bounceType: short,
      bounceSubType: short.optional(),
      bouncedRecipients: z.array(recipient).max(100).default([]),
    })
    .optional(),
  complaint: z
    .object({
      complaintSubType: short.nullish(),
      complaintFeedbackType: short.nullish(),
      complainedRecipients: z.array(recipient).max(100).default([]),
    })
    .optional(),
  delivery: z
    .object({ recipients: z.array(short).max(100).default([]), smtpResponse: text.optional() })
    .optional(),
  deliveryDelay: z
    .object({
      delayType: short.optional(),
      delayedRecipients: z.array(recipient).max(100).default([]),
    })
    .optional(),
})
type SesEvent = z.output<typeof sesSchema>

/** Other texts, such as the one that Amazon sends when a topic is connected, are ignored. */
function reportsIn({ Message, MessageId }: SnsMessage, tokens: MailTokens): MailReport[] {
  let json: unknown
  try {
    json = JSON.parse(Message)
  } catch {
    return []
  }
  const parsed = sesSchema.safeParse(json)
  if (!parsed.success) return []
  const mail = mailOf(parsed.data, tokens)
  if (!mail) return []
  return fatesOf(parsed.data).map((fate, at) => ({
    ...fate,
    mail,
    source: 'ses' as const,
    key: `${at}/${MessageId}`,
  }))
}

function mailOf({ mail }: SesEvent, tokens: MailTokens): MailId | null {
  const named = [
    ...(mail.tags?.message ?? []),
    ...(mail.headers ?? [])
      .filter(({ name }) => name.toLowerCase() === TOKEN_HEADER.toLowerCase())
      .map(({ value }) => value),
  ]
  for (const token of named) {
    const found = tokens.read(token)
    if (found) return found
  }
  return tokens.readAddress(mail.source ?? '')
}

type Fate = Pick<MailReport, 'event' | 'permanent' | 'recipient' | 'code' | 'reason'>

function fatesOf(event: SesEvent): Fate[] {
  const { bounce, complaint, delivery, deliveryDelay } = event
  const kind = event.notificationType ?? event.eventType
  const fateOf = (
    one: z.output<typeof recipient>,
    fate: Pick<Fate, 'event' | 'permanent'>,
    usual: string,
  ): Fate => {
    const reason = one.diagnosticCode?.replace(/^\s*smtp\s*;\s*/i, '') || usual
    const code = one.status ?? statusCodeIn(reason)
    return { ...fate, recipient: one.emailAddress ?? null, code, reason }
  }
  if (kind === 'Bounce' && bounce) {
    const permanent =
      bounce.bounceType === 'Permanent' && bounce.bounceSubType !== 'ContentRejected'
    const usual = `${bounce.bounceType}, ${bounce.bounceSubType ?? 'General'}`
    return bounce.bouncedRecipients.map((one) =>
      fateOf(one, { event: 'bounced', permanent }, usual),
    )
  }
  if (kind === 'Complaint' && complaint)
    return complaint.complainedRecipients.map((one) =>
      fateOf(one, { event: 'complained', permanent: false }, 'Reported as spam'),
    )
  if (kind === 'Delivery' && delivery)
    return delivery.recipients.map((emailAddress) =>
      fateOf(
        { emailAddress },
        { event: 'delivered', permanent: false },
        delivery.smtpResponse || 'Delivered',
      ),
    )
  if (kind === 'DeliveryDelay' && deliveryDelay)
    return deliveryDelay.delayedRecipients.map((one) =>
      fateOf(one, { event: 'delayed', permanent: false }, deliveryDelay.delayType ?? 'Delayed'),
    )
  return []
}
