// Parses a buyer's request: which address of delivery it is, whether it asks for anything but the
// whole file, and what it brings: most requests have no Referer, cookie or answer.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'
import { tokensIn, withTokens } from './gate-tokens.ts'
import { askedLocale } from './translate.ts'
import { viewerOf } from './viewers.ts'
import { createSigner, hasPassed, readSignedUntil, untilAfter } from './signer.ts'

/** An address of delivery. */
export type Route =
  | { kind: 'link'; key: string | null }
  | { kind: 'ask' }
  | { kind: 'open' }
  | { kind: 'picture'; key: string | null }
  | { kind: 'product'; key: string | null }
  | { kind: 'public'; token: string }
  /** Made and checked by signed.ts. */
  | { kind: 'signed'; path: string }
  | { kind: 'view'; key: string | null }
  /** Made and checked by view/address.ts. */
  | { kind: 'viewBytes' }
  | { kind: 'viewReader' }
  | { kind: 'viewAsset'; name: string }

// Mail programs and people add a slash.
const LINK = /^\/download\/?(?:\?|$)/
const ASK = /^\/download\/ask(?:\?|$)/
const OPEN = /^\/download\/open(?:\?|$)/
const PICTURE = /^\/download\/picture\?/
const PRODUCT = /^\/download\/product\?/
const PUBLIC = /^\/files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[^/?]+(?:\?|$)/
const VIEW = /^\/view\/?(?:\?|$)/
const VIEW_BYTES = /^\/view\/bytes\?/
const VIEW_READER = /^\/view\/reader(?:\?|$)/
const VIEW_ASSET = /^\/view\/assets\/[0-9a-f]{16}\/([\w./-]+)$/
const SIGNED = /^\/cdn\/[^?]+/
// A key is 256 bits in base64url: anything else is refused without a query.
const KEY = /^[A-Za-z0-9_-]{43}$/
const KEY_ASKED = /[?&]key=([A-Za-z0-9_-]{43})(?:&|$)/
const CONDITIONS = [
  'range',
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
] as const

/** The route of an address; null if it is not an address of delivery. */
export function routeOf(url: string | undefined): Route | null {
  if (url === undefined) return null
  if (LINK.test(url)) return { kind: 'link', key: KEY_ASKED.exec(url)?.[1] ?? null }
  if (PICTURE.test(url)) return { kind: 'picture', key: KEY_ASKED.exec(url)?.[1] ?? null }
  if (PRODUCT.test(url)) return { kind: 'product', key: KEY_ASKED.exec(url)?.[1] ?? null }
  const token = PUBLIC.exec(url)?.[1]
  if (token !== undefined) return { kind: 'public', token }
  const path = SIGNED.exec(url)?.[0]
  if (path !== undefined) return { kind: 'signed', path }
  if (OPEN.test(url)) return { kind: 'open' }
  return ASK.test(url) ? { kind: 'ask' } : viewRouteOf(url)
}

function viewRouteOf(url: string): Route | null {
  if (!url.startsWith('/view')) return null
  if (VIEW.test(url)) return { kind: 'view', key: KEY_ASKED.exec(url)?.[1] ?? null }
  if (VIEW_BYTES.test(url)) return { kind: 'viewBytes' }
  if (VIEW_READER.test(url)) return { kind: 'viewReader' }
  const name = VIEW_ASSET.exec(url)?.[1]
  return name === undefined ? null : { kind: 'viewAsset', name }
}

/** A relative address from the page to `download?key=…`, `download/ask` or `view?key=…`. */
export const relativeToPage = (request: IncomingMessage, address: string): string =>
  withLocale(request, fromPage(request, address))

/** The same without the page's language, for addresses of files. */
export const fromPage = ({ url = '' }: IncomingMessage, address: string): string =>
  /^\/(?:download|view)\//.test(url) ? `../${address}` : address

