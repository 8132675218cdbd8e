// What mails say. A mail to a buyer: one template for all of them, with the shop's logo, colour and texts.
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import {
  sayPlain,
  type AnyText,
  ENGLISH,
  textIn,
  type Text,
  type TextLanguage,
} from '../../../plugins/contract/index.ts'
import type {
  Content,
  KeyParts,
  MailWriter,
  SendableContent,
  MailPayload,
} from '../../core/outbox/outbox.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import { writtenIn } from '../../core/texts.ts'
import { firstOf } from '../../core/lazy.ts'
import { readBuyerPage, type SavedBuyerPage, textOn, type Colour } from '../downloads/buyer-page.ts'
import { textLines } from '../downloads/file-rows.ts'
import type { Locale } from '../downloads/translate.ts'
import { LINK_TEMPLATE } from '../links/mail.ts'
import { readMailSettings } from './settings.ts'
import { mailText, type OwnMailTexts, type BuyerMail, type TextValues } from './texts.ts'

const TEMPLATE = 'buyer-mail'
/** The usual colour of the button. */
const INK: Colour = '#303030'
/** The logo in the HTML, which is part of the message: nothing is loaded from elsewhere. */
export const LOGO_CID = 'logo@mail'

/** What all mails of a shop have in common. */
export interface MailLook {
  /** In one line. */
  shop: string
  /** The shop's time zone. */
  zone: string
  page: SavedBuyerPage
  own: OwnMailTexts
}

export async function readMailLook(scope: ShopScope): Promise<MailLook> {
  const [{ name, settings }, page, { texts: own }] = await Promise.all([
    readShop(scope),
    readBuyerPage(scope),
    readMailSettings(scope),
  ])
  return { shop: inOneLine(name), zone: settings.time_zone, page, own }
}

export interface BuyerMailParts {
  mail: BuyerMail
  locale: Locale
  /** Values of the texts, except the shop's name. */
  values: TextValues
  files?: readonly string[]
  /** What the shop wrote about files. */
  texts?: readonly { filename: string; text: string }[]
  /** Replaces the first text, the shop's own one too. */
  intro?: string
  /** The files that become available later, each with its time, and their title. */
  later?: { title: string; files: readonly string[] }
  /** Paragraphs before and after the button; empty ones are left out. */
  before?: string
  after?: string
  /** Of the button; empty: there is none. */
  address: string
  /** Links of their own, each with what it is valid for. */
  linked?: readonly { name: string; terms: string; address: string }[]
  /** The title of the licence keys, and the text that stands for them. */
  licences?: { title: string; hidden: string }
}

/** Renders the mail; its recipients are added by the caller. */
export function renderBuyerMail(
  { shop, page, own }: MailLook,
  parts: BuyerMailParts,
  baseUrl: string,
): Omit<Content, 'to'> {
  const { mail, locale, files = [], before = '', after = '', address, licences, later } = parts
  const { linked = [] } = parts
  const words = { mail, locale, own, values: { ...parts.values, shop } }
  const text = (field: Parameters<typeof mailText>[1]) => mailText(words, field)
  const intro = parts.intro ?? text('intro')
  const colour = page.page.accent ?? INK
  const data = {
    language: locale,
    shop: { name: shop },
    files,
    texts: (parts.texts ?? []).map((of) => ({ ...of, lines: textLines(of.text) })),
    linked,
    before,
    after,
    address,
    // A value may contain a line break, the subject may not.
    subject: inOneLine(text('subject')),
    // Lists of mails show the first text: the shop and the subject stand beside it already.
    intro,
    introLines: paragraphsOf(intro),
    preheader: inOneLine(intro),
    later: later?.title ?? '',
    laterFiles: later?.files ?? [],
    button: inOneLine(text('button')),
    colour,
    onColour: textOn(colour),
    keep: text('keep'),
    keepLines: paragraphsOf(text('keep')),
    footer: text('footer'),
    footerLines: paragraphsOf(text('footer')),
    licences: licences?.title ?? '',
    hidden: licences?.hidden ?? '',
    logo: page.logo ? `cid:${LOGO_CID}` : '',
  }
  return renderMail({ template: TEMPLATE, data }, baseUrl)
}

/** The paragraphs of a text, each with its lines. */
const paragraphsOf = (text: string): string[][] =>
  text.split(/\n{2,}/).map((paragraph) => paragraph.split('\n'))

/** A name must not start a new line of the message. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

// The templates of mails to buyers. All others go to the shop.

/** Several links for one buyer of another app. */
export const MOVED_TEMPLATE = 'moved-links'

