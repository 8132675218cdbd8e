// The page of a pack's or a delivery's link: its files in order, each with its size and its own
// download. Opening the page counts nothing.
import { isLinkFile } from '../../../plugins/contract/index.ts'
import { previewKind, isViewOnly, offeredView } from '../../files/view-kinds.ts'
import type { PaidFile } from '../links/model/delivery-links.ts'
import type { PackFile } from '../links/model/pack-links.ts'
import { openTemplate, sendPage, type AskForm, type Page, type ShownShop } from './pages.ts'
import { leadsToBytes, PAGE, relativeToPage } from './request.ts'
import { withTokens } from './gate-tokens.ts'
import { translatorForRequest, type Translator } from './translate.ts'
import type { Visit } from './response.ts'
import { viewButtonOf } from './view-buttons.ts'
import { hasViews } from './refusal.ts'
import {
  downloadWords,
  groupRows,
  questionOf,
  shownName,
  textLines,
  tileOf,
  type BuyersRow,
  type FileRows,
  type UnlockQuestion,
  type RowButton,
} from './file-rows.ts'

interface PackPage extends Page, FileRows {
  summary: string
  /** The terms that all files share; empty: they differ, and each row has its own. */
  shared: string
  /** What must be answered first. One answer opens all files that ask the same. */
  questions: readonly UnlockQuestion[]
  /** Where the button of all files that have downloads left, as a ZIP file, sends a POST. */
  all?: string
  /** The size of that ZIP file. */
  allSize?: string
  until?: string
  /** The text about files without downloads left. */
  usedUp?: string
  /** The form that asks for a mail with a link to all downloads of the buyer. */
  library?: { key: string; action: string }
}

export const renderPack = openTemplate<PackPage>(new URL('./pack.hbs', import.meta.url))

/** A file with what it asks for. */
export interface GatedFile {
  /** It asks for something, which this request may have answered. */
  gated: boolean
  /** What this request has not answered yet; null: it may have the file. */
  locked: 'email' | 'password' | null
  /** Tells the questions of a page apart: files with one password have one question. */
  question: number
  /** When this browser's counted view of the file ends; null: it has none. */
  viewing: Date | null
}

/** A file as the page shows it; the hash of a password stays behind. */
type PageFile = Omit<PackFile, 'asks'>

export interface OpenedPack {
  /** The name of the pack or of the order. */
  name: string
  order?: boolean
  /** The order's language. */
  locale?: string | null
  shop: ShownShop
  expires_at: Date | null
  files: readonly (PageFile & Partial<Omit<PaidFile, keyof PackFile>> & GatedFile)[]
  /** The ZIP file of all files broke off and may be fetched again. */
  archiveOwed?: boolean
  now: Date
  /** The form to ask the shop for more. */
  ask: AskForm
  /** The holder has asked within a day. */
  asked: boolean
  /** The address to which the form for the library is sent; absent: there is no form. */
  libraryAction?: string
}

/** @param pack with the tokens that open its files, for its addresses. */
export function sendPack(
  { request, response }: Visit,
  pack: OpenedPack & { tokens: readonly string[] },
): void {
  const { locale = null, shop } = pack
  const t = translatorForRequest(request, { ...shop.look, ...(locale === null ? {} : { locale }) })
  const tokens = withTokens(pack.tokens)
  const address: PageAddress = (key, to = 'download', gated = false) =>
    relativeToPage(
      request,
      `${to}?key=${key}${to === 'download' ? `&${PAGE}` : ''}${gated ? tokens : ''}`,
    )
  // A program that asked for the ZIP file must not store the page as that.
  const status = leadsToBytes(request) ? 403 : 200
  sendPage(request, response, status, renderPack({ t, shop }, packPage(t, pack, address)))
}

/**
 * The address of one file's download or view, by its key.
 * @param gated what this request has answered is passed on.
 */
