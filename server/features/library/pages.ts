// The pages of a library: its files, the form that asks for its key, and what became of a request.
import { isLinkFile } from '../../../plugins/contract/index.ts'
import { isViewOnly, offeredView, previewKind } from '../../files/view-kinds.ts'
import {
  openTemplate,
  renderMessage,
  type Frame,
  type Page,
  type RenderedPage,
} from '../downloads/pages.ts'
import { PAGE } from '../downloads/request.ts'
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
  type RowGroup,
} from '../downloads/file-rows.ts'
import {
  askButton,
  buyButton,
  leftText,
  licenceText,
  productAddress,
  sizeText,
  useText,
  viewsEnded,
  viewTexts,
} from '../downloads/pack-page.ts'
import type { Translator } from '../downloads/translate.ts'
import { viewButtonOf } from '../downloads/view-buttons.ts'
import { hasViews } from '../downloads/refusal.ts'
import type { LibraryItem } from './items.ts'
import { LIBRARY_DAYS } from './keys.ts'

interface ItemsPage extends Page, FileRows {
  search?: { key: string; locale: string | null; text: string; all: string | null }
  summary: string
  pages?: { newer: string | null; older: string | null; text: string }
}

interface RequestPage extends Page {
  about: string
  action: string
  email?: string | undefined
  wrong?: string
}

const renderItems = openTemplate<ItemsPage>(new URL('./library.hbs', import.meta.url))
const renderForm = openTemplate<RequestPage>(new URL('./request.hbs', import.meta.url))

export interface OpenedLibrary {
  key: string
  items: readonly LibraryItem[]
  hasMore: boolean
  /** From 1. */
  page: number
  search: string
  /** The language that the address names, which its links pass on. */
  locale: string | null
  /** What came later than this is new; null: the buyer's first visit. */
  visited: Date | null
  now: Date
}

export function renderLibrary(frame: Frame, opened: OpenedLibrary): RenderedPage {
  const { t } = frame
  const { items, search, page, hasMore, key, locale } = opened
  const address = (to: { search: string; page: number }) =>
    `library?${new URLSearchParams({
      key,
      ...(to.search === '' ? {} : { search: to.search }),
      ...(to.page === 1 ? {} : { page: String(to.page) }),
      ...(locale === null ? {} : { locale }),
    })}`
  const isWhole = page === 1 && !hasMore
  return renderItems(frame, {
    title: t('library.title'),
    intro: true,
    pictures: true,
    leadsOut: items.some((item) => isLinkFile(item.content_type)),
    wide: true,
    ...(items.length === 0 && search === '' && page === 1
      ? {}
      : {
          search: {
            key,
            locale,
            text: search,
            all: search === '' ? null : address({ search: '', page: 1 }),
          },
        }),
    summary: summaryOf(t, opened, isWhole),
    groups: groupRows(
      items,
      ({ order, product }) => JSON.stringify([order, product]),
      (group) => groupOf(frame, group, opened),
    ),
    sums: items.flatMap((item) =>
      item.sha256 !== null &&
      isOpen(item, opened.now) &&
      !viewTermsOf(item).isOnly &&
      !isLinkFile(item.content_type)
        ? [{ name: item.name, sha256: item.sha256 }]
        : [],
    ),
    ...(isWhole
      ? {}
      : {
          pages: {
            newer: page > 1 ? address({ search, page: page - 1 }) : null,
            older: hasMore ? address({ search, page: page + 1 }) : null,
            text: t('library.page', { page }),
          },
        }),
  })
}

function summaryOf(
  t: Translator,
  { items, search, page }: OpenedLibrary,
  isWhole: boolean,
): string {
  if (search === '') return items.length === 0 ? t('library.empty') : ''
  if (isWhole) return t('library.found', { count: items.length, search })
  return page === 1 ? t('library.foundMore', { count: items.length, search }) : ''
}

const downloadAddress = (key: string, locale: string | null): string =>
  `download?key=${key}${locale === null ? '' : `&locale=${locale}`}`

/** The product, with its order and since when the buyer has it. Without a product, the order is the title. */
function groupOf(
  frame: Frame,
  group: readonly [LibraryItem, ...LibraryItem[]],
  opened: OpenedLibrary,
): RowGroup {
  const { t } = frame
  const [{ key, page, order, product, pictured }] = group
  const number = order === null ? '' : t('order.number', { order })
  const days = new Set(group.map((item) => sinceText(frame, item)))
  const title = product ?? number
  const unlock = title === '' ? null : unlockOf(t, group, opened)
  const shared = title !== '' && days.size === 1 ? days : new Set<string>()
  return {
    title,
    picture: pictured ? `download/product?key=${key}` : null,
    from: [product === null ? '' : number, ...shared].filter(Boolean).join(' · '),
    page: page === null ? null : downloadAddress(page, opened.locale),
    unlock,
    rows: group.map((item) =>
      shownItem(frame, item, opened, { showsDay: shared.size === 0, unlocks: unlock === null }),
    ),
  }
}

