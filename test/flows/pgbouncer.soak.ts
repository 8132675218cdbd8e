// The product through a real PgBouncer that shares connections between transactions.
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../../server/core/configuration/environment.ts'
import { openForStart } from '../../server/startup/database.ts'
import { createTestDatabase, silent } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { sendFile } from '../uploads.ts'
import { importUntilEnd, jobUntilEnd } from './imports.ts'
import { startBouncer, type Bouncer } from './pgbouncer.ts'
import { SECRET, startServer, type ServerProcess } from './server.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let bouncer: Bouncer | undefined
let origin: Origin
let server: ServerProcess | undefined

beforeAll(async () => {
  ;[database, origin] = await Promise.all([createTestDatabase(), startOrigin()])
  bouncer = await startBouncer(database.url, 4)
  server = await startServer({
    env: {
      DATABASE_URL: bouncer.url,
      DATABASE_DIRECT_URL: database.url,
      DATABASE_CONNECTIONS: '40',
      APP_SECRET: SECRET,
    },
  })
})
afterAll(async () => {
  await server?.stop()
  await bouncer?.close()
  await origin.close()
  await database.drop()
})

test('imports, uploads, bulk actions and downloads work, with four connections', async () => {
  const running = server!
  const files = Array.from({ length: 60 }, (_, n) => ({
    filename: `pooled ${n}.bin`,
    url: `${origin.url}/bytes/${1000 + n}/${n}`,
  }))
  const reply = await importUntilEnd(running, { files })
  expect(reply).toMatchObject({ status: 'success', imported: 60 })
  const ids = reply.files.map(({ file_id }) => file_id!)
  const call = async <T>(method: string, route: string, body?: object): Promise<T> => {
    const response = await running.call(method, route, body)
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as T
  }
  const tagging = { action: 'tag-files', select: { file_ids: ids }, options: { tags: ['pooled'] } }
  const { id } = await call<{ id: string }>('POST', '/api/operations', tagging)
  expect(await jobUntilEnd(running, id)).toMatchObject({ status: 'success', done: 60 })
  const made = await call<{ data: { url: string }[] }>('POST', '/api/links', { file_ids: ids })
  const statuses = await Promise.all(made.data.map(async ({ url }) => (await fetch(url)).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  await sendFile({ url: running.url, key: running.apiKey }, Buffer.alloc(200_000, 'x'), {
    metadata: { filename: 'uploaded.bin' },
    chunkSize: 50_000,
  }).done
  // Concurrent: named statements would be missing on other connections.
  const reads = await Promise.all(
    Array.from(
      { length: 80 },
      async () => (await running.call('GET', '/api/files?limit=5')).status,
    ),
  )
  expect(new Set(reads)).toEqual(new Set([200]))
  expect(running.output()).not.toMatch(/prepared statement|unsupported startup/)
})

test('the planner’s setting and the names of connections reach the server', async () => {
  // A new connection, as the pooler opens them: those from before the first start keep the old value.
  const direct = new pg.Client({ connectionString: database.url })
  await direct.connect()
  try {
    expect((await direct.query('show random_page_cost')).rows).toEqual([
      { random_page_cost: '1.1' },
    ])
    const { rows } = await direct.query<{ application_name: string }>(
      `select distinct application_name from pg_stat_activity
       where datname = current_database()`,
    )
    expect(rows.map(({ application_name }) => application_name)).toContain('stevedore web+worker')
  } finally {
    await direct.end()
  }
})

test.each([
  ['refuses our settings', ''],
  [
    'ignores our settings',
    'ignore_startup_parameters = options,idle_in_transaction_session_timeout',
  ],
])('a pooler that %s is named as the wrong setting if it is the only address', async (_, more) => {
  const alone = await startBouncer(database.url, 4, more)
  onTestFinished(() => alone.close())
  const environment = readEnvironment({ DATABASE_URL: alone.url, APP_SECRET: SECRET })
  await expect(openForStart(environment, silent)).rejects.toThrow(
    /DATABASE_URL: .*it leads to a pooler.*: set DATABASE_DIRECT_URL too/,
  )
})

test('a pooler that shares connections by session may be the only address', async () => {
  const alone = await startBouncer(
    database.url,
    40,
    'pool_mode = session\nignore_startup_parameters = options,idle_in_transaction_session_timeout',
  )
  onTestFinished(() => alone.close())
  const environment = readEnvironment({ DATABASE_URL: alone.url, APP_SECRET: SECRET })
  const opened = await openForStart(environment, silent)
  await opened.close()
})
