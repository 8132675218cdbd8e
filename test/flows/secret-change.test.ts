// APP_SECRET is replaced while processes run: links, sealed values, drop accounts and API keys work
// before, during and after, and when the previous secret is removed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { runCommand } from './commands.ts'
import { importUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { makeDataDir, removeDataDir, SECRET as OLD, type RunningServer } from './server.ts'

const NEW = 'another secret for servers of tests, as long'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let origin: Origin
let bucket: FakeBucket
beforeAll(async () => {
  ;[dataDir, database, origin, bucket] = await Promise.all([
    makeDataDir(),
    createTestDatabase(),
    startOrigin(),
    startBucket(),
  ])
})
afterAll(async () => {
  await database.drop()
  await origin.close()
  await bucket.close()
  await removeDataDir(dataDir)
})

const start = (secret: string, previous = '') =>
  startLocalServer({
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir },
    ...{ APP_SECRET: secret, APP_SECRET_PREVIOUS: previous },
  })

async function post<T>(server: RunningServer, route: string, body: unknown): Promise<T> {
  const answer = await server.call('POST', route, body)
  const json: unknown = await answer.json()
  expect(answer.ok, JSON.stringify(json)).toBe(true)
  return json as T
}

interface Made {
  id: string
}
interface ListedLink extends Made {
  url: string
}

/** What was made with a secret. Ids, and what buyers and clients have. */
interface Belongings {
  key: string
  link: ListedLink
  connection: string
  account: string
  webhookSecret: string
  hostKeys: unknown
}

let books = 0
async function make(server: RunningServer): Promise<Belongings> {
  const n = ++books
  const { files } = await importUntilEnd(server, {
    files: [{ filename: `Book ${n}.epub`, url: `${origin.url}/bytes/${3000 + n}/book-${n}` }],
  })
  const { data } = await post<{ data: ListedLink[] }>(server, '/api/links', {
    file_ids: [files[0]?.file_id],
    download_limit: null,
  })
  const connection = await post<Made>(server, '/api/connections', {
    ...bucket.connection(),
    name: `Bucket ${n}`,
  })
  const account = await post<Made>(server, '/api/drop/accounts', { name: `Warehouse ${n}` })
  const { secret } = (await (await server.call('GET', '/api/webhooks/secret')).json()) as {
    secret: string
  }
  const drop = (await (await server.call('GET', '/api/drop')).json()) as { host_keys: unknown }
  return {
    ...{ key: server.apiKey, connection: connection.id, account: account.id },
    ...{ link: data[0] as ListedLink, webhookSecret: secret, hostKeys: drop.host_keys },
  }
}

/** Everything works at this server. */
async function expectWorking(server: RunningServer, { key, link, ...made }: Belongings) {
  const call = async (route: string, method = 'GET') => {
    const answer = await fetch(server.url + route, {
      method,
      headers: { authorization: `Bearer ${key}` },
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  // The buyer's address, here and as the list shows it.
  const { search } = new URL(link.url)
  const download = await fetch(`${server.url}/download${search}`)
  expect([download.status, (await download.arrayBuffer()).byteLength > 3000]).toEqual([200, true])
  const links = await call('/api/links?limit=100')
  const listed = (links.body.data as ListedLink[]).find(({ id }) => id === link.id)
  expect(new URL(String(listed?.url)).search).toBe(search)
  // The keys of the bucket are sealed.
  const sync = await call(`/api/connections/${made.connection}/folders`)
  expect([sync.status, sync.body.error]).toEqual([200, undefined])
  const accounts = await call('/api/drop/accounts')
  expect((accounts.body.data as Made[]).map(({ id }) => id)).toContain(made.account)
  expect((await call('/api/drop')).body.host_keys).toEqual(made.hostKeys)
}

test('links, connections, drop accounts and API keys outlive a change of the secret', async () => {
  const first = await start(OLD)
  const old = await make(first)
  await expectWorking(first, old)

  // All processes learn the new secret before one uses it.
  const learned = await start(OLD, NEW)
  await first.stop()
  await expectWorking(learned, old)

  const changed = await start(NEW, OLD)
  const fresh = await make(changed)
  for (const server of [learned, changed])
    for (const made of [old, fresh]) await expectWorking(server, made)
  await learned.stop()

  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
  const [command] = await Promise.all([
    runCommand('reseal', [], { ...env, APP_SECRET: NEW, APP_SECRET_PREVIOUS: OLD }),
    ...Array.from({ length: 5 }, () => expectWorking(changed, old)),
  ])
  expect(command).toMatchObject({ code: 0, errors: '' })
  expect(command.printed).toMatch(/^\d+ values read, [1-9]\d* of them sealed again\.\n/)
  for (const made of [old, fresh]) await expectWorking(changed, made)
  await changed.stop()

  const last = await start(NEW)
  for (const made of [old, fresh]) await expectWorking(last, made)
  expect(last.output()).not.toContain('APP_SECRET')
  await last.stop()
})

test('reseal says what is missing', async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, APP_SECRET: NEW }
  const { code, errors } = await runCommand('reseal', [], env)
  expect([code, errors]).toEqual([
    1,
    'Set APP_SECRET to the new secret and APP_SECRET_PREVIOUS to the old one.\n',
  ])
})
