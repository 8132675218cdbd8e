// Previews of the buyers' pages for the merchant, before a look is saved: the real templates with
// sample files.
import type { ShopRecord } from '../../files/shop-settings.ts'
import type { SavedBuyerPage } from './buyer-page.ts'
import { lookOf } from './look.ts'
import { packPage, renderPack } from './pack-page.ts'
import { renderMessage, type AskForm, type Frame } from './pages.ts'
import { translatorFor } from './translate.ts'

export const PREVIEW_PAGES = ['files', 'ended'] as const
export type PreviewPage = (typeof PREVIEW_PAGES)[number]

const FILES = [
  {
    filename: 'Sailing Basics.pdf',
    content_type: 'application/pdf',
    size_bytes: 4_812_331,
    downloads: 1,
    view: 'both',
  },
  {
    filename: 'Knots and Splices.mp4',
    content_type: 'video/mp4',
    size_bytes: 734_003_200,
    downloads: 4,
    view: 'both',
  },
  {
    filename: 'Checklist.zip',
    content_type: 'application/zip',
    size_bytes: 88_064,
    downloads: 5,
    view: 'download',
  },
] as const
const PRODUCT = 'Sailing Course'
const LIMIT = 5
const PREVIEWED_AT = new Date('2027-01-01T00:00:00Z')
const UNTIL = new Date('2027-06-30T00:00:00Z')
/** A preview's frame may not submit forms. */
const ASK: AskForm = { key: '', action: '#' }

/** What the page of files shows in place of the sample: the files of a pack, under its product. */
export interface PreviewedFiles {
  product: string
  files: readonly PreviewedFile[]
}

interface PreviewedFile {
  filename: string
  content_type: string
  size_bytes: number
  downloads: number
  download_limit: number | null
  view: 'download' | 'both' | 'view_only'
  buyer_text: string | null
}

const SAMPLE: PreviewedFiles = {
  product: PRODUCT,
  files: FILES.map((file) => ({ ...file, download_limit: LIMIT, buyer_text: null })),
}

export function previewPage(
  page: PreviewPage,
  given: {
    shop: Pick<ShopRecord, 'name' | 'domain'>
    look: SavedBuyerPage
    locale: string
    content?: PreviewedFiles
  },
): string {
  const { name, domain } = given.shop
  const t = translatorFor(given.locale)
  const shop = { name, domain, look: lookOf(given.look) }
  const frame: Frame = { t, shop }
  if (page === 'ended')
    return renderMessage(frame, {
      title: t('expired.title'),
      happened: t('expired.happened', { day: t.date(UNTIL) }),
      advice: t('advice.askShop', { shop: name }),
      name: FILES[0].filename,
      ask: ASK,
    }).html
  const { product, files: shown } = given.content ?? SAMPLE
  const files = shown.map((file) => ({
    ...file,
    key: '',
    sha256: null,
    unpictured: true,
    available_at: null,
    use_hours: null,
    use_ends_at: null,
    gated: false,
    locked: null,
    question: 0,
    product_id: 'sample',
    product,
    pictured: false,
    viewing: null,
    view_limit: null,
    views: 0,
    views_end_at: null,
    own_view_end: false,
  }))
  const pack = {
    name: t('order.title'),
    shop,
    expires_at: UNTIL,
    files,
    ask: ASK,
    asked: true,
    now: PREVIEWED_AT,
    ...(shop.look.libraryLink ? { libraryAction: '#' } : {}),
  }
  return renderPack(
    frame,
    packPage(t, pack, () => '#'),
  ).html
}
