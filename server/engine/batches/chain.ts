// A chain of batches in a worker's hands: taken under a fresh lease, enqueued again after each
// batch, put to rest when it has nothing to do, and woken when it has again.
import type { ShopScope } from '../../db/for-shop.ts'
import { UNBLOCKED } from '../operations/name-order.ts'
import type { OperationRow } from '../types.ts'
import { holdLease, takeChain, type ChainRow } from '../worker/lease.ts'
import { queueChain, type ChainJob, type ChainLoad } from '../../queue/queue.ts'
import { MAX_ATTEMPTS } from './failure.ts'

/**
 * Items that a worker died over once run in groups of this size, shared by all chains: a few slow
 * files must not take their time one after another. One of them is poison at most, rarely.
 */
export const CRASHED_GROUP = 10
/**
 * Its next death fails the item, so it runs alone, and one at a time in the operation: a death must
 * not be blamed on an item that happened to run beside the one at fault.
 */
export const LAST_CHANCE = `(crashed and attempt >= ${MAX_ATTEMPTS - 1})`
/** The chain that runs those. */
const LAST_CHANCE_CHAIN = 0

/**
 * SQL: items that this chain may take. One whose name an open item before it asks for is passed
 * over: the chain that ends that one claims again afterwards, and finds it.
 */
export const claimableBy = (chain: number) =>
  chain === LAST_CHANCE_CHAIN ? UNBLOCKED : `${UNBLOCKED} and not ${LAST_CHANCE}`

/** A chain in a worker's hands. */
export interface HeldChain {
  operation: OperationRow
  chain: number
  lease: number
}

/** The chain under a fresh lease, or null: nothing runs, or another worker has it. */
export async function holdChain(
  tx: ShopScope,
  job: ChainJob,
  worker: string,
): Promise<(HeldChain & { row: ChainRow }) | null> {
  const operation = await readRunning(tx, job.operation)
  if (!operation) return null
  const held = await takeChain(tx, job.operation, job.chain, worker)
  if (!held) return null
  const { lease, chain: row } = held
  return { operation, chain: job.chain, lease, row }
}

async function readRunning(tx: ShopScope, operation: string): Promise<OperationRow | null> {
  await tx.query(
    `update operations set status = case status when 'queued' then 'running' else status end, started_at = now()
     where shop_id = :shop and id = :operation and status in ('queued', 'previewing') and started_at is null
        or shop_id = :shop and id = :operation and status = 'queued'`,
    { operation },
  )
  const [row] = await tx.query<OperationRow>(
    `select * from operations where shop_id = :shop and id = :operation and status in ('running', 'previewing')
       and done + failed + skipped + cancelled < total`,
    { operation },
  )
  return row ?? null
}

/**
 * The batch is over: the chain is free, and the job that goes on with it is queued, unless the
 * operation is paused. The chain is locked before the operation is looked at: a resume does it the
 * other way round, so that one of both queues.
 */
export async function enqueueNext(
  tx: ShopScope,
  { operation, chain, lease }: HeldChain,
  load: ChainLoad = 'slow',
): Promise<void> {
  await holdLease(tx, operation.id, chain, lease)
  const [row] = await tx.query<{ goes: boolean }>(
    `update chains set worker_id = null, claimed = '{}'
     where shop_id = :shop and operation_id = :operation and chain = :chain
     returning (select status <> 'paused' from operations where shop_id = :shop and id = :operation) as goes`,
    { operation: operation.id, chain },
  )
  if (row!.goes) await queueChain(tx, operation.id, chain, { load })
}

/** Nothing to claim: the chain sleeps until the next retry is due, or ends. */
export async function restChain(
  tx: ShopScope,
  job: Pick<ChainJob, 'operation' | 'chain'>,
  load: ChainLoad = 'slow',
): Promise<void> {
  const [waiting] = await tx.query<{ due: Date | null; last: boolean | null }>(
    `select min(run_after) filter (where ${claimableBy(job.chain)}) as due, bool_or(${LAST_CHANCE}) as last from items
     where shop_id = :shop and operation_id = :operation and status = 'pending'`,
    { operation: job.operation },
  )
  const due = waiting?.due ?? null
  if (waiting?.last && job.chain !== LAST_CHANCE_CHAIN) await wakeLastChances(tx, job.operation)
  await tx.query(
    `update chains set worker_id = null, lease = null, hint = 0, ended = :ended
     where shop_id = :shop and operation_id = :operation and chain = :chain`,
    { operation: job.operation, chain: job.chain, ended: due === null },
  )
  if (due) await queueChain(tx, job.operation, job.chain, { load, runAt: due })
}

/** The chain of last chances, which had none before. */
async function wakeLastChances(tx: ShopScope, operation: string): Promise<void> {
  const woken = await tx.query(
    `update chains set ended = false
     where shop_id = :shop and operation_id = :operation and chain = :chain and ended returning chain`,
    { operation, chain: LAST_CHANCE_CHAIN },
  )
  if (woken.length > 0) await queueChain(tx, operation, LAST_CHANCE_CHAIN)
}

export const chainsFor = (items: number, parallel: number) =>
  Math.min(parallel, Math.ceil(items / CRASHED_GROUP))

/**
 * Chains that had nothing left to do have again, and an operation of a single batch gets more of
 * them: one chain alone would take too long. The chain of last chances is waited for rather than
 * passed over: it may be about to end, and no other one takes those items.
 */
export async function wakeChains(tx: ShopScope, operation: string, chains: number): Promise<void> {
  await tx.query(
    'select from chains where shop_id = :shop and operation_id = :operation and chain = :chain for update',
    { operation, chain: LAST_CHANCE_CHAIN },
  )
  await tx.query(
    `insert into chains (shop_id, operation_id, chain, ended)
     select :shop, :operation, n, true from generate_series(0, :chains - 1) n
     on conflict (shop_id, operation_id, chain) do nothing`,
    { operation, chains },
  )
  const woken = await tx.query<{ chain: number }>(
    `update chains set ended = false where shop_id = :shop and operation_id = :operation and chain in (
       select chain from chains where shop_id = :shop and operation_id = :operation and chain >= 0 and ended
       for update skip locked
     ) returning chain`,
    { operation },
  )
  for (const { chain } of woken) await queueChain(tx, operation, chain)
}
