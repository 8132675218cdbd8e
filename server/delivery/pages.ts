// The pages that buyers see: plain HTML in the shop's name, without scripts, in one response.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Handlebars from 'handlebars'
import { PAGE_HEADERS } from './headers.ts'

export interface ShopNamed {
  name: string
  domain: string
}

/**
 * A page's heading, its shop (absent if a stranger must not learn it), and the form to ask that
 * shop for more.
 */
export interface Page {
  title: string
  shop?: ShopNamed
  ask?: AskForm
}

// Not in the template: the formatter removes it there.
const DOCTYPE = '<!doctype html>\n'
const readAsset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const style = readAsset('./page.css')
const layout = Handlebars.compile<Page & { style: string; content: string; asking: string }>(
  readAsset('./layout.hbs'),
)
const asking = Handlebars.compile<Page>(readAsset('./ask.hbs'))
const styleHash = createHash('sha256').update(style).digest('base64')
// No scripts, nothing loaded, one inline style; forms are sent to this server only.
const POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** A page from the layout and a template of this folder; values are escaped. */
export function openTemplate<Data extends Page>(name: string): (data: Data) => string {
  const template = Handlebars.compile<Data>(readAsset(name))
  return (data) =>
    DOCTYPE +
    layout({ ...data, style, content: template(data).trimEnd(), asking: asking(data).trimEnd() })
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

/** A page that says what happened and what to do. */
export interface MessagePage extends Page {
  happened: string
  advice?: string
  /** The name of the file or the pack. */
  name?: string
}

export const renderMessage = openTemplate<MessagePage>('./message.hbs')

/** The second step of a download, for programs that follow every link. */
export interface ConfirmPage extends Page {
  name: string
  key: string
  /** Relative to the page. */
  action: string
}

export const renderConfirm = openTemplate<ConfirmPage>('./confirm.hbs')

/**
 * Sends a page or JSON; a HEAD request gets no body.
 * @param headers additional headers, as a flat list.
 */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: { html: string } | { json: object },
  headers: readonly string[] = [],
): void {
  const [type, text] =
    'html' in body ? ['text/html', body.html] : ['application/json', JSON.stringify(body.json)]
  response.writeHead(status, [
    ...PAGE_HEADERS,
    ...headers,
    'Vary',
    'Accept',
    'Content-Security-Policy',
    POLICY,
    'Content-Type',
    `${type}; charset=utf-8`,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ])
  response.end(request.method === 'HEAD' ? undefined : text)
}
