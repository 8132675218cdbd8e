// The page or JSON body that gives the reason for a refused download. Without a valid key it is
// always the same. The holder of a link's key learns what happened to the link and what to do, and
// may ask the shop for more downloads.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { present } from '../../core/lazy.ts'
import { ERRORS, storedProblem, type ErrorCode, type ErrorDetail } from '../../core/errors.ts'
import { requestId } from '../../http/errors.ts'
import { isViewOnly } from '../../files/view-kinds.ts'
import { linkStatus } from '../links/model/links.ts'
import type { DeliveryBlock, KnownLink } from './counting/known-link.ts'
import {
  renderMessage,
  sendPage,
  type AskForm,
  type Frame,
  type MessagePage,
  type PageButton,
  type RenderedPage,
  type ShownShop,
} from './pages.ts'
import {
  isSiteAllowed,
  deliveryAddress,
  opensPage,
  PAGE,
  prefersJson,
  relativeToPage,
  passedTokens,
} from './request.ts'
import { shownName } from './file-rows.ts'
import { viewButtonOf } from './view-buttons.ts'
import { translatorForRequest, type Translator, type MessageKey } from './translate.ts'

/** A link may ask the shop once in this time. */
const ASK_EVERY_MS = 24 * 60 * 60 * 1000

/** For a damaged file, which must be restored first. */
export const RETRY_LATER: readonly string[] = ['Retry-After', '3600']

/** The context of a refusal. */
export interface RefusalContext {
  /** The link whose key the client holds. */
  link?: KnownLink | null
  /** The key of that link, for the button of its view. */
  key?: string
  /** The shop of a public file. */
  shop?: ShownShop
  /** Shows the form to ask for more, if the error allows it. */
  ask?: AskForm
  now?: Date
  details?: readonly ErrorDetail[]
  /** Additional headers, as a flat list. */
  headers?: readonly string[]
  /** A program has asked, also without an `Accept` header: its body was JSON. */
  json?: boolean
}

/** Why an existing link may not be used now from these sites; null if it may. */
export function refusalReason(
  link: KnownLink,
  sites: readonly string[] | null,
  now: Date,
): ErrorCode | null {
  if (isHeld(link) && !link.uninstalled) return 'link_held'
  if (link.uninstalled || link.out) return 'link_withdrawn'
  const status = linkStatus(link, now)
  if (status === 'expired' || status === 'exhausted' || status === 'not_released')
    return `link_${status}`
  if (status !== 'active') return 'link_withdrawn'
  if (link.tagProblem) return TAG_PROBLEMS[link.tagProblem]
  if (link.referrers.length === 0 || isSiteAllowed(link.referrers, sites)) return null
  return 'referrer_not_allowed'
}

/**
 * Why an existing link may not be viewed now from these sites; null: it may, if it has views left
 * (`hasViews`).
 */
export function viewRefusal(
  link: KnownLink,
  sites: readonly string[] | null,
  now: Date,
): ErrorCode | null {
  const reason = refusalReason(withViewTerms(link), sites, now)
  const { view_expires_at: end } = link
  return reason === 'link_expired' && end && end <= now ? 'views_expired' : reason
}

/** The link with the expiry of its views. A view needs no download to be left. */
export const withViewTerms = (link: KnownLink): KnownLink => ({
  ...link,
  download_limit: null,
  expires_at: link.views_end_at,
})

/** Has a view left, or this browser a running one? */
export const hasViews = ({
  view_limit,
  views,
  viewing,
}: Pick<KnownLink, 'view_limit' | 'views' | 'viewing'>): boolean =>
  view_limit === null || views < view_limit || viewing !== null

/** A view that begins now is counted. */
export const countsViews = ({
  view_limit,
  viewing,
}: Pick<KnownLink, 'view_limit' | 'viewing'>): boolean => view_limit !== null && viewing === null