type PageAddress = (
  key: string,
  to?: 'download' | 'view' | 'download/picture' | 'download/product',
  gated?: boolean,
) => string

export function packPage(t: Translator, pack: OpenedPack, address: PageAddress): PackPage {
  const { name, expires_at, files, now, libraryAction: action } = pack
  const downloads = files.filter((file) => !isOnlyViewed(file) && file.locked === null)
  const gated = downloads.some((file) => file.gated)
  const usable = downloads.filter((file) => isUsable(file, now))
  const zipped = pack.archiveOwed ? downloads : usable
  const more = files.every((file) => waits(file, now) || isWhole(file, now)) ? {} : moreOf(t, pack)
  const shared = sharedTerms(files.map((file) => termsOf(t, file, pack)))
  const each = [shared.left, shared.until].filter((text) => text !== '').join(' · ')
  const rowOf = (file: ShownFile) => fileRow(t, file, pack, { address, shared, more })
  return {
    title: pack.order ? t('order.number', { order: name }) : name,
    intro: true,
    pictures: true,
    leadsOut: files.some((file) => isLinkFile(file.content_type)),
    wide: true,
    summary: t('pack.summary', { count: files.length, size: t.size(bytesOf(files)) }),
    shared: each === '' ? '' : t('pack.each', { terms: each }),
    questions: questionsOf(t, pack, address),
    groups: groupRows(
      files,
      ({ product_id = null }) => product_id ?? '',
      ([first, ...others]) => ({
        title: first.product ?? '',
        picture: first.pictured && first.key !== '' ? address(first.key, 'download/product') : null,
        rows: [first, ...others].map(rowOf),
      }),
    ),
    sums: files.flatMap((file) =>
      file.sha256 !== null &&
      isOpen(file, now) &&
      !isOnlyViewed(file) &&
      !isLinkFile(file.content_type)
        ? [{ name: file.filename, sha256: file.sha256 }]
        : [],
    ),
    ...(expires_at === null ? {} : { until: t.end(expires_at, pack.shop.look.timeZone, now) }),
    ...(action === undefined ? {} : { library: { key: pack.ask.key, action } }),
    ...(zipped.length > 1
      ? {
          all: `${address(pack.ask.key, 'download', gated)}&all=1`,
          allSize: t.size(bytesOf(zipped)),
        }
      : {}),
    ...more,
  }
}

interface RowParts {
  address: PageAddress
  /** The terms that the page says once for all files. */
  shared: Terms
  more: Pick<PackPage, 'ask'>
}

function fileRow(
  t: Translator,
  file: ShownFile,
  pack: OpenedPack,
  { address, shared, more }: RowParts,
): BuyersRow {
  const { filename, content_type, key, gated } = file
  const { now } = pack
  const picture = isPictured(file, now) ? address(key, 'download/picture', gated) : null
  return {
    name: shownName(filename, content_type),
    tile: tileOf(filename, content_type, picture),
    about: aboutTexts(t, file, pack, shared)
      .filter((text) => text !== '')
      .join(' · '),
    notes: file.locked === null && !file.preparing ? keyTexts(t, file) : [],
    text: file.locked === null ? textLines(file.buyer_text) : [],
    buttons: [...useButtons(t, file, pack, address), ...endButtons(t, file, pack, more)],
  }
}

/** Its download, and its view. */
function useButtons(
  t: Translator,
  file: ShownFile,
  { now }: OpenedPack,
  address: PageAddress,
): RowButton[] {
  const { filename, key, gated, view_limit, viewing } = file
  const view = isViewable(file, now)
    ? viewButtonOf(t, viewed(file), {
        address: address(key, 'view', gated),
        counted: view_limit !== null && viewing === null,
      })
    : null
  const download: RowButton[] =
    isUsable(file, now) && !isOnlyViewed(file)
      ? [
          {
            post: true,
            address: address(key, 'download', gated),
            ...downloadWords(t, filename, file.content_type),
            second: false,
          },
        ]
      : []
  if (view === null) return download
  const { named: label, ...shown } = view
  return [...download, { ...shown, label, second: download.length > 0 }]
}

