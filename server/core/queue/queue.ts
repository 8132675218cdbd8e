// The jobs of an operation. SQL queues them in the transaction that makes them necessary, under a
// key, so that queueing one twice leaves one.
import type { ShopScope } from '../db/for-shop.ts'
import { BYTES, FINISH, MESSAGE, PROMPT } from './job-concurrency.ts'
import { ofShop } from './places.ts'

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

// A job that throws three times is given up. The sweep then finds an operation without a live job
// and queues it again.
const MAX_ATTEMPTS = 3

export const TASKS = ['chain', 'finish', 'message'] as const

/** The number of the chain that ends the operation. */
export const FINISH_CHAIN = -1

const chainKey = (operation: string, chain: number) => `chain:${operation}:${chain}`
const finishKey = (operation: string) => `finish:${operation}`

/**
 * graphile-worker takes lower numbers first. The first batch of an operation goes before later
 * batches of others, so a large operation delays a small one only for the batches that are running.
 */
const FIRST = 0
const FURTHER = 1
const LAST = 2
/** Mail servers reject thousands of concurrent messages. */
const MESSAGES_APART_MS = 100

/**
 * `slow`: uses bytes or external systems, so a process runs a limited number of these. `quick`: its
 * batches only use the database.
 */
export type ChainLoad = 'quick' | 'slow'

export const queueFirst = (tx: ShopScope, operation: string, chain: number, load: ChainLoad) =>
  addChain(tx, operation, chain, load, { priority: FIRST })

export const queueChain = (
  tx: ShopScope,
  operation: string,
  chain: number,
  { load = 'slow', runAt }: { load?: ChainLoad; runAt?: Date } = {},
) => addChain(tx, operation, chain, load, { priority: FURTHER, ...(runAt ? { runAt } : {}) })

async function addChain(
  tx: ShopScope,
  operation: string,
  chain: number,
  load: ChainLoad,
  when: JobTiming,
): Promise<void> {
  const payload: ChainJob = { shop: tx.shop, operation, chain }
  const flags = load === 'quick' ? [] : await flagsOf(tx, operation)
  return addJob(tx, { task: 'chain', payload, key: chainKey(operation, chain), flags, ...when })
}

async function flagsOf(tx: ShopScope, operation: string): Promise<string[]> {
  const [row] = await tx.query<{ prompt: boolean }>(
    'select prompt from operations where shop_id = :shop and id = :operation',
    { operation },
  )
  const flag = row?.prompt ? PROMPT : BYTES
  return [flag, ofShop(flag, tx.shop)]
}

export function queueFinish(tx: ShopScope, operation: string): Promise<void> {
  const payload: FinishJob = { shop: tx.shop, operation }
  return addJob(tx, { task: 'finish', payload, key: finishKey(operation), flags: [FINISH] })
}

export function queueMessage(tx: ShopScope, message: string, runAt?: Date): Promise<void> {
  const payload: OutboxJob = { shop: tx.shop, message }
  return addJob(tx, {
    ...{ task: 'message', payload, key: `message:${message}`, flags: [MESSAGE] },
    ...(runAt ? { runAt } : {}),
  })
}

/** Many jobs in one statement. They run one after another, after all other work. */
export async function queueMessages(tx: ShopScope, messages: readonly string[]): Promise<void> {
  if (messages.length === 0) return
  await tx.query(
    `select count(*) from graphile_worker.add_jobs((
       select array_agg(row('message', json_build_object('shop', :shop::int, 'message', id), null,
         now() + n * :apart * interval '1 millisecond', :attempts, 'message:' || id, :priority,
         array[:flag]
       )::graphile_worker.job_spec)
       from unnest(:messages::uuid[]) with ordinality as m (id, n) where :shop > 0))`,
    { messages, apart: MESSAGES_APART_MS, attempts: MAX_ATTEMPTS, priority: LAST, flag: MESSAGE },
  )
}

/** Of messages that are sent at their own times (`due_at`). */
export async function queueTimedMessages(
  tx: ShopScope,
  messages: readonly string[],
): Promise<void> {
  if (messages.length === 0) return
  await tx.query(
    `select count(*) from graphile_worker.add_jobs((
       select array_agg(row('message', json_build_object('shop', o.shop_id, 'message', o.id), null,
         o.due_at, :attempts, 'message:' || o.id, :priority, array[:flag]
       )::graphile_worker.job_spec)
       from outbox o where o.shop_id = :shop and o.id = any(:messages::uuid[])))`,
    { messages, attempts: MAX_ATTEMPTS, priority: LAST, flag: MESSAGE },
  )
}

interface JobTiming {
  runAt?: Date
  priority?: number
}

interface Job extends JobTiming {
  task: (typeof TASKS)[number]
  payload: object
  key: string
  flags: readonly string[]
}

async function addJob(
  tx: ShopScope,
  { task, payload, key, flags, runAt, priority }: Job,
): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job(:task, payload := :payload::json, job_key := :key,
       run_at := :runAt, max_attempts := :attempts, priority := :priority, flags := :flags::text[])
     where :shop > 0`,
    {
      ...{ task, payload: JSON.stringify(payload), key, flags, attempts: MAX_ATTEMPTS },
      ...{ runAt: runAt ?? null, priority: priority ?? FIRST },
    },
  )
}

/**
 * Removes a shop's jobs, of every task: its rows are being deleted. A running job ends because it
 * finds no rows of the shop. graphile-worker's own view has no payload, so its table is read.
 */
export async function dropJobs(tx: ShopScope): Promise<void> {
  await tx.query(
    `delete from graphile_worker._private_jobs
     where payload ->> 'shop' = :shop::text and locked_at is null`,
  )
}