/** Why the file of the link may not be viewed now; null: it may. */
export function whyNotViewed(
  link: KnownLink,
  sites: readonly string[] | null,
  now: Date,
): ErrorCode | null {
  return viewRefusal(link, sites, now) ?? (hasViews(link) ? null : 'views_used_up')
}

const TAG_PROBLEMS = { missing: 'customer_tag_missing', guest: 'customer_unknown' } as const

const HOLDS: readonly DeliveryBlock[] = ['held', 'preparing', 'delayed']
const isHeld = ({ blocked }: KnownLink) => blocked !== null && HOLDS.includes(blocked)

type RefusalText = Pick<MessagePage, 'title' | 'happened' | 'advice'>

const HELD_TEXTS: Readonly<Record<string, MessageKey>> = {
  preparing: 'order.preparing',
  delayed: 'order.delayed',
}

/** The text of each refusal; those about a link are for the holder of its key. */
const TEXTS: Partial<
  Record<ErrorCode, (t: Translator, link: KnownLink | null, now: Date) => RefusalText>
> = {
  link_not_released: (t, link) => ({
    title: t('notReleased.title'),
    happened: link?.available_at
      ? t('notReleased.happened', { moment: t.moment(link.available_at, link.look.timeZone) })
      : '',
    advice: t('notReleased.advice'),
  }),
  customer_tag_missing: (t, link) => ({
    title: t('customerTag.title'),
    happened: t('customerTag.missing', { shop: link?.shopName ?? '' }),
    advice: t('customerTag.advice', { shop: link?.shopName ?? '' }),
  }),
  customer_unknown: (t, link) => ({
    title: t('customerTag.title'),
    happened: t('customerTag.guest', { shop: link?.shopName ?? '' }),
    advice: t('customerTag.advice', { shop: link?.shopName ?? '' }),
  }),
  link_expired: (t, link, now) => ({
    title: t('expired.title'),
    happened: link?.expires_at ? endedText(t, link, link.expires_at, now) : '',
    advice: askFor(t, link),
  }),
  link_exhausted: (t, link) => ({
    title: t(link?.delivery ? 'order.endedTitle' : 'exhausted.title'),
    happened: link?.delivery
      ? t('order.ended')
      : t('exhausted.happened', { limit: link?.download_limit ?? 0 }),
    advice: askFor(t, link),
  }),
  views_used_up: (t, link) => ({
    title: t('views.usedUpTitle'),
    happened: t('views.usedUp', { limit: link?.view_limit ?? 0 }),
    advice: askFor(t, link),
  }),
  views_expired: (t, link, now) => ({
    title: t('views.expiredTitle'),
    happened: link?.view_expires_at
      ? t('views.expired', { day: t.end(link.view_expires_at, link.look.timeZone, now) })
      : '',
    advice: askFor(t, link),
  }),
  link_held: (t, link) => ({
    title: t(link?.blocked === 'held' ? 'order.heldTitle' : 'order.preparingTitle'),
    happened: t(HELD_TEXTS[link?.blocked ?? ''] ?? 'order.held', { shop: link?.shopName ?? '' }),
    advice: link?.blocked === 'preparing' ? '' : t('order.heldAdvice'),
  }),
  link_withdrawn: (t, link) =>
    endedOrder(t, link) ?? {
      title: t('withdrawn.title'),
      happened: t('withdrawn.happened', { pack: Boolean(link?.pack) }),
      advice: askFor(t, link),
    },
  link_unavailable: (t) => ({
    title: t('unavailable.title'),
    happened: t('unavailable.happened'),
    advice: t('unavailable.advice'),
  }),
  file_not_found: (t) => ({
    title: t('noFile.title'),
    happened: t('noFile.happened'),
    advice: t('noFile.advice'),
  }),
  referrer_not_allowed: (t) => ({
    title: t('referrer.title'),
    happened: t('referrer.happened'),
    advice: t('referrer.advice'),
  }),
  file_view_only: (t) => ({ title: t('view.onlyTitle'), happened: t('view.onlyHappened') }),
  view_needs_cookie: (t) => ({
    title: t('views.cookieTitle'),
    happened: t('views.cookie'),
    advice: t('views.cookieAdvice'),
  }),
  view_ended: (t) => ({ title: t('view.endedTitle'), happened: '', advice: t('view.endedAdvice') }),
  rate_limited: (t) => ({
    title: t('tooOften.title'),
    happened: t('tooOften.happened'),
    advice: t('tooOften.advice'),
  }),
  payload_too_large: (t) => ({
    title: t('tooLong.title'),
    happened: t('tooLong.happened'),
    advice: t('tooLong.advice'),
  }),
  validation_failed: (t) => ({
    title: t('invalid.title'),
    happened: t('invalid.happened'),
  }),
  file_damaged: (t) => uncounted(t, 'damaged.title', 'damaged.advice'),
  unavailable: (t) => uncounted(t, 'away.title', 'away.advice'),
  range_not_satisfiable: (t) => uncounted(t, 'range.title', 'again.advice'),
  precondition_failed: (t) => uncounted(t, 'changed.title', 'again.advice'),
}