/** Of a file that is expired or used up: its buyer can ask for more, or buy it again. */
function endButtons(
  t: Translator,
  file: ShownFile,
  pack: OpenedPack,
  { ask }: Pick<PackPage, 'ask'>,
): RowButton[] {
  const { now } = pack
  const { filename } = file
  if (waits(file, now) || isUsable(file, now)) return []
  const asking: RowButton[] = ask ? [askButton(t, filename, '#ask')] : []
  const buy = buyAddress(file, pack)
  return buy === null ? asking : [...asking, buyButton(t, filename, buy)]
}

export const askButton = (t: Translator, filename: string, address: string): RowButton =>
  endButton(t('pack.ask'), filename, address)

export const buyButton = (t: Translator, filename: string, address: string): RowButton =>
  endButton(t('library.buyAgain'), filename, address)

const endButton = (text: string, filename: string, address: string): RowButton => ({
  post: false,
  address,
  text,
  label: `${text}: ${filename}`,
  second: true,
})

/** The questions of the locked files, each once. */
function questionsOf(t: Translator, pack: OpenedPack, addressOf: PageAddress): UnlockQuestion[] {
  const { files, now, ask } = pack
  const locked = files.filter((file) => isLocked(file, now))
  const asked = Map.groupBy(locked, ({ question }) => question)
  return [...asked.values()].flatMap(([first, ...others]) => {
    if (!first || first.locked === null) return []
    const to = isOnlyViewLeft(first, now) ? 'view' : 'download'
    const address = `${addressOf(first.key, to, first.gated)}&from=${ask.key}`
    return [questionOf(t, { count: others.length + 1, kind: first.locked, address })]
  })
}

/** What is left of a file's downloads, when they end, and what it asks for first. */
interface Terms {
  left: string
  until: string
  asks: string
}

function termsOf(t: Translator, file: ShownFile, { now, shop }: OpenedPack): Terms {
  const ends = isOnlyViewed(file) ? { ...file, expires_at: file.views_end_at } : file
  return {
    left: hasEnded(file, now) || isOnlyViewed(file) ? '' : leftText(t, file, file.content_type),
    until: untilText(t, ends, now, shop.look.timeZone),
    asks: file.locked === null || isEnded(file, now) ? '' : t(`gate.asks.${file.locked}`),
  }
}

function sharedTerms(all: readonly Terms[]): Terms {
  const [first, ...others] = all
  const of = (name: keyof Terms) =>
    first && others.every((one) => one[name] === first[name]) ? first[name] : ''
  // The page says above its rows what its files ask for, also of a single one.
  const asks = of('asks')
  return others.length > 0
    ? { left: of('left'), until: of('until'), asks }
    : { left: '', until: '', asks }
}

function aboutTexts(t: Translator, file: ShownFile, pack: OpenedPack, shared: Terms): string[] {
  if (file.preparing) return [t('order.filePreparing')]
  const { now, shop } = pack
  const { timeZone } = shop.look
  const terms = termsOf(t, file, pack)
  return [
    sizeText(t, file.size_bytes, file.content_type),
    isReleased(file, now) ? '' : availableText(t, file, timeZone),
    file.tag_problem ? t('order.needsTag') : '',
    terms.asks === shared.asks ? '' : terms.asks,
    terms.left === shared.left ? '' : terms.left,
    terms.until === shared.until ? '' : terms.until,
    ...(isViewed(file) ? viewTexts(t, file, { isOnly: isOnlyViewed(file), now, timeZone }) : []),
    renewedText(t, file, timeZone),
  ]
}

function buyAddress(file: ShownFile, { shop, now }: OpenedPack): string | null {
  const { handle = null } = file
  if (handle === null || !shop.look.buyAgain || waits(file, now) || isUsable(file, now)) return null
  return productAddress(shop.domain, handle)
}

