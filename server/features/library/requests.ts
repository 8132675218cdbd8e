// /library and /library/request: requests of buyers, answered before Koa like downloads. The answer
// to a request for a key is the same for every address, and nothing is looked up before it is sent:
// neither its content nor its time says who has bought here. docs/decisions/0061.
import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { emailAddress, ownValue } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope, findShop, type Shop } from '../../core/db/for-shop.ts'
import { openRateLimit, type RateLimit } from '../../core/db/callers.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import { readShop } from '../../files/shop-settings.ts'
import { networkOfRequest } from '../../core/client-address.ts'
import type { RawMount } from '../../http/listen.ts'
import type { Delivery } from '../downloads/downloads.ts'
import { createGateTokens, type GateTokens } from '../downloads/gate-tokens.ts'
import { FormRefusal, isJson, readForm } from '../downloads/form.ts'
import { sendPage, type Frame, type RenderedPage } from '../downloads/pages.ts'
import { refuse } from '../downloads/refusal.ts'
import { isKey, prefersJson, withLocale } from '../downloads/request.ts'
import { isScanner } from '../downloads/scanners.ts'
import { askedLocale, translatorForRequest } from '../downloads/translate.ts'
import { viewerOf } from '../downloads/viewers.ts'
import { MAX_PAGES, readLibrary, type LibraryItem } from './items.ts'
import { findLibraryKey, lastVisit, requestLibrary, visitLibrary } from './keys.ts'
import {
  renderLibrary,
  renderNoAddress,
  renderRequested,
  renderRequestForm,
  renderTooOften,
} from './pages.ts'

const LIBRARY_PATH = '/library'
const REQUEST_PATH = '/library/request'

const HOUR_SECONDS = 60 * 60
/** An office, or a storefront's server that asks for its buyers. */
const REQUESTS_PER_NETWORK = 60
const MAILS_PER_ADDRESS = 3
const MAX_SEARCH = 100

export interface LibraryParts {
  database: Database
  secrets: Secrets
  log: Logger
  clock: () => Date
  trustProxy: boolean
  delivery: Pick<Delivery, 'lookOf'>
}

interface LibraryPageParts extends LibraryParts {
  tokens: Pick<GateTokens, 'opens'>
}

interface LibraryVisit {
  request: IncomingMessage
  response: ServerResponse
  query: URLSearchParams
  now: Date
}

/** Counts mails to an address, also those that are not sent because it has bought nothing. */
export const openAddressLimit = ({
  database,
  secrets,
}: Pick<LibraryParts, 'database' | 'secrets'>) => {
  const limit = openRateLimit(database.pool, {
    name: 'library-addresses',
    points: MAILS_PER_ADDRESS,
    seconds: HOUR_SECONDS,
  })
  const key = secrets.lookupKey('library')
  // The table of limits contains nothing that names a buyer.
  return (shop: number, email: string) =>
    limit.consume(
      createHmac('sha256', key).update(`${shop}/${email.toLowerCase()}`).digest('base64url'),
    )
}

export const libraryRequests = (parts: LibraryParts): RawMount => ({
  raw: true,
  path: [LIBRARY_PATH, REQUEST_PATH],
  handle: answerRequests(parts),
})

function answerRequests(parts: LibraryParts): RawMount['handle'] {
  const networks = openRateLimit(parts.database.pool, {
    name: 'library-networks',
    points: REQUESTS_PER_NETWORK,
    seconds: HOUR_SECONDS,
  })
  const addresses = openAddressLimit(parts)
  const tokens = createGateTokens(parts.secrets)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // PostgreSQL cannot store the character 0.
    const url = (request.url ?? '').replaceAll('%00', '')
    const { pathname, searchParams: query } = new URL(url, 'http://localhost')
    const visit = { request, response, query, now: parts.clock() }
    const json = isJson(request)
    try {
      if (pathname === REQUEST_PATH) await answerRequest(parts, { networks, addresses }, visit)
      else await answerPage({ ...parts, tokens }, visit)
    } catch (error) {
      if (error instanceof FormRefusal)
        return refuse(request, response, error.code, { ...error.about, json })
      parts.log.error('a library could not be answered', errorFields(error))
      if (response.headersSent) response.destroy()
      else refuse(request, response, 'unavailable', { json, headers: ['Retry-After', '5'] })
    }
  }
}

