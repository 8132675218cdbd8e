// GET and POST /answers/<token>: the page by which a person answers the question of a run. Programs
// that follow the links of mails change nothing: only the buttons of the page do, by POST.
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ownValue,
  say,
  sentence,
  type Text,
  type TextLanguage,
} from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { openRateLimit, type RateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { countForShop } from '../../core/request-body.ts'
import type { Secrets } from '../../core/secrets.ts'
import { languageOf } from '../../core/texts.ts'
import type { Engine } from '../../engine/engine.ts'
import type { QuestionAnswer, OperationQuestion, OperationRow } from '../../engine/types.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { networkOfRequest } from '../../core/client-address.ts'
import type { RawMount } from '../../http/listen.ts'
import { FormRefusal, readForm } from '../downloads/form.ts'
import { sendPage, type RenderedPage } from '../downloads/pages.ts'
import { refuse } from '../downloads/refusal.ts'
import { translatorForRequest } from '../downloads/translate.ts'
import { answerQuestion, closedText, questionState } from './question.ts'
import { ANSWERS, personOf, readAnswerToken } from './question-link.ts'
import { renderQuestion, renderState } from './question-page.ts'
import { questionSummary } from './question-summary.ts'

/** Requests with tokens that were not made here, for one network. */
const WRONG_PER_MINUTE = 30

export interface QuestionRequestParts {
  database: Database
  secrets: Secrets
  engine: Engine
  trustProxy: boolean
  clock: () => Date
  log: Logger
}

interface Reply {
  status: number
  page: RenderedPage
}

export function questionRequests(parts: QuestionRequestParts): RawMount {
  const wrong = openRateLimit(parts.database.pool, {
    name: 'answers-wrong',
    points: WRONG_PER_MINUTE,
    seconds: 60,
  })
  return {
    raw: true,
    path: ANSWERS,
    route: ANSWERS,
    handle: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      try {
        const { status, page } = await replyTo(parts, wrong, request)
        sendPage(request, response, status, page)
      } catch (error) {
        if (error instanceof FormRefusal) return refuse(request, response, error.code, error.about)
        parts.log.error('a question could not be answered', errorFields(error))
        if (response.headersSent) response.destroy()
        else refuse(request, response, 'unavailable', { headers: ['Retry-After', '5'] })
      }
    },
  }
}

async function replyTo(
  parts: QuestionRequestParts,
  wrong: RateLimit,
  request: IncomingMessage,
): Promise<Reply> {
  const { method = '' } = request
  if (!['GET', 'HEAD', 'POST'].includes(method))
    throw new FormRefusal('method_not_allowed', { headers: ['Allow', 'GET, HEAD, POST'] })
  const network = networkOfRequest(request, parts.trustProxy)
  if ((await wrong.consumed(network)) >= WRONG_PER_MINUTE) throw new FormRefusal('rate_limited')
  const [path = ''] = (request.url ?? '').split('?', 1)
  const asked = await findAsked(parts, path.slice(ANSWERS.length))
  if (!asked) {
    await wrong.consume(network)
    return unknownLink(request)
  }
  countForShop(request, asked.scope.shop)
  const { operation, language, expired } = asked
  if (questionState(operation) !== 'open')
    return closed(operation, language, method === 'POST' ? 409 : 200)
  if (expired)
    return stated(410, language, [
      say('This link has expired'),
      say('A reminder has a new link: use the one in the latest mail.'),
    ])
  return method === 'POST' ? answer(parts, asked, request) : question(parts, asked)
}

interface Asked {
  scope: ShopScope
  operation: OperationRow & { question: OperationQuestion }
  /** The address of the person. */
  person: string
  /** The time to answer with this link is over. */
  expired: boolean
  language: TextLanguage
  shop: { name: string; zone: string }
}

/** Null: the token was not made here, or its shop, run or person is gone. */
async function findAsked(
  { database, secrets, engine, clock }: QuestionRequestParts,
  token: string,
): Promise<Asked | null> {
  const read = readAnswerToken(secrets, token)
  if (!read) return null
  const scope = forShop(database, read.shop)
  const installed = await scope.has(
    'select 1 from shops where id = :shop and uninstalled_at is null',
  )
  const operation = installed ? await engine.get(scope, read.operation) : null
  const question = operation?.question
  const person = question?.who.find((one) => personOf(one) === read.person)
  if (!operation || !question || person === undefined) return null
  const shop = await readShop(scope)
  return {
    scope,
    operation: { ...operation, question },
    person,
    expired: read.expires <= clock(),
    language: mailLanguageOf(shop),
    shop: { name: shop.name, zone: shop.settings.time_zone },
  }
}

async function question(
  { engine }: QuestionRequestParts,
  { scope, operation, language, shop }: Asked,
): Promise<Reply> {
  const summary = await questionSummary(scope, operation, engine.plugins)
  const until = operation.continue_at ?? operation.created_at
  const page = renderQuestion(language, { shop: shop.name, zone: shop.zone, until, summary })
  return { status: 200, page }
}

const ANSWERS_BY_NAME: Readonly<Record<string, QuestionAnswer>> = {
  approve: 'approved',
  reject: 'rejected',
}

async function answer(
  { engine }: QuestionRequestParts,
  { scope, operation, person, language }: Asked,
  request: IncomingMessage,
): Promise<Reply> {
  const form = await readForm(request)
  const chosen = ownValue(ANSWERS_BY_NAME, String(form.answer)) ?? null
  if (chosen === null) throw new FormRefusal('malformed_request')
  try {
    await answerQuestion(engine, scope, operation.id, {
      answer: chosen,
      by: { name: person, asked: true },
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return stated(error.status, language, [NOT_ANSWERED, sentence(error.text)])
  }
  return stated(200, language, DONE[chosen])
}

const NOT_ANSWERED = say('Your answer was not taken')
const DONE: Readonly<Record<QuestionAnswer, readonly [Text, Text]>> = {
  approved: [say('You have approved it'), say('Its next steps run now. You can close this page.')],
  rejected: [
    say('You have rejected it'),
    say('Its next steps do not run, and nothing was changed by them. You can close this page.'),
  ],
}

const closed = (operation: OperationRow, language: TextLanguage, status: number): Reply =>
  stated(status, language, [
    say('“{name}” does not wait any more', { name: operation.workflow.title }),
    sentence(closedText(operation)),
  ])

const unknownLink = (request: IncomingMessage): Reply =>
  stated(404, languageOf(translatorForRequest(request).locale), [
    say('This link does not work'),
    say('Open it once more from the mail: it may be incomplete, or the run was deleted.'),
  ])

const stated = (
  status: number,
  language: TextLanguage,
  [title, text]: readonly [Text, Text],
): Reply => ({ status, page: renderState(language, { title, text }) })