/** The page of a product in the shop. */
export const productAddress = (domain: string, handle: string): string =>
  `https://${domain}/products/${encodeURIComponent(handle)}`

const isReleased = ({ available_at }: ShownFile, now: Date) => !available_at || available_at <= now

const availableText = (t: Translator, { available_at }: ShownFile, timeZone: string): string =>
  available_at ? t('order.availableFrom', { moment: t.moment(available_at, timeZone) }) : ''

const bytesOf = (files: readonly PageFile[]) =>
  files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)

const viewed = ({ filename, content_type, view }: PageFile) => ({
  filename,
  contentType: content_type,
  view,
})
const isOnlyViewed = (file: PageFile) => isViewOnly(viewed(file))

/** It has downloads left; if it is only viewed, views. */
const hasLeft = (file: ShownFile) =>
  isOnlyViewed(file)
    ? hasViews(file)
    : file.download_limit === null || file.downloads < file.download_limit

type ShownFile = OpenedPack['files'][number]

const isOpen = (file: ShownFile, now: Date) =>
  file.locked === null && !waits(file, now) && !hasEnded(file, now)

const isEnded = (file: ShownFile, now: Date) => !hasLeft(file) || hasEnded(file, now)

const hasEnded = (file: ShownFile, now: Date): boolean => {
  const { expires_at, use_ends_at } = file
  if (isOnlyViewed(file)) return viewsEnded(file, now)
  return Boolean((expires_at && expires_at <= now) || (use_ends_at && use_ends_at <= now))
}

export const viewsEnded = ({ views_end_at }: Pick<ViewTerms, 'views_end_at'>, now: Date): boolean =>
  views_end_at !== null && views_end_at <= now

const isViewed = (file: ShownFile) => offeredView(viewed(file)) !== null

const isViewable = (file: ShownFile, now: Date): boolean =>
  isViewed(file) && !waits(file, now) && !viewsEnded(file, now) && hasViews(file)

/** It can be used in each way that it is offered. */
const isWhole = (file: ShownFile, now: Date): boolean =>
  isUsable(file, now) && (!isViewed(file) || isViewable(file, now))

/** It is shown beside the file why it cannot be had, and asking for more would not help. */
const waits = (file: ShownFile, now: Date): boolean =>
  file.preparing === true ||
  !isReleased(file, now) ||
  Boolean(file.tag_problem) ||
  isLocked(file, now)
const isPictured = (file: ShownFile, now: Date) =>
  isOpen(file, now) &&
  !file.unpictured &&
  file.key !== '' &&
  previewKind(file.content_type, file.size_bytes) !== null
const isUsable = (file: ShownFile, now: Date) => isOpen(file, now) && hasLeft(file)
/** An answer would give it. That of an expired or used-up file gives nothing. */
const isLocked = ({ locked, ...file }: ShownFile, now: Date): boolean => {
  if (locked === null) return false
  const open = { ...file, locked: null }
  return isUsable(open, now) || isViewable(open, now)
}

const isOnlyViewLeft = (file: ShownFile, now: Date): boolean =>
  isOnlyViewed(file) || !isUsable({ ...file, locked: null }, now)

const keyTexts = (t: Translator, { licence_keys = [] }: ShownFile) =>
  licence_keys.map((key) => licenceText(t, key))

/** A revoked key does not work any more, so it is not shown. */
export const licenceText = (
  t: Translator,
  { key, revoked }: PaidFile['licence_keys'][number],
): string => (revoked ? t('order.licenceWithdrawn') : t('order.licenceKey', { key }))

const renewedText = (t: Translator, { renewed_at }: ShownFile, timeZone: string): string =>
  renewed_at ? t('order.version', { day: t.date(renewed_at, timeZone) }) : ''

