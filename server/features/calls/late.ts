// Answers that come later. A program that answered 202 posts them to the address that it was given.
// Until then its files wait, as files wait for a busy host: the engine asks for them again from time
// to time, and immediately when an answer has come.
import type { Context, Next } from 'koa'
import { type ProgramAnswer, sayPlain, textOf } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError, ERRORS, type ErrorDetail } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Engine } from '../../engine/engine.ts'
import { jsonReader } from '../../http/body.ts'
import type { Mount } from '../../http/listen.ts'
import { createSigner, hasPassed, untilAfter } from '../downloads/signer.ts'
import { answerOf, InvalidAnswer, MAX_ANSWER_BYTES, readEntries, type SentEntry } from './answer.ts'
import { MAX_CALLED } from './request.ts'

const CALL_ANSWERS = '/call-answers/'
const HOURS = 24
/** Between two looks for an answer: as long as it has been waited for, within these bounds. */
const POLL_SECONDS = { least: 10, most: 900 }

interface Awaited {
  key: string
  waited: number
  expired: boolean
  answer: SentEntry | null
}

interface WaitingFile {
  key: string
  /** The id of its item. */
  item: string
}

const waiting = (waited: number): ProgramAnswer => ({
  status: 'failed',
  code: 'program_failed',
  message: sayPlain('The other program answers later'),
  retryable: true,
  retry_after: Math.round(Math.min(POLL_SECONDS.most, Math.max(POLL_SECONDS.least, waited))),
  uncounted: true,
})

const EXPIRED: ProgramAnswer = {
  status: 'failed',
  code: 'program_failed',
  message: ERRORS.program_failed.message,
  detail: sayPlain('It wanted to answer later, and did not within 24 hours'),
  retryable: false,
}

/**
 * What is known of files that were sent before, by their keys; the others are absent. What has failed is
 * forgotten, so that a retry calls again.
 */
export async function lateAnswers(
  { scope }: { scope: ShopScope },
  files: readonly WaitingFile[],
): Promise<ReadonlyMap<string, ProgramAnswer>> {
  const rows = await scope.query<Awaited>(
    `select key, answer, expires_at <= now() as expired,
       extract(epoch from now() - created_at)::float as waited
     from call_answers where shop_id = :shop and key = any(:keys::text[])
       and (accepted or answer is not null)`,
    { keys: files.map(({ key }) => key) },
  )
  const answers = new Map(
    rows.map(({ key, answer, expired, waited }): [string, ProgramAnswer] => [
      key,
      answer ? answerOf(answer) : expired ? EXPIRED : waiting(waited),
    ]),
  )
  const over = [...answers].flatMap(([key, answer]) =>
    answer.status === 'failed' && !answer.uncounted ? [key] : [],
  )
  if (over.length > 0)
    await scope.query(
      'delete from call_answers where shop_id = :shop and key = any(:over::text[])',
      { over },
    )
  return answers
}

/** Notes that the answers come later. Returns those that are here already, and that the others wait. */
export async function awaitAnswers(
  { scope }: { scope: ShopScope },
  { operation, call, files }: { operation: string; call: string; files: readonly WaitingFile[] },
): Promise<ReadonlyMap<string, ProgramAnswer>> {
  await scope.query(
    `insert into call_answers (shop_id, key, call, operation_id, position, accepted, expires_at)
     select :shop, f.key, :call, :operation, f.position, true, now() + ${HOURS} * interval '1 hour'
     from unnest(:keys::text[], :positions::int[]) f (key, position)
     on conflict (shop_id, key) do update set accepted = true, operation_id = excluded.operation_id,
       position = excluded.position`,
    {
      call,
      operation: requirePublicId(['op', 'import'], operation),
      keys: files.map(({ key }) => key),
      positions: files.map(({ item }) => Number(item)),
    },
  )
  return lateAnswers({ scope }, files)
}

// The address of an answer: of one request of one shop, until its time is over.

interface AnswerParts {
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>
  /** Without a trailing slash. */
  baseUrl: string
}

export function answerAddress(
  { secrets, baseUrl }: AnswerParts,
  { shop, call, at }: { shop: number; call: string; at: Date },
): string {
  const content = [shop, call, untilAfter(at, HOURS * 3600)].join('.')
  return `${baseUrl}${CALL_ANSWERS}${content}.${createSigner(secrets, 'call').sign(content)}`
}

const TOKEN = /^(\d{1,10})\.(call_[0-9a-f]{32})\.(\d{1,12})\.([\w-]{43})$/

export interface LateAnswerParts {
  database: Database
  engine: Pick<Engine, 'wake'>
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>
  clock: () => Date
}

/** POST /call-answers/<token>, by the program. It may answer in several requests. */
export function callAnswers({ database, engine, secrets, clock }: LateAnswerParts): Mount {
  const signer = createSigner(secrets, 'call')
  const read = jsonReader(MAX_ANSWER_BYTES)
  const handle = async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'POST') return next()
    const [, shop = '', call = '', until = '', signature = ''] =
      TOKEN.exec(ctx.path.slice(CALL_ANSWERS.length)) ?? []
    if (!signer.isSigned([shop, call, until].join('.'), signature)) throw new AppError('not_found')
    if (hasPassed(until, clock())) throw new AppError('not_found')
    const entries = checkedEntries(await read(ctx))
    const scope = forShop(database, Number(shop))
    ctx.body = { files: await scope.transaction((tx) => keepAnswers(tx, engine, call, entries)) }
  }
  return { path: CALL_ANSWERS, route: CALL_ANSWERS, handle }
}

/** Throws `validation_failed` with the problems of each entry, so that the program can correct them. */
function checkedEntries(body: unknown): SentEntry[] {
  let entries: SentEntry[]
  try {
    entries = readEntries(body)
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error
    throw new AppError('validation_failed', { message: textOf(error.text) })
  }
  if (entries.length > MAX_CALLED) throw new AppError('too_many')
  const details = entries.flatMap((entry, index): ErrorDetail[] => {
    const answer = answerOf(entry)
    return answer.status === 'failed' && answer.code === 'invalid_answer'
      ? [{ index, param: 'files', code: 'invalid_value', message: textOf(answer.detail ?? '') }]
      : []
  })
  if (details.length > 0) throw new AppError('validation_failed', { details })
  return entries
}

/** Keeps the first answer about each file of the request; returns how many were new. */
async function keepAnswers(
  tx: ShopScope,
  engine: Pick<Engine, 'wake'>,
  call: string,
  entries: readonly SentEntry[],
): Promise<number> {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const kept = await tx.query<{ operation_id: string; position: number }>(
    `update call_answers a set answer = e.answer
     from jsonb_to_recordset(:entries::jsonb) e (key text, answer jsonb)
     where a.shop_id = :shop and a.key = e.key and a.call = :call and a.answer is null
       and a.expires_at > now()
     returning a.operation_id, a.position`,
    {
      call,
      entries: JSON.stringify([...byKey].map(([key, answer]) => ({ key, answer }))),
    },
  )
  for (const [operation, of] of Map.groupBy(kept, ({ operation_id }) => operation_id))
    await engine.wake(
      tx,
      operation,
      of.map(({ position }) => position),
    )
  return kept.length
}

const SWEEP_BATCH = 5000

/** Removes answers a day after their time. Returns their number. */
export const sweepCallAnswers = ({ database }: { database: Database }): Promise<number> =>
  inBatches(SWEEP_BATCH, (limit) =>
    database.pool.query(
      `delete from call_answers where (shop_id, key) in (
         select shop_id, key from call_answers where expires_at < now() - interval '1 day' limit $1)`,
      [limit],
    ),
  )
