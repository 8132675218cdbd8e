// The leases of background tasks: one run per key, even after a crash.
import { ADD_JOB, runAtOf, runParameters } from './background-jobs.ts'
import type {
  BackgroundOptions,
  HeldRun,
  NextRun,
  TaskJob,
  TaskKind,
  TaskLease,
} from './background-task.ts'
import { holdLeased, LeaseLost, NEW_LEASE, WORKER_LEASE } from './lease.ts'

export const leaseOf = (task: string, key: string, number: number): TaskLease => ({
  number,
  hold: (tx) =>
    holdLeased(tx, 'background_tasks', 'task = :task and key = :key', { task, key, lease: number }),
})

export interface LeasedRow {
  number: number
  attempts: number
}

/** The column is a `smallint`: further attempts are not counted. */
const MAX_COUNTED = 32_767

/**
 * Takes the lease of a run; null: a living worker runs it. If this worker holds a lease that it
 * does not run, it could not release it earlier because the database was unavailable: take it
 * again.
 */
export async function takeLease(
  { pool }: BackgroundOptions['database'],
  worker: string,
  { name }: TaskKind,
  { shop, key }: TaskJob,
): Promise<LeasedRow | null> {
  const { rows } = await pool.query<LeasedRow>(
    `insert into background_tasks as b (task, key, shop_id, lease, worker_id, attempts)
     values ($1, $2, $3, ${NEW_LEASE}, $4, 1)
     on conflict (task, key) do update
       set lease = excluded.lease, worker_id = excluded.worker_id,
         attempts = least(b.attempts, ${MAX_COUNTED - 1}) + 1
       where ${WORKER_LEASE.isFree('b', 'excluded.worker_id')}
     returning lease as number, attempts`,
    [name, key, shop, worker],
  )
  return rows[0] ?? null
}

export type RunEnd =
  | { ended: true; next: NextRun | null }
  | { ended: false; next: NextRun; attempts: number }

/**
 * Releases the lease and queues the next run, both or neither. Does nothing if the lease was taken
 * over.
 */
export async function endRun(
  { pool }: BackgroundOptions['database'],
  { name, onePerShop = false }: TaskKind,
  { shop, key }: TaskJob,
  lease: number,
  end: RunEnd,
): Promise<void> {
  const job = {
    task: '$1::text',
    key: '$2::text',
    shop: '$4::int',
    runAt: runAtOf('$5', '$8'),
    serial: '$6::boolean',
  }
  const given = end.ended
    ? `delete from background_tasks where task = $1 and key = $2 and lease = $3 and $7::int is null`
    : `update background_tasks set ${WORKER_LEASE.giveBack}, attempts = $7 where task = $1 and key = $2
      and lease = $3`
  const [at, ms] = runParameters(end.next)
  await pool.query(
    `with given as (${given} returning 1)
     select ${ADD_JOB(job)} from given where ${job.runAt} is not null`,
    [name, key, lease, shop, at, onePerShop, end.ended ? null : end.attempts, ms],
  )
}

export async function stopLost(
  { pool }: BackgroundOptions['database'],
  worker: string,
  running: ReadonlyMap<string, HeldRun>,
): Promise<void> {
  // Runs that take their lease after this query started are not checked.
  const before = [...running.values()].flatMap(({ lease, lost }) =>
    lease === null ? [] : [{ lease, lost }],
  )
  if (before.length === 0) return
  const { rows } = await pool.query<{ lease: number }>(
    'select lease from background_tasks where worker_id = $1',
    [worker],
  )
  const ours = new Set(rows.map(({ lease }) => lease))
  for (const { lease, lost } of before) if (!ours.has(lease)) lost.abort(new LeaseLost())
}
