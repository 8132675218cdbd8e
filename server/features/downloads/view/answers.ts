// GET /view?key=…: reads or plays the file of a link in the browser. The page opens a separate
// session: the bytes are served at signed addresses to this browser alone, for as long as the link
// may be viewed. A view counts no download and does not need one to be left. If the link has a limit of
// views, a session begins with a POST, the button of a page, which is counted.
import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '../../../core/errors.ts'
import { hashKey, type Secrets } from '../../../core/secrets.ts'
import type { Client } from '../../../core/client-address.ts'
import { evaluateConditions } from '../../../http/conditions.ts'
import { PAGE_HEADERS } from '../../../http/headers.ts'
import { offeredView, type ViewKind } from '../../../files/view-kinds.ts'
import { UNCOUNTED } from '../counting/file-transfer.ts'
import type { KnownLink } from '../counting/known-link.ts'
import type { LinkCounter } from '../counting/link-counter.ts'
import type { Gates } from '../gates/gates.ts'
import { askForm } from '../link-pages.ts'
import {
  countsViews,
  hasViews,
  refuse,
  RETRY_LATER,
  viewRefusal,
  withViewTerms,
} from '../refusal.ts'
import type { RecordedViews } from '../recorded-views.ts'
import { type RefusedAttempts, refusedReason } from '../refused-attempts.ts'
import { isKey, PAGE, relativeToPage, sitesIn, viewerIn } from '../request.ts'
import {
  isBodiless,
  rangeOfAnswer,
  representation,
  type Part,
  type Visit,
  sendBody,
} from '../response.ts'
import type { ByteServer } from '../serve.ts'
import type { LinkTarget, Query } from '../targets.ts'
import { withTokens } from '../gate-tokens.ts'
import { VIEW_SECONDS, viewSession } from '../viewers.ts'
import type { ViewSessions } from '../view-sessions.ts'
import { createViewAddresses, type ViewAddresses } from './address.ts'
import { readAsset } from './assets.ts'
import { readCompanions } from './playlist.ts'
import { isSubtitles, webVttOf, READER, sendView } from './page.ts'
import { sendStart } from './start-page.ts'

export interface ViewParts {
  query: Query
  secrets: Secrets
  counter: Pick<LinkCounter, 'lookUp' | 'noteView'>
  serving: ByteServer
  clientOf: (request: IncomingMessage) => Client
  attempts: Pick<RefusedAttempts, 'record'>
  views: Pick<RecordedViews, 'record'>
  sessions: Pick<ViewSessions, 'open'>
  gates: Gates
  /** Cookies are sent over HTTPS alone. */
  secure: boolean
}

export function createViewAnswers(parts: ViewParts) {
  const addresses = createViewAddresses(parts.secrets)
  return {
    view: (visit: Visit, key: string | null) =>
      key === null
        ? refuse(visit.request, visit.response, 'link_unavailable')
        : openView(parts, addresses, visit, key),
    bytes: (visit: Visit) => sendBytes(parts, addresses, visit),
    reader: sendReader,
    asset: sendAsset,
  }
}

async function openView(
  parts: ViewParts,
  addresses: ViewAddresses,
  visit: Visit,
  key: string,
): Promise<void> {
  const { request, response } = visit
  const found = await findLink(parts, visit, key)
  if (!found) return refuse(request, response, 'link_unavailable')
  const { link, reason } = found
  if (reason !== null) return refuseView(parts, visit, { ...found, key }, reason)
  if (!parts.gates.isOpen(visit, link)) return parts.gates.ask(visit, link, { key, to: 'view' })
  const { target } = link
  // Pages of deliveries and packs, files that are only downloaded, and those without bytes yet.
  const kind = target?.hash ? offeredView(target) : null
  if (!target || kind === null) return sendToPage(visit, key)
  if (target.damaged)
    return refuse(request, response, 'file_damaged', { link, headers: RETRY_LATER })
  if (request.method === 'POST') return startView(parts, visit, { ...found, key })
  if (!hasViews(link)) return refuseView(parts, visit, { ...found, key }, 'views_used_up')
  if (countsViews(link)) return sendStart(visit, { ...link, target }, key)
  return showView(parts, addresses, visit, { link, key, target, kind })
}

