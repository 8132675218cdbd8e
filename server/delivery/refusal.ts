// The page or the JSON body that says why there is no download. A stranger always gets the same
// one. The holder of a link's key learns what happened to the link and what to do, and may ask the
// shop for more.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS, type ErrorCode, type ErrorDetail } from '../errors.ts'
import { linkStatus } from '../files/links.ts'
import type { DeliveryBlock, KnownLink } from './counting.ts'
import type { MessageKey } from './messages/en.ts'
import {
  renderMessage,
  sendPage,
  type AskForm,
  type Frame,
  type MessagePage,
  type RenderedPage,
  type ShopShown,
} from './pages.ts'
import { isSiteAllowed } from './referrers.ts'
import { prefersJson } from './request.ts'
import { sayFor, type Say } from './say.ts'

/** How long a link that has asked must wait before it may ask again. */
const ASK_EVERY_MS = 24 * 60 * 60 * 1000

/** For a damaged file: it must be restored first. */
export const RETRY_LATER: readonly string[] = ['Retry-After', '3600']

/** What a refusal is about. */
export interface Refused {
  /** The link whose key the client holds. */
  link?: KnownLink | null
  /** The shop of a public file. */
  shop?: ShopShown
  /** Shows the form to ask for more, if the error allows it. */
  ask?: AskForm
  now?: Date
  details?: readonly ErrorDetail[]
  /** Additional headers, as a flat list. */
  headers?: readonly string[]
}

/** Why an existing link may not be used now from these sites; null if it may. */
export function whyNot(
  link: KnownLink,
  sites: readonly string[] | null,
  now: Date,
): ErrorCode | null {
  if (isHeld(link) && !link.uninstalled) return 'link_held'
  if (link.uninstalled || link.out) return 'link_withdrawn'
  const status = linkStatus(link, now)
  if (status === 'expired' || status === 'exhausted') return `link_${status}`
  if (status !== 'active') return 'link_withdrawn'
  return isSiteAllowed(link.referrers, sites) ? null : 'referrer_not_allowed'
}

const HOLDS: readonly DeliveryBlock[] = ['held', 'preparing', 'delayed']
const isHeld = ({ blocked }: KnownLink) => blocked !== null && HOLDS.includes(blocked)

type RefusalText = Pick<MessagePage, 'title' | 'happened' | 'advice'>

const HELD_TEXTS: Readonly<Record<string, MessageKey>> = {
  preparing: 'order.preparing',
  delayed: 'order.delayed',
}

/** The text of each refusal; those about a link are for the holder of its key. */
const TEXTS: Partial<Record<ErrorCode, (say: Say, link: KnownLink | null) => RefusalText>> = {
  link_expired: (say, link) => ({
    title: say('expired.title'),
    happened: link?.expires_at ? say('expired.happened', { day: say.date(link.expires_at) }) : '',
    advice: askFor(say, link),
  }),
  link_exhausted: (say, link) => ({
    title: say(link?.delivery ? 'order.endedTitle' : 'exhausted.title'),
    happened: link?.delivery
      ? say('order.ended')
      : say('exhausted.happened', { limit: link?.download_limit ?? 0 }),
    advice: askFor(say, link),
  }),
  link_held: (say, link) => ({
    title: say(link?.blocked === 'held' ? 'order.heldTitle' : 'order.preparingTitle'),
    happened: say(HELD_TEXTS[link?.blocked ?? ''] ?? 'order.held', { shop: link?.shopName ?? '' }),
    advice: link?.blocked === 'preparing' ? '' : say('order.heldAdvice'),
  }),
  link_withdrawn: (say, link) =>
    endedOrder(say, link) ?? {
      title: say('withdrawn.title'),
      happened: say('withdrawn.happened', { pack: Boolean(link?.pack) }),
      advice: askFor(say, link),
    },
  link_unavailable: (say) => ({
    title: say('unavailable.title'),
    happened: say('unavailable.happened'),
    advice: say('unavailable.advice'),
  }),
  file_not_found: (say) => ({
    title: say('noFile.title'),
    happened: say('noFile.happened'),
    advice: say('noFile.advice'),
  }),
  referrer_not_allowed: (say) => ({
    title: say('referrer.title'),
    happened: say('referrer.happened'),
    advice: say('referrer.advice'),
  }),
  rate_limited: (say) => ({
    title: say('tooOften.title'),
    happened: say('tooOften.happened'),
    advice: say('tooOften.advice'),
  }),
  payload_too_large: (say) => ({
    title: say('tooLong.title'),
    happened: say('tooLong.happened'),
    advice: say('tooLong.advice'),
  }),
  validation_failed: (say) => ({
    title: say('invalid.title'),
    happened: say('invalid.happened'),
  }),
  file_damaged: (say) => uncounted(say, 'damaged.title', 'damaged.advice'),
  unavailable: (say) => uncounted(say, 'away.title', 'away.advice'),
  range_not_satisfiable: (say) => uncounted(say, 'range.title', 'again.advice'),
  precondition_failed: (say) => uncounted(say, 'changed.title', 'again.advice'),
}

