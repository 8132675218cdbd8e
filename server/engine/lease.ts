// Leases: a chain belongs to one worker under a lease number, which every write of its outcomes
// checks. A worker that was presumed dead but still runs has an old number and can write nothing.
import type { ShopScope } from '../core/db/for-shop.ts'
import { holdLeased, WORKER_LEASE } from '../core/queue/lease.ts'

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