interface ShownView {
  link: KnownLink
  key: string
  target: LinkTarget
  kind: ViewKind
}

async function showView(
  parts: ViewParts,
  addresses: ViewAddresses,
  visit: Visit,
  { link, key, target, kind }: ShownView,
): Promise<void> {
  const { request, now } = visit
  const session = viewSession(request, parts.secure)
  const { tokens } = parts.gates
  const latest = new Date(now.getTime() + VIEW_SECONDS * 1000)
  const viewer = viewerIn(request)
  const all = await readCompanions(parts.query, parts.secrets, link, { kind, now, viewer })
  const files = all.files.filter(({ gate }) => gate === null || tokens.opens(request, gate, now))
  sendView(visit, {
    link,
    companions: { ...all, files },
    session,
    until: link.viewing ?? latest,
    opened: { key, target, gate: link.gate, viewing: link.viewing },
    addressOf: ({ key: of, target: { hash }, gate, viewing }) =>
      addresses.queryOf({ key: of, hash }, session.id, viewing ?? latest) +
      (gate === null ? '' : withTokens([tokens.make(gate, now, VIEW_SECONDS)])),
  })
}

type AskedLink = FoundLink & { key: string }

function refuseView(
  { attempts }: Pick<ViewParts, 'attempts'>,
  { request, response, now }: Visit,
  { link, client, key }: AskedLink,
  code: ErrorCode,
): void {
  refuse(request, response, code, {
    link: withEnd(link, code),
    now,
    ask: askForm(request, key),
  })
  const why = request.method === 'HEAD' ? null : refusedReason(link, code, now)
  if (why) attempts.record(link, why, client, now)
}

/** The page of an expired link names the end of its views, which a rental may have set. */
const withEnd = (link: KnownLink, code: ErrorCode): KnownLink =>
  code === 'link_expired' ? { ...link, expires_at: withViewTerms(link).expires_at } : link

const RETURNED = 'cookie=1'
const isReturned = ({ url = '' }: IncomingMessage): boolean => /[?&]cookie=1(?:&|$)/.test(url)

/**
 * The button of a page: counts a view and leads to it. A browser without our cookie gets one first and
 * sends the same request again, so that nothing is counted for one that refuses cookies.
 */
async function startView(
  { sessions, secure, attempts, gates }: ViewParts,
  visit: Visit,
  asked: AskedLink,
): Promise<void> {
  const { request, response, now } = visit
  const { link, key } = asked
  request.resume()
  const tokens = withTokens(gates.tokens.current(request, now))
  const address = (more: string) => relativeToPage(request, `view?key=${key}${more}${tokens}`)
  const redirect = (status: 303 | 307, location: string, headers: readonly string[] = []) =>
    response
      .writeHead(status, [...PAGE_HEADERS, ...headers, 'Location', location, 'Content-Length', '0'])
      .end()
  const viewer = viewerIn(request)
  if (viewer === null) {
    if (isReturned(request)) return refuse(request, response, 'view_needs_cookie', { link })
    const { cookie } = viewSession(request, secure)
    return void redirect(
      307,
      address(`&${RETURNED}`),
      cookie === null ? [] : ['Set-Cookie', cookie],
    )
  }
  if (countsViews(link) && !(await sessions.open({ link, viewer, now })))
    return refuseView({ attempts }, visit, asked, 'views_used_up')
  redirect(303, address(''))
}

interface FoundLink {
  link: KnownLink
  client: Client
  /** Why it may not be viewed; null: it may. */
  reason: ErrorCode | null
}

async function findLink(
  { counter, clientOf }: ViewParts,
  { request, now }: Visit,
  key: string,
): Promise<FoundLink | null> {
  const client = clientOf(request)
  const sites = sitesIn(request)
  const viewer = viewerIn(request)
  const link = isKey(key) ? await counter.lookUp({ key, client, sites, now, viewer }) : null
  return link && { link, client, reason: viewRefusal(link, sites, now) }
}

