// A chain of batches held by a worker: taken under a new lease, queued again after each batch,
// ended when no work is left, and restarted when there is new work.
import type { ShopScope } from '../core/db/for-shop.ts'
import { WORKER_LEASE, holdLeased } from '../core/queue/lease.ts'
import { queueChain, type ChainJob, type ChainLoad } from '../core/queue/queue.ts'
import { UNBLOCKED } from './freeze.ts'
import type { OperationRow } from './types.ts'
import { MAX_ATTEMPTS } from './failure.ts'

/**
 * Items whose worker died once run in groups of this size, shared by all chains: slow files must
 * not run one after another. Rarely more than one of them is poison.
 */
export const CRASHED_GROUP = 10
/**
 * One more death fails the item. So it runs alone, one such item at a time in the operation: a
 * death must not be blamed on an innocent item that ran beside the poison one.
 */
export const LAST_CHANCE = `(crashed and attempt >= ${MAX_ATTEMPTS - 1})`
/** The chain that runs those items. */
const LAST_CHANCE_CHAIN = 0

/**
 * SQL: items that this chain may take. An item is skipped while an open item before it asks for the
 * same name. The chain that ends that item claims again afterwards and finds this one.
 */
export const claimableBy = (chain: number) =>
  chain === LAST_CHANCE_CHAIN ? UNBLOCKED : `${UNBLOCKED} and not ${LAST_CHANCE}`

/** A chain held by this worker. */
export interface HeldChain {
  operation: OperationRow
  chain: number
  lease: number
}

/**
 * The chain under a new lease, or null: nothing runs, or another worker holds it. Locks the chain
 * before the operation, as a commit and added entries do: the reverse order deadlocks with them.
 */
export async function holdChain(
  tx: ShopScope,
  job: ChainJob,
  worker: string,
): Promise<(HeldChain & { row: ChainRow }) | null> {
  const free = await lockChain(tx, job.operation, job.chain, worker)
  const operation = free && (await readRunning(tx, job.operation))
  return operation && takeChain(tx, job, { worker, row: free, operation })
}

/** Takes a new lease on a chain that `lockChain` locked, of an operation that `readRunning` read. */
export async function takeChain(
  tx: ShopScope,
  job: ChainJob,
  { operation, ...locked }: { worker: string; row: ChainRow; operation: OperationRow },
): Promise<HeldChain & { row: ChainRow }> {
  const taken = await takeLocked(tx, job.operation, job.chain, locked)
  return { operation, chain: job.chain, lease: taken.lease, row: taken.chain }
}

/** The operation, which has begun now if it has not before; null: nothing of it runs. */
export async function readRunning(tx: ShopScope, operation: string): Promise<OperationRow | null> {
  await tx.query(
    `update operations set status = case status when 'queued' then 'running' else status end,
       started_at = now()
     where shop_id = :shop and id = :operation and status in ('queued', 'previewing')
        and started_at is null
        or shop_id = :shop and id = :operation and status = 'queued'`,
    { operation },
  )
  return tx.first<OperationRow>(
    `select * from operations where shop_id = :shop and id = :operation
       and status in ('running', 'previewing')
       and done + failed + skipped + cancelled < total`,
    { operation },
  )
}

/**
 * Ends the batch: releases the chain and queues its next job, unless the operation is paused. Locks
 * the chain before it reads the operation; a resume does the reverse, so one of the two always
 * queues the job.
 */
export async function enqueueNext(
  tx: ShopScope,
  { operation, chain, lease }: HeldChain,
  load: ChainLoad = 'slow',
): Promise<void> {
  await holdLease(tx, operation.id, chain, lease)
  const row = await tx.one<{ now: { paused: boolean; prompt: boolean; total: number } }>(
    `update chains set ${WORKER_LEASE.giveBack}, claimed = '{}'
     where shop_id = :shop and operation_id = :operation and chain = :chain
     returning (select json_build_object('paused', status = 'paused', 'prompt', prompt, 'total', total)
       from operations where shop_id = :shop and id = :operation) as now`,
    { operation: operation.id, chain },
  )
  if (!row.now.paused) await queueChain(tx, operation.id, chain, { load, about: row.now })
}

/** Nothing to claim: the chain waits until the next retry is due, or ends. */
export async function restChain(
  tx: ShopScope,
  job: Pick<ChainJob, 'operation' | 'chain'>,
  load: ChainLoad = 'slow',
): Promise<void> {
  const [waiting] = await tx.query<{ due: Date | null; last: boolean | null }>(
    `select min(run_after) filter (where ${claimableBy(job.chain)}) as due,
       bool_or(${LAST_CHANCE}) as last from items
     where shop_id = :shop and operation_id = :operation and status = 'pending'`,
    { operation: job.operation },
  )
  const due = waiting?.due ?? null
  if (waiting?.last && job.chain !== LAST_CHANCE_CHAIN) await wakeLastChances(tx, job.operation)
  await tx.query(
    `update chains set ${WORKER_LEASE.revoke}, hint = 0, ended = :ended
     where shop_id = :shop and operation_id = :operation and chain = :chain`,
    { operation: job.operation, chain: job.chain, ended: due === null },
  )
  if (due) await queueChain(tx, job.operation, job.chain, { load, runAt: due })
}

