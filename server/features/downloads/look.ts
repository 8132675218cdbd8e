// A shop's look in the form that a page needs: the style with its hash for the content policy, the
// logo as a data URL, and the shop's own texts. Cached until the shop changes it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Listener } from '../../core/db/listener.ts'
import { createTtlCache } from '../../core/lazy.ts'
import {
  savedPage,
  type BuyerPage,
  type Logo,
  type OwnTexts,
  type SavedBuyerPage,
  colourCss,
} from './buyer-page.ts'
import type { Locale } from './translate.ts'
import type { Query } from './targets.ts'

export interface PageLook {
  style: string
  /** The Content-Security-Policy of a page with this look. */
  policy: string
  /** The policy of pages with pictures of files. */
  picturePolicy: string
  /** Where the forms of the pages may lead, for other policies. */
  formAction: string
  /** A data URL. */
  logo: string | null
  language: Locale
  /** In which days begin, for the times at which files become available. */
  timeZone: string
  /** Buyers can open their library. */
  library: boolean
  /** Pages of deliveries lead to it. */
  libraryLink: boolean
  /** Buyers can ask for more of what is expired or used up. */
  askAgain: boolean
  /** What is expired or used up leads to its product. */
  buyAgain: boolean
  /** The shop's own texts in that language, else in the shop's language; null: it has none. */
  textsIn(locale: Locale): OwnTexts | null
}

export interface PageLooks {
  of(shop: number): Promise<PageLook>
  close(): void
}

const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8')

/** @param redirectOrigins other origins to which an answer to a form may redirect. */
export function lookOf(
  { page, logo }: SavedBuyerPage,
  timeZone = 'UTC',
  redirectOrigins: readonly string[] = [],
): PageLook {
  const hasColours = page.accent !== null || page.background !== null
  const whole = hasColours ? `${style}\n${colourCss(page)}` : style
  const hash = createHash('sha256').update(whole).digest('base64')
  // No scripts, nothing loaded, one inline style; forms are sent to this server only. Chromium applies
  // form-action to each redirect after a form too: without its bucket's origin the button does nothing.
  const formAction = ["'self'", ...redirectOrigins].join(' ')
  const policyOf = (images: string) =>
    `default-src 'none'; style-src 'sha256-${hash}';${images} base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`
  return {
    style: whole,
    policy: policyOf(logo ? ' img-src data:;' : ''),
    picturePolicy: policyOf(" img-src 'self' data:;"),
    formAction,
    logo: logo && dataAddress(logo),
    language: page.language,
    timeZone,
    library: page.library,
    libraryLink: page.library && page.library_link,
    askAgain: page.ask_again,
    buyAgain: page.buy_again,
    textsIn: (locale) => textsOf(page, locale) ?? textsOf(page, page.language),
  }
}

export const dataAddress = ({ type, bytes }: Logo): string =>
  `data:${type};base64,${bytes.toString('base64')}`

function textsOf({ texts }: BuyerPage, locale: Locale): OwnTexts | null {
  const own = texts[locale]
  return own && (own.intro !== '' || own.footer !== '') ? own : null
}

/** The look of pages that name no shop, and of shops without settings. */
export const PLAIN_LOOK = lookOf(savedPage(undefined))

/** A change drops the cached look by a notification; this bounds the effect of a missed one. */
const KEPT_MS = 60_000

const READ = `select b.settings, b.logo, b.logo_type, s.settings ->> 'time_zone' from shops s
  left join buyer_pages b on b.shop_id = s.id where s.id = $1`

export function createLooks(
  query: Query,
  listener: Pick<Listener, 'on'>,
  redirectOrigins: readonly string[] = [],
): PageLooks {
  let kept = createTtlCache<Promise<PageLook>>(KEPT_MS)
  const read = async (shop: number): Promise<PageLook> => {
    const { rows } = await query('buyer_page', READ, [shop])
    if (!rows[0]) return PLAIN_LOOK
    const [settings, logo, logo_type, timeZone] = rows[0] as [
      ...[settings: unknown, logo: Buffer | null, type: string | null, timeZone: string | null],
    ]
    return lookOf(savedPage({ settings, logo, logo_type }), timeZone ?? 'UTC', redirectOrigins)
  }
  const close = listener.on('buyer_page_changed', () => {
    kept = createTtlCache(KEPT_MS)
  })
  return {
    of: (shop) => {
      const name = String(shop)
      const known = kept.get(name)
      if (known) return known
      const reading = read(shop)
      const cache = kept
      cache.set(name, reading)
      // A failed read is not kept.
      reading.catch(() => cache.set(name, reading, -Infinity))
      return reading
    },
    close,
  }
}
