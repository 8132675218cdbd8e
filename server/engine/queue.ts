// The jobs of an operation. They are queued by SQL inside the transaction that makes them necessary, under a key, so
// that queueing one twice leaves one.
import type { ShopScope } from '../db/for-shop.ts'

export interface ChainJob {
  shop: number
  operation: string
  chain: number
}
export interface FinishJob {
  shop: number
  operation: string
}
export interface OutboxJob {
  shop: number
  message: string
}

// A job that throws three times is given up; the sweep then sees an operation without a live job and queues it anew.
const MAX_ATTEMPTS = 3

export const chainKey = (operation: string, chain: number) => `chain:${operation}:${chain}`
export const finishKey = (operation: string) => `finish:${operation}`

/**
 * graphile-worker takes lower numbers first: an operation that begins goes before the further batches of those that have
 * begun, so that a large one holds a small one up for no longer than the batches at work.
 */
const FIRST = 0
const FURTHER = 1
const LAST = 2
/** No mail server likes thousands at once. */
const MESSAGES_APART_MS = 100

export const queueFirst = (tx: ShopScope, operation: string, chain: number) =>
  addChain(tx, operation, chain, { priority: FIRST })

export const queueChain = (tx: ShopScope, operation: string, chain: number, runAt?: Date) =>
  addChain(tx, operation, chain, { priority: FURTHER, ...(runAt ? { runAt } : {}) })

const addChain = (tx: ShopScope, operation: string, chain: number, when: When) =>
  addJob(tx, 'chain', { shop: tx.shop, operation, chain } satisfies ChainJob, chainKey(operation, chain), when)

export const queueFinish = (tx: ShopScope, operation: string) =>
  addJob(tx, 'finish', { shop: tx.shop, operation } satisfies FinishJob, finishKey(operation))

export const queueMessage = (tx: ShopScope, message: string, runAt?: Date) =>
  addJob(tx, 'message', { shop: tx.shop, message } satisfies OutboxJob, `message:${message}`, runAt ? { runAt } : {})

/** Many at once, in one statement: one after the other, and behind all other work. */
export async function queueMessages(tx: ShopScope, messages: readonly string[]): Promise<void> {
  if (messages.length === 0) return
  await tx.query(
    `select count(*) from graphile_worker.add_jobs((
       select array_agg(row('message', json_build_object('shop', :shop::int, 'message', id), null,
         now() + n * :apart * interval '1 millisecond', :attempts, 'message:' || id, :priority, null
       )::graphile_worker.job_spec)
       from unnest(:messages::uuid[]) with ordinality as m (id, n) where :shop > 0))`,
    { messages, apart: MESSAGES_APART_MS, attempts: MAX_ATTEMPTS, priority: LAST },
  )
}

interface When {
  runAt?: Date
  priority?: number
}

async function addJob(tx: ShopScope, task: string, payload: object, key: string, when: When = {}): Promise<void> {
  const { runAt = null, priority = FIRST } = when
  await tx.query(
    `select graphile_worker.add_job(:task, payload := :payload::json, job_key := :key, run_at := :runAt,
       max_attempts := :attempts, priority := :priority) where :shop > 0`,
    { task, payload: JSON.stringify(payload), key, runAt, attempts: MAX_ATTEMPTS, priority },
  )
}
