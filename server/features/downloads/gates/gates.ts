// Links that ask before a download: whether a request has the answer, the page that asks, and POST
// /download/open with the answer. Wrong answers are counted in the database before the answer is
// compared, so that parallel guesses over several processes get no more than one after another.
// docs/decisions/0082.
import type pg from 'pg'
import { emailAddress, ownValue } from '../../../../plugins/contract/index.ts'
import { networkOf, type Client } from '../../../core/client-address.ts'
import { openRateLimit, type RateLimit } from '../../../core/db/callers.ts'
import { isPassword } from '../../../core/passwords.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { isViewOnly } from '../../../files/view-kinds.ts'
import { PAGE_HEADERS } from '../../../http/headers.ts'
import { asksForPassword, type Gate } from '../../links/model/links.ts'
import type { KnownLink } from '../counting/known-link.ts'
import type { LinkCounter } from '../counting/link-counter.ts'
import { answerForm, FormRefusal, readForm, readFormLink } from '../form.ts'
import { readSignedUntil } from '../signer.ts'
import { refusalReason, refuse, viewRefusal } from '../refusal.ts'
import type { RefusedAttempts } from '../refused-attempts.ts'
import { isKey, opensPage, PAGE, prefersJson, relativeToPage } from '../request.ts'
import type { Visit } from '../response.ts'
import { createGateTokens, withTokens, type GateTokens } from '../gate-tokens.ts'
import { writeOpening } from './openings.ts'
import { sendGateClosed, sendGatePage, type AskedPage } from './gate-page.ts'

/** Wrong answers within the window: of one link (with all files of its page), and of one network. */
export const WRONG_PER_LINK = 5
export const WRONG_PER_NETWORK = 20
const WINDOW_SECONDS = 15 * 60

export interface Gates {
  tokens: GateTokens
  /** May this request have what is behind the link's question? True: it asks for nothing. */
  isOpen(visit: Visit, link: KnownLink, use?: 'page' | 'continue'): boolean
  /** Sends the page that asks: with status 200 to a request for the page, else with 403. */
  ask(visit: Visit, link: KnownLink, asked: AskedPage): void
  /** POST /download/open. */
  answer(visit: Visit, client: Client): Promise<void>
}

interface GateParts {
  pool: pg.Pool
  secrets: Secrets
  counter: Pick<LinkCounter, 'lookUp'>
  attempts: Pick<RefusedAttempts, 'record'>
  /** Cookies are sent over HTTPS alone. */
  secure: boolean
}

type GatedLink = KnownLink & { gate: Gate }
const isGated = (link: KnownLink): link is GatedLink => link.gate !== null

export function createGates(parts: GateParts): Gates {
  const tokens = createGateTokens(parts.secrets)
  const limits = {
    network: openRateLimit(parts.pool, {
      name: 'answers_of_network',
      points: WRONG_PER_NETWORK,
      seconds: WINDOW_SECONDS,
    }),
    link: openRateLimit(parts.pool, {
      name: 'answers_of_link',
      points: WRONG_PER_LINK,
      seconds: WINDOW_SECONDS,
    }),
  }
  return {
    tokens,
    isOpen: ({ request, now }, { gate }, use) =>
      gate === null || tokens.opens(request, gate, now, use),
    ask: (visit, link, asked) => {
      const { request, response } = visit
      if (!isGated(link) || prefersJson(request.headers.accept))
        return refuse(request, response, 'link_locked', { link })
      sendGatePage(visit, link, asked, opensPage(request) || asked.to === 'view' ? 200 : 403)
    },
    answer: (visit, client) =>
      answerForm(visit, () => answer({ ...parts, tokens, limits }, visit, client)),
  }
}

interface AnswerParts extends GateParts {
  tokens: GateTokens
  limits: { network: RateLimit; link: RateLimit }
}

