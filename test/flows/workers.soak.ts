// Two worker processes and one web process over one database: workers are killed and frozen in
// every phase of an import, and nothing is lost, duplicated or reported twice.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf, hashOf } from '../fakes/content.ts'
import { randomOf } from '../scale.ts'
import { uniqueSkus } from './catalog.ts'
import { startCluster, type Cluster, type Worker } from './cluster.ts'
import { startGatedOrigin, type GatedOrigin } from './gated-origin.ts'
import { jobUntilEnd, listAll, type ImportReply } from './imports.ts'
import { look, lookAtFinalState, nextCommit, workerId, type Phase, type Sight } from './phases.ts'
import { startLocalServer } from './local-server.ts'
import type { RunningServer } from './server.ts'
import { WAIT_MS } from '../wait.ts'

const random = randomOf('workers')
let cluster: Cluster
let web: RunningServer
let origin: GatedOrigin
const workers = new Map<string, Worker>()
const names = ['worker-1', 'worker-2']

beforeAll(async () => {
  cluster = await startCluster()
  origin = await startGatedOrigin()
  web = await startLocalServer({
    DATABASE_URL: cluster.url,
    DATA_DIR: cluster.dataDir,
    ROLE: 'web',
  })
  await Promise.all(names.map(begin))
})
afterAll(async () => {
  for (const worker of workers.values()) worker.thaw()
  const codes = await Promise.all([...workers.values()].map((worker) => worker.stop()))
  await web.stop()
  await origin.close()
  await cluster.close()
  expect(codes).toEqual(codes.map(() => 0))
})

/** Longer than any timeout of a silent worker. */
const A_MINUTE_MS = 60_000
/** An import long enough for the kills, and the phases in which they happen. */
const FILES = 1000
const KILLS: Phase[] = Array.from({ length: 17 }, (_, n) => (n % 2 === 0 ? 'fetch' : 'commit'))
const AT_THE_END = ['outbox', 'notices', 'end'] as const
const since = performance.now()
const seconds = () => ((performance.now() - since) / 1000).toFixed(1)
/** The run's log shows the kills. */
const say = (line: string) => void process.stdout.write(`${line}\n`)
const begin = async (name: string) => void workers.set(name, await cluster.startWorker(name))
const row = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row> =>
  (await cluster.pool.query<Row>(sql, values)).rows[0]!

