import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { dropMetrics } from './metrics.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

it('names a bounded number of accounts, and counts all others together', async () => {
  await database.pool.query(
    `insert into drop_accounts (shop_id, name, username, password, last_used_at, received_files)
     select $1, 'Account ' || n, 'account-' || lpad(n::text, 3, '0'), '', now() - n * interval '1 minute', n
     from generate_series(1, 70) n`,
    [await createTestShop(database)],
  )
  await database.pool.query(
    `insert into drop_connections (id, shop_id, account_id, username, protocol, address)
     select uuidv7(), a.shop_id, a.id, a.username, p, '127.0.0.1' from drop_accounts a,
       unnest(array['ftp', 'sftp']) p`,
  )
  const registry = new Registry()
  await dropMetrics([registry], database)()
  const lines = (await registry.metrics()).split('\n')
  const received = lines.filter((line) => line.startsWith('stevedore_drop_received_files{'))
  expect(received).toHaveLength(51)
  expect(received).toContain('stevedore_drop_received_files{account="account-001"} 1')
  // 51 to 70.
  expect(received).toContain('stevedore_drop_received_files{account="(others)"} 1210')
  const sessions = lines.filter((line) => line.startsWith('stevedore_drop_sessions{'))
  expect(sessions.length).toBeLessThanOrEqual(52)
  const open = sessions.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)
  expect(open).toBe(140)
})
