// The jobs of an operation. SQL queues them in the transaction that makes them necessary, under a
// key, so that queueing one twice leaves one.
import type { Bindings, ShopScope } from '../db/for-shop.ts'
import type { NextRun } from './background-task.ts'
import { ofShop, ofSmall, plainLimits, waitingLimits, type PlaceLimits } from './places.ts'

export interface ChainJob {
  shop: number
  operation: string
  chain: number
  /** Absent: not known. */
  load?: ChainLoad
}
export interface FinishJob {
  shop: number
  operation: string
}
export interface OutboxJob {
  shop: number
  message: string
}

// A job that throws three times is given up. The sweep then finds an operation without a live job
// and queues it again.
const MAX_ATTEMPTS = 3

export const TASKS = ['chain', 'finish', 'message'] as const

/** The number of the chain that ends the operation. */
export const FINISH_CHAIN = -1

const chainKey = (operation: string, chain: number) => `chain:${operation}:${chain}`
const finishKey = (operation: string) => `finish:${operation}`

/** graphile-worker takes lower numbers first, and of the same number the job that is due first. */
const OTHER = 0
const BATCH = 1
const LAST = 2
/**
 * An operation of at most this many files is small: somebody waits for it, and it is one batch. It
 * gets a further place beside the large operations of its shop (places.ts).
 */
const SMALL = 100
/**
 * Batches of small operations, and the first one of any, are queued as if they waited this long
 * already. So they go before the others, which then wait for the batches that are running, and
 * nothing waits for ever: a batch goes before all that are queued a minute after it.
 */
const AHEAD_MS = 60_000
/** Mail servers reject thousands of concurrent messages. */
const MESSAGES_APART_MS = 100

/**
 * `quick`: its batches are planned and only use the database. `outside`: they are planned and ask
 * external systems. `slow`: its items are executed, with bytes or external systems. A process runs
 * a limited number of the last two.
 */
export type ChainLoad = 'quick' | 'outside' | 'slow'

/** What decides about the places and the order of the batches of an operation. */
interface OperationSize {
  prompt: boolean
  /** Files. */
  total: number
}

interface ChainTiming {
  load?: ChainLoad
  /** Absent: immediately. */
  runAt?: Date
  /** It is the first batch of the operation. */
  first?: boolean
  /** Absent: it is read. */
  about?: OperationSize
}

/** Queues the next batch of a chain; small operations and first batches go before others. */
export async function queueChain(
  tx: ShopScope,
  operation: string,
  chain: number,
  { load = 'slow', runAt, first = false, about }: ChainTiming = {},
): Promise<void> {
  const payload: ChainJob = { shop: tx.shop, operation, chain, load }
  const { prompt, total } = about ?? (await sizeOf(tx, operation))
  const small = total <= SMALL
  const flag = prompt ? PROMPT : BYTES
  return addJob(tx, {
    task: 'chain',
    payload,
    key: chainKey(operation, chain),
    priority: BATCH,
    flags: load === 'quick' ? [] : [flag, (small ? ofSmall : ofShop)(flag, tx.shop)],
    waitMs: first || small ? -AHEAD_MS : 0,
    ...(runAt ? { runAt } : {}),
  })
}

const sizeOf = (tx: ShopScope, operation: string): Promise<OperationSize> =>
  tx.one('select prompt, total from operations where shop_id = :shop and id = :operation', {
    operation,
  })

/** Queues the last steps of an operation. A second call before they have begun changes nothing. */
export function queueFinish(tx: ShopScope, operation: string): Promise<void> {
  const payload: FinishJob = { shop: tx.shop, operation }
  return addJob(tx, { task: 'finish', payload, key: finishKey(operation), flags: [FINISH] })
}

/**
 * Queues the delivery of a message of the outbox, by its bare UUID.
 * @param next absent: as soon as a worker has a place
 */
export function queueMessage(tx: ShopScope, message: string, next: NextRun = 0): Promise<void> {
  const payload: OutboxJob = { shop: tx.shop, message }
  return addJob(tx, {
    task: 'message',
    payload,
    key: `message:${message}`,
    flags: [MESSAGE],
    ...(typeof next === 'number' ? { waitMs: next } : { runAt: next }),
  })
}

