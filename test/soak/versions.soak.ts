// The earlier version serves real work on a database while this version migrates it and starts
// beside it: no request fails, no file is lost or doubled, and both versions' workers share the
// queue. The earlier version is the last release, or the last commit with fewer migrations, or this
// one; `PREVIOUS` names another tag or commit.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase } from '../database.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startRoundRobin, type RoundRobin } from '../fakes/round-robin.ts'
import { jobUntilEnd, listAll } from '../flows/imports.ts'
import { startWorkerProcess, type Worker } from '../flows/cluster.ts'
import { checkOut, findEarlierVersion, type EarlierVersion } from '../flows/earlier-version.ts'
import { baseEnv, ROOT, SECRET, startServer, type ServerProcess } from '../flows/server.ts'
import { sendFile } from '../uploads.ts'

/** How long the versions are as in each phase. */
const PHASE_MS = 10_000
const WITHIN_MS = 600_000

let earlier: EarlierVersion
let folder: string
let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool
let origin: Origin
let all: RoundRobin
const running = new Set<ServerProcess | Worker>()
const webs: ServerProcess[] = []
/** All web processes of the run, whose logs name the reasons of faults. */
const logged: ServerProcess[] = []

/** For the times of failures. */
const note = (line: string) => say(`${new Date().toISOString()} ${line}`)
const say = (line: string) => void process.stdout.write(`${line}\n`)

beforeAll(async () => {
  earlier = await findEarlierVersion()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-earlier-'))
  ;[dataDir, database, origin] = await Promise.all([
    makeDataDir('stevedore-versions-'),
    createTestDatabase('template1'),
    startOrigin(),
  ])
  await checkOut(earlier, folder)
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  all = await startRoundRobin(() => webs.map(({ url }) => url))
  say(`from ${earlier.commit} (${earlier.migration}) to ${earlier.newest}`)
})
afterAll(async () => {
  await Promise.all([...running].map((server) => server.stop()))
  await all?.close()
  await origin?.close()
  await pool?.end()
  await database?.drop()
  await removeDataDir(dataDir)
  await rm(folder, { recursive: true, force: true })
})

type Version = 'earlier' | 'new'

/** The worker's fetches name its version. */
const settings = (version: Version, ROLE: string) => ({
  DATABASE_URL: database.url,
  APP_SECRET: SECRET,
  DATA_DIR: dataDir,
  ROLE,
  FETCH_USER_AGENT: version,
})

async function startWeb(version: Version): Promise<ServerProcess> {
  const root = version === 'earlier' ? { root: folder } : {}
  const server = await startServer({ dataDir, ...root, env: settings(version, 'web') })
  running.add(server)
  webs.push(server)
  logged.push(server)
  return server
}

async function startWorker(version: Version): Promise<Worker> {
  const root = version === 'earlier' ? folder : ROOT
  const worker = await startWorkerProcess(version, settings(version, 'worker'), root)
  running.add(worker)
  return worker
}

/** Requests that it has accepted are answered before it ends. */
async function stop(process: Worker | ServerProcess): Promise<void> {
  const at = webs.findIndex(({ child }) => child === process.child)
  if (at !== -1) webs.splice(at, 1)
  expect(await process.stop()).toBe(0)
  running.delete(process)
}

interface Work {
  /** Requests that no client should have to repeat. */
  faults: string[]
  requests: number
  /** The bytes of each file that must exist, by its name. */
  files: Map<string, Buffer>
  jobs: string[]
  downloads: number
  /** Ends the clients, and waits for them. */
  end(): Promise<void>
}