const skus = uniqueSkus()
// One in a hundred is large enough for its staged bytes to be recorded.
const sizeOf = (n: number) => (n % 100 === 50 ? 4_300_000 + n : 10_000 + n)
const filesOf = (batch: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${batch} ${n}.bin`,
    url: origin.file(sizeOf(n), `${batch}-${n}`),
    product_sku: skus[n % skus.length]!,
  }))

async function startImport(batch: string, count: number): Promise<string> {
  const body = { files: filesOf(batch, count), notify: true }
  const response = await web.call('POST', '/api/files/import', body, { prefer: 'respond-async' })
  expect(response.status).toBe(202)
  return ((await response.json()) as ImportReply).job_id
}

/** Compares the result with everything that an import promises. */
async function expectWhole(batch: string, count: number, job: string): Promise<void> {
  expect(await jobUntilEnd(web, job)).toMatchObject({
    status: 'success',
    total: count,
    done: count,
    failed: 0,
  })
  const listed = await listAll(
    web,
    `/api/files?search=${encodeURIComponent(`${batch} `)}&limit=250`,
  )
  expect(listed.length).toBe(count)
  expect(new Set(listed.map(({ filename }) => filename))).toEqual(
    new Set(filesOf(batch, count).map(({ filename }) => filename)),
  )
  expect(listed.filter(({ products }) => products!.length !== 1)).toEqual([])

  const { rows } = await cluster.pool.query<{
    n: number
    hash: string
    size: number
    shop: number
  }>(
    `select substring(f.filename from '(\\d+)\\.bin')::int as n, encode(v.hash, 'hex') as hash,
       v.size_bytes::int as size, f.shop_id as shop
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     where f.filename like $1`,
    [`${batch} %`],
  )
  for (const { n, hash, size, shop } of rows) {
    const expected = contentOf(sizeOf(n), `${batch}-${n}`)
    expect({ n, size, hash }).toEqual({ n, size: sizeOf(n), hash: hashOf(expected) })
    expect(hashOf(await readFile(path.join(cluster.dataDir, 'files', String(shop), hash)))).toBe(
      hash,
    )
  }
  const operation = idOf(job)
  const counts = await row(
    `select count(*)::int as items, count(distinct file_id)::int as files,
       sum((draft is not null)::int)::int as drafts
     from items where operation_id = $1 and status = 'done'`,
    [operation],
  )
  expect(counts).toEqual({ items: count, files: count, drafts: count })
  const bytes = Array.from({ length: count }, (_, n) => sizeOf(n)).reduce((sum, size) => sum + size)
  expect(await row('select bytes::int from operations where id = $1', [operation])).toEqual({
    bytes,
  })
  await expectNotifiedOnce(operation)
}

const idOf = (job: string) =>
  job.slice('import_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

async function expectNotifiedOnce(operation: string): Promise<void> {
  const mails = () =>
    cluster.pool.query<object>(
      `select status from outbox where operation_id = $1 and kind = 'email'`,
      [operation],
    )
  await expect.poll(async () => (await mails()).rows).toEqual([{ status: 'sent' }])
  expect(
    await row('select count(*)::int as notices from notices where operation_id = $1', [operation]),
  ).toEqual({
    notices: 1,
  })
}

/** An operation's progress, and the errors of its failed items. */
const progressOf = (operation: string) =>
  row(
    `select done, failed, array(
       select concat_ws(' ', position, 'attempt', attempt, error) from items
         where operation_id = o.id and status = 'failed'
     ) as why
     from operations o where id = $1`,
    [operation],
  )

/** Freezes a worker at random moments until it is in the wanted phase, and kills it there. */
async function killIn(wanted: Phase): Promise<Sight & { name: string }> {
  const until = Date.now() + WAIT_MS
  while (Date.now() < until) {
    if (wanted === 'commit') origin.admit(random(1, 12))
    const caught =
      wanted === 'commit'
        ? await nextCommit(cluster.pool, names, 1000)
        : names[random(0, names.length)]!
    if (!caught) continue
    const worker = workers.get(caught)!
    worker.freeze()
    const sight = await lookAtFinalState(cluster.pool, caught)
    // A third kill during the same item would make it a poison item.
    if (sight.phase === wanted && sight.attempt < 3) {
      await worker.kill()
      return { ...sight, name: caught }
    }
    worker.thaw()
    if (sight.attempt >= 3) origin.admit(2)
    await delay(random(5, 60))
  }
  throw new Error(`No worker reached ${wanted}`)
}

test('kills during fetch, commit and finish of one import: nothing lost, nothing duplicated, one email', async () => {
  const job = await startImport('killed', FILES)
  const operation = idOf(job)
  await expect.poll(() => origin.waiting).toBeGreaterThan(30)
  const hit: string[] = []
  for (const wanted of KILLS) {
    const { name, phase, items, statement } = await killIn(wanted)
    hit.push(phase)
    say(
      `${seconds()} s kill ${hit.length}: ${name} in ${phase}, ${items} items in its hands${statement && `, at: ${statement}`}`,
    )
    // Its claimed items wait until it is presumed dead; the next worker does not.
    await begin(name)
    origin.admit(random(5, 40))
  }
  expect(
    (await row<{ done: number }>('select done from operations where id = $1', [operation])).done,
  ).toBeLessThan(FILES)
  // A killed worker starts again once the next lock is held: on a busy machine the end may be over
  // before a worker is up.
  let fallen: string | null = null
  for (const where of AT_THE_END) {
    const revive = () => (fallen === null ? Promise.resolve() : begin(fallen))
    fallen =
      where === 'end'
        ? await killAtEnd(operation, revive)
        : await killWhileWriting(where, operation, revive)
    hit.push('finish')
    say(
      `${seconds()} s kill ${hit.length}: ${fallen} in finish, ${where === 'end' ? 'its message queued' : `writing ${where}`}`,
    )
  }
  await begin(fallen!)
  expect(hit.length).toBe(20)
  await expectWhole('killed', FILES, job)
})

/** Locks with a separate client. */
async function locking<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  try {
    await client.query('begin')
    return await work(client)
  } finally {
    await client.query('rollback').catch(() => {})
    await client.end()
  }
}

/** The worker whose matching statement waits for a lock. */
async function blockedAt(statement: string): Promise<string> {
  let found: string | undefined
  await expect
    .poll(
      async () => {
        const { rows } = await cluster.pool.query<{ name: string }>(
          `select application_name as name from pg_stat_activity
           where wait_event_type = 'Lock' and query ilike $1 and application_name = any($2)`,
          [statement, names],
        )
        return (found = rows[0]?.name)
      },
      { interval: 10 },
    )
    .toBeDefined()
  return found!
}

function killWhileWriting(
  table: 'outbox' | 'notices',
  operation: string,
  revive: () => Promise<void>,
) {
  return locking(async (client) => {
    await client.query(`lock table ${table} in share mode`)
    await revive()
    // Not earlier: the remaining files may be done quickly.
    origin.open()
    // Items that the dead worker had claimed run alone, which takes longer on a slow disk.
    await expect
      .poll(() => progressOf(operation), { timeout: 180_000 })
      .toEqual({ done: FILES, failed: 0, why: [] })
    const name = await blockedAt(`insert into "${table}"%`)
    await workers.get(name)!.kill()
    return name
  })
}

/** Between sending the last step's message and ending the operation. */
function killAtEnd(operation: string, revive: () => Promise<void>): Promise<string> {
  return locking(async (first) => {
    await first.query('select from operations where id = $1 for no key update', [operation])
    await revive()
    const name = await blockedAt('select status from operations%for no key update')
    return locking(async (second) => {
      const queued = second.query(
        'select from chains where operation_id = $1 and chain = -1 for update',
        [operation],
      )
      await expect
        .poll(() =>
          row(
            `select 1 from pg_stat_activity
             where datname = current_database() and wait_event_type = $1 and query like $2`,
            ['Lock', 'select from chains%'],
          ),
        )
        .toBeDefined()
      await first.query('rollback')
      await queued
      await expect
        .poll(() => row('select status from outbox where operation_id = $1', [operation]))
        .toEqual({ status: 'sent' })
      await workers.get(name)!.kill()
      expect(await row('select status from operations where id = $1', [operation])).toEqual({
        status: 'running',
      })
      return name
    })
  })
}

test('workers frozen in a download and in a transaction find their work done, and write nothing', async () => {
  origin.shut()
  await begin('worker-3')
  const [loading, committing, heir] = [...names, 'worker-3'] as [string, string, string]
  const worker = (name: string) => workers.get(name)!
  const holds = (name: string) => expect.poll(() => look(cluster.pool, name), { interval: 20 })

  // One is downloading: the others are frozen, so only it could take the files.
  for (const other of [committing, heir]) worker(other).freeze()
  const downloads = await startImport('loading', 60)
  await holds(loading).toMatchObject({ phase: 'fetch', items: 60 })
  await expect.poll(() => origin.waiting).toBeGreaterThan(10)
  worker(loading).freeze()
  // And one is in a transaction.
  worker(committing).thaw()
  const commits = await startImport('committing', 60)
  await holds(committing).toMatchObject({ phase: 'fetch', items: 60 })
  while ((await look(cluster.pool, committing)).phase !== 'commit') {
    worker(committing).thaw()
    origin.admit(4)
    await nextCommit(cluster.pool, [committing], 1000)
    worker(committing).freeze()
  }
  const asleep = await Promise.all(
    [loading, committing].map((name) => workerId(cluster.pool, name)),
  )
  const frozen = performance.now()
  say(`${seconds()} s frozen: ${loading} in fetch, ${committing} in commit`)
  worker(heir).thaw()

  origin.open()
  await expectWhole('loading', 60, downloads)
  await expectWhole('committing', 60, commits)
  say(`${seconds()} s ${heir} has done the work of both`)
  expect(
    await row('select count(*)::int as held from chains where worker_id = any($1)', [asleep]),
  ).toEqual({ held: 0 })

  const before = await everything()
  await delay(A_MINUTE_MS - (performance.now() - frozen))
  for (const name of [loading, committing]) worker(name).thaw()
  const output = (name: string) => expect.poll(() => worker(name).output())
  await output(loading).toContain('a chain was taken over or ended')
  await output(committing).toMatch(/Failed task .*connection/i)
  expect(await everything()).toEqual(before)
})

/** All rows of every table that an import writes to. */
async function everything(): Promise<Record<string, string>> {
  const dump: Record<string, string> = {}
  for (const table of [
    'files',
    'versions',
    'mappings',
    'blobs',
    'operations',
    'items',
    'outbox',
    'notices',
  ])
    dump[table] = (
      await row<{ sum: string }>(
        `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text),
          '')) as sum from ${table} t`,
      )
    ).sum
  return dump
}