/** The end of a rental is always told with its time of day. */
const endedText = (
  t: Translator,
  { first_used_at, use_hours, look: { timeZone } }: KnownLink,
  end: Date,
  now: Date,
) =>
  t('expired.happened', {
    day: first_used_at && use_hours !== null ? t.moment(end, timeZone) : t.end(end, timeZone, now),
  })

/** Why an order's files ended, of which buyers are told. */
const ORDER_ENDS = ['refused', 'cancelled', 'refunded', 'partlyRefunded'] as const

/** The text for a delivery that has ended; null: for any other link. */
function endedOrder(t: Translator, link: KnownLink | null): RefusalText | null {
  if (!link || link.uninstalled) return null
  const { blocked, shopName: shop } = link
  const end = ORDER_ENDS.find((one) => one === blocked)
  if (end === undefined) return null
  return {
    title: t('order.goneTitle'),
    happened: t(`order.${end}`, { shop }),
    advice: t('order.askIfWrong', { shop }),
  }
}

function askFor(t: Translator, link: KnownLink | null): string {
  if (!link || link.uninstalled) return t('advice.askSender')
  return t('advice.askShop', { shop: link.shopName })
}

const uncounted = (t: Translator, title: MessageKey, advice: MessageKey): RefusalText => ({
  title: t(title),
  happened: t('notCounted'),
  advice: t(advice),
})

/** For errors that only a faulty client causes: a wrong method, a body that is not a form. */
const invalidRequest = (t: Translator): RefusalText => ({
  title: t('refused.title'),
  happened: '',
  advice: t('refused.advice'),
})

const MAY_ASK: readonly ErrorCode[] = [
  'link_expired',
  'link_exhausted',
  'views_used_up',
  'views_expired',
  'link_withdrawn',
  'validation_failed',
]

/** The end of downloads does not end views, and the reverse. */
const VIEWABLE: readonly ErrorCode[] = ['file_view_only', 'link_exhausted', 'link_expired']
const VIEWED: readonly ErrorCode[] = ['views_used_up', 'views_expired']

const FILES = ['/download', '/files', '/cdn']

/** Does the address lead to a file, or perhaps to a page with files, and not only to a page? */
const leadsToFile = (request: IncomingMessage): boolean =>
  FILES.includes(deliveryAddress(request.url) ?? '') && !opensPage(request)

