// A killed server, and a database that is restarted under load: everything acknowledged is kept,
// and nothing exists twice.
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clusterOf } from '../../server/core/db/embedded-place.ts'
import { OWNER_LOCK } from '../../server/core/db/embedded.ts'
import { hashOf, contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { randomOf } from '../scale.ts'
import { uniqueSkus } from './catalog.ts'
import { startClusterWithPostgres, type ClusterWithPostgres, type Worker } from './cluster.ts'
import { jobUntilEnd, listAll, type ImportReply } from './imports.ts'
import { makeDataDir, removeDataDir, startServer, type ServerProcess } from './server.ts'

const FILES = 400
/** Files before the restarts of PostgreSQL, and in each import during them. */
const BASE = 200
const EACH = 40
const RESTARTS = 10
const PROMISED_MS = 10_000
const random = randomOf('recovery')

let dataDir: string
let origin: Origin
let server: ServerProcess

beforeAll(async () => {
  dataDir = await makeDataDir()
  origin = await startOrigin()
  server = await startServer({ dataDir })
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await removeDataDir(dataDir)
})

test('an import killed in the middle resumes after the next start: nothing is lost or duplicated', async () => {
  const skus = uniqueSkus()
  const files = Array.from({ length: FILES }, (_, n) => ({
    filename: `kept-${n}.bin`,
    url: `${origin.url}/bytes/${30_000 + n}/kept-${n}`,
    product_sku: skus[n % skus.length]!,
  }))
  const response = await server.call(
    'POST',
    '/api/files/import',
    { files },
    { prefer: 'respond-async' },
  )
  const { job_id } = (await response.json()) as ImportReply
  await until(() => origin.total > (FILES * 3) / 8)
  await server.kill()

  const key = server.apiKey
  server = await startServer({ dataDir })
  expect(server.apiKey).toBe(key)
  expect(await jobUntilEnd(server, job_id)).toMatchObject({
    status: 'success',
    total: FILES,
    done: FILES,
    failed: 0,
  })

  const listed = await listAll(server, '/api/files?search=kept-&limit=250')
  expect(new Set(listed.map(({ filename }) => filename)).size).toBe(FILES)
  expect(listed.length).toBe(FILES)
  expect(listed.every(({ products }) => products!.length === 1)).toBe(true)
  const blobs = await storedBlobs(path.join(dataDir, 'files'))
  for (let n = 0; n < FILES; n++)
    expect(blobs.get(hashOf(contentOf(30_000 + n, `kept-${n}`)))).toBe(30_000 + n)
  for (const [hash, size] of blobs)
    expect(hashOf(await readFile(blobPath(hash)))).toBe(size >= 0 ? hash : '')
})

test('an ordinary stop and start keeps everything', async () => {
  expect(await server.stop()).toBe(0)
  expect(
    existsSync(path.join(await clusterOf(path.join(dataDir, 'postgres')), 'postmaster.pid')),
  ).toBe(false)
  server = await startServer({ dataDir })
  expect((await listAll(server, '/api/files?search=kept-&limit=250')).length).toBe(FILES)
})

describe('immediate restarts of PostgreSQL under load', () => {
  let cluster: ClusterWithPostgres
  let web: ServerProcess
  let worker: Worker
  beforeAll(async () => {
    cluster = await startClusterWithPostgres()
    web = await cluster.startWeb()
    worker = await cluster.startWorker('worker')
  })
  afterAll(async () => {
    await Promise.all([web.stop(), worker.stop()])
    await cluster.close()
  })

  /** What the server acknowledged. Interrupted requests may or may not have had an effect. */
  const acknowledged = {
    imports: [] as string[],
    links: [] as string[],
    updates: new Map<string, number>(),
  }

  async function attempt<T>(work: () => Promise<Response>): Promise<T | null> {
    const response = await work().catch(() => null)
    if (!response) return null
    if (response.ok) return (await response.json().catch(() => null)) as T | null
    expect([429, 500, 503]).toContain(response.status)
    await response.arrayBuffer()
    return null
  }

  async function load(round: number, files: readonly string[]): Promise<void> {
    const entries = Array.from({ length: EACH }, (_, n) => ({
      filename: `load ${round} ${n}.bin`,
      url: `${origin.url}/bytes/${5000 + n}/load-${round}-${n}`,
    }))
    const file_ids = [files[round % files.length]!]
    const [imported, linked, updated] = await Promise.all([
      attempt<ImportReply>(() =>
        web.call(
          'POST',
          '/api/files/import',
          { files: entries },
          { prefer: 'respond-async', 'idempotency-key': `load-${round}` },
        ),
      ),
      attempt<{ data: { id: string }[] }>(() => web.call('POST', '/api/links', { file_ids })),
      attempt<{ updated: number }>(() =>
        web.call(
          'PUT',
          '/api/files/bulk-update',
          { file_ids, updates: { expiry_days: 100 + round } },
          { prefer: 'wait=5' },
        ),
      ),
    ])
    if (imported) acknowledged.imports.push(imported.job_id)
    if (linked) acknowledged.links.push(...linked.data.map(({ id }) => id))
    if (updated?.updated === 1) acknowledged.updates.set(file_ids[0]!, 100 + round)
  }

  test('no acknowledged write is lost, no process ends, and the API answers within 10 s', async () => {
    const first = Array.from({ length: BASE }, (_, n) => ({
      filename: `base ${n}.bin`,
      url: `${origin.url}/bytes/${100 + n}/base-${n}`,
    }))
    const reply = (await (
      await web.call('POST', '/api/files/import', { files: first })
    ).json()) as ImportReply
    const files = reply.files.map(({ file_id }) => file_id!)

    let round = 0
    let over = false
    const loading = (async () => {
      while (!over) await Promise.all([load(round++, files), delay(400)])
    })()
    const back: number[] = []
    for (let restart = 0; restart < RESTARTS; restart++) {
      // At a random moment during an import that was just acknowledged.
      const before = acknowledged.imports.length
      await expect.poll(() => acknowledged.imports.length, { interval: 5 }).toBeGreaterThan(before)
      await delay(random(0, 400))
      const since = performance.now()
      await cluster.restartPostgres()
      await expect.poll(() => serves(web), { timeout: PROMISED_MS, interval: 50 }).toBe(true)
      back.push(Math.round(performance.now() - since))
    }
    over = true
    await loading
    // The folder is still locked: no other server may open it.
    const owners = () =>
      cluster.pool.query(
        `select from pg_locks where locktype = 'advisory' and objid = ${OWNER_LOCK}`,
      )
    await expect.poll(async () => (await owners()).rowCount).toBe(1)
    process.stdout.write(`serving again after ${back.join(', ')} ms\n`)
    expect(Math.max(...back)).toBeLessThan(PROMISED_MS)
    expect([web.child.exitCode, worker.child.exitCode]).toEqual([null, null])

    expect(acknowledged.imports.length).toBeGreaterThanOrEqual(RESTARTS)
    for (const job of acknowledged.imports)
      expect(await jobUntilEnd(web, job)).toMatchObject({
        status: 'success',
        total: EACH,
        done: EACH,
      })
    const names = (await listAll(web, '/api/files?search=load&limit=250')).map(
      ({ filename }) => filename!,
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(acknowledged.imports.length * EACH)
    const links = new Set((await listAll(web, '/api/links?limit=250')).map(({ id }) => id))
    expect(acknowledged.links.filter((id) => !links.has(id))).toEqual([])
    for (const [file, days] of acknowledged.updates)
      expect(await (await web.call('GET', `/api/files/${file}`)).json()).toMatchObject({
        expiry_days: days,
      })
  })
})

/** Reads from the database: a listening server is not enough. */
const serves = (server: ServerProcess): Promise<boolean> =>
  server.call('GET', '/api/files?limit=1').then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )

const blobFiles = new Map<string, string>()
const blobPath = (hash: string) => blobFiles.get(hash)!

/** The size of every blob by its hash, in any folder of the store. */
async function storedBlobs(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/^[0-9a-f]{64}$/.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    blobFiles.set(entry.name, file)
    sizes.set(entry.name, (await readFile(file)).length)
  }
  return sizes
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(1)
}
