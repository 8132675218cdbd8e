// A buyer's link: GET or HEAD /download?key=…, of a file, of a pack, or of a delivery.
import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '../../core/errors.ts'
import { hashKey } from '../../core/secrets.ts'
import type { Client } from '../../core/client-address.ts'
import { isLinkFile } from '../../../plugins/contract/index.ts'
import { evaluateConditions, namesVersion, type Answer } from '../../http/conditions.ts'
import { PRIVATE } from '../../http/headers.ts'
import { isViewOnly } from '../../files/view-kinds.ts'
import { readSettled } from './counting/counting.ts'
import { isOwed, type KnownLink } from './counting/known-link.ts'
import type { LinkCounter, LinkDownload } from './counting/link-counter.ts'
import { tokensIn } from './gate-tokens.ts'
import type { Gates } from './gates/gates.ts'
import { askForm, sendConfirm, type PageAnswers } from './link-pages.ts'
import { isScan } from './scanners.ts'
import { refuse, refusalReason, RETRY_LATER, whyNotViewed } from './refusal.ts'
import {
  isOpenedByShop,
  isPlain,
  mayBringAnswers,
  opensPage,
  resumedPart,
  wantsArchive,
  sitesIn,
  viewerIn,
  type StartAddresses,
  type StartState,
} from './request.ts'
import { isBodiless, rangeOfAnswer, representation, type Part, type Visit } from './response.ts'
import { refusedReason, type RefusedAttempts } from './refused-attempts.ts'
import type { ByteServer } from './serve.ts'
import type { Asker, LinkTarget } from './targets.ts'

export interface LinkParts {
  counter: LinkCounter
  serving: ByteServer
  clientOf: (request: IncomingMessage) => Client
  clock: () => Date
  pages: PageAnswers
  attempts: Pick<RefusedAttempts, 'record'>
  gates: Gates
  starts: StartAddresses
}

type FileLink = KnownLink & { target: LinkTarget }
const isFileLink = (link: KnownLink): link is FileLink => link.target !== null

export const createLinkAnswers = (parts: LinkParts) =>
  async function answer(visit: Visit, key: string): Promise<void> {
    const { request, response, now } = visit
    const client = parts.clientOf(request)
    const sites = sitesIn(request)
    const first: Asker = {
      key,
      client,
      sites,
      now,
      ...resumedPart(request),
    }
    const all = wantsArchive(request)
    const start = parts.starts.stateOf(request, key, all, now)
    const paged = wantsPage(request, start)
    // The answer in an address is checked against the link first. A cookie comes with every request of its
    // browser, and most links ask for nothing.
    const answers = mayBringAnswers(request) && tokensIn(request).length > 0
    if (isPlain(request) && !paged && !answers && !all) {
      const download = await parts.counter.count(first)
      if (download) return serve(parts, visit, first, download)
    }
    const found = await lookUp(parts, request, first)
    const { link } = found
    if (!link) return refuse(request, response, 'link_unavailable')
    const reason = reasonFor(found.asker, link)
    const continues = start === 'ended' && (first.later === true || isOwed(link))
    const use = start === 'fresh' || continues ? 'continue' : 'page'
    if (reason === null || mayContinue(link, reason, request)) {
      if (!parts.gates.isOpen(visit, link, use)) return parts.gates.ask(visit, link, { key })
    }
    const asker = { ...found.asker, opened: link.gate?.asks ?? null }
    if (reason === null) {
      if (link.delivery) return parts.pages.openDelivery({ visit, key, link, client, start })
      const scan = { asker, isDirect: !opensPage(request) && start === 'none' }
      if (isFileLink(link) && paged && !continues && (await answerScan(parts, visit, link, scan)))
        return
      if (link.target && isViewOnly(link.target))
        return refuse(request, response, 'file_view_only', { link, key })
      if (link.pack) return parts.pages.openPack({ visit, key, link, client, start })
      if (link.target?.damaged)
        return refuse(request, response, 'file_damaged', { link, headers: RETRY_LATER })
    }
    if (isFileLink(link) && mayContinue(link, reason, request)) {
      const answered = await answerConditional(parts, visit, asker, { link, reason })
      if (answered) return
    }
    // Refused although it is active now: another request took the last download and gave it back.
    const code = reason ?? 'link_exhausted'
    refuse(request, response, code, { link, now, ask: askForm(request, key) })
    const isBuyer = request.method === 'GET' && !isOpenedByShop(request)
    const why = isBuyer ? refusedReason(link, code, asker.now) : null
    if (why) parts.attempts.record(link, why, client, asker.now)
  }

