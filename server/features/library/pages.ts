// The pages of a library: its files, the form that asks for its key, and what became of a request.
import {
  openTemplate,
  renderMessage,
  type Frame,
  type Page,
  type RenderedPage,
} from '../downloads/pages.ts'
import { PAGE } from '../downloads/request.ts'
import {
  licenceText,
  productAddress,
  useText,
  viewsEnded,
  viewTexts,
} from '../downloads/pack-page.ts'
import type { Translator } from '../downloads/translate.ts'
import { viewButtonOf } from '../downloads/view-buttons.ts'
import { hasViews } from '../downloads/refusal.ts'
import { isViewOnly } from '../../files/view-kinds.ts'
import { previewKind } from '../../files/preview-kinds.ts'
import type { LibraryItem } from './items.ts'
import { LIBRARY_DAYS } from './keys.ts'

interface Button {
  /** It sends a POST, which no program that follows links sends. */
  post: boolean
  text: string
  /** Names the file, for readers that list buttons alone. */
  label: string
  address: string
  second: boolean
}

interface ShownItem {
  name: string
  isNew: boolean
  /** The product and the order. */
  from: string
  /** The address of the delivery's page. */
  page: string | null
  about: string
  /** The digest of a file that can be downloaded. */
  sha256: string | null
  /** The address of its small picture; null: it has none. */
  picture: string | null
  buttons: readonly Button[]
}

interface ItemsPage extends Page {
  search?: { key: string; locale: string | null; text: string; all: string | null }
  summary: string
  items: readonly ShownItem[]
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
    items: items.map((item) => shownItem(frame, item, opened)),
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

function shownItem({ t, shop }: Frame, item: LibraryItem, opened: OpenedLibrary): ShownItem {
  const { now, visited, locale } = opened
  const { name, order, product, preparing, renewed_at, created_at } = item
  const download = (key: string) =>
    `download?key=${key}${locale === null ? '' : `&locale=${locale}`}`
  const page = item.page === null ? null : download(item.page)
  const button = (text: string, address: string, second: boolean): Button => ({
    text,
    address,
    second,
    label: `${text}: ${name}`,
    post: false,
  })
  const waits = preparing || item.status === 'not_released' || item.tag_problem !== null
  const view = viewOf(t, item)
  const views = view && isViewable(item, now) ? view : null
  // A view needs no download to be left, and the reverse.
  const isUsable = !waits && (views !== null || (item.status === 'active' && !view?.isOnly))
  const shopName = shop?.name ?? ''
  const isOpen = isUsable && item.locked === null
  const uses = isOpen
    ? usableButtons(t, item, views, download(item.key))
    : [
        lockedButton(
          t,
          name,
          views && isOnlyViewLeft(item.status, views)
            ? `view?key=${item.key}`
            : `${download(item.key)}&${PAGE}`,
        ),
      ]
  const isEnded = item.status !== 'active' && !view?.isOnly
  const more = [
    // Both pages have the form to ask the shop.
    ...(shop?.look.askAgain === false
      ? []
      : [button(t('library.again', { shop: shopName }), page ?? download(item.key), true)]),
    ...(item.handle === null || !shop?.look.buyAgain
      ? []
      : [button(t('library.buyAgain'), productAddress(shop.domain, item.handle), true)]),
  ]
  const buttons = waits ? [] : [...(isUsable ? uses : []), ...(isUsable && !isEnded ? [] : more)]
  return {
    name,
    page,
    buttons,
    isNew:
      visited !== null && (created_at > visited || (renewed_at !== null && renewed_at > visited)),
    sha256: isOpen && !view?.isOnly ? item.sha256 : null,
    picture: isOpen && isPictured(item) ? `download/picture?key=${item.key}` : null,
    from: [product, order === null ? '' : t('order.number', { order })].filter(Boolean).join(' · '),
    about: (preparing
      ? [t('order.filePreparing')]
      : factsOf(t, item, view, { now, timeZone: shop?.look.timeZone ?? 'UTC' })
    )
      .filter((text) => text !== '')
      .join(' · '),
  }
}

/** Of what can be had: its download and its view, or one of them. */
function usableButtons(
  t: Translator,
  { name, size_bytes, status }: LibraryItem,
  view: ReturnType<typeof viewOf>,
  address: string,
): Button[] {
  if (view && isOnlyViewLeft(status, view)) return [view.button]
  const isPack = size_bytes === null
  const download = {
    text: t(isPack ? 'library.open' : 'pack.download'),
    second: false,
    post: !isPack,
    address: isPack ? address : `${address}&${PAGE}`,
    label: t(isPack ? 'library.openNamed' : 'pack.downloadNamed', { filename: name }),
  }
  return view ? [download, { ...view.button, second: true }] : [download]
}

/** It can be viewed, and not downloaded. */
const isOnlyViewLeft = (status: LibraryItem['status'], view: { isOnly: boolean }): boolean =>
  view.isOnly || status !== 'active'

/** Opens the page that asks for the buyer's address or for a password. */
const lockedButton = (t: Translator, name: string, address: string): Button => ({
  text: t('gate.unlock'),
  label: t('gate.unlockNamed', { filename: name }),
  address,
  second: false,
  post: false,
})

/** The button that opens its view; null: it is only downloaded. */
function viewOf(t: Translator, { name, content_type, view, key }: LibraryItem) {
  if (content_type === null || view === null) return null
  const file = { filename: name, contentType: content_type, view }
  // A view that is counted asks first.
  const shown = viewButtonOf(t, file, { address: `view?key=${key}`, counted: false })
  if (!shown) return null
  const { address, text, named } = shown
  return {
    isOnly: isViewOnly(file),
    button: { address, text, label: named, second: false, post: false },
  }
}

const isViewable = (item: LibraryItem, now: Date): boolean =>
  hasViews(item) && !viewsEnded(item, now)

const isPictured = ({ content_type, size_bytes, unpictured }: LibraryItem): boolean =>
  content_type !== null && !unpictured && previewKind(content_type, size_bytes ?? 0) !== null

function factsOf(
  t: Translator,
  item: LibraryItem,
  view: ReturnType<typeof viewOf>,
  { now, timeZone }: { now: Date; timeZone: string },
): string[] {
  const { size_bytes, created_at, version, renewed_at, download_limit, downloads } = item
  const isOnly = view?.isOnly === true
  const expires_at = isOnly ? item.views_end_at : item.expires_at
  return [
    size_bytes === null ? '' : t.size(size_bytes),
    t('library.bought', { day: t.date(created_at) }),
    version > 1 ? t('library.version', { version }) : '',
    renewed_at ? t('order.version', { day: t.date(renewed_at) }) : '',
    item.status === 'not_released' && item.available_at
      ? t('order.availableFrom', { moment: t.moment(item.available_at, timeZone) })
      : '',
    item.tag_problem ? t('order.needsTag') : '',
    item.locked === null ? '' : t(`gate.asks.${item.locked}`),
    item.use_hours !== null && item.first_used_at === null ? useText(t, item.use_hours) : '',
    download_limit === null || item.status === 'expired' || isOnly
      ? ''
      : t('pack.left', { count: Math.max(0, download_limit - downloads) }),
    expires_at === null
      ? ''
      : t(expires_at > now ? 'order.until' : 'order.fileExpired', {
          day:
            item.first_used_at && item.use_hours !== null
              ? t.moment(expires_at, timeZone)
              : t.date(expires_at),
        }),
    ...(view ? viewTexts(t, item, { isOnly, now, timeZone }) : []),
    ...(item.locked === null ? item.licence_keys.map((key) => licenceText(t, key)) : []),
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
