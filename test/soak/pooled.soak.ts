// Twenty processes behind a PgBouncer that shares connections between transactions: how many
// connections the server has under load, and how many transactions a process makes when there is
// nothing to do.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startRoundRobin, type RoundRobin } from '../fakes/round-robin.ts'
import { importUntilEnd, jobUntilEnd, type JobRecord } from '../flows/imports.ts'
import { startMachines, type Machine, type Machines } from '../flows/machines.ts'
import { startBouncer, type Bouncer } from '../flows/pgbouncer.ts'
import type { RunningServer } from '../flows/server.ts'
import { sendFile } from '../uploads.ts'

const WEBS = 10
const WORKERS = 10
/** The connections of PgBouncer to the server. */
const POOL = 30
const MAX_CONNECTIONS = 100
const FILES = 40
const UPLOADS = 30
const READS = 20
const WITHIN_MS = 600_000
/** How an item fails whose origin is late. */
const LATE = 'The server did not answer in time'
const IDLE_MS = 60_000
/** With one web and one worker process it was 17.5 a second. */
const IDLE_PER_PAIR = 17.5 / 2

let machines: Machines
let webs: Machine[]
let origin: Origin
let bouncer: Bouncer
let all: RoundRobin
beforeAll(async () => {
  origin = await startOrigin()
  machines = await startMachines(async (databaseUrl) => {
    bouncer = await startBouncer(databaseUrl, POOL)
    return { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: databaseUrl }
  })
  webs = [await machines.startWeb()]
  // A few at a time: each start uses a processor for seconds.
  for (let n = 1; n < WEBS; n += 3)
    webs.push(...(await Promise.all([0, 1, 2].map(() => machines.startWeb()))))
  for (let n = 0; n < WORKERS; n += 2)
    await Promise.all([n, n + 1].map((at) => machines.startWorker(`worker ${at}`)))
  all = await startRoundRobin(() => webs.map(({ server }) => server.url))
})
afterAll(async () => {
  await all?.close()
  await machines?.close()
  await bouncer?.close()
  await origin?.close()
})

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Without the test's own connections. */
async function connections(): Promise<number> {
  const { rows } = await machines.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name <> 'test'`,
  )
  return rows[0]!.count
}

async function transactions(): Promise<number> {
  const { rows } = await machines.pool.query<{ count: number }>(
    `select (xact_commit + xact_rollback)::float8 as count from pg_stat_database
     where datname = current_database()`,
  )
  return rows[0]!.count
}

/** The errors of items that failed, each after the number of items. */
async function failedItems(): Promise<string[]> {
  const { rows } = await machines.pool.query<{ error: string }>(
    `select concat_ws(' ', count(*), error) as error from items where status = 'failed'
     group by items.error`,
  )
  return rows.map(({ error }) => error)
}

/**
 * Waits for the end of an import. The origin is in this process, with the bucket and the balancer:
 * on a busy machine it is too late for some files, which is no fault of the pool. They are retried.
 */
async function importedUntilEnd(server: RunningServer, job: string): Promise<JobRecord> {
  const until = Date.now() + WITHIN_MS
  for (;;) {
    const ended = await jobUntilEnd(server, job, WITHIN_MS)
    const others = (await failedItems()).filter((error) => !error.includes(LATE))
    if (ended.failed === 0 || others.length > 0 || Date.now() > until) return ended
    await server.call('POST', `/api/operations/${job}/retry`)
    await delay(1000)
  }
}

async function readList(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${all.url}/api/files?limit=20`, { headers })
  const body = await response.text()
  // The limit of requests a minute is not an error of the pool.
  if (response.status !== 200 && response.status !== 429)
    throw new Error(`A read was answered ${response.status}: ${body}`)
}

test('under load the server has a bounded number of connections', async () => {
  let most = 0
  let over = false
  const watching = (async () => {
    while (!over) {
      most = Math.max(most, await connections())
      await delay(100)
    }
  })()
  const { apiKey } = webs[0]!.server
  const sender = { url: all.url, key: apiKey }
  const imports = webs.map(async ({ server }, web) => {
    const files = Array.from({ length: FILES }, (_, n) => ({
      filename: `pooled ${web}-${n}.bin`,
      url: `${origin.url}/bytes/${1000 + n}/${web}-${n}`,
    }))
    const response = await server.call('POST', '/api/files/import', { files })
    const { job_id: job } = (await response.json()) as { job_id: string }
    return importedUntilEnd(server, job)
  })
  const uploads = Array.from({ length: UPLOADS }, (_, n) =>
    sendFile(sender, contentOf(300_000, `pooled ${n}`), {
      metadata: { filename: `pooled upload ${n}.bin` },
      chunkSize: 100_000,
    }).done.then(() => {}),
  )
  const reads = Array.from({ length: 20 }, async () => {
    for (let n = 0; n < READS; n++) await readList(apiKey)
  })
  const work = await Promise.allSettled([...imports, ...uploads, ...reads])
  over = true
  await watching
  say(`${WEBS + WORKERS} processes: at most ${most} connections under load`)
  expect(work.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(await failedItems()).toEqual([])
  for (const ended of await Promise.all(imports))
    expect(ended).toMatchObject({ status: 'success', done: FILES })
  expect(most).toBeLessThanOrEqual(MAX_CONNECTIONS)
})

test('an import of one file ends soon, from every web process', async () => {
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    await delay(1500)
    const began = performance.now()
    const files = [{ filename: `prompt ${n}.bin`, url: `${origin.url}/bytes/1000/prompt-${n}` }]
    const ended = await importUntilEnd(webs[n % WEBS]!.server, { files })
    expect(ended).toMatchObject({ status: 'success', imported: 1 })
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  say(
    `an import of one file: median ${times[10]!.toFixed(0)} ms, slowest ${times[19]!.toFixed(0)} ms`,
  )
})

test('processes without work make few transactions', async () => {
  // Until the work of the tests before has settled.
  await delay(20_000)
  const before = await transactions()
  const began = performance.now()
  await delay(IDLE_MS)
  const pairs = (WEBS + WORKERS) / 2
  const each = (await transactions()) - before
  const perPair = each / ((performance.now() - began) / 1000) / pairs
  say(`idle: ${perPair.toFixed(2)} transactions a second for each web and worker process`)
  expect(perPair).toBeLessThan(IDLE_PER_PAIR)
})