async function answerPage(parts: LibraryPageParts, visit: LibraryVisit): Promise<void> {
  const { request, query } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new FormRefusal('method_not_allowed', { headers: ['Allow', 'GET, HEAD'] })
  const key = query.get('key')
  if (key !== null) return answerLibrary(parts, visit, key)
  const { frame } = await openShop(parts, visit, await shopAsked(parts, query.get('shop')))
  const action = withLocale(request, 'library/request')
  send(visit, 200, renderRequestForm(frame, { action }))
}

async function answerLibrary(
  parts: LibraryPageParts,
  visit: LibraryVisit,
  key: string,
): Promise<void> {
  const { database, secrets, tokens } = parts
  const { request, query, now } = visit
  const found = isKey(key) ? await findLibraryKey(database, key) : null
  const { scope, frame } = await openShop(parts, visit, found && found.shop, found?.locale)
  if (!found) throw new FormRefusal('link_unavailable')
  const { email } = found
  if (found.expires_at <= now) {
    const action = withLocale(request, 'library/request')
    return send(visit, 410, renderRequestForm(frame, { action, expired: true }))
  }
  const search = (query.get('search') ?? '').trim().slice(0, MAX_SEARCH)
  const page = pageOf(query.get('page'))
  const opens = request.method === 'GET' && !isScanner(request)
  const [visited, { items, hasMore }] = await Promise.all([
    opens ? visitLibrary(scope, found, now) : lastVisit(scope, email),
    readLibrary(scope, secrets, { email, search, page, now, viewer: viewerOf(request) }),
  ])
  const isOpen = ({ gate }: LibraryItem) => gate !== null && tokens.opens(request, gate, now)
  const locale = askedLocale(request.url)
  send(
    visit,
    200,
    renderLibrary(frame, {
      key,
      items: items.map((item) => (isOpen(item) ? { ...item, locked: null } : item)),
      search,
      page,
      locale,
      visited,
      now,
      hasMore: hasMore && page < MAX_PAGES,
    }),
  )
}

function pageOf(text: string | null): number {
  const page = Number(text ?? 1)
  return Number.isInteger(page) && page >= 1 && page <= MAX_PAGES ? page : 1
}

const address = emailAddress('Enter an email address')

interface Limits {
  networks: RateLimit
  addresses: ReturnType<typeof openAddressLimit>
}

async function answerRequest(
  parts: LibraryParts,
  { networks, addresses }: Limits,
  visit: LibraryVisit,
): Promise<void> {
  const { request, query, now } = visit
  if (request.method !== 'POST')
    throw new FormRefusal('method_not_allowed', { headers: ['Allow', 'POST'] })
  const used = await networks.consume(networkOfRequest(request, parts.trustProxy))
  const form = await readForm(request)
  const text = (name: string) => {
    const value = ownValue(form, name)
    return typeof value === 'string' ? value : null
  }
  const key = text('key')
  const order = key === null ? null : await orderOf(parts, key)
  const domain = text('shop') ?? query.get('shop')
  const parsed = address.safeParse(order ? order.email : text('email'))
  const mail = async ({ scope, frame }: OpenShop, email: string) => {
    const { exceeded } = await addresses(scope.shop, email)
    const locale = order?.locale ?? frame.t.locale
    if (!exceeded) await requestLibrary(scope, parts.secrets, { email, locale, now })
  }
  // Programs get one answer for every address and shop, also wrong ones and beyond the limits.
  if (isJson(request) || prefersJson(request.headers.accept)) {
    const shops = order ? [order.shop] : await shopsAsked(parts, domain)
    for (const shop of shops) {
      const open = await findOpenShop(parts, visit, shop, order?.locale)
      if (open && parsed.success && !used.exceeded) await mail(open, parsed.data)
    }
    return sendPage(request, visit.response, 202, { json: { status: 'accepted' } })
  }
  const shop = order ? order.shop : await shopAsked(parts, domain)
  const open = await openShop(parts, visit, shop, order?.locale)
  const { frame } = open
  if (used.exceeded) {
    const headers = ['Retry-After', `${used.retryAfter}`]
    return sendPage(request, visit.response, 429, renderTooOften(frame), headers)
  }
  if (order && order.email === null) return send(visit, 409, renderNoAddress(frame))
  if (!parsed.success) return sendWrong(visit, frame, text('email') ?? '')
  await mail(open, parsed.data)
  send(visit, 202, renderRequested(frame, order ? null : parsed.data))
}

