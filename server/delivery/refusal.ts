// The page, or the JSON body, that says why there is no download. A stranger's is always the same; whoever holds a
// link's key learns what became of it and what to do.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Handlebars from 'handlebars'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { linkStatus } from '../files/links.ts'
import type { KnownLink } from './counting.ts'
import { COMMON_HEADERS } from './headers.ts'
import { prefersJson } from './request.ts'

interface Page {
  title: string
  happened: string
  advice: string
  shop?: { name: string; domain: string }
  filename?: string
}

// Not in the template, where the formatter loses it.
const DOCTYPE = '<!doctype html>\n'
const near = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const style = near('./refusal.css')
const template = Handlebars.compile<Page & { style: string }>(near('./refusal.hbs'))
const styleHash = createHash('sha256').update(style).digest('base64')
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Why a link that exists may not be used now, or null where it may. */
export function whyNot(link: KnownLink, now: Date): ErrorCode | null {
  if (link.uninstalled) return 'link_withdrawn'
  const status = linkStatus(link, now)
  if (status === 'active') return null
  if (status === 'expired' || status === 'exhausted') return `link_${status}`
  return 'link_withdrawn'
}

/** The words of each refusal; those about a link are written for whoever holds its key. */
const WORDS: Partial<Record<ErrorCode, (link: KnownLink | null) => Omit<Page, 'shop'>>> = {
  link_expired: (link) => {
    const day = link?.expires_at?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
    return { title: 'This link has expired', happened: `It could be used until ${day}.`, advice: askFor(link) }
  },
  link_exhausted: (link) => {
    const times = link?.download_limit === 1 ? 'once' : `${link?.download_limit} times`
    const happened = `It could be used ${times}, and it has been.`
    return { title: 'This link has been used up', happened, advice: askFor(link) }
  },
  link_withdrawn: (link) => {
    const happened = 'The file is no longer offered through this link.'
    return { title: 'This link was withdrawn', happened, advice: askFor(link) }
  },
  link_unavailable: () => ({
    title: 'This link does not work',
    happened: 'The address may be incomplete, or the link may be gone.',
    advice: 'Check that you have copied all of it, or ask the shop that sent it to you for a new one.',
  }),
  unavailable: () => uncounted('The download could not start', 'Try again in a minute.'),
  range_not_satisfiable: () => uncounted('The file has no such part', 'Start the download again from the beginning.'),
  precondition_failed: () => uncounted('The file has changed', 'Start the download again from the beginning.'),
}

const askFor = (link: KnownLink | null) =>
  `Ask ${link && !link.uninstalled ? link.shopName : 'the shop that sent it to you'} for a new link.`

const uncounted = (title: string, advice: string) => ({
  title,
  happened: 'This was not counted as a download.',
  advice,
})

function pageOf(code: ErrorCode, link: KnownLink | null): Page {
  const page = WORDS[code]?.(link) ?? { title: ERRORS[code].message, happened: '', advice: '' }
  if (!link || link.uninstalled) return page
  const shop = { name: link.shopName, domain: link.shopDomain }
  // Of a withdrawn file, its name may be what had to go.
  return code === 'link_withdrawn' ? { ...page, shop } : { ...page, shop, filename: link.target.filename }
}

/** Answers with the error's status. `link`: the one whose key the client holds. `more`: headers besides the usual. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  about: { link?: KnownLink | null; headers?: readonly string[] } = {},
): void {
  const { status } = ERRORS[code]
  const json = prefersJson(request.headers.accept)
  const body = json ? errorBody(code) : DOCTYPE + template({ ...pageOf(code, about.link ?? null), style })
  response.writeHead(status, [
    ...COMMON_HEADERS,
    ...(about.headers ?? []),
    'Vary',
    'Accept',
    'Content-Security-Policy',
    PAGE_POLICY,
    'Content-Type',
    json ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ])
  response.end(request.method === 'HEAD' ? undefined : body)
}

function errorBody(code: ErrorCode): string {
  const { type, message, status } = ERRORS[code]
  const request_id = randomUUID()
  return JSON.stringify({ error: { type, code, message, status, param: null, details: [], request_id } })
}
