// The pages that buyers see: plain HTML in the shop's name and look and in the buyer's language,
// without scripts, in one response.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Handlebars from 'handlebars'
import { PAGE_HEADERS } from '../../http/headers.ts'
import { PLAIN_LOOK, type PageLook } from './look.ts'
import type { Translator, MessageValues, MessageKey } from './translate.ts'

export interface ShownShop {
  name: string
  domain: string
  look: PageLook
}

/** The language of a page and the shop that its header and footer name. */
export interface Frame {
  t: Translator
  /** The shop; absent if a stranger must not learn which shop it is. */
  shop?: ShownShop | undefined
}

/** A page's heading, and the form to ask the shop for more. */
export interface Page {
  title: string
  ask?: AskForm
  /** Shows the shop's own text above the content. */
  intro?: boolean
  /** Shows pictures of files and products, which this server sends. */
  pictures?: boolean
  /** A form of it may lead to the address of a link. */
  leadsOut?: boolean
  /** A list of files, which has more room than a message. */
  wide?: boolean
}

/** The form to ask the shop for more, empty or with its problems. */
export interface AskForm {
  key: string
  /** Relative to the page. */
  action: string
  email?: string | undefined
  message?: string | undefined
  wrong?: { email?: string; message?: string }
}

export interface RenderedPage {
  html: string
  /** The page's Content-Security-Policy. */
  policy: string
  /** The page's Content-Language. */
  locale: string
}

const hbs = Handlebars.create()
hbs.registerHelper('t', (key: MessageKey, options: Handlebars.HelperOptions) =>
  (options.data as { t: Translator }).t(key, options.hash as MessageValues),
)

/** Chromium applies form-action to each redirect after a form too, also to that to a link's address. */
const ANYWHERE = "form-action 'self' https: http:"

// The doctype is not in the template: the formatter removes it there.
const DOCTYPE = '<!doctype html>\n'
const compile = (file: URL) => hbs.compile<object>(readFileSync(file, 'utf8'))
const layout = compile(new URL('./layout.hbs', import.meta.url))
const asking = compile(new URL('./ask.hbs', import.meta.url))
hbs.registerPartial('fileRows', readFileSync(new URL('./file-rows.hbs', import.meta.url), 'utf8'))

/**
 * A page from the layout and a template file. Values are escaped; `{{t 'key' name=value}}` writes a
 * text in the buyer's language.
 */
export function openTemplate<Data extends Page>(
  file: URL,
): (frame: Frame, data: Data) => RenderedPage {
  const template = compile(file)
  return ({ t, shop }, page) => {
    const look = shop?.look ?? PLAIN_LOOK
    const own = look.textsIn(t.locale)
    const values = { ...page, shop, locale: t.locale, own: page.intro ? own?.intro : '' }
    const write = (part: Handlebars.TemplateDelegate, more: object = {}) =>
      part({ ...values, ...more }, { data: { t } }).trimEnd()
    const html = write(layout, {
      style: look.style,
      logo: look.logo,
      footer: own?.footer ?? '',
      content: write(template),
      asking: write(asking),
    })
    const policy = page.pictures ? look.picturePolicy : look.policy
    return {
      html: DOCTYPE + html,
      policy: page.leadsOut ? policy.replace(/form-action [^;]*/, ANYWHERE) : policy,
      locale: t.locale,
    }
  }
}

/** A page that says what happened and what to do. */
export interface MessagePage extends Page {
  happened: string
  advice?: string
  /** The name of the file or the pack. */
  name?: string
  /** Leads to the view of the file, or to its download. */
  button?: PageButton | null
  /** How many views are left. */
  viewsLeft?: string
}

/** A button that reads, plays or opens a file in the browser, or leads to its download. */
export interface PageButton {
  /** Relative to the page. */
  address: string
  /** It sends a POST. */
  post: boolean
  text: string
  /** The text with the file's name. */
  named: string
}

export const renderMessage = openTemplate<MessagePage>(new URL('./message.hbs', import.meta.url))

/** The second step of a download, for programs that follow every link. */
export interface ConfirmPage extends Page {
  name: string
  /** The size of the file, and what is left of its downloads; absent or empty: it is no file, or only viewed. */
  about?: string
  view?: PageButton | null
  /** The file is only viewed. */
  viewOnly?: boolean
  /** How many views are left. */
  viewsLeft?: string
  /** The digest of the file. */
  sha256?: string | null
  /** Where the button sends a POST, which no program that follows links sends. Relative to the page. */
  action: string
  /** Of the button: it downloads a file, or opens a link. Absent: the file is only viewed. */
  button?: string
}

export const renderConfirm = openTemplate<ConfirmPage>(new URL('./confirm.hbs', import.meta.url))

/**
 * Sends a page or JSON; a HEAD request gets no body.
 * @param headers additional headers, as a flat list.
 */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: RenderedPage | { json: object },
  headers: readonly string[] = [],
): void {
  const isPage = 'html' in body
  const { policy, locale } = isPage ? body : { policy: PLAIN_LOOK.policy, locale: 'en' }
  const text = isPage ? body.html : JSON.stringify(body.json)
  response.writeHead(status, [
    ...PAGE_HEADERS,
    ...headers,
    'Vary',
    'Accept, Accept-Language',
    'Content-Language',
    locale,
    'Content-Security-Policy',
    policy,
    'Content-Type',
    `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ])
  response.end(request.method === 'HEAD' ? undefined : text)
}