/** The question of a group whose locked files ask the same: one answer opens them, and leads to their page. */
function unlockOf(
  t: Translator,
  group: readonly LibraryItem[],
  { now, locale }: OpenedLibrary,
): UnlockQuestion | null {
  const locked = group.filter((item) => item.locked !== null && isUsable(item, now))
  const [first] = locked
  if (!first?.locked || first.page === null) return null
  if (locked.some(({ gate }) => gate?.asks !== first.gate?.asks)) return null
  const address = `${unlockAddress(first, now, locale)}&from=${first.page}`
  return questionOf(t, { count: locked.length, kind: first.locked, address })
}

function unlockAddress(item: LibraryItem, now: Date, locale: string | null): string {
  const { key } = item
  const isView = viewTermsOf(item).isOffered && isViewable(item, now) && isOnlyViewLeft(item)
  return isView ? `view?key=${key}` : `${downloadAddress(key, locale)}&${PAGE}`
}

const sinceText = ({ t, shop }: Frame, { created_at }: LibraryItem): string =>
  t('library.bought', { day: t.date(created_at, shop?.look.timeZone ?? 'UTC') })

const waits = ({ preparing, status, tag_problem }: LibraryItem): boolean =>
  preparing || status === 'not_released' || tag_problem !== null

/** It can be downloaded or viewed. A view needs no download to be left, and the reverse. */
const isUsable = (item: LibraryItem, now: Date): boolean => {
  const { isOnly, isOffered } = viewTermsOf(item)
  const canDownload = item.status === 'active' && !isOnly
  return !waits(item) && (canDownload || (isOffered && isViewable(item, now)))
}

function viewTermsOf({ content_type, view }: LibraryItem) {
  if (content_type === null || view === null) return { isOffered: false, isOnly: false }
  const file = { contentType: content_type, view }
  return { isOffered: offeredView(file) !== null, isOnly: isViewOnly(file) }
}

const isOpen = (item: LibraryItem, now: Date): boolean =>
  isUsable(item, now) && item.locked === null

function shownItem(
  frame: Frame,
  item: LibraryItem,
  opened: OpenedLibrary,
  { showsDay, unlocks }: { showsDay: boolean; unlocks: boolean },
): BuyersRow {
  const { t, shop } = frame
  const { now, visited, locale } = opened
  const { name, preparing, renewed_at, created_at, content_type, key } = item
  return {
    name: shownName(name, content_type),
    isNew:
      visited !== null && (created_at > visited || (renewed_at !== null && renewed_at > visited)),
    tile: tileOf(
      name,
      content_type,
      isOpen(item, now) && isPictured(item) ? `download/picture?key=${key}` : null,
    ),
    about: (preparing
      ? [t('order.filePreparing')]
      : [
          showsDay ? sinceText(frame, item) : '',
          ...factsOf(t, item, { now, timeZone: shop?.look.timeZone ?? 'UTC' }),
        ]
    )
      .filter((text) => text !== '')
      .join(' · '),
    notes: item.locked === null ? item.licence_keys.map((one) => licenceText(t, one)) : [],
    text: item.locked === null ? textLines(item.buyer_text) : [],
    buttons: waits(item)
      ? []
      : [
          ...useButtons(t, item, { now, locale, unlocks }),
          ...endButtons({ t, shop }, item, opened),
        ],
  }
}

function useButtons(
  t: Translator,
  item: LibraryItem,
  given: {
    now: Date
    locale: string | null
    /** Its row has the button that unlocks it. */
    unlocks: boolean
  },
): RowButton[] {
  const { now, locale, unlocks } = given
  if (!isUsable(item, now)) return []
  const { name, key } = item
  const view = isViewable(item, now) ? viewButton(t, item) : null
  if (item.locked === null) return usableButtons(t, item, view, downloadAddress(key, locale))
  return unlocks ? [lockedButton(t, name, unlockAddress(item, now, locale))] : []
}

/** Of what has ended: both pages have the form to ask the shop. */
function endButtons({ t, shop }: Frame, item: LibraryItem, opened: OpenedLibrary): RowButton[] {
  const { name, key, page, handle, status } = item
  const isEnded = status !== 'active' && !viewTermsOf(item).isOnly
  if (isUsable(item, opened.now) && !isEnded) return []
  const address = downloadAddress(page ?? key, opened.locale)
  const asking = shop?.look.askAgain === false ? [] : [askButton(t, name, address)]
  return handle === null || !shop?.look.buyAgain
    ? asking
    : [...asking, buyButton(t, name, productAddress(shop.domain, handle))]
}

