// POST /download/ask: the holder of a link asks its shop for more, with a plain form. The link's
// key in the form is the authorisation: it cannot be guessed, and there are no cookies that another
// site could misuse. A link may ask once a day and a network ten times an hour. The message reaches
// the shop as text only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { z } from 'zod'
import { emailAddress, sayFixed, textOf } from '../../../plugins/contract/index.ts'
import type { ErrorCode, ErrorDetail } from '../../core/errors.ts'
import { problemText } from '../../core/problem-text.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { networkOf, type Client } from '../../core/client-address.ts'
import { offeredView } from '../../files/view-kinds.ts'
import type { KnownLink } from './counting/known-link.ts'
import type { LinkCounter } from './counting/link-counter.ts'
import { answerForm, FormRefusal, MAX_FORM_BYTES, readForm, readFormLink } from './form.ts'
import { renderMessage, sendPage, type AskForm, type Frame, type MessagePage } from './pages.ts'
import { hasAsked, translatorForLink, shownShop, refusalReason, whyNotViewed } from './refusal.ts'
import { prefersJson, withLocale } from './request.ts'
import type { Visit } from './response.ts'

/** The message of a link's holder to the shop. */
export interface Ask {
  shop: number
  /** A bare UUID. */
  link: string
  /** Why the link may not be used; null if it may. */
  reason: ErrorCode | null
  email: string | null
  message: string | null
  now: Date
}

const MAX_MESSAGE_LENGTH = 1000
const ASKS_PER_HOUR = 10
const HOUR_SECONDS = 60 * 60

const emptyToUndefined = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value
const fields = z.object({
  email: z.preprocess(emptyToUndefined, emailAddress('Enter an email address').optional()),
  message: z.preprocess(
    emptyToUndefined,
    z
      .string()
      .trim()
      .max(
        MAX_MESSAGE_LENGTH,
        sayFixed('Enter at most {count} characters', { count: MAX_MESSAGE_LENGTH }),
      )
      .optional(),
  ),
})

interface AskingParts {
  pool: pg.Pool
  counter: Pick<LinkCounter, 'lookUp'>
  /** Notifies the shop; false if this link has asked within a day. */
  notifyShop(ask: Ask): Promise<boolean>
}

type AskVisit = Visit & { client: Client }

export function createAsking(parts: AskingParts): (visit: AskVisit) => Promise<void> {
  const asks = openRateLimit(parts.pool, {
    name: 'asks',
    points: ASKS_PER_HOUR,
    seconds: HOUR_SECONDS,
  })
  return (visit) =>
    answerForm(visit, async () => {
      const { exceeded, retryAfter } = await asks.consume(networkOf(visit.client.address))
      if (exceeded)
        throw new FormRefusal('rate_limited', { headers: ['Retry-After', `${retryAfter}`] })
      await ask(parts, visit)
    })
}

async function ask(parts: AskingParts, visit: AskVisit): Promise<void> {
  const { request, response, now } = visit
  const { link, email, message } = await readAsk(parts, visit)
  const { shop, link: id } = link
  const isViewed = link.target !== null && offeredView(link.target) !== null
  const reason = refusalReason(link, null, now) ?? (isViewed ? whyNotViewed(link, null, now) : null)
  const sent =
    !hasAsked(link, now) &&
    (await parts.notifyShop({ shop, link: id, reason, email, message, now }))
  answer(request, response, link, sent, email)
}

/** The link and the validated form. */
async function readAsk({ counter }: AskingParts, visit: AskVisit) {
  const { request, now } = visit
  const form = await readForm(request)
  const { key, link } = await readFormLink(counter, form, visit)
  // The pages have no form then.
  if (!link.look.askAgain) throw new FormRefusal('conflict')
  const parsed = fields.safeParse(form, { error: problemText })
  if (!parsed.success)
    throw new FormRefusal('validation_failed', {
      link,
      now,
      ...problemsOf(request, { link, key, form }, parsed.error),
    })
  return { link, email: parsed.data.email ?? null, message: parsed.data.message ?? null }
}

/** Asking twice is not an error: the page says that the shop knows already. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  link: KnownLink,
  sent: boolean,
  email: string | null,
): void {
  if (prefersJson(request.headers.accept))
    return sendPage(request, response, 200, { json: { status: sent ? 'sent' : 'asked_before' } })
  const frame: Frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const { t } = frame
  const shop = link.shopName
  const page: MessagePage = sent
    ? {
        title: t('ask.sent'),
        happened: t('ask.sentHappened', { shop }),
        advice: email ? t('ask.sentTo', { email }) : t('ask.sentThere'),
      }
    : {
        title: t('ask.before'),
        happened: t('ask.beforeHappened', { shop }),
        advice: t('ask.beforeAdvice'),
      }
  sendPage(request, response, 200, renderMessage(frame, page))
}

/** The problems, for a program and for the form that is shown again. */
function problemsOf(
  request: IncomingMessage,
  { link, key, form }: { link: KnownLink; key: string; form: Record<string, unknown> },
  error: z.ZodError,
) {
  const t = translatorForLink(request, link)
  const details = error.issues.map(({ path, message, code }): ErrorDetail => ({
    param: String(path[0]),
    code:
      code === 'too_big'
        ? 'out_of_range'
        : code === 'invalid_type'
          ? 'invalid_type'
          : 'invalid_value',
    message: textOf(message),
  }))
  const wrong = Object.fromEntries(
    details.map(({ param }) => [
      param,
      param === 'email' ? t('ask.wrongEmail') : t('ask.wrongMessage', { max: MAX_MESSAGE_LENGTH }),
    ]),
  )
  const text = (value: unknown) =>
    typeof value === 'string' ? value.slice(0, MAX_FORM_BYTES) : undefined
  const ask: AskForm = {
    key,
    action: withLocale(request, 'ask'),
    email: text(form.email),
    message: text(form.message),
    wrong,
  }
  return { details, ask }
}
