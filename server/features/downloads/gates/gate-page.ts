// The page that asks before a download: for the buyer's email address, or for a password. Without a
// script, and without cookies.
import type { IncomingMessage } from 'node:http'
import { isLinkFile } from '../../../../plugins/contract/index.ts'
import { asksForPassword, type Gate } from '../../links/model/links.ts'
import type { KnownLink } from '../counting/known-link.ts'
import { shownName } from '../file-rows.ts'
import { openTemplate, sendPage, renderMessage, type Frame, type Page } from '../pages.ts'
import { shownShop, translatorForLink } from '../refusal.ts'
import { isKey, relativeToPage } from '../request.ts'
import type { Visit } from '../response.ts'
import { tokensIn } from '../gate-tokens.ts'

/** The form, empty or with what was wrong. */
export interface AskedPage {
  key: string
  /** Where a right answer leads; absent: to the page of the link. */
  to?: 'view'
  /** The key of the page with the list of files, to which a right answer leads instead. */
  from?: string | null
  /** Tokens that the visitor has already. */
  open?: readonly string[]
  given?: string
  /** `left`: the wrong answers that are left. */
  wrong?: { kind: 'wrong' | 'malformed'; left?: number }
}

interface GatePage extends Page {
  name: string | undefined
  about: string
  action: string
  key: string
  to: string
  from: string
  open: string
  label: string
  type: 'email' | 'password'
  autocomplete: string
  given: string
  wrong: string
  note: string
}

const render = openTemplate<GatePage>(new URL('./gate.hbs', import.meta.url))

const FROM = /[?&]from=([\w-]{43})(?:&|$)/

/** The page from which the address of a file leads to its question. */
const fromIn = ({ url = '' }: IncomingMessage): string | null => FROM.exec(url)?.[1] ?? null

export function sendGatePage(
  { request, response }: Visit,
  link: KnownLink & { gate: Gate },
  asked: AskedPage,
  status: number,
): void {
  const frame: Frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const { t } = frame
  const { gate, shopName: shop } = link
  const password = asksForPassword(gate.asks)
  const from = asked.from ?? fromIn(request) ?? ''
  const open = asked.open ?? tokensIn(request)
  const about = password
    ? t('gate.passwordAbout', { shop })
    : t(gate.email === null ? 'gate.anyEmailAbout' : 'gate.emailAbout', { shop })
  const page: GatePage = {
    title: t(password ? 'gate.passwordTitle' : 'gate.emailTitle'),
    name: link.target ? shownName(link.target.filename, link.target.contentType) : link.pack?.name,
    leadsOut: isLinkFile(link.target?.contentType ?? null),
    about,
    action: relativeToPage(request, 'download/open'),
    key: asked.key,
    to: asked.to ?? '',
    from: isKey(from) ? from : '',
    open: open.join(' '),
    label: t(password ? 'gate.password' : 'gate.email'),
    type: password ? 'password' : 'email',
    autocomplete: password ? 'off' : 'email',
    // A password is not sent back.
    given: password ? '' : (asked.given ?? ''),
    wrong: wrongText(frame, password, asked.wrong),
    note: !password && gate.email === null ? t('gate.seen', { shop }) : '',
  }
  sendPage(request, response, status, render(frame, page))
}

function wrongText({ t }: Frame, password: boolean, wrong: AskedPage['wrong']): string {
  if (!wrong) return ''
  if (wrong.kind === 'malformed') return t(password ? 'gate.noPassword' : 'ask.wrongEmail')
  const text = t(password ? 'gate.wrongPassword' : 'gate.wrongEmail')
  return wrong.left === undefined ? text : `${text} ${t('gate.left', { count: wrong.left })}`
}

/** Too many wrong answers: when the next one is possible. */
export function sendGateClosed(
  { request, response }: Visit,
  link: KnownLink,
  retryAfter: number,
): void {
  const frame: Frame = { t: translatorForLink(request, link), shop: shownShop(link) }
  const { t } = frame
  const page = renderMessage(frame, {
    title: t('gate.closedTitle'),
    happened: t('gate.closed', { minutes: Math.ceil(retryAfter / 60) }),
    advice: t('gate.closedAdvice', { shop: link.shopName }),
  })
  sendPage(request, response, 429, page, ['Retry-After', String(retryAfter)])
}
