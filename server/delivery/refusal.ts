// The page or the JSON body that says why there is no download. A stranger always gets the same
// one. The holder of a link's key learns what happened to the link and what to do, and may ask the
// shop for more.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS, type ErrorCode, type ErrorDetail } from '../errors.ts'
import { linkStatus } from '../files/links.ts'
import type { KnownLink } from './counting.ts'
import { renderMessage, sendPage, type AskForm, type MessagePage, type ShopNamed } from './pages.ts'
import { isSiteAllowed } from './referrers.ts'
import { prefersJson } from './request.ts'

/** How long a link that has asked must wait before it may ask again. */
export const ASK_EVERY_MS = 24 * 60 * 60 * 1000

/** For a damaged file: it must be restored first. */
export const RETRY_LATER: readonly string[] = ['Retry-After', '3600']

/** What a refusal is about. */
export interface Refused {
  /** The link whose key the client holds. */
  link?: KnownLink | null
  /** The shop of a public file. */
  shop?: ShopNamed
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
  if (link.held && !link.uninstalled) return 'link_held'
  if (link.uninstalled || link.out) return 'link_withdrawn'
  const status = linkStatus(link, now)
  if (status === 'expired' || status === 'exhausted') return `link_${status}`
  if (status !== 'active') return 'link_withdrawn'
  return isSiteAllowed(link.referrers, sites) ? null : 'referrer_not_allowed'
}

type RefusalText = Pick<MessagePage, 'title' | 'happened' | 'advice'>

/** The text of each refusal; those about a link are for the holder of its key. */
const TEXTS: Partial<Record<ErrorCode, (link: KnownLink | null) => RefusalText>> = {
  link_expired: (link) => {
    const day = link?.expires_at?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
    return {
      title: 'This link has expired',
      happened: `It could be used until ${day}.`,
      advice: askFor(link),
    }
  },
  link_exhausted: (link) => {
    if (link?.delivery)
      return {
        title: 'There is nothing left to download',
        happened: 'Its files were downloaded as often as they may be, or have expired.',
        advice: askFor(link),
      }
    const times = link?.download_limit === 1 ? 'once' : `${link?.download_limit} times`
    const happened = `It could be used ${times}, and it has been.`
    return { title: 'This link has been used up', happened, advice: askFor(link) }
  },
  link_held: (link) => ({
    title: 'Your order is being checked',
    happened: `${link?.shopName ?? 'The shop'} has to release the files before you can download them.`,
    advice: 'Come back later. This link stays the same.',
  }),
  link_withdrawn: (link) => {
    const happened = `The ${link?.pack ? 'files are' : 'file is'} no longer offered through this link.`
    return { title: 'This link was withdrawn', happened, advice: askFor(link) }
  },
  link_unavailable: () => ({
    title: 'This link does not work',
    happened: 'The address may be incomplete, or the link may be gone.',
    advice:
      'Check that you have copied all of it, or ask the shop that sent it to you for a new one.',
  }),
  file_not_found: () => ({
    title: 'There is no file at this address',
    happened: 'The address may be incomplete, or the file may no longer be offered here.',
    advice: 'Check that you have copied all of it, or ask the sender for another one.',
  }),
  referrer_not_allowed: () => ({
    title: 'Not from that site',
    happened: 'This file may not be downloaded from the site that led you here.',
    advice: 'Go to the shop itself, or open the link in the message in which you got it.',
  }),
  rate_limited: () => ({
    title: 'That was too often',
    happened: 'Your message was not sent: too many came from your network.',
    advice: 'Try again in an hour.',
  }),
  payload_too_large: () => ({
    title: 'That was too much',
    happened: 'Your message was not sent: it is too long.',
    advice: 'Go back, shorten it, and send it again.',
  }),
  validation_failed: () => ({
    title: 'Look at your message once more',
    happened: 'It was not sent yet.',
  }),
  file_damaged: () =>
    uncounted(
      'This file is damaged',
      'The shop has been told of it. Try again later, or ask the shop for the file.',
    ),
  unavailable: () => uncounted('The download could not start', 'Try again in a minute.'),
  range_not_satisfiable: () =>
    uncounted('The file has no such part', 'Start the download again from the beginning.'),
  precondition_failed: () =>
    uncounted('The file has changed', 'Start the download again from the beginning.'),
}

function askFor(link: KnownLink | null): string {
  if (!link || link.uninstalled) return 'Ask the shop that sent it to you for a new link.'
  return `If you need it again, ask ${link.shopName}.`
}

const uncounted = (title: string, advice: string) => ({
  title,
  happened: 'This was not counted as a download.',
  advice,
})

const MAY_ASK: readonly ErrorCode[] = [
  'link_held',
  'link_expired',
  'link_exhausted',
  'link_withdrawn',
  'validation_failed',
]

function pageOf(code: ErrorCode, { link = null, shop, ask, now }: Refused): MessagePage {
  const page = TEXTS[code]?.(link) ?? { title: ERRORS[code].message, happened: '', advice: '' }
  if (!link || link.uninstalled) return shop ? { ...page, shop } : page
  const named = { ...page, shop: { name: link.shopName, domain: link.shopDomain } }
  // A file may have been withdrawn because of its name.
  const name = code === 'link_withdrawn' ? undefined : (link.target?.filename ?? link.pack?.name)
  const whole = name === undefined ? named : { ...named, name }
  if (!ask || !now || !MAY_ASK.includes(code)) return whole
  if (hasAsked(link, now))
    return { ...whole, advice: `${link.shopName} has been asked for more: wait for an answer.` }
  return { ...whole, ask }
}

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
    : { html: renderMessage(pageOf(code, about)) }
  sendPage(request, response, ERRORS[code].status, body, about.headers)
}

function errorBody(code: ErrorCode, details: readonly ErrorDetail[]): object {
  const { type, message, status } = ERRORS[code]
  const about = { details, details_total: details.length, request_id: randomUUID() }
  return { error: { type, code, message, status, param: null, ...about } }
}