/** A mistake in the address itself, which says nothing about buyers. */
function sendWrong(visit: LibraryVisit, frame: Frame, email: string): void {
  const action = withLocale(visit.request, 'request')
  const wrong = frame.t('ask.wrongEmail')
  send(visit, 422, renderRequestForm(frame, { action, email, wrong }))
}

interface OrderAsked {
  shop: number
  email: string | null
  locale: string | null
}

/** The order whose page has this key. Throws `link_unavailable`. */
async function orderOf({ database }: LibraryParts, key: string): Promise<OrderAsked> {
  const { rows } = isKey(key)
    ? await database.pool.query<OrderAsked>(
        `select l.shop_id as shop, coalesce(d.email, o.email) as email, o.locale
         from links l
         join deliveries d on d.shop_id = l.shop_id and d.id = l.delivery_id
         join orders o on o.shop_id = d.shop_id and o.id = d.order_id
         join shops s on s.id = l.shop_id and s.uninstalled_at is null
         where l.key_hash = $1 and l.revoked_at is null`,
        [hashKey(key)],
      )
    : { rows: [] }
  const [order] = rows
  if (!order) throw new FormRefusal('link_unavailable')
  return order
}

/** One request of a program that names no shop writes a pending key in each of at most so many. */
const MAX_SHOPS = 10

/**
 * The installed shop of the domain; without a domain, all shops of this installation. None if there
 * are too many.
 */
async function shopsAsked(
  { database }: LibraryParts,
  domain: string | null,
): Promise<readonly number[]> {
  if (domain !== null) {
    const shop = await findShop(database, domain.toLowerCase())
    return shop ? [shop.id] : []
  }
  const { rows } = await database.pool.query<Pick<Shop, 'id'>>(
    `select id from shops where uninstalled_at is null order by id limit ${MAX_SHOPS + 1}`,
  )
  return rows.length > MAX_SHOPS ? [] : rows.map(({ id }) => id)
}

/** A page is of one shop: that of the domain, or the only one. */
async function shopAsked(parts: LibraryParts, domain: string | null): Promise<number | null> {
  const [shop = null, ...others] = await shopsAsked(parts, domain)
  return others.length === 0 ? shop : null
}

interface OpenShop {
  scope: ShopScope
  frame: Frame
}

/** The shop, or null if it offers no libraries. */
async function findOpenShop(
  { database, delivery }: LibraryParts,
  { request }: LibraryVisit,
  shop: number,
  locale?: string | null,
): Promise<OpenShop | null> {
  const scope = forShop(database, shop)
  const [{ name, domain }, look] = await Promise.all([readShop(scope), delivery.lookOf(shop)])
  if (!look.library) return null
  const t = translatorForRequest(request, { locale, language: look.language })
  return { scope, frame: { t, shop: { name, domain, look } } }
}

/** Throws `link_unavailable` if there is no such shop, or if it offers no libraries. */
async function openShop(
  parts: LibraryParts,
  visit: LibraryVisit,
  shop: number | null | undefined,
  locale?: string | null,
): Promise<OpenShop> {
  const open =
    shop === null || shop === undefined ? null : await findOpenShop(parts, visit, shop, locale)
  if (!open) throw new FormRefusal('link_unavailable')
  return open
}

const send = ({ request, response }: LibraryVisit, status: number, page: RenderedPage): void =>
  sendPage(request, response, status, page)
