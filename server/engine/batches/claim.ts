// Claiming: a job takes its chain under a fresh lease, puts back what a dead worker left running, and marks the next
// pending items as its own, in one transaction.
import type { ShopScope } from '../../db/for-shop.ts'
import { AppError } from '../../errors.ts'
import { followersOf, UNBLOCKED } from '../operations/name-order.ts'
import { countOutcomes } from './outcomes.ts'
import { queueChain, type ChainJob } from '../worker/queue.ts'
import type { OperationRow, WorkItem } from '../types.ts'
import { loadUndo } from './revert.ts'
import { loadRecords } from './item-work.ts'
import { spreadBatches } from './item-batches.ts'

/** A worker that has not beaten for this long, by the database's clock, is dead. */
export const SILENCE = '30 seconds'
export const MAX_ATTEMPTS = 3
/**
 * Items that a worker died over once run in groups of this size, shared by all chains: a few slow
 * files must not take their time one after another. One of them is poison at most, rarely.
 */
export const CRASHED_GROUP = 10
/**
 * Its next death fails the item, so it runs alone, and one at a time in the operation: a death must
 * not be blamed on an item that happened to run beside the one at fault.
 */
const LAST_CHANCE = `(crashed and attempt >= ${MAX_ATTEMPTS - 1})`
/** The chain that runs those. */
const LAST_CHANCE_CHAIN = 0

/**
 * SQL: items that this chain may take. One whose name an open item before it asks for is passed over:
 * the chain that ends that one claims again afterwards, and finds it.
 */
const claimableBy = (chain: number) => (chain === LAST_CHANCE_CHAIN ? UNBLOCKED : `${UNBLOCKED} and not ${LAST_CHANCE}`)

/** A chain in a worker's hands. */
export interface HeldChain {
  operation: OperationRow
  chain: number
  lease: number
}

export interface Claim extends HeldChain {
  items: WorkItem[]
  /** Those of `items` whose files another operation has in its hands. */
  inUse: ReadonlySet<WorkItem>
}

export interface ChainRow {
  lease: number | null
  /** Who held it last and died holding it; null when it was let go, or was ours. */
  dead: string | null
  hint: number
  claimed: number[]
  /** Workers that died holding it. */
  deaths: number
}

/** An item as its row has it; what its steps find out is gathered anew. */
type ClaimedRow = Pick<
  WorkItem,
  | 'position'
  | 'file_id'
  | 'attempt'
  | 'crashed'
  | 'step'
  | 'entry'
  | 'draft'
  | 'staged'
  | 'plan'
  | 'wanted'
  | 'waits_for'
>
export const ITEM_COLUMNS = 'position, file_id, attempt, crashed, step, entry, draft, staged, plan, wanted, waits_for'
export const workItem = (row: ClaimedRow): WorkItem => ({
  ...row,
  record: null,
  undo: null,
  candidates: [],
  warnings: [],
  created: [],
  link: null,
  unchanged: null,
  acted: false,
  resume: { step: row.step, staged: row.staged, final: false },
  drop_previous: false,
})

/** The next batch of a chain, its items marked, or null when there is nothing to do for it now. */
export function claimBatch(scope: ShopScope, job: ChainJob, worker: string, batch: number): Promise<Claim | null> {
  return scope.transaction(async (tx) => {
    const held = await holdChain(tx, job, worker)
    if (!held) return null
    const leftovers = await returnLeftovers(tx, held)
    if (held.operation.set_wise) await spreadBatches(tx, job.operation)
    const hint = Math.min(held.row.hint, ...leftovers)
    const items = (await claimFrom(tx, held, hint, batch)) ?? (hint > 0 ? await claimFrom(tx, held, 0, batch) : null)
    if (!items) {
      await restChain(tx, job)
      return null
    }
    await tx.query(
      `update chains set claimed = :claimed, hint = :hint
       where shop_id = :shop and operation_id = :operation and chain = :chain`,
      { ...job, claimed: items.map(({ position }) => position), hint: items.at(-1)!.position + 1 },
    )
    const inUse = held.operation.status === 'previewing' ? new Set<WorkItem>() : await claimFiles(tx, held, items)
    await loadItems(tx, held.operation, items)
    return { ...held, items, inUse }
  })
}

