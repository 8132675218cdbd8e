// Downloads from two web processes over one database: the limit is exact for any number of
// concurrent requests, and clients that fetch in parts get whole files for one count.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import { admitFiles } from '../../server/files/admit.ts'
import { draftFrom } from '../../server/files/drafts.ts'
import { createLinks } from '../../server/features/links/model/creation.ts'
import { readShop } from '../../server/files/shop-settings.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { createTestDatabase, silent } from '../database.ts'
import { sized, soakTest } from '../scale.ts'
import { startLocalServer } from './local-server.ts'
import {
  makeDataDir,
  removeDataDir,
  SECRET,
  startServer,
  type RunningServer,
  type ServerProcess,
} from './server.ts'

const run = promisify(execFile)
const SMALL = randomBytes(2000)
const LARGE = randomBytes(9_000_000)

let dataDir: string
let downloads: string
let base: Awaited<ReturnType<typeof createTestDatabase>>
let database: Database
let scope: ShopScope
/** One in the test's process, and one that a test kills. */
let servers: readonly [RunningServer, ServerProcess]
/** Of every web process. */
let env: { DATABASE_URL: string; ROLE: string }

beforeAll(async () => {
  ;[dataDir, downloads, base] = await Promise.all([
    makeDataDir(),
    mkdtemp(path.join(tmpdir(), 'stevedore-downloads-')),
    createTestDatabase(),
  ])
  env = { DATABASE_URL: base.url, ROLE: 'web' }
  const first = await startLocalServer({ ...env, DATA_DIR: dataDir })
  servers = [first, await startServer({ dataDir, env })]
  database = openDatabase(base.url, 4, silent)
  const { rows } = await database.pool.query<{ id: number }>('select id from shops')
  scope = forShop(database, rows[0]!.id)
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await database.close()
  await base.drop()
  await Promise.all([removeDataDir(dataDir), rm(downloads, { recursive: true })])
})

async function addFile(filename: string, bytes: Buffer): Promise<string> {
  const store = createDiskStore({ folder: path.join(dataDir, 'files') })
  const written = await store.write(scope.shop, [bytes] as never)
  const draft = draftFrom({ filename }, (await readShop(scope)).settings)
  const admission = {
    draft,
    staged: { ...written, location: 'primary', content_type: null },
    onConflict: 'error',
    channel: 'api',
  } as const
  const [admitted] = await scope.transaction((tx) =>
    admitFiles(tx, [admission], { file_bytes: 1e9 }),
  )
  if (admitted!.status !== 'created') throw new Error(JSON.stringify(admitted))
  return admitted!.fileId
}

/**
 * Creates links to one file, each with its own limit; returns their paths and a function that reads
 * their counts.
 */
async function addLinks(file: string, limits: readonly (number | null)[], more: object = {}) {
  const secrets = createSecrets(SECRET)
  const made = []
  for (const download_limit of limits)
    made.push(
      ...(await createLinks(
        scope,
        secrets,
        { file_ids: [file], download_limit, ...more },
        new Date(),
      )),
    )
  return made.map(({ id, key }) => ({
    key,
    path: `/download?key=${key}`,
    downloads: async () => {
      const rows = await scope.query<{ downloads: number }>(
        'select downloads from links where shop_id = :shop and id = :id',
        { id },
      )
      return rows[0]!.downloads
    },
  }))
}

const agent = new Agent({ keepAlive: true, maxSockets: 50 })
afterAll(() => agent.destroy())

function ask(url: string): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, { agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks) }),
      )
    })
    request.on('error', reject)
  })
}

soakTest('in each round of 50 concurrent requests, exactly the limit is served', async () => {
  const limits = Array.from({ length: sized(10, 100) }, (_, round) => 1 + ((round * 7) % 60))
  const links = await addLinks(await addFile('contested.pdf', SMALL), limits)
  for (const [round, link] of links.entries()) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ask(servers[at % 2]!.url + link.path)),
    )
    const served = answers.filter(({ status }) => status === 200)
    const expected = Math.min(limits[round]!, 50)
    expect([round, served.length, await link.downloads()]).toEqual([round, expected, expected])
    expect(served.every(({ body }) => body.equals(SMALL))).toBe(true)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(50 - expected)
  }
})

describe('in parts', () => {
  let file: string
  beforeAll(async () => {
    file = await addFile('large.zip', LARGE)
  })
  /** A link that allows one download, at both servers. */
  const once = async () => {
    const [link] = await addLinks(file, [1])
    return { ...link!, urls: servers.map(({ url }) => url + link!.path) }
  }

  test('aria2c with 8 connections gets the whole file, for one count', async () => {
    const link = await once()
    const options = [
      '-x8',
      '-s8',
      '-k1M',
      '-q',
      '--allow-overwrite=true',
      '-d',
      downloads,
      '-o',
      'aria.zip',
    ]
    await run('aria2c', [...options, link.urls[0]!])
    expect((await readFile(path.join(downloads, 'aria.zip'))).equals(LARGE)).toBe(true)
    expect(await link.downloads()).toBe(1)
  })

  test('curl fetches it in ranges and resumes after a cut, for one count, also from the other server', async () => {
    const link = await once()
    const out = path.join(downloads, 'curl.zip')
    await run('curl', ['-sf', '-r', '0-2999999', '-o', out, link.urls[0]!])
    await run('curl', ['-sf', '-C', '-', '-r', '3000000-5999999', '-o', `${out}.2`, link.urls[1]!])
    await run('curl', ['-sf', '-r', '6000000-', '-o', `${out}.3`, link.urls[0]!])
    const parts = await Promise.all([out, `${out}.2`, `${out}.3`].map((part) => readFile(part)))
    expect(Buffer.concat(parts).equals(LARGE)).toBe(true)
    await expect(run('curl', ['-sf', '-o', out, link.urls[0]!])).rejects.toMatchObject({ code: 22 })
    expect(await link.downloads()).toBe(1)
  })
})

