// The pages of links: the files of a delivery or a pack with their ZIP file, and the button for
// programs that follow every link of a mail.
import type { IncomingMessage } from 'node:http'
import { isLinkFile } from '../../../plugins/contract/index.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import type { Client } from '../../core/client-address.ts'
import { PAGE_HEADERS } from '../../http/headers.ts'
import { isViewOnly, offeredView } from '../../files/view-kinds.ts'
import { openDeliveryLink, type PaidFile } from '../links/model/delivery-links.ts'
import { openPackLink, type PackFile } from '../links/model/pack-links.ts'
import { ASKS_NOTHING, shownAskOf } from '../links/model/links.ts'
import type { Archives } from './archive.ts'
import { isOwed, type KnownLink } from './counting/known-link.ts'
import type { LinkCounter } from './counting/link-counter.ts'
import type { Gates } from './gates/gates.ts'
import { shownName } from './file-rows.ts'
import { hasAnswers, withTokens } from './gate-tokens.ts'
import { leftText, sendPack, sizeText, untilText, type GatedFile } from './pack-page.ts'
import { renderConfirm, sendPage, type AskForm } from './pages.ts'
import {
  hasAsked,
  linkViewButton,
  refuse,
  shownShop,
  translatorForLink,
  whyNotViewed,
} from './refusal.ts'
import type { RefusedAttempts, RefusedReason } from './refused-attempts.ts'
import {
  isOpenedByShop,
  opensPage,
  PAGE,
  mayBringAnswers,
  relativeToPage,
  resumedPart,
  wantsArchive,
  viewerIn,
  leadsToBytes,
  type StartAddresses,
  type StartState,
} from './request.ts'
import type { Visit } from './response.ts'
import { isScan, isScanner } from './scanners.ts'
import type { Translator } from './translate.ts'
import type { ViewSessions } from './view-sessions.ts'

/** A request for the page of a link. */
export interface PageRequest {
  visit: Visit
  key: string
  link: KnownLink
  client: Client
  /** Whether the address begins a download of all files. */
  start: StartState
}

export interface PageAnswers {
  openDelivery(asked: PageRequest): Promise<void>
  openPack(asked: PageRequest): Promise<void>
}

interface PageParts {
  database: Database
  secrets: Secrets
  archives: Archives
  counter: Pick<LinkCounter, 'owedBy' | 'asksUnder'>
  gates: Gates
  sessions: Pick<ViewSessions, 'runningUnder'>
  attempts: Pick<RefusedAttempts, 'record'>
  /** Records that a buyer has opened the page of a delivery. Never throws. */
  recordOpening(shop: number, delivery: string, at: Date): void
}

export const createPageAnswers = (parts: PageParts): PageAnswers => ({
  openDelivery: (asked) => openDelivery(parts, asked),
  openPack: (asked) => openPack(parts, asked),
})

async function openDelivery(parts: PageParts, asked: PageRequest): Promise<void> {
  const { database, secrets } = parts
  const { visit, key, link } = asked
  const { request, now } = visit
  const readFiles = () => openDeliveryLink(forShop(database, link.shop), secrets, link.link)
  if (await openArchive(parts, asked, readFiles)) return
  sendPack(visit, {
    name: nameOf(link),
    order: true,
    locale: link.locale ?? null,
    shop: shownShop(link),
    expires_at: null,
    now,
    ...(await withOwed(parts, asked, await readFiles())),
    ask: askForm(request, key),
    asked: hasAsked(link, now),
    ...(link.look.libraryLink ? { libraryAction: relativeToPage(request, 'library/request') } : {}),
  })
  const { delivery } = link
  if (delivery && request.method === 'GET' && !isScanner(request) && !isOpenedByShop(request))
    parts.recordOpening(link.shop, delivery, now)
}

async function openPack(parts: PageParts, asked: PageRequest): Promise<void> {
  const { database, secrets } = parts
  const { visit, key, link } = asked
  const { request, now } = visit
  // Reading the files creates the links of files that are new in the pack, also for the ZIP file.
  const files = await openPackLink(forShop(database, link.shop), secrets, link.link, now)
  if (await openArchive(parts, asked, () => Promise.resolve(files))) return
  sendPack(visit, {
    name: nameOf(link),
    shop: shownShop(link),
    expires_at: link.expires_at,
    now,
    ...(await withOwed(parts, asked, files)),
    ask: askForm(request, key),
    asked: hasAsked(link, now),
  })
}

/**
 * The files of a page. A copy that broke off and may be fetched again counts as left. Files that ask
 * for something which this request has not answered are locked.
 */
