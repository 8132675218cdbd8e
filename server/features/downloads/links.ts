// A buyer's link: GET or HEAD /download?key=…, of a file, of a pack, or of a delivery.
import type { IncomingMessage } from 'node:http'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { openDeliveryLink } from '../links/model/delivery-links.ts'
import { openPackLink, type PackFile } from '../links/model/pack-links.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import type { ByteRange } from '../../core/store/store.ts'
import type { Archives } from './archive.ts'
import type { Client } from '../../http/clients.ts'
import { evaluateConditions, isProbe } from '../../http/conditions.ts'
import type { LinkCounter, KnownLink } from './counting.ts'
import { PAGE_HEADERS, PRIVATE } from '../../http/headers.ts'
import { sendPack } from './pack-page.ts'
import { renderConfirm, sendPage, type AskForm } from './pages.ts'
import type { Recorder } from './record.ts'
import { sitesOf } from './referrers.ts'
import {
  hasAsked,
  refuse,
  RETRY_LATER,
  translatorForLink,
  shownShop,
  refusalReason,
} from './refusal.ts'
import { isConfirmed, isPlain, opensPage, PAGE, relativeToPage, wantsArchive } from './request.ts'
import { isScanner } from './scanners.ts'
import {
  isBodiless,
  lengthOf,
  representation,
  withoutBody,
  type Part,
  type ByteServer,
  type Visit,
} from './serve.ts'
import { openSessionBudget, type SessionBudget } from './session-budget.ts'
import type { Asker, LinkTarget } from './targets.ts'

export interface LinkParts {
  database: Database
  secrets: Secrets
  counting: LinkCounter
  serving: ByteServer
  recorder: Recorder
  clientOf: (request: IncomingMessage) => Client
  archives: Archives
  /** Records that a buyer has opened the page of a delivery. Never throws. */
  recordOpening(shop: number, delivery: string, at: Date): void
}

/** A request that may be served. */
interface Grant {
  target: LinkTarget
  range: ByteRange | null
  counted: boolean
  /** For a later part: its bytes are taken from the client's session as they are sent. */
  budget: SessionBudget | null
}

interface ArchiveRequest {
  key: string
  client: Client
  readFiles(): Promise<readonly PackFile[]>
}