/** Restarts the chain of last chances if it has ended. */
async function wakeLastChances(tx: ShopScope, operation: string): Promise<void> {
  const woken = await tx.query(
    `update chains set ended = false
     where shop_id = :shop and operation_id = :operation and chain = :chain and ended
       returning chain`,
    { operation, chain: LAST_CHANCE_CHAIN },
  )
  if (woken.length > 0) await queueChain(tx, operation, LAST_CHANCE_CHAIN)
}

/** Lets items be worked on that wait for another attempt: what they wait for has come. */
export async function wakeItems(
  tx: ShopScope,
  operation: string,
  positions: readonly number[],
): Promise<void> {
  const woken = await tx.query(
    `update items set run_after = now() where shop_id = :shop and operation_id = :operation
       and position = any(:positions::int[]) and status = 'pending' and run_after > now()
     returning position`,
    { operation, positions },
  )
  if (woken.length === 0) return
  const chains = await tx.query<{ chain: number }>(
    `select c.chain from chains c join operations o on o.shop_id = c.shop_id
       and o.id = c.operation_id and o.status in ('running', 'previewing')
     where c.shop_id = :shop and c.operation_id = :operation and c.chain >= 0 and not c.ended`,
    { operation },
  )
  for (const { chain } of chains) await queueChain(tx, operation, chain)
}

export const chainsFor = (items: number, parallel: number) =>
  Math.min(parallel, Math.ceil(items / CRASHED_GROUP))

/**
 * Restarts ended chains when there is new work, and gives an operation of a single batch more
 * chains, since one alone would take too long. Waits for the lock of the chain of last chances
 * instead of skipping it: it may be about to end, and no other chain takes those items. It waits for
 * no other chain: all chains of a dead worker come here while they hold themselves. A conflict on a
 * row that another transaction has updated would wait for it, so rows that exist are left out.
 */
export async function wakeChains(tx: ShopScope, operation: string, chains: number): Promise<void> {
  await tx.query(
    `select from chains where shop_id = :shop and operation_id = :operation and chain = :chain
      for update`,
    { operation, chain: LAST_CHANCE_CHAIN },
  )
  await tx.query(
    `insert into chains (shop_id, operation_id, chain, ended)
     select :shop, :operation, n, true from generate_series(0, :chains - 1) n
     where not exists (
       select from chains where shop_id = :shop and operation_id = :operation and chain = n)
     on conflict (shop_id, operation_id, chain) do nothing`,
    { operation, chains },
  )
  const woken = await tx.query<{ chain: number }>(
    `update chains set ended = false where shop_id = :shop and operation_id = :operation
       and chain in (
         select chain from chains
         where shop_id = :shop and operation_id = :operation and chain >= 0 and ended
         for update skip locked
       ) returning chain`,
    { operation },
  )
  for (const { chain } of woken) await queueChain(tx, operation, chain)
}

// Leases: a chain belongs to one worker under a lease number, which every write of its outcomes
// checks. A worker that was presumed dead but still runs has an old number and can write nothing.

/**
 * Prevents a takeover of the chain until the transaction ends. Throws `LeaseLost` if it was taken
 * over already.
 */
export async function holdLease(
  tx: ShopScope,
  operation: string,
  chain: number,
  lease: number,
): Promise<void> {
  await holdLeased(tx, 'chains', 'operation_id = :operation and chain = :chain', {
    operation,
    chain,
    lease,
  })
}

export interface ChainRow {
  lease: number | null
  /** The last holder, if it died while holding it; null if it was released, or was this worker. */
  dead: string | null
  hint: number
  claimed: number[]
  /** A worker died in it, or a batch could not be written: its items are executed. */
  crashed: boolean
  /** How many workers died while holding it. */
  deaths: number
}

/** The chain, locked; null while another living worker holds it, or when it has ended. */
export const lockChain = (
  tx: ShopScope,
  operation: string,
  chain: number,
  worker: string,
): Promise<ChainRow | null> =>
  tx.first<ChainRow>(
    `select lease, hint, claimed, crashed, deaths, nullif(worker_id, :worker) as dead from chains c
     where shop_id = :shop and operation_id = :operation and chain = :chain and not ended
       and ${WORKER_LEASE.isFree('c', ':worker')}
     for update`,
    { operation, chain, worker },
  )

export interface TakenChain {
  lease: number
  /** The chain as it was before, except that `deaths` counts the last holder too. */
  chain: ChainRow
}

/** Takes a new lease on a chain that `lockChain` locked. */
export async function takeLocked(
  tx: ShopScope,
  operation: string,
  chain: number,
  { worker, row }: { worker: string; row: ChainRow },
): Promise<TakenChain> {
  const taken = await tx.one<Pick<ChainRow, 'deaths'> & { lease: number }>(
    `update chains set ${WORKER_LEASE.take(':worker')}, claimed = '{}',
       deaths = deaths + :died
     where shop_id = :shop and operation_id = :operation and chain = :chain
       returning lease, deaths`,
    { operation, chain, worker, died: row.dead === null ? 0 : 1 },
  )
  return { lease: taken.lease, chain: { ...row, deaths: taken.deaths } }
}
