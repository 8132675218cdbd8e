// The requests of the platform's automation (Flow) to the app: reports that workflows begin or
// cease to use a trigger, and actions of workflows. Each is signed over its raw body, like
// webhooks.
import { ENGLISH, say, textIn, textOf, type TextLanguage } from '../../../plugins/contract.ts'
import type { IncomingMessage } from 'node:http'
import { forShop } from '../../core/db/for-shop.ts'
import { findShop } from '../../core/db/shops.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields } from '../../core/log.ts'
import { present } from '../../core/present.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import { isSignature } from '../../storefront/webhooks/signature.ts'
import { textOfMessage } from '../../core/texts.ts'
import type { RawMount } from '../../http/mounts.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import type { FlowAddress, FlowParts } from './address.ts'
import { SEND_LINKS } from './send-links.ts'
import { TRIGGER_USE } from './trigger-use.ts'

const MAX_BODY_BYTES = 1024 * 1024

const ADDRESSES: readonly FlowAddress[] = [TRIGGER_USE, SEND_LINKS]

interface Answer {
  status: number
  body: object
  /** Seconds until a retry makes sense. */
  retryAfter?: number | null
}

export const flowRequests = (parts: FlowParts): RawMount => ({
  raw: true,
  path: ADDRESSES.map(({ path }) => path),
  handle: answerRequests(parts),
})

function answerRequests(parts: FlowParts): RawMount['handle'] {
  return async (request, response) => {
    let answer: Answer
    try {
      answer = await answerOf(parts, request)
    } catch (error) {
      answer = refusalOf(error)
      if (answer.status >= 500) parts.log.error('a Flow request failed', errorFields(error))
    }
    if (response.destroyed) return
    const text = JSON.stringify(answer.body)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    setEndHeaders(request, response, answer.retryAfter ?? null)
    response.writeHead(answer.status, headers).end(text)
  }
}

async function answerOf(parts: FlowParts, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST') throw new AppError('method_not_allowed')
  const signature = String(request.headers['x-shopify-hmac-sha256'] ?? '')
  if (!isSignature(signature)) throw new AppError('unauthenticated')
  const raw = await readRequest(request, MAX_BODY_BYTES)
  if (!parts.storefront.isSigned(raw, signature)) throw new AppError('unauthenticated')
  const body = objectIn(raw)
  const domain = typeof body.shopify_domain === 'string' ? body.shopify_domain : ''
  const shop = await findShop(parts.database, domain)
  if (!shop)
    throw new AppError('not_found', { message: say('The app is not installed in this shop') })
  const path = request.url?.split('?', 1)[0]
  const address = present(
    ADDRESSES.find((one) => one.path === path),
    `The address ${path}`,
  )
  const scope = forShop(parts.database, shop.id)
  try {
    return { status: 200, body: await scope.transaction((tx) => address.handle(tx, body, parts)) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    // The merchant reads it in the workflow's run.
    return refusalOf(error, mailLanguageOf(await readShop(scope)))
  }
}

function objectIn(raw: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(raw.toString())
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>
  } catch {
    // Answered below.
  }
  throw new AppError('malformed_request')
}

/** Flow shows the message in the workflow's run, and repeats only after 5xx. */
function refusalOf(error: unknown, language: TextLanguage = ENGLISH): Answer {
  if (!(error instanceof AppError))
    return { status: 503, body: { code: 'unavailable', message: 'Try again later' } }
  const { code, status, text, details, retryAfter } = error
  const errors = details.map(({ param, ...detail }) => ({
    param,
    message: textIn(textOf(textOfMessage(detail)), language),
  }))
  return { status, retryAfter, body: { code, message: textIn(text, language), errors } }
}