/** Null: it is no delivery's link, or nothing more is known or may be said. */
function endedOrder(say: Say, link: KnownLink | null): RefusalText | null {
  const blocked = link?.uninstalled ? null : link?.blocked
  if (blocked !== 'refused' && blocked !== 'cancelled' && blocked !== 'refunded') return null
  const shop = link!.shopName
  return {
    title: say('order.goneTitle'),
    happened: say(`order.${blocked}`, { shop }),
    advice: say('order.askIfWrong', { shop }),
  }
}

function askFor(say: Say, link: KnownLink | null): string {
  if (!link || link.uninstalled) return say('advice.askSender')
  return say('advice.askShop', { shop: link.shopName })
}

const uncounted = (say: Say, title: MessageKey, advice: MessageKey): RefusalText => ({
  title: say(title),
  happened: say('notCounted'),
  advice: say(advice),
})

/** For the errors that only a faulty client meets: a wrong method, a body that is no form. */
const invalidRequest = (say: Say): RefusalText => ({
  title: say('refused.title'),
  happened: '',
  advice: say('refused.advice'),
})

const MAY_ASK: readonly ErrorCode[] = [
  'link_expired',
  'link_exhausted',
  'link_withdrawn',
  'validation_failed',
]

/** What is around the page, and what is in it. */
function pageOf(
  request: IncomingMessage,
  code: ErrorCode,
  { link = null, shop, ask, now }: Refused,
): RenderedPage {
  const shown = link ? (link.uninstalled ? undefined : shownShop(link)) : shop
  const frame: Frame = {
    say: link ? sayTo(request, link) : sayFor(request, shown?.look),
    shop: shown,
  }
  const { say } = frame
  const page: MessagePage = (TEXTS[code] ?? invalidRequest)(say, link)
  if (!link || link.uninstalled) return renderMessage(frame, page)
  const name = nameShown(say, code, link)
  const whole = name === undefined ? page : { ...page, name }
  // More downloads would not help the buyer of a blocked delivery.
  if (!ask || !now || link.blocked || !MAY_ASK.includes(code)) return renderMessage(frame, whole)
  if (!hasAsked(link, now)) return renderMessage(frame, { ...whole, ask })
  const advice = say('advice.asked', { shop: link.shopName })
  return renderMessage(frame, { ...whole, advice })
}

function nameShown(say: Say, code: ErrorCode, link: KnownLink): string | undefined {
  if (link.delivery) return say('order.number', { order: link.pack!.name })
  // A file may have been withdrawn because of its name.
  return code === 'link_withdrawn' ? undefined : (link.target?.filename ?? link.pack?.name)
}

/** In the language of the order, where the link is of one. */
export const sayTo = (request: IncomingMessage, { locale, look, uninstalled }: KnownLink): Say =>
  sayFor(request, uninstalled ? {} : { locale, language: look.language })

export const shownShop = (link: KnownLink): ShopShown => ({
  name: link.shopName,
  domain: link.shopDomain,
  look: link.look,
})

/** Has this link asked within the last day? */
export const hasAsked = ({ asked_at }: Pick<KnownLink, 'asked_at'>, now: Date): boolean =>
  asked_at !== null && now.getTime() - asked_at.getTime() < ASK_EVERY_MS

/** Answers with the error's status. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  about: Refused = {},
): void {
  const body = prefersJson(request.headers.accept)
    ? { json: errorBody(code, about.details ?? []) }
    : pageOf(request, code, about)
  sendPage(request, response, ERRORS[code].status, body, about.headers)
}

function errorBody(code: ErrorCode, details: readonly ErrorDetail[]): object {
  const { type, message, status } = ERRORS[code]
  const about = { details, details_total: details.length, request_id: randomUUID() }
  return { error: { type, code, message, status, param: null, ...about } }
}