function pageOf(
  request: IncomingMessage,
  code: ErrorCode,
  { link = null, shop, ask, now, key }: RefusalContext,
): RenderedPage {
  const at = now ?? new Date()
  const shown = link ? (link.uninstalled ? undefined : shownShop(link)) : shop
  const frame: Frame = {
    t: link ? translatorForLink(request, link) : translatorForRequest(request, shown?.look),
    shop: shown,
  }
  const { t } = frame
  const page: MessagePage =
    code === 'unavailable' && !leadsToFile(request)
      ? { title: t('away.pageTitle'), happened: '', advice: t('away.advice') }
      : (TEXTS[code] ?? invalidRequest)(t, link, at)
  if (!link || link.uninstalled) return renderMessage(frame, page)
  const name = nameShown(t, code, link)
  const button = otherUse(request, t, code, { link, key: ask?.key ?? key, now: at })
  const whole =
    name === undefined ? page : { ...page, name, button, ...viewsLeft(t, code, link, button) }
  // More downloads would not help the buyer of a blocked delivery.
  if (!ask || !now || link.blocked || !link.look.askAgain || !MAY_ASK.includes(code))
    return renderMessage(frame, whole)
  if (!hasAsked(link, now)) return renderMessage(frame, { ...whole, ask })
  const advice = t('advice.asked', { shop: link.shopName })
  return renderMessage(frame, { ...whole, advice })
}

/** How many views are left, as a delivery's page says it. */
const viewsLeft = (
  t: Translator,
  code: ErrorCode,
  { view_limit: limit, views }: KnownLink,
  button: PageButton | null,
): Pick<MessagePage, 'viewsLeft'> =>
  button && limit !== null && VIEWABLE.includes(code)
    ? { viewsLeft: t('views.left', { count: Math.max(0, limit - views) }) }
    : {}

/** The button for what is left: the view of a file that is not downloaded, or its download. */
function otherUse(
  request: IncomingMessage,
  t: Translator,
  code: ErrorCode,
  { link, key, now }: { link: KnownLink; key: string | undefined; now: Date },
): PageButton | null {
  const { target } = link
  if (!key || !target?.hash) return null
  if (VIEWABLE.includes(code) && whyNotViewed(link, null, now) === null)
    return linkViewButton(request, t, link, key)
  const isLeft = !isViewOnly(target) && refusalReason(link, null, now) === null
  if (!VIEWED.includes(code) || !isLeft) return null
  return {
    address: relativeToPage(request, `download?key=${key}&${PAGE}${passedTokens(request)}`),
    text: t('pack.download'),
    named: t('pack.downloadNamed', { filename: target.filename }),
    post: false,
  }
}

/** The button that opens the view of a link's file. Null: the file is not viewed. */
export const linkViewButton = (
  request: IncomingMessage,
  t: Translator,
  link: KnownLink,
  key: string,
): PageButton | null =>
  link.target &&
  viewButtonOf(t, link.target, {
    address: relativeToPage(request, `view?key=${key}${passedTokens(request)}`),
    counted: countsViews(link),
  })

function nameShown(t: Translator, code: ErrorCode, link: KnownLink): string | undefined {
  if (link.delivery)
    return t('order.number', { order: present(link.pack, 'The name of the order').name })
  // A file may have been withdrawn because of its name.
  return code === 'link_withdrawn'
    ? undefined
    : link.target
      ? shownName(link.target.filename, link.target.contentType)
      : link.pack?.name
}

/** In the language of the order, if the link belongs to one. */
export const translatorForLink = (
  request: IncomingMessage,
  { locale, look, uninstalled }: KnownLink,
): Translator =>
  translatorForRequest(request, uninstalled ? {} : { locale, language: look.language })

export const shownShop = (link: KnownLink): ShownShop => ({
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
  about: RefusalContext = {},
): void {
  const body =
    about.json || prefersJson(request.headers.accept)
      ? { json: errorBody(response, code, about.details ?? []) }
      : pageOf(request, code, about)
  sendPage(request, response, ERRORS[code].status, body, about.headers)
}

/** Sets the header with the request's id, which the access log has. */
function errorBody(
  response: ServerResponse,
  code: ErrorCode,
  details: readonly ErrorDetail[],
): object {
  const request_id = requestId()
  response.setHeader('X-Request-Id', request_id)
  const { type, message, status } = ERRORS[code]
  const about = {
    details: details.map(storedProblem),
    details_total: details.length,
    request_id,
  }
  return { error: { type, code, message, status, param: null, ...about } }
}