const BUYER_TEMPLATES = ['order-delivery', LINK_TEMPLATE, MOVED_TEMPLATE, 'library-link'] as const
export type BuyerTemplate = (typeof BUYER_TEMPLATES)[number]

/** SQL: their names as a list. */
export const BUYER_TEMPLATES_SQL = BUYER_TEMPLATES.map((name) => `'${name}'`).join(', ')

/** A link, a delivery or a library: the mail goes to a buyer. */
export const isForBuyer = (payload: unknown): boolean =>
  BUYER_TEMPLATES.some((name) => name === (payload as { template?: unknown }).template)

/** A mail whose link or delivery was deleted. */
export const GONE_MAIL: Content = { to: [], subject: 'A download link', text: '' }

export const unsentMail = (reason: AnyText): SendableContent => ({
  unsent: { status: 'failed', reason },
})
const EXPIRED_LINK = unsentMail(sayPlain('The link does not work any more'))

interface SingleMail<About> extends Pick<MailWriter, 'next'> {
  /** What the message is about; null: its payload is of another form. */
  aboutOf(payload: unknown): About | null
  /** Null: it was deleted. */
  write(scope: ShopScope, about: About, baseUrl: string): Promise<Content | null | undefined>
  /** Null: its links do not work any more. */
  fill(scope: ShopScope, content: Content, about: About, parts: KeyParts): Promise<Content | null>
}

/** Writes mails one by one. */
export const eachMail = <About>({
  aboutOf,
  write,
  fill,
  ...rest
}: SingleMail<About>): MailWriter => ({
  ...rest,
  write: (scope, messages, baseUrl) =>
    Promise.all(
      messages.map(async ({ payload, content }) => {
        const about = aboutOf(payload)
        return content ?? (about === null ? null : await write(scope, about, baseUrl)) ?? GONE_MAIL
      }),
    ),
  fill: (scope, written, parts) =>
    Promise.all(
      written.map(async ({ message: { payload }, content }) => {
        const about = aboutOf(payload)
        return (about === null ? null : await fill(scope, content, about, parts)) ?? EXPIRED_LINK
      }),
    ),
})

// Email from templates: `<name>.txt` with the subject in its first line, and `<name>.html.hbs`,
// whose values are escaped. Their texts are written with `{{say 'Open {name}' name=name}}`, in the
// language of the mail; so are texts in the data.

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const hbs = Handlebars.create()
const compiled = new Map<string, Handlebars.TemplateDelegate>()

/** `baseUrl`: where the page is, without a slash at the end. Throws for an unknown template. */
export function renderMail(
  { template, data }: MailPayload,
  baseUrl: string,
  language: TextLanguage = ENGLISH,
): RenderedMail {
  const written = writtenIn(data, language) as MailPayload['data']
  // A mail to a buyer has the buyer's language.
  const values = { language: language.locale.slice(0, 2), ...written, baseUrl }
  const options = { helpers: helpersFor(language) }
  const lines = templateOf(`${template}.txt`, true)(values, options).split('\n')
  return {
    // A workflow's name is the merchant's: it must not start a new line.
    subject: firstOf(lines)
      .replace(/\s+/g, ' ')
      .replace(/[. ]+$/, ''),
    text: lines.slice(1).join('\n').trim() + '\n',
    // The formatter of templates drops it.
    html: withinLimit(
      `<!doctype html>\n${templateOf(`${template}.html.hbs`, false)(values, options)}`,
    ),
  }
}

/** Gmail hides what is beyond 102 KB; the rest is reserve. */
const SHOWN_BYTES = 80_000

/**
 * Without its indentation if it is long. Short mails keep it: filters for spam distrust pictures beside
 * little HTML, and a shop's logo is one.
 */
const withinLimit = (html: string): string =>
  Buffer.byteLength(html) > SHOWN_BYTES ? html.replace(/\n\s+/g, '\n') : html

function helpersFor(language: TextLanguage) {
  const number = new Intl.NumberFormat(language.locale)
  return {
    count: (value: unknown) => number.format(Number(value)),
    say: (message: string, { hash }: { hash: Text['values'] }) =>
      textIn({ message, values: hash }, language),
  }
}

function templateOf(file: string, noEscape: boolean): Handlebars.TemplateDelegate {
  let template = compiled.get(file)
  if (!template) {
    if (!/^[a-z-]+\.(txt|html\.hbs)$/.test(file)) throw new Error(`There is no template ${file}`)
    const source = readFileSync(new URL(`./templates/${file}`, import.meta.url), 'utf8')
    template = hbs.compile(source, { noEscape, strict: true })
    compiled.set(file, template)
  }
  return template
}
