// Metrics of the drop server: its processes write them to the database, so that every web process
// can report all of them. They are labelled by account (its username), never with a password, and
// only for a bounded number of accounts: all others are counted together.
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../core/db/database.ts'

interface AccountRow {
  account: string
  received_files: string
  received_bytes: string
  refusals: string
}

/** How many accounts have series of their own. */
const NAMED_ACCOUNTS = 50
/** The label of all others. It is not a valid username. */
const OTHERS = '(others)'

/**
 * Accounts that were used recently, or for which sign-ins were refused. Those used last are named.
 */
const ACCOUNTS = `
  select case when place <= ${NAMED_ACCOUNTS} then username else '${OTHERS}' end as account,
    sum(received_files) as received_files, sum(received_bytes) as received_bytes,
    sum(refusals) as refusals
  from (
    select *, row_number() over (order by last_used_at desc nulls last, username) as place
    from drop_accounts where last_used_at > now() - interval '7 days' or refusals > 0
  ) recent group by 1`
/** Those with most sessions are named. */
const SESSIONS = `
  select case when place <= ${NAMED_ACCOUNTS} then username else '${OTHERS}' end as account, protocol,
    sum(open)::int as open
  from (
    select c.username, c.protocol, count(*)::int as open,
      row_number() over (order by count(*) desc, c.username) as place
    from drop_connections c where ended_at is null group by 1, 2
  ) counted group by 1, 2`
const FILES = `
  select state, count(*)::int as files, coalesce(sum(size_bytes), 0)::float8 as bytes
    from drop_entries
  where kind = 'file' and state in ('writing', 'partial', 'waiting', 'importing', 'failed')
    group by 1`

const REFUSALS = 'select reason, count from drop_refusal_counts'

/** Registers the gauges and returns the function that updates them. */
export function dropMetrics(
  registers: Registry[],
  { pool }: Pick<Database, 'pool'>,
): () => Promise<void> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ registers, name, help, labelNames })
  const received = gauge('stevedore_drop_received_files', 'Files received, by account', 'account')
  const bytes = gauge('stevedore_drop_received_bytes', 'Their bytes', 'account')
  const refusals = gauge('stevedore_drop_refusals', 'Refused sign-ins, by account', 'account')
  const refused = gauge(
    'stevedore_drop_refused',
    'What limits and failed sign-ins refused, since the installation',
    'reason',
  )
  const sessions = gauge('stevedore_drop_sessions', 'Open sessions', 'account', 'protocol')
  const files = gauge('stevedore_drop_files', 'Files in drop folders', 'state')
  const waiting = gauge('stevedore_drop_bytes', 'Their bytes', 'state')
  return async () => {
    const accounts = (await pool.query<AccountRow>(ACCOUNTS)).rows
    const open = await pool.query<{ account: string; protocol: string; open: number }>(SESSIONS)
    const states = await pool.query<{ state: string; files: number; bytes: number }>(FILES)
    const reasons = await pool.query<{ reason: string; count: string }>(REFUSALS)
    for (const one of [received, bytes, refusals, refused, sessions, files, waiting]) one.reset()
    for (const { account, ...row } of accounts) {
      received.set({ account }, Number(row.received_files))
      bytes.set({ account }, Number(row.received_bytes))
      refusals.set({ account }, Number(row.refusals))
    }
    for (const { reason, count } of reasons.rows) refused.set({ reason }, Number(count))
    for (const row of open.rows)
      sessions.set({ account: row.account, protocol: row.protocol }, row.open)
    for (const row of states.rows) {
      files.set({ state: row.state }, row.files)
      waiting.set({ state: row.state }, row.bytes)
    }
  }
}