/** To the page of the link, which says what can be done with it. */
function sendToPage({ request, response }: Visit, key: string): void {
  const location = relativeToPage(request, `download?key=${key}&${PAGE}`)
  response.writeHead(303, [...PAGE_HEADERS, 'Location', location, 'Content-Length', '0']).end()
}

/** What loads the bytes of a view. Any other use is refused, such as the address bar. */
const LOADERS = ['image', 'audio', 'video', 'track', 'empty']

async function sendBytes(parts: ViewParts, addresses: ViewAddresses, visit: Visit): Promise<void> {
  const { request, response, now } = visit
  const loader = request.headers['sec-fetch-dest']
  const bytes = addresses.read(request, now)
  if (!bytes || (loader !== undefined && !LOADERS.includes(String(loader))))
    return refuse(request, response, 'view_ended')
  const found = await findLink(parts, visit, bytes.key)
  if (!found) return refuse(request, response, 'link_unavailable')
  const { link, reason } = found
  if (reason !== null)
    return refuse(request, response, reason, { link: withEnd(link, reason), now })
  if (!parts.gates.isOpen(visit, link)) return refuse(request, response, 'view_ended', { link })
  const { target } = link
  if (!target || !mayLoad(target)) return refuse(request, response, 'view_ended', { link })
  if (target.damaged)
    return refuse(request, response, 'file_damaged', { link, headers: RETRY_LATER })
  // The file has a new version, which the viewer must open from its beginning.
  if (target.hash !== bytes.hash) return refuse(request, response, 'precondition_failed', { link })
  if (isSubtitles(target)) {
    if (request.method !== 'HEAD') await parts.counter.noteView(link, now)
    return parts.serving.serveText(visit, target, WEB_VTT)
  }
  const decision = evaluateConditions(request.method ?? '', request.headers, representation(target))
  const keyHash = hashKey(bytes.key)
  const permit = { kind: 'link' as const, shop: link.shop, link: link.link, keyHash }
  const part: Part = { target, range: rangeOfAnswer(decision), permit }
  if (request.method === 'HEAD' || isBodiless(decision))
    return parts.serving.describe(visit, part, decision, { link })
  if (!(await countView(parts, visit, { ...found, key: bytes.key }))) return
  await parts.counter.noteView(link, now)
  await parts.serving.serve(visit, part, UNCOUNTED)
}

/**
 * Records the view; counts it if the browser has no session of the link: it is a further track of the
 * page, or the link got a limit since the page was opened. False: the request was refused.
 */
async function countView(
  { sessions, attempts, views }: ViewParts,
  visit: Visit,
  asked: AskedLink,
): Promise<boolean> {
  const { request, now } = visit
  const { link, client } = asked
  const viewer = viewerIn(request)
  if (countsViews(link) && !(viewer && (await sessions.open({ link, viewer, now })))) {
    refuseView({ attempts }, visit, asked, 'views_used_up')
    return false
  }
  views.record(link, client, now)
  return true
}

const WEB_VTT = { type: 'text/vtt; charset=utf-8', of: webVttOf }

const mayLoad = (target: LinkTarget): boolean => offeredView(target) !== null || isSubtitles(target)

/** For the reader's frame, which has no origin. */
const OPEN_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Access-Control-Allow-Origin',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

async function sendAsset(visit: Visit, name: string): Promise<void> {
  const asset = await readAsset(name)
  if (!asset) return refuse(visit.request, visit.response, 'file_not_found')
  const cached = ['Cache-Control', 'public, max-age=31536000, immutable']
  sendBody(visit, [...OPEN_HEADERS, 'Content-Type', asset.type, ...cached], asset.bytes)
}

const sendReader = (visit: Visit): void =>
  sendBody(
    visit,
    [
      ...PAGE_HEADERS,
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Security-Policy',
      READER.policy,
    ],
    READER.html,
  )
