// The pages of links: the files of a delivery or a pack with their ZIP file, and the button for
// programs that follow every link of a mail.
import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '../../core/errors.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { present } from '../../core/present.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import type { Client } from '../../http/clients.ts'
import { PAGE_HEADERS } from '../../http/headers.ts'
import { openDeliveryLink, type PaidFile } from '../links/model/delivery-links.ts'
import { openPackLink, type PackFile } from '../links/model/pack-links.ts'
import type { Archives } from './archive.ts'
import type { KnownLink } from './counting/known-link.ts'
import type { LinkCounter } from './counting/link-counter.ts'
import { sendPack } from './pack-page.ts'
import { renderConfirm, sendPage, type AskForm } from './pages.ts'
import { hasAsked, refuse, shownShop, translatorForLink } from './refusal.ts'
import type { RefusedAttempts, RefusedReason } from './refused-attempts.ts'
import { isConfirmed, PAGE, relativeToPage, wantsArchive } from './request.ts'
import type { Visit } from './response.ts'
import { isScanner } from './scanners.ts'
import { viewButtonOf } from './view-buttons.ts'
import { isViewOnly } from './view-kinds.ts'

/** A request for the page of a link. */
export interface PageRequest {
  visit: Visit
  key: string
  link: KnownLink
  client: Client
}

export interface PageAnswers {
  openDelivery(asked: PageRequest): Promise<void>
  openPack(asked: PageRequest): Promise<void>
}

interface PageParts {
  database: Database
  secrets: Secrets
  archives: Archives
  counter: Pick<LinkCounter, 'owedBy'>
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
  if (wantsArchive(request)) return openArchive(parts, asked, readFiles)
  sendPack(visit, {
    ...{ name: nameOf(link), order: true, locale: link.locale ?? null, shop: shownShop(link) },
    ...{ expires_at: null, now, ...(await withOwed(parts, asked, await readFiles())) },
    ask: askForm(request, key),
    asked: hasAsked(link, now),
    ...(link.look.libraryLink ? { libraryAction: relativeToPage(request, 'library/request') } : {}),
  })
  const { delivery } = link
  if (delivery && request.method === 'GET' && !isScanner(request))
    parts.recordOpening(link.shop, delivery, now)
}

async function openPack(parts: PageParts, asked: PageRequest): Promise<void> {
  const { database, secrets } = parts
  const { visit, key, link } = asked
  const { request, now } = visit
  // Reading the files creates the links of files that are new in the pack, also for the ZIP file.
  const files = await openPackLink(forShop(database, link.shop), secrets, link.link, now)
  if (wantsArchive(request)) return openArchive(parts, asked, () => Promise.resolve(files))
  sendPack(visit, {
    ...{ name: nameOf(link), shop: shownShop(link), expires_at: link.expires_at, now },
    ...(await withOwed(parts, asked, files)),
    ask: askForm(request, key),
    asked: hasAsked(link, now),
  })
}

/** The files of a page. A copy that broke off and may be fetched again counts as left. */
async function withOwed<File extends PackFile>(
  { counter }: PageParts,
  { visit, link, client }: PageRequest,
  files: readonly File[],
): Promise<{ files: readonly File[]; archiveOwed: boolean }> {
  const owed = await counter.owedBy(link, client, visit.now)
  const one = (file: File): File =>
    owed.keys.has(hashKey(file.key).toString('hex'))
      ? { ...file, downloads: file.downloads - 1 }
      : file
  return { files: owed.keys.size === 0 ? files : files.map(one), archiveOwed: owed.archive }
}

/** Answers with all files of a page as one ZIP file. */
async function openArchive(
  { archives, attempts }: PageParts,
  { visit, key, link, client }: PageRequest,
  readFiles: () => Promise<readonly PageFile[]>,
): Promise<void> {
  const { request, response, now } = visit
  const name = nameOf(link)
  const limited = async () =>
    (await readFiles()).some(({ download_limit }) => download_limit !== null)
  if (isUnconfirmedScan(request) && (await limited()))
    return sendConfirm(visit, link, { key, name: `${name}.zip`, all: true })
  const { shop, link: id } = link
  const asked = { shop, link: id, key, name: `${link.shopName} ${name}`, client }
  const refusal = await archives.answer(visit, asked)
  if (!refusal) return
  const ended = refusal === 'link_exhausted'
  const files = ended ? await readFiles() : []
  const code = ended ? archiveRefusal(files, now) : refusal
  refuse(request, response, code, { link: releasing(link, files), now, ask: askForm(request, key) })
  if (ended && request.method === 'GET')
    attempts.record(link, whyNoArchive(code, files, now), client, now)
}

/** The link of a page with the earliest release of its files. */
const releasing = (link: KnownLink, files: readonly PageFile[]): KnownLink => {
  const times = files.flatMap(({ available_at }) => available_at?.getTime() ?? [])
  return times.length === 0 ? link : { ...link, available_at: new Date(Math.min(...times)) }
}

type PageFile = PackFile & Partial<Pick<PaidFile, 'expires_at' | 'tag_problem'>>

/** The code of a page none of whose files can be downloaded, if all have the same reason. */
function archiveRefusal(files: readonly PageFile[], now: Date): ErrorCode {
  if (files.length === 0) return 'link_exhausted'
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

/**
 * A program that follows every link of a mail must not use up a link that has a limit: it gets a
 * page with a button, which programs do not press.
 */
export const isUnconfirmedScan = (request: IncomingMessage): boolean =>
  request.method === 'GET' && isScanner(request) && !isConfirmed(request)

export function sendConfirm(
  { request, response }: Visit,
  link: KnownLink,
  asked: { key: string; name: string; all?: boolean; posted?: boolean },
): void {
  const frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const title = frame.t('order.title')
  const { target } = link
  const view =
    target && !asked.all
      ? viewButtonOf(frame.t, target, relativeToPage(request, `view?key=${asked.key}`))
      : null
  const viewOnly = view !== null && target !== null && isViewOnly(target)
  const action = relativeToPage(
    request,
    asked.posted ? `download?key=${asked.key}&${PAGE}` : 'download',
  )
  sendPage(
    request,
    response,
    200,
    renderConfirm(frame, {
      ...{ ...asked, title, action, view, viewOnly },
      sha256: asked.all ? null : (target?.sha256 ?? null),
    }),
  )
}

/** The button of a link's page was pressed: to the address that can also be resumed. */
export function sendToDownload({ request, response }: Visit, key: string): void {
  request.resume()
  const location = relativeToPage(request, `download?key=${key}&confirmed=1`)
  response.writeHead(303, [...PAGE_HEADERS, 'Location', location, 'Content-Length', '0']).end()
}

export const askForm = (request: IncomingMessage, key: string): AskForm => ({
  key,
  action: relativeToPage(request, 'download/ask'),
})
