// A shop's settings for its buyers' pages: colours, logo, its own texts, and the language for
// buyers whose language has no catalog.
import { z } from 'zod'
import { sayPlain, sayFixed } from '../../../plugins/contract/index.ts'
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

// The colours of a buyer's page, from the one or two that a shop has chosen. Text is always
// readable: WCAG 2.2 asks for a contrast of 4.5 to 1, and a chosen colour that lacks it is moved
// towards black or white where it is used for text.

/** `#rrggbb`. */
export type Colour = string

export const READABLE = 4.5
const WHITE = '#ffffff'
const INK = '#1c1e21'

export interface ChosenColours {
  /** Buttons and links. Null: the usual blue. */
  accent: Colour | null
  /** Behind the page. Null: grey, light or dark as the buyer's device prefers. */
  background: Colour | null
}

type Palette = Readonly<Record<string, Colour> & Record<'action' | 'link', Colour>>

const LIGHT = { card: WHITE, shade: '#f4f5f6', text: INK, quiet: '#55595e', link: '#0a55ad' }
const DARK = {
  card: '#1f2124',
  shade: '#141618',
  text: '#eceef0',
  quiet: '#adb1b6',
  link: '#8fc1ff',
}

/** The CSS that follows page.css; empty if the shop has chosen no colour. */
export function colourCss({ accent, background }: ChosenColours): string {
  if (background !== null) {
    const scheme = schemeOf(background)
    return rule(`color-scheme:${scheme};${declarations(paletteOf(scheme, accent, background))}`)
  }
  if (accent === null) return ''
  const light = rule(declarations(paletteOf('light', accent, null)))
  const dark = rule(declarations(paletteOf('dark', accent, null)))
  return `${light}\n@media (prefers-color-scheme: dark) {\n${dark}\n}`
}

// The selector is repeated, so that the rule wins over the media query of page.css.
const rule = (content: string) => `:root:root{${content}}`
const declarations = (palette: Palette) =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')

/** The palette whose text is readable on this background. */
const schemeOf = (background: Colour): 'light' | 'dark' =>
  contrast(INK, background) >= contrast(WHITE, background) ? 'light' : 'dark'

function paletteOf(
  scheme: 'light' | 'dark',
  accent: Colour | null,
  background: Colour | null,
): Palette {
  const usual = scheme === 'light' ? LIGHT : DARK
  const ground = background ?? usual.shade
  const chosen = accent ?? usual.link
  const fixed = background === null ? {} : FIXED[scheme]
  return {
    ...fixed,
    ground,
    'on-ground': readableOn(ground, usual.quiet),
    'ground-link': readableOn(ground, chosen),
    link: readableOn(usual.card, chosen),
    action: chosen,
    'on-action': textOn(chosen),
  }
}

/** A page with its own background does not follow the device's scheme, so it sets every colour. */
const FIXED = {
  light: { ...LIGHT, line: '#d5d8db', field: '#868b91', wrong: '#a3180c' },
  dark: { ...DARK, line: '#3b3f44', field: '#767b81', wrong: '#ffa79e' },
} as const

/** Black or white, the more readable one; one of them always has at least 4.58 to 1. */
export const textOn = (colour: Colour): Colour =>
  contrast(WHITE, colour) >= READABLE || contrast(WHITE, colour) >= contrast('#000000', colour)
    ? WHITE
    : '#000000'

const STEPS = 20

/** The colour, moved towards black or white just far enough to be readable on `ground`. */
export function readableOn(ground: Colour, colour: Colour): Colour {
  const end = textOn(ground)
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, end, step / STEPS)
    if (contrast(mixed, ground) >= READABLE) return mixed
  }
  return end
}

/** From 1 to 21, as WCAG 2.2 defines it. */
export function contrast(a: Colour, b: Colour): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const channels = (colour: Colour): [number, number, number] =>
  [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]

function luminance(colour: Colour): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const [red, green, blue] = channels(from)
  const [toRed, toGreen, toBlue] = channels(to)
  const mixed = [red + (toRed - red) * share, green + (toGreen - green) * share]
  return `#${[...mixed, blue + (toBlue - blue) * share]
    .map((value) => Math.round(value).toString(16).padStart(2, '0'))
    .join('')}`
}

/** The contrast of the colours that a shop has chosen, for its settings page. */
export interface ColourReport {
  /** The contrast of a button's text to the button. */
  button: number
  /** The contrast of a link to the page, after its adjustment. */
  link: number
  /** The colour of links, after its adjustment. */
  link_colour: Colour
  /** The chosen colour was not readable as a link. */
  adjusted: boolean
}

export function reportColours({ accent, background }: ChosenColours): ColourReport {
  const scheme = background === null ? 'light' : schemeOf(background)
  const { action, link } = paletteOf(scheme, accent, background)
  const card = scheme === 'light' ? LIGHT.card : DARK.card
  const rounded = (value: number) => Math.floor(value * 10) / 10
  return {
    button: rounded(contrast(textOn(action), action)),
    link: rounded(contrast(link, card)),
    link_colour: link,
    adjusted: link !== action,
  }
}
