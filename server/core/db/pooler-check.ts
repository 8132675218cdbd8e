// Finds a pooler that shares the server's connections between transactions where it is not named as
// one. It gives no error by itself if it ignores our settings: notifications and locks of a session
// would be lost without a word.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { ConfigError } from '../config-error.ts'
import type { Database } from './database.ts'
import { firstOf } from '../lazy.ts'

/** Throws `ConfigError` if `DATABASE_URL` leads to such a pooler and is the only address. */
export async function refuseUnnamedPooler({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const first = await pool.connect()
  try {
    if (await isServerItself(first)) return
    const second = await pool.connect()
    try {
      if (!(await haveOneSession(first, second))) return
    } finally {
      second.release(true)
    }
  } finally {
    first.release()
  }
  throw new ConfigError([
    'DATABASE_URL: it leads to a pooler that shares connections between transactions: set DATABASE_DIRECT_URL too, to the server itself',
  ])
}

/** A pooler tells its clients other numbers for the processes of the server. */
async function isServerItself(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return firstOf(rows).pid === (client as pg.PoolClient & { processID: number | null }).processID
}

/** Whether a setting of one connection's session is seen by the other one. */
async function haveOneSession(first: pg.PoolClient, second: pg.PoolClient): Promise<boolean> {
  const name = `stevedore.probe_${randomUUID().replaceAll('-', '')}`
  await first.query('select set_config($1, $2, false)', [name, 'seen'])
  const { rows } = await second.query<{ value: string | null }>(
    'select current_setting($1, true) as value',
    [name],
  )
  return firstOf(rows).value === 'seen'
}