interface UseTerms extends Pick<PackFile, 'use_hours' | 'use_ends_at'> {
  /** Absent: the page shows the end of all its files. */
  expires_at?: Date | null
}

/** Each file of a delivery has its own expiry. A rental ends at a time of day. */
export function untilText(
  t: Translator,
  { expires_at = null, use_hours, use_ends_at }: UseTerms,
  now: Date,
  timeZone: string,
): string {
  const rented = use_ends_at !== null && !(expires_at && expires_at < use_ends_at)
  const end = rented ? use_ends_at : expires_at
  const day = end && (rented ? t.moment(end, timeZone) : t.end(end, timeZone, now))
  const until = day && end ? t(end > now ? 'order.until' : 'order.fileExpired', { day }) : ''
  const rental = use_hours !== null && use_ends_at === null ? useText(t, use_hours) : ''
  return [rental, until].filter((text) => text !== '').join(' · ')
}

/** How long a file can be used from its first use. */
export const useText = (t: Translator, hours: number): string =>
  hours % 24 === 0 ? t('order.useDays', { days: hours / 24 }) : t('order.useHours', { hours })

/** What the buyer can do when a file has no downloads left. */
function moreOf(
  t: Translator,
  { shop: { name: shop, look }, files, ask, asked, now }: OpenedPack,
): Pick<PackPage, 'usedUp' | 'ask'> {
  // An expiry is shown beside its file.
  const used = files.filter(
    (file) => !isOnlyViewed(file) && !hasLeft(file) && !hasEnded(file, now),
  ).length
  const which = files.length === 1 ? 'only' : used < files.length ? 'some' : 'all'
  const usedUp = [
    used === 0 ? '' : t('pack.usedUp', { which }),
    files.every((file) => !isViewed(file) || hasViews(file)) ? '' : viewsUsedUp(t, files),
  ]
    .filter((text) => text !== '')
    .join(' ')
  if (!look.askAgain) return { usedUp }
  if (asked) return { usedUp: `${usedUp} ${t('advice.asked', { shop })}`.trim() }
  return { usedUp: `${usedUp} ${t('pack.askMore', { shop })}`.trim(), ask }
}

function viewsUsedUp(t: Translator, files: readonly ShownFile[]): string {
  const which =
    files.length === 1
      ? 'only'
      : files.every((file) => isViewed(file) && !hasViews(file))
        ? 'all'
        : 'some'
  return t('views.someUsedUp', { which })
}

type ViewTerms = Pick<
  ShownFile,
  'view_limit' | 'views' | 'viewing' | 'views_end_at' | 'own_view_end'
>

/** What is left of the views of a file that is viewed, if they have terms of their own. */
export function viewTexts(
  t: Translator,
  terms: ViewTerms,
  { isOnly, now, timeZone }: { isOnly: boolean; now: Date; timeZone: string },
): string[] {
  const { view_limit: limit, views, viewing, views_end_at: end, own_view_end: isOwn } = terms
  const ended = viewsEnded(terms, now)
  return [
    limit === null || ended ? '' : t('views.left', { count: Math.max(0, limit - views) }),
    viewing === null || ended ? '' : t('views.running', { moment: t.moment(viewing, timeZone) }),
    // Of a file that is only viewed, it is shown as the end of the file.
    end === null || !isOwn || isOnly
      ? ''
      : t(ended ? 'views.ended' : 'views.until', { day: t.end(end, timeZone, now) }),
  ]
}

export const leftText = (
  t: Translator,
  { download_limit: limit, downloads }: Pick<PackFile, 'download_limit' | 'downloads'>,
  contentType: string | null,
): string =>
  limit === null
    ? ''
    : t(isLinkFile(contentType) ? 'link.left' : 'pack.left', {
        count: Math.max(0, limit - downloads),
      })

/** Its size; a link has none. */
export const sizeText = (t: Translator, bytes: number, contentType: string): string =>
  isLinkFile(contentType) ? t('link.about') : t.size(bytes)