describe('the address of a button', () => {
  const email = 'ada@example.com'
  let file: string
  beforeAll(async () => {
    file = await addFile('behind a button.zip', LARGE)
  })
  /** Where curl is led when it sends a form. */
  const sent = async (url: string, form: string): Promise<string> =>
    (await run('curl', ['-sf', '-o', '/dev/null', '-w', '%{redirect_url}', '-d', form, url])).stdout
  /** The address at the second server of a button that was pressed at the first. */
  const opened = async (more = {}) => {
    const [link] = await addLinks(file, [1], more)
    const [first, second] = servers.map(({ url }) => url)
    const form = new URLSearchParams({ key: link!.key, answer: email })
    const page =
      'ask_for' in more
        ? await sent(`${first}/download/open`, String(form))
        : `${first}${link!.path}&page=1`
    const address = await sent(page, '')
    return { page, url: address.replace(first!, second!), downloads: link!.downloads }
  }
  const ways = [
    ['', {}],
    [', after its question', { email, ask_for: 'email' }],
  ] as const

  test.each(ways)('aria2c with 4 connections and curl -C - fetch it%s', async (_, more) => {
    const link = await opened(more)
    const options = ['-x4', '-s4', '-k1M', '-q', '--allow-overwrite=true', '-d', downloads]
    await run('aria2c', [...options, '-o', 'pressed.zip', link.url])
    expect((await readFile(path.join(downloads, 'pressed.zip'))).equals(LARGE)).toBe(true)
    expect(await link.downloads()).toBe(1)

    const resumed = await opened(more)
    const out = path.join(downloads, 'resumed.zip')
    await run('curl', ['-sf', '-r', '0-2999999', '-o', out, resumed.url])
    await run('curl', ['-sf', '-C', '-', '-o', out, resumed.url])
    expect((await readFile(out)).equals(LARGE)).toBe(true)
    expect(await resumed.downloads()).toBe(1)
    await expect(run('curl', ['-sf', '-o', out, resumed.url])).rejects.toMatchObject({ code: 22 })
  })

  test('curl -L gets the file from the form itself', async () => {
    const link = await opened()
    const { stdout } = await run('curl', ['-sfL', '-d', '', link.page], {
      encoding: 'buffer',
      maxBuffer: 2 * LARGE.length,
    })
    expect(stdout.equals(LARGE)).toBe(true)
    expect(await link.downloads()).toBe(1)
  })
})

test('names reach curl as plain text, and complete in clients that support the standard’s form', async () => {
  const names = {
    'two words (1).pdf': 'two words (1).pdf',
    'it\'s; a="test".pdf': "it's; a=_test_.pdf",
    'Übung café.pdf': 'Ubung cafe.pdf',
    '計画 2026.pdf': '__ 2026.pdf',
    '100% %41.txt': '100_ _41.txt',
    '🎁 דו״ח.zip': '_ ____.zip',
  }
  for (const [filename, plain] of Object.entries(names)) {
    const [link] = await addLinks(await addFile(filename, SMALL), [null])
    const options = ['-sfOJ', '-D', '-', '--output-dir', downloads]
    const { stdout: head } = await run('curl', [...options, servers[0]!.url + link!.path])
    expect((await readFile(path.join(downloads, plain))).equals(SMALL)).toBe(true)
    await rm(path.join(downloads, plain))
    const whole = /filename\*=UTF-8''(\S+)\r/.exec(head)?.[1]
    expect(whole === undefined ? plain : decodeURIComponent(whole)).toBe(filename)
  }
})

test('a stopping server counts and records the downloads that it has just served', async () => {
  const file = await addFile('tracked.pdf', SMALL)
  const [link] = await addLinks(file, [null])
  const leaving = await startLocalServer({ ...env, DATA_DIR: dataDir })
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(leaving.url + link!.path)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  await leaving.stop()
  const { rows } = await database.pool.query<{ kept: number }>(
    'select count(*) as kept from downloads where file_id = $1',
    [file],
  )
  expect(rows[0]!.kept).toBe(20)
  expect(await link!.downloads()).toBe(20)
})

soakTest('a download of a killed server starts again at another one, for one count', async () => {
  const bytes = randomBytes(30_000_000)
  const [link] = await addLinks(await addFile('broken-off.zip', bytes), [1])
  const killed = await startServer({ dataDir, env })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(killed.url + link!.path, resolve).on('error', reject)
  })
  response.on('error', () => {})
  // The rest stays unread.
  await once(response, 'readable')
  await killed.kill()
  response.destroy()
  const again = await ask(servers[0].url + link!.path)
  expect([again.status, again.body.equals(bytes)]).toEqual([200, true])
  expect((await ask(servers[0].url + link!.path)).status).toBe(410)
  expect(await link!.downloads()).toBe(1)
})

soakTest(
  'a server killed right after its responses loses no count of a limited link, however high the limit',
  async () => {
    const links = await addLinks(await addFile('killed.pdf', SMALL), [60, 100_000])
    const [, killed] = servers
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        links.flatMap((link) => Array.from({ length: 25 }, () => ask(killed.url + link.path))),
      )
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    }
    await killed.kill()
    expect(await Promise.all(links.map((link) => link.downloads()))).toEqual([50, 50])
  },
)
