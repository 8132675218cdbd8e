// A shop's settings for its buyers' pages: colours, logo, its own texts, and the language for
// buyers whose language has no catalog.
import { sayPlain, sayFixed } from '../../../plugins/contract/index.ts'
import { z } from 'zod'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { LOCALES, type Locale } from './translate.ts'

const MAX_TEXT = 500
/** The logo is part of each page, so a larger one would make every page slow. */
export const MAX_LOGO_BYTES = 100 * 1024

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, sayPlain('Enter a colour as #rrggbb, like #0a55ad'))
  .transform((text) => text.toLowerCase())
  .nullable()
// Line breaks are kept; other control characters are invisible.
const text = z
  .string()
  .max(MAX_TEXT, sayFixed('Enter at most {count} characters', { count: MAX_TEXT }))
  .refine(
    (written) => !/[^\P{Cc}\n\r\t]/u.test(written),
    sayPlain('A text cannot contain control characters'),
  )
  .transform((written) => written.replaceAll('\r\n', '\n').trim())
const texts = z.strictObject({
  intro: text.default('').describe('Above the files'),
  footer: text.default('').describe('At the end of every page'),
})

const fields = {
  accent: colour.describe('Buttons and links; null: the usual blue'),
  background: colour.describe(
    'The background of the page; null: light or dark, as the device prefers',
  ),
  language: z
    .enum(LOCALES as [Locale, ...Locale[]])
    .describe('For buyers whose language has no translation'),
  texts: z
    .partialRecord(z.enum(LOCALES as [Locale, ...Locale[]]), texts)
    .describe('By language; a missing one is replaced by that of `language`'),
  library: z
    .boolean()
    .describe('Buyers can ask for a mail with a link to all their downloads, at `/library`'),
  library_link: z
    .boolean()
    .describe('The pages of deliveries have a button “All my downloads”; only with `library`'),
  copied_links: z
    .enum(['direct', 'page'])
    .describe(
      'What **Copy** and lists of links give: addresses that download the file directly, or that open a page with a button, which counts nothing',
    ),
  ask_again: z
    .boolean()
    .describe('Buyers can ask for more time or downloads of files that are expired or used up'),
  buy_again: z
    .boolean()
    .describe('Such files have a button that leads to their product in the shop'),
}

export const buyerPageChange = z.strictObject(fields).partial().meta({ id: 'BuyerPageChange' })

const isLocale = (language: string) => LOCALES.some((locale) => locale === language)

/** Without those of other languages. */
const knownTexts = (saved: unknown) =>
  typeof saved === 'object' && saved !== null
    ? Object.fromEntries(Object.entries(saved).filter(([language]) => isLocale(language)))
    : saved

/** A later version, which runs beside this one during an update, may have more languages. */
const savedSchema = z.object({
  accent: fields.accent.default(null),
  background: fields.background.default(null),
  language: fields.language.default('en').catch('en'),
  texts: z.preprocess(knownTexts, fields.texts.default({})),
  // Without the button a buyer reaches the library by its address only: no page changes.
  library: fields.library.default(true),
  library_link: fields.library_link.default(false),
  copied_links: fields.copied_links.default('direct'),
  ask_again: fields.ask_again.default(true),
  buy_again: fields.buy_again.default(true),
})
export type BuyerPage = z.output<typeof savedSchema>
export type OwnTexts = z.output<typeof texts>

export interface Logo {
  bytes: Buffer
  type: string
}

export interface SavedBuyerPage {
  page: BuyerPage
  logo: Logo | null
}

interface Row {
  settings: unknown
  logo: Buffer | null
  logo_type: string | null
}

/** Fills in the defaults of settings that the shop has not set. */
export const savedPage = (row: Row | undefined): SavedBuyerPage => ({
  page: savedSchema.parse(row?.settings ?? {}),
  logo: row?.logo && row.logo_type ? { bytes: row.logo, type: row.logo_type } : null,
})

export async function readBuyerPage(scope: ShopScope): Promise<SavedBuyerPage> {
  const [row] = await scope.query<Row>(
    'select settings, logo, logo_type from buyer_pages where shop_id = :shop',
  )
  return savedPage(row)
}

/** Changes the given settings and leaves the others. */
export async function changeBuyerPage(
  scope: ShopScope,
  change: z.output<typeof buyerPageChange>,
): Promise<SavedBuyerPage> {
  await scope.query(
    `insert into buyer_pages (shop_id, settings) values (:shop, :change::jsonb)
     on conflict (shop_id) do update set settings = buyer_pages.settings || excluded.settings`,
    { change: JSON.stringify(change) },
  )
  return readBuyerPage(scope)
}

/** The new logo; null removes the logo. */
export async function changeLogo(scope: ShopScope, logo: Logo | null): Promise<SavedBuyerPage> {
  await scope.query(
    `insert into buyer_pages (shop_id, logo, logo_type) values (:shop, :bytes, :type)
     on conflict (shop_id) do update set logo = excluded.logo, logo_type = excluded.logo_type`,
    { bytes: logo?.bytes ?? null, type: logo?.type ?? null },
  )
  return readBuyerPage(scope)
}