export function createLinkAnswers({
  database,
  secrets,
  counting,
  serving,
  recorder,
  clientOf,
  archives,
  recordOpening,
}: LinkParts) {
  async function answer(visit: Visit, key: string): Promise<void> {
    const { request, response, now } = visit
    const client = clientOf(request)
    const asker: Asker = { key, client: client.hash, sites: sitesOf(request.headers.referer), now }
    const plain = isPlain(request)
    const serveWhole = (target: LinkTarget) =>
      serve(visit, client, asker, { target, range: null, counted: true, budget: null })
    const paged = opensPage(request)
    const scanned = paged || isUnconfirmedScan(request)
    if (plain && !scanned) {
      const target = await counting.count(asker)
      if (target) return serveWhole(target)
    }
    const link = await counting.lookUp(asker)
    if (!link) return refuse(request, response, 'link_unavailable')
    const reason = refusalReason(link, asker.sites, now)
    if (reason === null) {
      if (link.delivery) return openDelivery(visit, key, link, client)
      if (link.target && paged)
        return sendConfirm(visit, link, { key, name: link.target.filename, posted: true })
      if (link.target && scanned) {
        if (link.download_limit !== null)
          return sendConfirm(visit, link, { key, name: link.target.filename })
        // Without a limit a scanner's download uses nothing up.
        const target = plain ? await counting.count(asker) : null
        if (target) return serveWhole(target)
      }
      if (link.pack) return openPack(visit, key, link, client)
      if (link.target?.damaged)
        return refuse(request, response, 'file_damaged', { link, headers: RETRY_LATER })
    }
    if (link.target && !plain && mayResume(link, reason)) {
      const answered = await answerConditional(visit, client, asker, { link, reason })
      if (answered) return
    }
    // Refused although it is active now: another request took the last download and gave it back.
    const ask = askForm(request, key)
    refuse(request, response, reason ?? 'link_exhausted', { link, now, ask })
  }

  /** Answers HEAD, Range and conditions; false: the download was not allowed. */
  async function answerConditional(
    visit: Visit,
    client: Client,
    asker: Asker,
    { link, reason }: { link: KnownLink; reason: ErrorCode | null },
  ): Promise<boolean> {
    const { request } = visit
    const target = link.target!
    const decision = evaluateConditions(
      request.method ?? '',
      request.headers,
      representation(target),
    )
    const part: Part = { target, range: 'range' in decision ? decision.range : null }
    const bodiless = isBodiless(decision)
    if (bodiless || request.method === 'HEAD') {
      // A session allows only parts, and HEAD asks for the whole file: it is refused like its GET.
      if (reason && !bodiless) return false
      withoutBody(visit, part, decision, { link })
      return true
    }
    const grant = await grantOf(client, asker, link, part)
    if (!grant) return false
    await serve(visit, client, asker, grant)
    return true
  }

  const record = (target: LinkTarget, client: Client, at: Date) =>
    recorder.record({ target, link: target.link, client, at })

  async function grantOf(
    client: Client,
    asker: Asker,
    link: KnownLink,
    part: Part,
  ): Promise<Grant | null> {
    const { range } = part
    const known = link.target!
    if (isProbe(range, known.size)) return { target: known, range, counted: false, budget: null }
    if (range && range.start > 0 && link.session) {
      const budget = await openSessionBudget(counting, known, asker, lengthOf(part), () =>
        record(known, client, asker.now),
      )
      if (budget) return { target: known, range, counted: false, budget }
    }
    const target = await counting.count(asker)
    // The file has a new version: its parts do not continue the client's copy, so send the whole
    // file.
    if (!target) return null
    return { target, range: target.hash === known.hash ? range : null, counted: true, budget: null }
  }

  async function serve(
    visit: Visit,
    client: Client,
    asker: Asker,
    { target, range, counted, budget }: Grant,
  ): Promise<void> {
    const permit = {
      kind: 'link',
      shop: target.shop,
      link: target.link,
      keyHash: hashKey(asker.key),
    } as const
    const part: Part = {
      target,
      range,
      redirectHeaders: PRIVATE,
      allowance: budget ?? undefined,
      permit,
    }
    const served = {
      begun: () => record(target, client, asker.now),
      undo: () => counting.revertCount(target, asker),
    }
    const sent = await serving.serve(visit, part, counted ? served : {})
    await budget?.end(sent)
  }

  async function openDelivery(
    visit: Visit,
    key: string,
    link: KnownLink,
    client: Client,
  ): Promise<void> {
    const { request, now } = visit
    const { shop, link: id } = link
    const { name } = link.pack!
    const readFiles = () => openDeliveryLink(forShop(database, shop), secrets, id)
    if (wantsArchive(request)) return openArchive(visit, { key, client, readFiles }, link)
    const files = await readFiles()
    sendPack(visit, {
      ...{ name, order: true, locale: link.locale ?? null, shop: shownShop(link) },
      ...{ expires_at: null, files, now },
      ask: askForm(request, key),
      asked: hasAsked(link, now),
    })
    if (request.method === 'GET' && !isScanner(request)) recordOpening(shop, link.delivery!, now)
  }

  async function openPack(
    visit: Visit,
    key: string,
    link: KnownLink,
    client: Client,
  ): Promise<void> {
    // It creates the links of files that are new in the pack, also for the ZIP file.
    const files = await openPackLink(forShop(database, link.shop), secrets, link.link, visit.now)
    const readFiles = () => Promise.resolve(files)
    if (wantsArchive(visit.request)) return openArchive(visit, { key, client, readFiles }, link)
    sendPack(visit, {
      ...{ name: link.pack!.name, shop: shownShop(link), expires_at: link.expires_at },
      ...{ files, now: visit.now },
      ask: askForm(visit.request, key),
      asked: hasAsked(link, visit.now),
    })
  }

  /** Answers with all files of a page as one ZIP file. */
  async function openArchive(
    visit: Visit,
    { key, client, readFiles }: ArchiveRequest,
    link: KnownLink,
  ): Promise<void> {
    const { request, response, now } = visit
    const { name } = link.pack!
    const limited = async () =>
      (await readFiles()).some(({ download_limit }) => download_limit !== null)
    if (isUnconfirmedScan(request) && (await limited()))
      return sendConfirm(visit, link, { key, name: `${name}.zip`, all: true })
    const { shop, link: id } = link
    const asked = { shop, link: id, key, name: `${link.shopName} ${name}`, client }
    const refusal = await archives.answer(visit, asked)
    if (refusal) refuse(request, response, refusal, { link, now, ask: askForm(request, key) })
  }

  return answer
}

/**
 * A program that follows every link of a mail must not use up a link that has a limit: it gets a
 * page with a button, which programs do not press.
 */
const isUnconfirmedScan = (request: IncomingMessage): boolean =>
  request.method === 'GET' && isScanner(request) && !isConfirmed(request)

function sendConfirm(
  { request, response }: Visit,
  link: KnownLink,
  asked: { key: string; name: string; all?: boolean; posted?: boolean },
): void {
  const frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const title = frame.t('order.title')
  const action = relativeToPage(
    request,
    asked.posted ? `download?key=${asked.key}&${PAGE}` : 'download',
  )
  sendPage(request, response, 200, renderConfirm(frame, { ...asked, title, action }))
}

/** The button of a link's page was pressed: to the address that can also be resumed. */
export function sendToDownload({ request, response }: Visit, key: string): void {
  request.resume()
  const location = relativeToPage(request, `download?key=${key}&confirmed=1`)
  response.writeHead(303, [...PAGE_HEADERS, 'Location', location, 'Content-Length', '0']).end()
}

const askForm = (request: IncomingMessage, key: string): AskForm => ({
  key,
  action: relativeToPage(request, 'download/ask'),
})

/**
 * A session outlives its link: a download that began in time may finish after the link has expired
 * or is used up.
 */
const mayResume = ({ session }: KnownLink, reason: ErrorCode | null): boolean =>
  reason === null || (session && (reason === 'link_exhausted' || reason === 'link_expired'))