/** Of what can be had: its download and its view, or one of them. */
function usableButtons(
  t: Translator,
  item: LibraryItem,
  view: RowButton | null,
  address: string,
): RowButton[] {
  const { name, size_bytes } = item
  if (view && isOnlyViewLeft(item)) return [view]
  const isPack = size_bytes === null
  const download = {
    ...(isPack
      ? { text: t('library.open'), label: t('library.openNamed', { filename: name }) }
      : downloadWords(t, name, item.content_type)),
    second: false,
    post: !isPack,
    address: isPack ? address : `${address}&${PAGE}`,
  }
  return view ? [download, { ...view, second: true }] : [download]
}

/** It can be viewed, and not downloaded. */
const isOnlyViewLeft = (item: LibraryItem): boolean =>
  viewTermsOf(item).isOnly || item.status !== 'active'

/** Opens the page that asks for the buyer's address or for a password. */
const lockedButton = (t: Translator, name: string, address: string): RowButton => ({
  text: t('gate.unlock'),
  label: t('gate.unlockNamed', { filename: name }),
  address,
  second: false,
  post: false,
})

/** The button that opens its view; null: it is only downloaded. */
function viewButton(t: Translator, item: LibraryItem): RowButton | null {
  const { name, content_type, view, key } = item
  if (content_type === null || view === null) return null
  const file = { filename: name, contentType: content_type, view }
  // A view that is counted asks first.
  const shown = viewButtonOf(t, file, { address: `view?key=${key}`, counted: false })
  if (!shown) return null
  const { address, text, named } = shown
  return { address, text, label: named, second: false, post: false }
}

const isViewable = (item: LibraryItem, now: Date): boolean =>
  hasViews(item) && !viewsEnded(item, now)

const isPictured = ({ content_type, size_bytes, unpictured }: LibraryItem): boolean =>
  content_type !== null && !unpictured && previewKind(content_type, size_bytes ?? 0) !== null

function factsOf(
  t: Translator,
  item: LibraryItem,
  { now, timeZone }: { now: Date; timeZone: string },
): string[] {
  const { size_bytes, version, renewed_at, download_limit, downloads } = item
  const { isOffered, isOnly } = viewTermsOf(item)
  const expires_at = isOnly ? item.views_end_at : item.expires_at
  return [
    size_bytes === null ? '' : sizeText(t, size_bytes, item.content_type ?? ''),
    version > 1 ? t('library.version', { version }) : '',
    renewed_at ? t('order.version', { day: t.date(renewed_at, timeZone) }) : '',
    item.status === 'not_released' && item.available_at
      ? t('order.availableFrom', { moment: t.moment(item.available_at, timeZone) })
      : '',
    item.tag_problem ? t('order.needsTag') : '',
    item.locked === null ? '' : t(`gate.asks.${item.locked}`),
    item.use_hours !== null && item.first_used_at === null ? useText(t, item.use_hours) : '',
    download_limit === null || item.status === 'expired' || isOnly
      ? ''
      : leftText(t, { download_limit, downloads }, item.content_type),
    expires_at === null
      ? ''
      : t(expires_at > now ? 'order.until' : 'order.fileExpired', {
          day:
            item.first_used_at && item.use_hours !== null
              ? t.moment(expires_at, timeZone)
              : t.end(expires_at, timeZone, now),
        }),
    ...(isOffered ? viewTexts(t, item, { isOnly, now, timeZone }) : []),
  ]
}

/** The form that asks for the key of a library, at first, after a mistake or an expired key. */
export function renderRequestForm(
  frame: Frame,
  form: { action: string; expired?: boolean; email?: string | undefined; wrong?: string },
): RenderedPage {
  const { t, shop } = frame
  const { expired = false, ...fields } = form
  return renderForm(frame, {
    ...fields,
    title: expired ? t('expired.title') : t('library.requestTitle', { shop: shop?.name ?? '' }),
    about: expired
      ? `${t('library.expiredAbout')} ${t('library.requestAbout')}`
      : t('library.requestAbout'),
  })
}

/** @param email that was entered; null: the request came from the page of an order. */
export function renderRequested(frame: Frame, email: string | null): RenderedPage {
  const { t, shop } = frame
  return renderMessage(frame, {
    title: t('library.sentTitle'),
    happened:
      email === null
        ? t('library.sentToOrder')
        : t('library.sent', { shop: shop?.name ?? '', email }),
    advice: t('library.sentAdvice', { days: LIBRARY_DAYS }),
  })
}

export const renderNoAddress = (frame: Frame): RenderedPage =>
  renderMessage(frame, {
    title: frame.t('library.noAddressTitle'),
    happened: '',
    advice: frame.t('advice.askShop', { shop: frame.shop?.name ?? '' }),
  })

export const renderTooOften = (frame: Frame): RenderedPage =>
  renderMessage(frame, {
    title: frame.t('tooOften.title'),
    happened: frame.t('library.tooOften'),
    advice: frame.t('tooOften.advice'),
  })
