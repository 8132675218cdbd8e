// Calls other programs for steps of workflows: posts files to the address of a webhook, signed as
// its messages are, and reads what to do with each.
import {
  type AnyText,
  type Failure,
  PortError,
  type ProgramAnswer,
  type ProgramCall,
  type Programs,
  say,
  sayPlain,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { signatureHeaders } from '../../core/outbox/signatures.ts'
import type { Secrets } from '../../core/secrets.ts'
import { limitOf } from '../../ports/failures.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import { openReceiver, RECEIVER_COLUMNS, type WebhookReceiver } from '../webhooks/webhooks.ts'
import { answersIn, badAnswer, InvalidAnswer, MAX_ANSWER_BYTES, readEntries } from './answer.ts'
import { addressesOf } from './bytes.ts'
import { answerAddress, awaitAnswers, lateAnswers } from './late.ts'
import {
  CALL_EVENT,
  callId,
  describeFile,
  partsOfCall,
  withAddress,
  type CallData,
  type CalledFile,
} from './request.ts'

const WITHIN_MS = 30_000
/** The delay of another try after none was stated: the engine adds its own. */
const AGAIN_SECONDS = 1
/** Other statuses say that another try is no use. */
const TEMPORARY = new Set([408, 425, 429])
const LATER = 202

export interface CallParts {
  scope: ShopScope
  client: Pick<GuardedClient, 'ask'>
  secrets: Secrets
  clock: () => Date
  baseUrl: string
}

export const createPrograms = (parts: CallParts): Programs => ({
  preview: (call, signal) => answersOf(parts, call, true, signal),
  call: (call, signal) => answersOf(parts, call, false, signal),
})

type Answers = ReadonlyMap<string, ProgramAnswer>

/** A file with the id of its item. */
type SentFile = CalledFile & { item: string }

async function* answersOf(
  parts: CallParts,
  call: ProgramCall,
  dryRun: boolean,
  signal: AbortSignal,
): AsyncGenerator<Answers> {
  const { items, webhook, operation } = call
  signal.throwIfAborted()
  if (items.length === 0) return
  const receiver = await findReceiver(parts, webhook)
  if ('status' in receiver) return yield new Map(items.map(({ id }) => [id, receiver]))
  const files = items.map((item) => ({
    ...describeFile(item, { operation, dryRun, webhook }),
    item: item.id,
  }))
  const late =
    operation === null ? new Map<string, ProgramAnswer>() : await lateAnswers(parts, files)
  if (late.size > 0) yield byItem(files, late)
  const open = files.filter(({ key }) => !late.has(key))
  // While all files wait for late answers, they are asked for again and again.
  const isSending = call.bytes && open.length > 0
  const addresses = isSending ? await addressesOf(parts.scope, items, parts, parts.clock()) : null
  for (const part of partsOfCall(open)) {
    signal.throwIfAborted()
    const sent = { receiver, dryRun, operation, part, addresses }
    yield byItem(part, await ask(parts, sent, signal))
  }
}

const byItem = (files: readonly SentFile[], answers: Answers): Answers =>
  new Map(
    files.flatMap(({ item, key }) => {
      const answer = answers.get(key)
      return answer ? [[item, answer]] : []
    }),
  )

async function findReceiver(
  { scope, clock }: CallParts,
  webhook: string,
): Promise<WebhookReceiver | Failure> {
  const id = parsePublicId('webhook', webhook)
  const [found] = await scope.query<WebhookReceiver>(
    `select ${RECEIVER_COLUMNS} from webhook_endpoints w where w.shop_id = :shop and w.id = :id`,
    { id, now: clock() },
  )
  if (!found) return notAnswered(WEBHOOK_DELETED, { retryable: false })
  return found.enabled ? found : notAnswered(WEBHOOK_OFF, { retryable: false })
}

export const WEBHOOK_DELETED = sayPlain(
  'The webhook was deleted: choose another one in the workflow',
)
export const WEBHOOK_OFF = sayPlain('The webhook is switched off')

const notAnswered = (
  detail: AnyText,
  { retryable, retryAfter }: { retryable: boolean; retryAfter?: number | undefined },
): Failure => ({
  status: 'failed',
  code: 'program_failed',
  message: ERRORS.program_failed.message,
  detail,
  retryable,
  ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
})

interface SentPart {
  receiver: WebhookReceiver
  dryRun: boolean
  operation: string | null
  part: readonly SentFile[]
  addresses: ReadonlyMap<string, string> | null
}

/** One request. Returns an answer for each of its files, by their keys. */
async function ask(parts: CallParts, sent: SentPart, signal: AbortSignal): Promise<Answers> {
  const { scope, secrets, client, clock } = parts
  const { receiver, part } = sent
  const id = callId(part)
  const body = bodyOf(parts, sent, id)
  const { address, signingSecrets } = openReceiver(receiver, { shop: scope.shop, secrets })
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(signingSecrets, id, clock(), body),
  }
  const keys = part.map(({ key }) => key)
  const all = (answer: ProgramAnswer): Answers => new Map(keys.map((key) => [key, answer]))
  try {
    const answer = await client.ask(address, headers, body, {
      most: MAX_ANSWER_BYTES,
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    })
    const { status } = answer
    if (status === LATER) return await answerLater(parts, sent, id)
    if (status < 200 || status > 299) return all(refusedWith(status, answer.headers, address))
    return answersIn(readEntries(jsonOf(answer.body)), keys)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof InvalidAnswer) return all(badAnswer(error.text))
    if (error instanceof PortError && error.code === 'file_too_large')
      return all(badAnswer(say('It has more than 4 MB')))
    if (!(error instanceof PortError) && !isTimeout(error)) throw error
    // One text for all causes: details would reveal what this server can reach.
    return all(notAnswered(NOT_REACHED, { retryable: true, retryAfter: AGAIN_SECONDS }))
  }
}

const NOT_REACHED = sayPlain('The address could not be reached, or did not answer in time')

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError'

function bodyOf(
  { clock, scope, secrets, baseUrl }: CallParts,
  { dryRun, operation, part, addresses }: SentPart,
  call: string,
): string {
  const files = part.map(({ item, ...file }) => withAddress(file, addresses?.get(item)))
  const data: CallData = {
    operation_id: operation,
    dry_run: dryRun,
    answer: true,
    ...(operation === null
      ? {}
      : {
          answer_to: answerAddress({ secrets, baseUrl }, { shop: scope.shop, call, at: clock() }),
        }),
    files,
  }
  return JSON.stringify({ type: CALL_EVENT.name, timestamp: clock().toISOString(), data })
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new InvalidAnswer(say('It is not JSON'))
  }
}

function refusedWith(
  status: number,
  headers: Parameters<typeof limitOf>[1],
  address: string,
): Failure {
  if (status >= 300 && status < 400)
    return notAnswered(
      say('The address answered {status}: enter the one that it redirects to', { status }),
      { retryable: false },
    )
  const retryable = status >= 500 || TEMPORARY.has(status)
  const asked = limitOf(status, headers, new URL(address))?.retryAfter
  const retryAfter = retryable ? (asked ?? AGAIN_SECONDS) : undefined
  return notAnswered(say('The address answered {status}', { status }), { retryable, retryAfter })
}

/** The answer comes later, at an address of ours. */
async function answerLater(
  parts: CallParts,
  { operation, part }: SentPart,
  call: string,
): Promise<Answers> {
  if (operation !== null) return awaitAnswers(parts, { operation, call, files: part })
  const failure = notAnswered(say('It answers later, which is too late for a trial'), {
    retryable: false,
  })
  return new Map(part.map(({ key }) => [key, failure]))
}