async function withOwed<File extends PackFile>(
  { counter, gates, sessions }: PageParts,
  { visit, link, client }: PageRequest,
  files: readonly File[],
): Promise<{
  files: readonly (Omit<File, 'asks'> & GatedFile)[]
  archiveOwed: boolean
  tokens: readonly string[]
}> {
  const viewer = viewerIn(visit.request)
  const [owed, views] = await Promise.all([
    counter.owedBy(link, client, visit.now),
    viewer && sessions.runningUnder({ link, viewer, now: visit.now }),
  ])
  const asked = gatesOf(link, files)
  const questions = asked.map(({ asks }) => asks)
  // A page may have thousands of files: each question is checked once.
  const isOpen = (gate: (typeof asked)[number]) =>
    gates.tokens.opens(visit.request, gate, visit.now)
  const open = new Set(asked.filter(isOpen).map(({ asks }) => asks))
  const one = ({ asks, ...file }: File): Omit<File, 'asks'> & GatedFile => {
    const hash = hashKey(file.key).toString('hex')
    const isOwed = owed.keys.has(hash)
    return {
      ...file,
      downloads: file.downloads - (isOwed ? 1 : 0),
      gated: asks !== ASKS_NOTHING,
      locked: open.has(asks) ? null : shownAskOf(asks),
      question: questions.indexOf(asks),
      viewing: views?.get(hash) ?? null,
    }
  }
  const tokens = gates.tokens.passed(visit.request, asked, visit.now)
  return { files: files.map(one), archiveOwed: owed.archive, tokens }
}

/** What the files of a page ask for, each once. */
const gatesOf = ({ link }: KnownLink, files: readonly PackFile[]) =>
  [...new Set(files.map(({ asks }) => asks))]
    .filter((asks) => asks !== ASKS_NOTHING)
    .map((asks) => ({ asks, root: link }))

/** Answers with all files of a page as one ZIP file. False: the request gets the page. */
async function openArchive(
  parts: PageParts,
  asked: PageRequest,
  readFiles: () => Promise<readonly PageFile[]>,
): Promise<boolean> {
  const { visit, key, link, client, start } = asked
  const { request, now } = visit
  if (!wantsArchive(request) || opensPage(request)) return false
  if (start === 'forged') return false
  if (start === 'ended' && !resumedPart(request).later) {
    const owed = await parts.counter.owedBy(link, client, now)
    if (!owed.archive) return false
  }
  if (start === 'none' && isScan(request)) {
    const files = await readFiles()
    if (files.some(({ download_limit }) => download_limit !== null)) {
      sendConfirm(visit, link, {
        key,
        name: `${nameOf(link)}.zip`,
        all: true,
        tokens: parts.gates.tokens.passed(request, gatesOf(link, files), now),
      })
      return true
    }
  }
  const opened = await openedGates(parts, asked, start === 'none' ? 'page' : 'continue')
  await sendArchive(parts, asked, readFiles, opened)
  return true
}

/** What the files under a page may ask for, to be in the ZIP file of this request. */
async function openedGates(
  { counter, gates }: PageParts,
  { visit, link }: PageRequest,
  use: 'page' | 'continue',
): Promise<readonly string[]> {
  if (!mayBringAnswers(visit.request) || !hasAnswers(visit.request)) return [ASKS_NOTHING]
  const asked = await counter.asksUnder(link)
  const isOpen = (asks: string) =>
    gates.tokens.opens(visit.request, { asks, root: link.link }, visit.now, use)
  return [ASKS_NOTHING, ...asked.filter(isOpen)]
}

async function sendArchive(
  { archives, attempts }: PageParts,
  { visit, key, link, client }: PageRequest,
  readFiles: () => Promise<readonly PageFile[]>,
  opened: readonly string[],
): Promise<void> {
  const { request, response, now } = visit
  const { shop, link: id } = link
  const asked = { shop, link: id, key, name: `${link.shopName} ${nameOf(link)}`, client, opened }
  const refusal = await archives.answer(visit, asked)
  if (!refusal) return
  const ended = refusal === 'link_exhausted'
  const files = ended ? await readFiles() : []
  const code = ended ? archiveRefusal(files, now, opened) : refusal
  refuse(request, response, code, { link: releasing(link, files), now, ask: askForm(request, key) })
  if (ended && request.method === 'GET' && code !== 'link_locked')
    attempts.record(link, whyNoArchive(code, files, now), client, now)
}