/** @param first the beginning of the files' names */
function startWork(key: string, first = ''): Work {
  const work: Work = {
    faults: [],
    requests: 0,
    files: new Map(),
    jobs: [],
    downloads: 0,
    end: async () => {
      over = true
      await Promise.all(clients)
    },
  }
  let over = false
  const call = async (method: string, route: string, body?: object) => {
    work.requests++
    const authorization = `Bearer ${key}`
    const response = await fetch(all.url + route, {
      method,
      headers: { authorization, 'content-type': 'application/json', prefer: 'respond-async' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (response.status === 429) await delay(1000)
    else if (response.status >= 400)
      work.faults.push(`${method} ${route} was answered ${response.status}: ${text}`)
    return { status: response.status, body: response.ok ? JSON.parse(text) : null }
  }
  const loop = async (client: (n: number) => Promise<unknown>) => {
    for (let n = 0; !over; n++) {
      await client(n).catch((error: unknown) => {
        const cause = error instanceof Error && error.cause ? `: ${String(error.cause)}` : ''
        work.faults.push(`${String(error)}${cause}`)
      })
      await delay(300)
    }
  }
  const importSome = async (n: number) => {
    const sent = [0, 1, 2, 3].map((at) => `${first}import-${n}-${at}.bin`)
    const files = sent.map((filename) => ({
      filename,
      url: `${origin.url}/bytes/5000/${filename}`,
    }))
    const { status, body } = await call('POST', '/api/files/import', { files })
    if (status !== 202 && status !== 200) return
    work.jobs.push(body.job_id)
    for (const filename of sent) work.files.set(filename, contentOf(5000, filename))
  }
  const upload = async (n: number) => {
    const filename = `${first}upload-${n}.bin`
    const bytes = contentOf(300_000, filename)
    const chunkSize = 60_000
    const sender = { url: all.url, key }
    await sendFile(sender, bytes, { metadata: { filename }, chunkSize }).done
    work.files.set(filename, bytes)
  }
  const change = async (n: number) => {
    const { body } = await call('GET', '/api/files?limit=50')
    const ids = (body?.data ?? []).map(({ id }: { id: string }) => id)
    if (ids.length === 0) return
    const options = { mode: 'add', tags: [`round ${n % 5}`] }
    const asked = { action: 'tag-files', options, select: { file_ids: ids } }
    const started = await call('POST', '/api/operations', asked)
    if (started.body?.id) work.jobs.push(started.body.id)
  }
  const download = async () => {
    const { body } = await call('GET', '/api/files?limit=20')
    const file = body?.data?.[0]
    if (!file) return
    const made = await call('POST', '/api/links', { file_ids: [file.id] })
    const link = made.body?.data?.[0]
    if (!link) return
    work.requests++
    const response = await fetch(all.url + new URL(link.url).pathname + new URL(link.url).search)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200 || bytes.length !== file.size_bytes)
      work.faults.push(`A download of ${file.filename} was answered ${response.status}`)
    work.downloads++
  }
  const read = async () => {
    await call('GET', '/api/operations?limit=20')
    await call('GET', '/api/files?search=import&limit=20')
  }
  const clients = [importSome, upload, change, download, read].map(loop)
  return work
}

/** Which versions' workers fetch files in this time. */
async function fetchersDuring(ms: number): Promise<string[]> {
  const before = origin.total
  await delay(ms)
  const seen = origin.requests.slice(Math.max(0, origin.requests.length - (origin.total - before)))
  return [...new Set(seen.map(({ headers }) => headers['user-agent'] ?? ''))].toSorted()
}

test('the earlier version works while this one migrates and starts beside it', async () => {
  const oldWeb = await startWeb('earlier')
  const oldWorker = await startWorker('earlier')
  const work = startWork(oldWeb.apiKey)
  onTestFinished(() => work.end())
  await expect.poll(() => fetchersDuring(PHASE_MS)).toEqual(['earlier'])

  // Its start migrates.
  await startWeb('new')
  note('this version migrated')
  const newWorker = await startWorker('new')
  note('both workers')
  const fetchers = new Set<string>()
  await expect
    .poll(async () => {
      for (const fetcher of await fetchersDuring(PHASE_MS)) fetchers.add(fetcher)
      return [...fetchers].toSorted()
    })
    .toEqual(['earlier', 'new'])

  // Processes of the earlier version may also start on the migrated database.
  await stop(oldWeb)
  const again = await startWeb('earlier')
  note('the earlier version started again')
  await stop(newWorker)
  note('the new worker ended')
  await expect.poll(() => fetchersDuring(PHASE_MS)).toContain('earlier')
  await startWorker('new')
  await stop(oldWorker)
  note('the earlier worker ended')
  await stop(again)
  await expect.poll(() => fetchersDuring(PHASE_MS)).toContain('new')

  await work.end()
  const [web] = webs
  for (const { id } of await listAll(web!, '/api/operations?limit=250'))
    await jobUntilEnd(web!, id!, WITHIN_MS)
  say(
    `${work.requests} requests, ${work.files.size} files, ${work.jobs.length} operations, ${work.downloads} downloads; ${work.faults.length} faults`,
  )
  for (const server of logged) if (server.output().includes('request failed')) say(server.output())
  expect(work.faults).toEqual([])
  expect(await failedItems()).toEqual([])
  for (const job of work.jobs)
    expect(await jobUntilEnd(web!, job)).toMatchObject({ status: 'success', failed: 0 })
  await expectFiles(work.files)
})

/** The errors of items that failed, with their operations. */
async function failedItems() {
  const { rows } = await pool.query(
    `select o.action, i.error, count(*)::int as items, min(i.attempt) as attempts,
       min(i.finished_at) as first, max(i.finished_at) as last
     from items i join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
     where i.status = 'failed' group by 1, 2 order by first`,
  )
  return rows
}

async function expectFiles(expected: ReadonlyMap<string, Buffer>): Promise<void> {
  const { rows } = await pool.query<{ filename: string; hash: string }>(
    `select f.filename, encode(v.hash, 'hex') as hash from files f
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id
     where f.filename ~ '^(import|upload)-' order by f.filename`,
  )
  const wanted = [...expected].map(([filename, bytes]) => ({ filename, hash: hashOf(bytes) }))
  expect(rows).toEqual(wanted.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)))
}

test('the migrations can be undone, and the earlier version serves the same files', async () => {
  const before = await listAll(webs[0]!, '/api/files?limit=250')
  for (const server of running) await stop(server)
  const migrate = async (...args: string[]) => {
    const env = { ...baseEnv(), DATA_DIR: dataDir, DATABASE_URL: database.url, APP_SECRET: SECRET }
    const command = ['server/commands/migrate.ts', '--down-to', ...args]
    return promisify(execFile)(process.execPath, command, { cwd: ROOT, env })
  }
  const listed = await migrate(earlier.migration)
  expect(listed.stdout).toContain(
    earlier.migration === earlier.newest ? 'No migration after' : 'Nothing was changed',
  )
  await migrate(earlier.migration, '--yes')
  const web = await startWeb('earlier')
  await startWorker('earlier')
  const after = await listAll(web, '/api/files?limit=250')
  expect(after.map(({ filename }) => filename)).toEqual(before.map(({ filename }) => filename))
  const work = startWork(web.apiKey, 'again-')
  await delay(PHASE_MS)
  await work.end()
  expect(work.faults).toEqual([])
  await startWeb('new')
})
