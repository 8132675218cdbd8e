// The phase of a worker process as the database shows it. The process is frozen while it is read,
// so the phase does not change.
import { readFile } from 'node:fs/promises'
import type { Pool } from 'pg'
import { WORKER_LOCKS } from '../../server/core/db/lock-classes.ts'

export type Phase = 'fetch' | 'commit' | 'finish' | 'idle'

export interface Sight {
  phase: Phase
  /**
   * The number of items that it fetches, and the highest attempt of all items that it holds: a
   * death also counts for items that wait to be written.
   */
  items: number
  attempt: number
  /** The current statement, if the process is in a transaction that writes outcomes. */
  statement: string
}

const COMMITS =
  'insert into (blobs|files|versions|mappings)|update items set status = o|update operations set done|select position from items'
/** The worker's row: its connection holds the row's advisory lock. */
const WORKER = `
  select w.id from workers w
  join pg_locks l on l.locktype = 'advisory' and l.classid = ${WORKER_LOCKS} and l.objid = w.lock
    and l.granted
  join pg_stat_activity a on a.pid = l.pid
  where a.application_name = $1`

/** A worker's id by its process name, or null before its row exists. */
export async function workerId(pool: Pool, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(WORKER, [name])
  return rows[0]?.id ?? null
}

/**
 * The final state of a frozen process's session in the database. Statements that it has sent are
 * still executed, such as the end of a claim; the state is final when the session waits for a
 * client or for a lock.
 */
export async function lookAtFinalState(pool: Pool, name: string): Promise<Sight> {
  for (;;) {
    const sessions = 'from pg_stat_activity where application_name = $1'
    const { rows } = await pool.query<{ client_port: number }>(`select client_port ${sessions}`, [
      name,
    ])
    const unread = await anyUnread(rows.map(({ client_port }) => client_port))
    const busy = await pool.query(
      `select ${sessions} and coalesce(wait_event_type, '') not in ('Client', 'Lock')`,
      [name],
    )
    if (!unread && busy.rows.length === 0) return look(pool, name)
  }
}

/** Whether a connection from one of these ports has bytes that its peer has not read. */
async function anyUnread(ports: readonly number[]): Promise<boolean> {
  const [, ...lines] = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n')
  return lines.some((line) => {
    const [, , remote, , queues] = line.trim().split(/\s+/)
    return (
      ports.includes(Number.parseInt(remote!.split(':')[1]!, 16)) &&
      Number.parseInt(queues!.split(':')[1]!, 16) > 0
    )
  })
}

export async function look(pool: Pool, name: string): Promise<Sight> {
  const { rows } = await pool.query<{
    statement: string | null
    finishing: boolean
    items: number
    attempt: number
  }>(
    `with me as (${WORKER}), held as (
       select c.* from chains c join me on me.id = c.worker_id
     )
     select
       (select query from pg_stat_activity where application_name = $1 and xact_start is not null
         and query ~ $2 limit 1) as statement,
       exists (
         select from held join operations o on o.shop_id = held.shop_id and o.id = held.operation_id
         where chain = -1 and o.status = 'running'
           and o.done + o.failed + o.skipped + o.cancelled = o.total
       ) as finishing,
       count(i) filter (where i.staged is null)::int as items,
       coalesce(max(i.attempt), 0)::int as attempt
     from held join items i on i.shop_id = held.shop_id and i.operation_id = held.operation_id
       and i.lease = held.lease
       and i.status = 'running'`,
    [name, COMMITS],
  )
  const { statement, finishing, items, attempt } = rows[0]!
  const phase = finishing ? 'finish' : statement ? 'commit' : items > 0 ? 'fetch' : 'idle'
  return {
    phase,
    items,
    attempt,
    statement: statement?.trim().replace(/\s+/g, ' ').slice(0, 60) ?? '',
  }
}

/**
 * Resolves with the first of these processes in a transaction that writes outcomes; null after the
 * time limit.
 */
export async function nextCommit(
  pool: Pool,
  names: readonly string[],
  within: number,
): Promise<string | null> {
  const until = performance.now() + within
  while (performance.now() < until) {
    const { rows } = await pool.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where application_name = any($1) and xact_start is not null and query ~ $2`,
      [names, COMMITS],
    )
    if (rows[0]) return rows[0].name
  }
  return null
}
