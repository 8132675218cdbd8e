// Twilio's REST API: POST /2010-04-01/Accounts/{sid}/Messages.json with a form and basic
// authentication; 201 means that Twilio has accepted the message
// (www.twilio.com/docs/messaging/api).
import { errors, request } from 'undici'
import { z } from 'zod'
import { say, sayPlain } from '../../../../plugins/contract/index.ts'
import type { TwilioAccount } from '../../../core/configuration/environment.ts'
import type { Deliverer, DeliveryResult } from '../../../core/outbox/outbox.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { readBounded } from '../../../core/body-budget.ts'
import { smsDeliverer, type SmsGateway } from './sms.ts'

export interface TextParts {
  secrets: Secrets
  baseUrl: string
  /** The account for text messages; null: they are stored, and none is sent. */
  twilio: TwilioAccount | null
}

export const openTexts = ({ twilio, ...parts }: TextParts): Deliverer =>
  smsDeliverer(twilio === null ? null : twilioGateway(twilio), parts)

const CONNECT_MS = 10_000
const WITHIN_MS = 30_000
const ANSWER_BYTES = 64 * 1024
const answerSchema = z.object({ code: z.number().optional(), message: z.string().optional() })

/** Twilio's errors about the recipient's number: another attempt does not help. */
const NUMBER_ERRORS: Readonly<Record<number, string>> = {
  21211: sayPlain('This is not a phone number'),
  21408: sayPlain('The account may not send to this country'),
  21610: sayPlain('The recipient has replied STOP'),
  21612: sayPlain('The number cannot be reached from the sender'),
  21614: sayPlain('This number cannot receive text messages'),
}

function twilioGateway({ accountSid, authToken, from, apiUrl }: TwilioAccount): SmsGateway {
  const address = `${apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const sender: Record<string, string> = from.startsWith('MG')
    ? { MessagingServiceSid: from }
    : { From: from }
  return {
    send: async ({ to, text }, stopping) => {
      if (stopping.aborted) return { status: 'returned' }
      const body = new URLSearchParams({ To: to, ...sender, Body: text }).toString()
      try {
        const answer = await request(address, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
          body,
          headersTimeout: WITHIN_MS,
          bodyTimeout: WITHIN_MS,
          // Not aborted when this process stops: Twilio may have accepted the message already.
          signal: AbortSignal.timeout(CONNECT_MS + WITHIN_MS),
        })
        const parsed = await readAnswer(answer.body)
        return deliveryOf(answer.statusCode, parsed)
      } catch (error) {
        return lostOf(error)
      }
    },
  }
}

async function readAnswer(body: AsyncIterable<Buffer>): Promise<z.output<typeof answerSchema>> {
  const bytes = await readBounded(body, ANSWER_BYTES)
  try {
    return answerSchema.parse(JSON.parse(bytes?.toString() ?? '{}'))
  } catch {
    return {}
  }
}

function deliveryOf(status: number, { code }: { code?: number | undefined }): DeliveryResult {
  if (status >= 200 && status < 300) return { status: 'sent' }
  const known = code === undefined ? undefined : NUMBER_ERRORS[code]
  if (known) return { status: 'failed', reason: known }
  if (status === 401 || status === 403)
    return {
      status: 'failed',
      reason: sayPlain('The SMS account of this installation was refused'),
    }
  if (status === 429 || status >= 500)
    return { status: 'again', reason: say('The SMS provider answered {status}', { status }) }
  const reason =
    code === undefined
      ? say('The SMS provider answered {status}', { status })
      : say('The SMS provider answered {status}, error {code}', { status, code: String(code) })
  return { status: 'failed', reason }
}

const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/**
 * The result of a lost connection. Before it was open nothing was sent; afterwards the message may
 * have been accepted.
 */
function lostOf(error: unknown): DeliveryResult {
  const code = String((error as { code?: unknown }).code)
  if (error instanceof errors.ConnectTimeoutError || NOT_CONNECTED.includes(code))
    return { status: 'again', reason: sayPlain('The SMS provider could not be reached') }
  return { status: 'unknown', reason: sayPlain('The SMS provider did not answer') }
}
