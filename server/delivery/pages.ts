// The pages that buyers see: plain HTML in the shop's name, without scripts, in one answer.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Handlebars from 'handlebars'
import { PAGE_HEADERS } from './headers.ts'

export interface ShopNamed {
  name: string
  domain: string
}

/** What every page has: its heading, the shop whose it is, where a stranger may know, and at its end the form to ask that shop for more. */
export interface Page {
  title: string
  shop?: ShopNamed
  ask?: AskForm
}

// Not in the template, where the formatter loses it.
const DOCTYPE = '<!doctype html>\n'
const near = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const style = near('./page.css')
const layout = Handlebars.compile<Page & { style: string; content: string; asking: string }>(near('./layout.hbs'))
const asking = Handlebars.compile<Page>(near('./ask.hbs'))
const styleHash = createHash('sha256').update(style).digest('base64')
// Nothing runs, nothing is loaded, the only style is the one above; a form goes to us.
const POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** A page made of the layout and the template beside this file, whose values are escaped. */
export function openTemplate<Data extends Page>(name: string): (data: Data) => string {
  const template = Handlebars.compile<Data>(near(name))
  return (data) =>
    DOCTYPE + layout({ ...data, style, content: template(data).trimEnd(), asking: asking(data).trimEnd() })
}

/** The form to ask the shop for more, as it is shown first or with what was wrong in it. */
export interface AskForm {
  key: string
  /** From where the page is. */
  action: string
  email?: string | undefined
  message?: string | undefined
  wrong?: { email?: string; message?: string }
}

/** A page that says something: what happened, and what to do about it. */
export interface MessagePage extends Page {
  happened: string
  advice?: string
  /** Of the file or the pack. */
  name?: string
}

export const renderMessage = openTemplate<MessagePage>('./message.hbs')

/** `headers`: those besides the usual, flat. A HEAD request gets no body. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: { html: string } | { json: object },
  headers: readonly string[] = [],
): void {
  const [type, text] = 'html' in body ? ['text/html', body.html] : ['application/json', JSON.stringify(body.json)]
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