/** Passes the language that this page's address names on to the next page. */
export function withLocale({ url }: IncomingMessage, address: string): string {
  const locale = askedLocale(url)
  if (locale === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}locale=${locale}`
}

const ADDRESSES: Readonly<Record<Route['kind'], string>> = {
  link: '/download',
  ask: '/download/ask',
  open: '/download/open',
  picture: '/download/picture',
  product: '/download/product',
  public: '/files',
  signed: '/cdn',
  view: '/view',
  viewBytes: '/view/bytes',
  viewReader: '/view/reader',
  viewAsset: '/view/assets',
}

/** The address without its variable parts, as a metrics label; null: not an address of delivery. */
export function deliveryAddress(url: string | undefined): string | null {
  const route = routeOf(url)
  return route && ADDRESSES[route.kind]
}

/** Does the request ask for all files as one ZIP file rather than for the page? */
export const wantsArchive = ({ url = '' }: IncomingMessage): boolean => /[?&]all=1(?:&|$)/.test(url)

/** Such an address opens a page with a button, for every program that requests it. */
export const PAGE = 'page=1'
export const opensPage = ({ url = '' }: IncomingMessage): boolean => /[?&]page=1(?:&|$)/.test(url)

/** The shop looks at the page of its buyer, from the page of the delivery. */
export const isOpenedByShop = ({ url = '' }: IncomingMessage): boolean =>
  /[?&]preview=1(?:&|$)/.test(url)

export const isKey = (text: string): boolean => KEY.test(text)

/** A GET without Range and conditions: it gets the whole file and is counted. */
export const isPlain = (request: IncomingMessage): boolean =>
  request.method === 'GET' && !hasConditions(request)

/** Does the request have a Range, or a condition on the client's copy? */
export const hasConditions = ({ headers }: IncomingMessage): boolean =>
  CONDITIONS.some((name) => headers[name] !== undefined)

const RANGE_START = /^bytes=[ \t]*(\d+)-/i

/** What a request for a part says about the copy that its client has begun (`Asker`). */
export function resumedPart({ headers }: IncomingMessage): {
  offset: number | null
  later: boolean
} {
  const start = Number(RANGE_START.exec(headers.range ?? '')?.[1] ?? 0)
  const condition = headers['if-range'] ?? headers['if-match'] ?? ''
  // Whether the tag is that of the file is decided with the other conditions.
  const tagged = String(condition).trim().startsWith('"')
  return { offset: tagged && start > 0 ? start : null, later: start > 0 }
}

/** The sites that lead to the request (`sitesOf`); null: any, or it has no Referer. */
export const sitesIn = ({ headers: { referer } }: IncomingMessage): readonly string[] | null =>
  referer === undefined ? null : sitesOf(referer)

/** The browser of the request (`viewerOf`); null: it has no cookie of ours. */
export const viewerIn = (request: IncomingMessage): Buffer | null =>
  request.headers.cookie === undefined ? null : viewerOf(request)

/** Whether it may bring answers, in its address or a cookie: most requests have neither. */
export const mayBringAnswers = ({
  url,
  headers: { cookie },
}: Pick<IncomingMessage, 'url' | 'headers'>): boolean =>
  cookie !== undefined || (url?.includes('open=') ?? false)

/** What to add to an address so that what this request has opened stays open there. */
export const passedTokens = (request: IncomingMessage): string =>
  request.url?.includes('open=') ? withTokens(tokensIn(request)) : ''

/** Does the client want JSON rather than a page? */
export function prefersJson(accept: string | undefined): boolean {
  if (!accept) return false
  const json = weight(accept, 'application/json')
  return json > 0 && json > weight(accept, 'text/html')
}

function weight(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    if (name !== type) continue
    const q = parameters.find((text) => text.startsWith('q='))
    return q ? Number(q.slice(2)) || 0 : 1
  }
  return 0
}

// Which sites may link to a file. A request without a Referer is allowed: mail programs, address
// bars and some browsers send none, and any client can forge it. This stops other sites from
// embedding a file as their own; it is not access control. Mail that is read in a browser leads to its
// links with a Referer, and no merchant can list all providers of buyers: it counts as none.

/** `mail.google.com`, `outlook.live.com`, `webmail.example.edu` … */
const MAIL_HOST = /^(?:mail|webmail|email|outlook|owa|roundcube)\./
/** Providers whose hosts have other names, and the addresses through which filters lead. */
const MAIL_SITE =
  /(?:^|\.)(?:safelinks\.protection\.outlook\.com|linkprotect\.cudasvc\.com|urldefense\.(?:com|proofpoint\.com)|icloud\.com|fastmail\.com|gmx\.net|web\.de|deref-(?:gmx\.net|web\.de))$/

/**
 * The names under which a Referer's site may be listed: its host, and `*.` with each parent domain.
 * The result is null without a Referer, or if it is that of an app or of a mailbox.
 */
export function sitesOf(referer: string | undefined): readonly string[] | null {
  if (!referer) return null
  const url = URL.parse(referer)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return null
  if (MAIL_HOST.test(url.hostname) || MAIL_SITE.test(url.hostname)) return null
  const labels = url.hostname.replace(/\.$/, '').split('.')
  return [
    labels.join('.'),
    ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`),
  ]
}

/** The same rule as `siteAllowed` (targets.ts). `allowed`: empty for any site. */
export const isSiteAllowed = (
  allowed: readonly string[],
  sites: readonly string[] | null,
): boolean => allowed.length === 0 || sites === null || sites.some((site) => allowed.includes(site))

// The address to which the button of a page leads: GET /download?key=…&start=…. It is signed, so that
// no program that reads the page or guesses addresses begins a download. It begins one for some
// minutes; later it only continues one. docs/decisions/0082.

/** For a slow connection, and an app that hands the address over to another one. */
const START_SECONDS = 10 * 60

const GIVEN = /[?&]start=([^&]*)/

/** Is it the address of a download, valid or not? A program that gets a page for it must notice. */
export const leadsToBytes = ({ url = '' }: IncomingMessage): boolean => GIVEN.test(url)

/** `none`: the address has no such part. `ended`: it begins no download any more. */
export type StartState = 'none' | 'fresh' | 'ended' | 'forged'

export interface StartAddresses {
  /** What to add to the address of a link, or of all files of a page. */
  queryOf(key: string, all: boolean, now: Date): string
  stateOf(request: IncomingMessage, key: string, all: boolean, now: Date): StartState
}

export function createStartAddresses(
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>,
): StartAddresses {
  const signer = createSigner(secrets, 'start')
  const textOf = (key: string, all: boolean, until: string) =>
    [key, all ? 'all' : '', until].join('/')
  return {
    queryOf: (key, all, now) => {
      const until = untilAfter(now, START_SECONDS)
      return `&start=${until}.${signer.sign(textOf(key, all, until))}`
    },
    stateOf: ({ url = '' }, key, all, now) => {
      const given = GIVEN.exec(url)?.[1]
      if (given === undefined) return 'none'
      const read = readSignedUntil(given)
      if (read === null || !signer.isSigned(textOf(key, all, read.until), read.signature))
        return 'forged'
      return hasPassed(read.until, now) ? 'ended' : 'fresh'
    },
  }
}