/** Queues messages in one statement. They are sent one after another, after all other work. */
export const queueMessages = (tx: ShopScope, messages: readonly string[]): Promise<void> =>
  addMessages(tx, messages, {
    runAt: `now() + m.n * :apart * interval '1 millisecond'`,
    priority: LAST,
    bindings: { apart: MESSAGES_APART_MS },
  })

/** Queues messages as `queueMessage` does, many in one statement. */
export const queuePromptMessages = (tx: ShopScope, messages: readonly string[]): Promise<void> =>
  addMessages(tx, messages, { runAt: 'now()', priority: OTHER })

/** Queues messages that are sent at their own times (`due_at`). */
export const queueTimedMessages = (tx: ShopScope, messages: readonly string[]): Promise<void> =>
  addMessages(tx, messages, {
    from: 'outbox m where m.shop_id = :shop and m.id = any(:messages::uuid[])',
    runAt: 'm.due_at',
    priority: LAST,
  })

interface MessageJobs {
  /** SQL: the messages `m`, and what `runAt` needs of them; absent: each `id` with its number `n`. */
  from?: string
  /** SQL: when the job of `m` runs. */
  runAt: string
  priority: number
  /** The bindings of `runAt`. */
  bindings?: Bindings
}

const GIVEN_MESSAGES = 'unnest(:messages::uuid[]) with ordinality as m (id, n)'

async function addMessages(
  tx: ShopScope,
  messages: readonly string[],
  { from = GIVEN_MESSAGES, runAt, priority, bindings = {} }: MessageJobs,
): Promise<void> {
  if (messages.length === 0) return
  await tx.query(
    `select count(*) from graphile_worker.add_jobs((
       select array_agg(row('message', json_build_object('shop', :shop::int, 'message', m.id), null,
         ${runAt}, :attempts, 'message:' || m.id, :priority, array[:flag]
       )::graphile_worker.job_spec)
       from ${from}))`,
    { messages, attempts: MAX_ATTEMPTS, priority, flag: MESSAGE, ...bindings },
  )
}

interface Job {
  task: (typeof TASKS)[number]
  payload: object
  key: string
  flags: readonly string[]
  /** A time that the database has. */
  runAt?: Date
  priority?: number
  /** Without `runAt`: how long after now it is due; less than 0: it counts as due before. */
  waitMs?: number
}

async function addJob(
  tx: ShopScope,
  { task, payload, key, flags, runAt, priority = OTHER, waitMs = 0 }: Job,
): Promise<void> {
  await tx.withoutRows(
    `select graphile_worker.add_job(:task, payload := :payload::json, job_key := :key,
       run_at := coalesce(:runAt::timestamptz, now() + :waitMs::float8 * interval '1 millisecond'), max_attempts := :attempts, priority := :priority, flags := :flags::text[])`,
    {
      task,
      payload: JSON.stringify(payload),
      key,
      flags,
      attempts: MAX_ATTEMPTS,
      runAt: runAt ?? null,
      priority,
      waitMs,
    },
  )
}

// How many jobs of a kind one process runs concurrently. Downloads wait for remote servers, and
// mail for mail servers: neither may take all places that changes and finalizations need, and one
// shop's downloads must not block those of other shops.

/** A job's flag: the kind whose limits it counts for. */
export const BYTES = 'bytes'
/** The flag of batches of imports whose caller waits for each file, and that move no bytes. */
const PROMPT = 'prompt'
export const FINISH = 'finish'
export const MESSAGE = 'message'

const PROMPTS = 4
const FINISHES = 2
/**
 * Four mails, and the others for posts, whose jobs end before the receiver answers
 * (server/core/outbox/deliver.ts).
 */
const MESSAGES = 8
/** Batches of one transaction are short: the remaining places are enough for them. */
export const QUICK_PLACES = 2

/** @param batches concurrent batches that use bytes or external systems */
export const jobLimits = (batches: number): ReadonlyMap<string, PlaceLimits> =>
  new Map([
    [BYTES, waitingLimits(batches)],
    [PROMPT, waitingLimits(PROMPTS)],
    [FINISH, plainLimits(FINISHES)],
    [MESSAGE, plainLimits(MESSAGES)],
  ])