async function answer(parts: AnswerParts, visit: Visit, client: Client): Promise<void> {
  const { request, response, now } = visit
  const form = await readForm(request)
  const { key, link } = await readFormLink(parts.counter, form, { request, now, client })
  const { asked, given } = readAnswer(key, form)
  const isViewed = asked.to === 'view' || (link.target !== null && isViewOnly(link.target))
  // A view needs no download to be left, and the page of a used-up link may offer one.
  const reason = isViewed
    ? viewRefusal(link, null, now)
    : refusalReason({ ...link, download_limit: null }, null, now)
  if (reason !== null) throw new FormRefusal(reason, { link, key, now })
  if (!isGated(link)) return proceed(visit, null, asked)
  const { gate } = link
  const answered = parsedAnswer(gate, given)
  if (answered === null)
    return reply(visit, link, { ...asked, given, wrong: { kind: 'malformed' } }, 422)
  const tries = await takeTry(parts, gate, client)
  if (tries.giveBack === null) {
    if (!prefersJson(request.headers.accept)) return sendGateClosed(visit, link, tries.retryAfter)
    const headers = ['Retry-After', String(tries.retryAfter)]
    return refuse(request, response, 'rate_limited', { link, headers })
  }
  if (!(await isRight(gate, answered))) {
    parts.attempts.record(link, 'wrong_answer', client, now)
    const wrong = { kind: 'wrong', left: tries.left } as const
    return reply(visit, link, { ...asked, given, wrong }, 403)
  }
  await tries.giveBack()
  const email = asksForPassword(gate.asks) ? '' : answered
  await writeOpening(parts.pool, link, { email, client, at: now })
  const cookie = parts.tokens.keep(request, gate, now, parts.secure)
  proceed(visit, cookie, {
    ...asked, // The first ones of an address count.
    open: [parts.tokens.make(gate, now), ...(asked.open ?? [])],
  })
}

function readAnswer(
  key: string,
  form: Record<string, unknown>,
): { asked: AskedPage; given: string } {
  const text = (name: string) => String(ownValue(form, name) ?? '').slice(0, 1000)
  const from = text('from')
  const asked: AskedPage = {
    key,
    from: isKey(from) ? from : null,
    ...(text('to') === 'view' ? { to: 'view' as const } : {}),
    open: text('open')
      .split(' ')
      .filter((token) => readSignedUntil(token) !== null),
  }
  return { asked, given: text('answer').slice(0, 320) }
}

/** An address in lower case, or the text of a password; null: it cannot be an answer. */
function parsedAnswer({ asks }: Gate, given: string): string | null {
  const text = given.trim().normalize('NFC')
  if (asksForPassword(asks)) return text === '' ? null : text
  const { data } = emailAddress('').safeParse(text)
  return data?.toLowerCase() ?? null
}

const isRight = async ({ asks, email }: Gate, answered: string): Promise<boolean> =>
  asksForPassword(asks)
    ? isPassword(answered, asks)
    : email === null || email.toLowerCase() === answered

/** Takes one of the answers that are left, before it is compared. */
async function takeTry({ limits }: AnswerParts, { root }: Gate, client: Client) {
  const network = networkOf(client.address)
  const used = await Promise.all([limits.network.consume(network), limits.link.consume(root)])
  const exceeded = used.filter((one) => one.exceeded)
  if (exceeded.length > 0)
    return { giveBack: null, retryAfter: Math.max(...exceeded.map((one) => one.retryAfter)) }
  return {
    left: Math.min(...used.map(({ remainingPoints }) => remainingPoints)),
    giveBack: () => Promise.all([limits.network.giveBack(network), limits.link.giveBack(root)]),
  }
}

function reply(visit: Visit, link: GatedLink, asked: AskedPage, status: number): void {
  const { request, response } = visit
  if (prefersJson(request.headers.accept))
    return refuse(request, response, status === 422 ? 'validation_failed' : 'wrong_answer')
  sendGatePage(visit, link, asked, status)
}

/** To the page on which the buyer wanted to download or view. */
function proceed(
  { request, response }: Visit,
  cookie: string | null,
  { key, to, from, open = [] }: AskedPage,
): void {
  const tokens = withTokens(open)
  const address = from
    ? `download?key=${from}${tokens}`
    : to === 'view'
      ? `view?key=${key}${tokens}`
      : `download?key=${key}&${PAGE}${tokens}`
  const location = relativeToPage(request, address)
  const kept = cookie === null ? [] : ['Set-Cookie', cookie]
  const headers = [...PAGE_HEADERS, ...kept, 'Location', location, 'Content-Length', '0']
  response.writeHead(303, headers).end()
}