/**
 * Is the chain's next batch one transaction? Its operation must be of that kind, and no worker have died in it: then its
 * items are marked one by one, so that the one at fault is found.
 */
export async function goesTogether(scope: ShopScope, { operation, chain }: ChainJob, worker: string): Promise<boolean> {
  const [row] = await scope.query<{ set_wise: boolean; crashed: boolean; died: boolean }>(
    `select o.set_wise, c.crashed, c.worker_id is not null and c.worker_id <> :worker
         and not exists (select from workers w where w.id = c.worker_id) as died
     from chains c join operations o on o.shop_id = c.shop_id and o.id = c.operation_id
     where c.shop_id = :shop and c.operation_id = :operation and c.chain = :chain`,
    { operation, chain, worker },
  )
  if (!row?.set_wise) return false
  if (row.died && !row.crashed) await markChain(scope, { operation, chain })
  return !row.died && !row.crashed
}

/** From now on the chain's items are marked one by one. */
export async function markChain(scope: ShopScope, { operation, chain }: Pick<ChainJob, 'operation' | 'chain'>) {
  await scope.query(
    'update chains set crashed = true where shop_id = :shop and operation_id = :operation and chain = :chain',
    { operation, chain },
  )
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

/** Files and, for an undo, what the other operation did to them. */
export async function loadItems(tx: ShopScope, operation: OperationRow, items: readonly WorkItem[]) {
  await loadRecords(tx, items)
  if (operation.undoes) await loadUndo(tx, operation.undoes, items)
}

/** Takes the files for longer than this transaction; gives the items whose files someone else has. */
async function claimFiles(tx: ShopScope, held: HeldChain, items: readonly WorkItem[]): Promise<Set<WorkItem>> {
  const wanted = items.filter(({ entry, file_id }) => entry === null && file_id !== null)
  if (wanted.length === 0) return new Set()
  // Writing the rows tells whoever has read them but not yet changed them: their change is refused, and they look again.
  const ids = wanted.map(({ file_id }) => file_id!)
  await tx.query(
    `with ours as (
       insert into file_claims (shop_id, file_id, operation_id, lease)
       select :shop, id, :operation, :lease from files where shop_id = :shop and id = any(:ids::uuid[]) order by id
       on conflict do nothing returning file_id
     )
     update files set updated_at = updated_at from ours where files.shop_id = :shop and files.id = ours.file_id`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const others = await tx.query<{ file_id: string }>(
    `select file_id from file_claims where shop_id = :shop and file_id = any(:ids::uuid[])
       and (operation_id <> :operation or lease <> :lease)`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const taken = new Set(others.map(({ file_id }) => file_id))
  return new Set(wanted.filter(({ file_id }) => taken.has(file_id!)))
}

/** Lets go of files that a lease holds: those of `ids`, or all. */
export async function releaseFiles(tx: ShopScope, operation: string, lease: number, ids?: readonly string[]) {
  await tx.query(
    `delete from file_claims where shop_id = :shop and operation_id = :operation and lease = :lease
       and (:ids::uuid[] is null or file_id = any(:ids::uuid[]))`,
    { operation, lease, ids: ids ?? null },
  )
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

/** A fresh lease on a chain, with the chain as it was; null while another living worker holds it, or when it has ended. */
export async function takeChain(
  tx: ShopScope,
  operation: string,
  chain: number,
  worker: string,
): Promise<{ lease: number; chain: ChainRow } | null> {
  const [row] = await tx.query<ChainRow>(
    `select lease, hint, claimed, deaths, nullif(worker_id, :worker) as dead from chains c
     where shop_id = :shop and operation_id = :operation and chain = :chain and not ended
       and (worker_id is null or worker_id = :worker or not exists (select from workers w where w.id = c.worker_id))
     for update`,
    { operation, chain, worker },
  )
  if (!row) return null
  const [taken] = await tx.query<Pick<ChainRow, 'deaths'> & { lease: number }>(
    `update chains set lease = nextval('leases'), worker_id = :worker, claimed = '{}', deaths = deaths + :died
     where shop_id = :shop and operation_id = :operation and chain = :chain returning lease, deaths`,
    { operation, chain, worker, died: row.dead === null ? 0 : 1 },
  )
  return { lease: taken!.lease, chain: { ...row, deaths: taken!.deaths } }
}

/**
 * Items that the chain's last holder left running wait again. Where it died they may be why: they run
 * in small groups from then on, then alone, and fail when that happens too often. Where it lives, only
 * the database was away: the attempt does not count.
 */
async function returnLeftovers(
  tx: ShopScope,
  { operation: { id: operation, workflow }, row: chain }: HeldChain & { row: ChainRow },
): Promise<number[]> {
  if (chain.claimed.length === 0) return []
  const crash = { code: 'worker_crashed', message: new AppError('worker_crashed').message, retryable: true }
  if (chain.lease !== null) await releaseFiles(tx, operation, chain.lease)
  const rows = await tx.query<{ position: number; status: string }>(
    `update items set lease = null, crashed = crashed or :died, attempt = attempt - (case when :died then 0 else 1 end),
       status = case when :died and attempt >= :most then 'failed' else 'pending' end,
       error = case when :died and attempt >= :most then :crash::jsonb end,
       finished_at = case when :died and attempt >= :most then now() end
     where shop_id = :shop and operation_id = :operation and position = any(:claimed) and status = 'running'
       and lease = :lease
     returning position, status`,
    {
      operation,
      claimed: chain.claimed,
      lease: chain.lease,
      died: chain.dead !== null,
      most: MAX_ATTEMPTS,
      crash: JSON.stringify(crash),
    },
  )
  if (rows.length > 0) await wakeChains(tx, operation, chainsFor(rows.length, workflow.parallel))
  const failed = rows.filter(({ status }) => status === 'failed').length
  if (failed > 0) await countOutcomes(tx, operation, { failed })
  return rows.map(({ position }) => position)
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

const chainsFor = (items: number, parallel: number) => Math.min(parallel, Math.ceil(items / CRASHED_GROUP))

/**
 * Chains that had nothing left to do have again, and an operation of a single batch gets more of them:
 * one chain alone would take too long. The chain of last chances is waited for rather than passed
 * over: it may be about to end, and no other one takes those items.
 */
async function wakeChains(tx: ShopScope, operation: string, chains: number): Promise<void> {
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

/**
 * The next item with the next ones of its kind: those that no worker has died over, a small group of
 * those that one has, or a last chance alone. None is locked that is not claimed: another chain would
 * pass over it, see nothing left to do, and end.
 */
async function claimFrom(
  tx: ShopScope,
  { operation: { id: operation }, chain, lease }: HeldChain,
  from: number,
  batch: number,
) {
  const waiting = `select position, crashed, ${LAST_CHANCE} as last from items
    where shop_id = :shop and operation_id = :operation and status = 'pending' and (run_after is null or run_after <= now())
      and ${claimableBy(chain)}`
  const found = await tx.query<{ position: number; crashed: boolean; last: boolean }>(
    `with first as (
       ${waiting} and position >= :from order by position limit 1 for update skip locked
     ), others as (
       ${waiting} and position > (select position from first) and crashed = (select crashed from first)
         and not ${LAST_CHANCE} and not (select last from first)
       order by position limit (select case when crashed then ${CRASHED_GROUP} else :batch::int end - 1 from first)
       for update skip locked
     )
     select * from first union all select * from others`,
    { operation, from, batch },
  )
  if (found.length === 0) return null
  const claimed = found.map(({ position }) => position)
  const [{ crashed, last }] = found as [(typeof found)[0]]
  if (!last) {
    const most = crashed ? CRASHED_GROUP : batch
    claimed.push(...(await followersOf(tx, operation, claimed, { crashed, most, attempts: MAX_ATTEMPTS - 1 })))
  }
  const rows = await tx.query<ClaimedRow>(
    `update items set status = 'running', attempt = attempt + 1, lease = :lease, run_after = null, error = null
     where shop_id = :shop and operation_id = :operation and position = any(:positions)
     returning ${ITEM_COLUMNS}`,
    { operation, lease, positions: claimed },
  )
  return rows.sort((a, b) => a.position - b.position).map(workItem)
}

/** Nothing to claim: the chain sleeps until the next retry is due, or ends. */
export async function restChain(tx: ShopScope, job: ChainJob): Promise<void> {
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
    { ...job, ended: due === null },
  )
  if (due) await queueChain(tx, job.operation, job.chain, due)
}