/** The link of a page with the earliest release of its files. */
const releasing = (link: KnownLink, files: readonly PageFile[]): KnownLink => {
  const times = files.flatMap(({ available_at }) => available_at?.getTime() ?? [])
  return times.length === 0 ? link : { ...link, available_at: new Date(Math.min(...times)) }
}

type PageFile = PackFile & Partial<Pick<PaidFile, 'expires_at' | 'tag_problem'>>

/** The code of a page none of whose files can be downloaded, if all have the same reason. */
function archiveRefusal(
  files: readonly PageFile[],
  now: Date,
  opened: readonly string[],
): ErrorCode {
  if (files.length === 0) return 'link_exhausted'
  if (files.every(({ asks }) => !opened.includes(asks))) return 'link_locked'
  if (files.every(({ available_at }) => available_at && available_at > now))
    return 'link_not_released'
  if (files.every(({ tag_problem }) => tag_problem === 'guest')) return 'customer_unknown'
  return files.every(({ tag_problem }) => tag_problem) ? 'customer_tag_missing' : 'link_exhausted'
}

/** The refusal as the shop sees it; `code` is what the page answered. */
function whyNoArchive(code: ErrorCode, files: readonly PageFile[], now: Date): RefusedReason {
  if (code === 'link_not_released') return 'not_released'
  if (code !== 'link_exhausted') return 'customer_tag'
  if (files.some(({ download_limit, downloads }) => downloads >= (download_limit ?? Infinity)))
    return 'used_up'
  return files.some(({ expires_at }) => expires_at && expires_at <= now)
    ? 'expired'
    : 'not_prepared'
}

const nameOf = ({ pack }: KnownLink): string => present(pack, 'The name of the page').name

export function sendConfirm(
  { request, response, now }: Visit,
  link: KnownLink,
  asked: { key: string; name: string; all?: boolean; tokens?: readonly string[] },
): void {
  const frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const title = frame.t('order.title')
  const { target, view_limit: limit } = link
  const tokens = withTokens(asked.tokens ?? [])
  const isLink = !asked.all && isLinkFile(target?.contentType ?? null)
  const isOffered = target !== null && !asked.all && offeredView(target) !== null
  const refused = isOffered ? whyNotViewed(link, null, now) : null
  const view =
    isOffered && refused === null ? linkViewButton(request, frame.t, link, asked.key) : null
  const viewOnly = target !== null && !asked.all && isViewOnly(target)
  const address = `download?key=${asked.key}&${PAGE}${asked.all ? '&all=1' : ''}${tokens}`
  sendPage(
    request,
    response,
    leadsToBytes(request) ? 403 : 200,
    renderConfirm(frame, {
      name: asked.all ? asked.name : shownName(asked.name, target?.contentType ?? null),
      leadsOut: isLink,
      button: isLink ? frame.t('library.open') : frame.t('pack.download'),
      title,
      view,
      viewOnly,
      action: relativeToPage(request, address),
      about: asked.all || viewOnly ? '' : aboutDownload(frame.t, link, now),
      sha256: asked.all || isLink ? null : (target?.sha256 ?? null),
      ...(limit === null || (view === null && refused !== 'views_used_up')
        ? {}
        : { viewsLeft: frame.t('views.left', { count: Math.max(0, limit - link.views) }) }),
    }),
  )
}

/**
 * A button was pressed: to a signed address that can also be resumed, and handed over to another
 * program. The link is looked up there. Answers that are too old stay behind: a download that begins
 * now needs one that is valid now.
 */
export function sendToDownload(
  { request, response, now }: Visit,
  key: string,
  { starts, gates }: { starts: StartAddresses; gates: Gates },
): void {
  request.resume()
  const all = wantsArchive(request)
  const tokens = withTokens(gates.tokens.current(request, now))
  const start = starts.queryOf(key, all, now)
  const address = `download?key=${key}${all ? '&all=1' : ''}${start}${tokens}`
  const location = relativeToPage(request, address)
  response.writeHead(303, [...PAGE_HEADERS, 'Location', location, 'Content-Length', '0']).end()
}

/** `3.1 MB · 2 downloads left · until March 1, 2027` */
function aboutDownload(t: Translator, link: KnownLink, now: Date): string {
  const { target } = link
  if (target === null) return ''
  const downloads = link.downloads - (isOwed(link) ? 1 : 0)
  return [
    sizeText(t, target.size, target.contentType),
    leftText(t, { ...link, downloads }, target.contentType),
    untilText(t, link, now, link.look.timeZone),
  ]
    .filter((text) => text !== '')
    .join(' · ')
}

export const askForm = (request: IncomingMessage, key: string): AskForm => ({
  key,
  action: relativeToPage(request, 'download/ask'),
})
