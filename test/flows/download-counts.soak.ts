// Downloads during immediate restarts of PostgreSQL: each that a buyer received whole is counted once, and
// one that was refused is not.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { randomOf } from '../scale.ts'
import { startClusterWithPostgres, type ClusterWithPostgres } from './cluster.ts'
import { type ImportReply } from './imports.ts'
import { type ServerProcess } from './server.ts'

const RESTARTS = 5
const random = randomOf('download-counts')
const SMALL = 2000
/** More than the buffers of a connection hold. */
const LARGE = 40_000_000

let cluster: ClusterWithPostgres
let web: ServerProcess
let origin: Origin
beforeAll(async () => {
  ;[cluster, origin] = await Promise.all([startClusterWithPostgres(), startOrigin()])
  web = await cluster.startWeb()
  await cluster.startWorker('worker')
})
afterAll(async () => {
  await web.stop()
  await Promise.all([cluster.close(), origin.close()])
})

interface Address {
  url: string
  size: number
  /** How many downloads were received whole. */
  whole: number
  count: () => Promise<number>
}

const call = async <T>(method: string, path: string, body: object): Promise<T> =>
  (await (await web.call(method, path, body)).json()) as T

async function numberOf(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await cluster.pool.query<{ n: number | null }>(text, values)
  return rows[0]?.n ?? 0
}

const uuidOf = (id: string) => id.replace(/^[a-z]+_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

async function importFile(size: number, filename: string): Promise<string> {
  const files = [{ filename, url: `${origin.url}/bytes/${size}/${filename}` }]
  const imported = await call<ImportReply>('POST', '/api/files/import', { files })
  return imported.files[0]!.file_id!
}

async function addLink(file: string, size: number, limit: number | null): Promise<Address> {
  const made = await call<{ data: { id: string; url: string }[] }>('POST', '/api/links', {
    file_ids: [file],
    download_limit: limit,
  })
  const { id, url } = made.data[0]!
  const text = 'select downloads::int as n from links where id = $1'
  return { url, size, whole: 0, count: () => numberOf(text, [uuidOf(id)]) }
}

async function addPublic(file: string, size: number): Promise<Address> {
  const body = { visibility: 'public' }
  const { public_url: url } = await call<{ public_url: string }>(
    'PATCH',
    `/api/files/${file}`,
    body,
  )
  const text = 'select downloads::int as n from public_addresses where file_id = $1'
  return { url, size, whole: 0, count: () => numberOf(text, [uuidOf(file)]) }
}

/** Downloads once, and reads the rest of the bytes when `during` has begun. */
async function download(address: Address, during?: () => void): Promise<void> {
  const answer = await fetch(address.url).catch(() => null)
  if (!answer?.body) return
  let length = 0
  try {
    for await (const bytes of answer.body) {
      if (length === 0) during?.()
      length += bytes.length
    }
  } catch {
    return
  }
  if (answer.status === 200 && length === address.size) address.whole++
}

test('every whole download is counted once, with and without a limit, and of a public file', async () => {
  const [file, shown, large] = [
    await importFile(SMALL, 'counted.bin'),
    await importFile(SMALL, 'shown.bin'),
    await importFile(LARGE, 'large.bin'),
  ]
  const steady = [
    await addLink(file, SMALL, null),
    await addLink(file, SMALL, 1_000_000),
    await addPublic(shown, SMALL),
  ]
  const slow = await addLink(large, LARGE, 1000)
  let over = false
  const downloads = steady.map(async (address) => {
    while (!over) {
      await download(address)
      await delay(random(0, 150))
    }
  })
  /** No transfer of the large file counts as running any more. */
  const ended = () =>
    expect
      .poll(() =>
        numberOf('select count(*)::int as n from download_sessions where open_until > now()'),
      )
      .toBe(0)
  for (let restart = 0; restart < RESTARTS; restart++) {
    const before = steady.map(({ whole }) => whole)
    await expect
      .poll(() => steady.every(({ whole }, at) => whole > before[at]! + 3), { interval: 5 })
      .toBe(true)
    await delay(random(0, 400))
    // The large file is received whole while PostgreSQL is down.
    let restarted: Promise<unknown> = Promise.resolve()
    await download(slow, () => {
      restarted = cluster.restartPostgres()
    })
    await restarted
  }
  over = true
  await Promise.all(downloads)
  await ended()
  await download(slow)
  expect(slow.whole).toBe(RESTARTS + 1)
  const all = [...steady, slow]
  const whole = all.map((address) => address.whole)
  const counts = () => Promise.all(all.map(({ count }) => count()))
  const days = () => numberOf('select sum(downloads)::int as n from file_days')
  await expect.poll(counts).toEqual(whole)
  await expect.poll(days).toBe(whole.reduce((sum, one) => sum + one))
  process.stdout.write(`whole and counted: ${whole.join(', ')}\n`)
}, 300_000)