/** Does the request get the page with the button, unless it continues a download? */
const wantsPage = (request: IncomingMessage, start: StartState): boolean =>
  opensPage(request) || (start === 'none' ? isScan(request) : start !== 'fresh')

/**
 * If the link is used up by a transfer that may just be breaking off, waits for its end: it may
 * leave a copy that is owed to this client.
 */
function lookUp({ counter, clock }: LinkParts, request: IncomingMessage, first: Asker) {
  const read = async () => {
    const asker = { ...first, now: clock(), viewer: viewerIn(request) }
    return { asker, link: await counter.lookUp(asker) }
  }
  return readSettled(read, ({ asker, link }) => {
    if (!link?.running) return false
    const reason = reasonFor(asker, link)
    return reason === 'link_exhausted' && !mayContinue(link, reason, request)
  })
}

/**
 * Answers mail programs, and requests of the link's page, with a button. False: the file may be
 * sent.
 * @param scan `isDirect`: the address leads to the file, not to its page.
 */
async function answerScan(
  parts: LinkParts,
  visit: Visit,
  link: FileLink,
  { asker, isDirect }: { asker: Asker; isDirect: boolean },
): Promise<boolean> {
  const { request } = visit
  if (!isDirect || link.download_limit !== null || isViewOnly(link.target)) {
    await parts.serving.addDigest(visit, link.target)
    sendConfirm(visit, link, {
      key: asker.key,
      name: link.target.filename,
      tokens: parts.gates.tokens.passed(request, link.gate ? [link.gate] : [], visit.now),
    })
    return true
  }
  // Without a limit a scanner's download uses nothing up.
  const download = isPlain(request) ? await parts.counter.count(asker) : null
  if (download) await serve(parts, visit, asker, download)
  return download !== null
}

/** Answers HEAD, Range and conditions; false: the download was not allowed. */
async function answerConditional(
  parts: LinkParts,
  visit: Visit,
  asker: Asker,
  { link, reason }: { link: FileLink; reason: ErrorCode | null },
): Promise<boolean> {
  const { request } = visit
  const { target } = link
  const decision = decisionOf(request, target)
  const range = isSafe(request, link) ? rangeOfAnswer(decision) : null
  const bodiless = isBodiless(decision)
  if (bodiless || request.method === 'HEAD') {
    // A session allows only parts, and HEAD asks for the whole file: it is refused like its GET.
    if (reason && !bodiless) return false
    await parts.serving.describe(visit, { target, range }, decision, { link })
    return true
  }
  const download = await parts.counter.continueOrCount(asker, link, range)
  if (!download) return false
  await serve(parts, visit, asker, download)
  return true
}

/** A link has no parts, and no copies that conditions could be about. */
const decisionOf = (request: IncomingMessage, target: LinkTarget): Answer =>
  isLinkFile(target.contentType)
    ? { status: 200 }
    : evaluateConditions(request.method ?? '', request.headers, representation(target))

/**
 * May the request get a part of the file? Without a condition on the version only if the file was
 * not replaced since the client's transfer began: the client would join two versions.
 */
function isSafe({ headers }: IncomingMessage, { session, steady, target }: FileLink): boolean {
  if (namesVersion(headers) || steady) return true
  return /^bytes=[ \t]*0+-/i.test(headers.range ?? '') || session?.version === target.hash
}

function serve(
  { serving }: LinkParts,
  visit: Visit,
  asker: Asker,
  { target, range, transfer }: LinkDownload,
): Promise<void> {
  const { shop, link } = target
  const permit = { kind: 'link', shop, link, keyHash: hashKey(asker.key) } as const
  const part: Part = { target, range, redirectHeaders: PRIVATE, permit }
  return serving.serve(visit, part, transfer)
}

type EndReason = 'link_exhausted' | 'link_expired'
const hasEnded = (reason: ErrorCode | null): reason is EndReason =>
  reason === 'link_exhausted' || reason === 'link_expired'

/** Why the link may not be used; null: it may, also because this buyer is owed a copy. */
function reasonFor({ sites, now }: Asker, link: KnownLink): ErrorCode | null {
  // Of a file that is only viewed, downloads decide nothing: the buyer is told that it is viewed.
  if (link.target && isViewOnly(link.target)) return whyNotViewed(link, sites, now)
  const reason = refusalReason(link, sites, now)
  return hasEnded(reason) && isOwed(link) ? null : reason
}

/**
 * A session outlives its link: a download that began in time may finish after the link has expired
 * or is used up.
 */
const mayContinue = (
  { session }: KnownLink,
  reason: ErrorCode | null,
  request: IncomingMessage,
): boolean => reason === null || (hasEnded(reason) && session !== null && !isPlain(request))
