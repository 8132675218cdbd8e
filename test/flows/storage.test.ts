// The main job with its bytes in a bucket: imported, delivered, moved while buyers download,
// deleted, purged; with a bucket that refuses requests for a while, and one that is misconfigured.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GRACE_MS, sweepBlobs } from '../../server/files/blobs.ts'
import { knownIn } from '../../server/startup/upkeep.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { createS3Store } from '../../server/core/store/s3.ts'
import { createTestDatabase } from '../database.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { BUCKET, CREDENTIALS, startS3, type FakeS3 } from '../fakes/s3.ts'
import { soakTest } from '../scale.ts'
import { importUntilEnd, jobUntilEnd, type ImportReply } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { makeDataDir, removeDataDir, SECRET, startServer, type RunningServer } from './server.ts'

let s3: FakeS3
let origin: Origin
let server: RunningServer
let backup: string
let pool: pg.Pool
let database: Awaited<ReturnType<typeof createTestDatabase>>
const environment = (secret = CREDENTIALS.secretAccessKey) => ({
  STORAGE_PRIMARY: `s3://${BUCKET}/stevedore?endpoint=http://127.0.0.1:${s3.port}&path_style=1`,
  S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  S3_SECRET_ACCESS_KEY: secret,
  DATABASE_URL: database.url,
  APP_SECRET: SECRET,
})

beforeAll(async () => {
  ;[s3, origin, database] = await Promise.all([startS3(), startOrigin(), createTestDatabase()])
  backup = await makeDataDir()
  server = await startLocalServer({ ...environment(), STORAGE_BACKUP: `disk:${backup}` })
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await server.stop()
  await origin.close()
  await s3.close()
  await database.drop()
  await Promise.all([server.dataDir, backup].map(removeDataDir))
})

/** One is uploaded in two parts. */
const LARGE = 9_000_000
const sizeOf = (n: number) => (n === 0 ? LARGE : 2000 + n)
const large = contentOf(LARGE, 'book-0')
const bytesOf = (n: number) => (n === 0 ? large : contentOf(sizeOf(n), `book-${n}`))
const COUNT = 12
const NUMBERS = Array.from({ length: COUNT }, (_, n) => n)
/** The files that move; the others stay in the bucket. */
const MOVED = NUMBERS.slice(0, 8)
const STAYING = NUMBERS.slice(8)

let files: ImportReply['files']
const links = new Map<number, string>()
const download = async (n: number, headers: Record<string, string> = {}) => {
  const response = await fetch(links.get(n)!, { headers })
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}
const post = async <T>(route: string, body: unknown): Promise<{ status: number; body: T }> => {
  const response = await server.call('POST', route, body)
  return { status: response.status, body: (await response.json()) as T }
}
const operate = async (action: string, numbers: readonly number[], options = {}) => {
  const select = { file_ids: numbers.map((n) => files[n]!.file_id) }
  const { body } = await post<{ id: string }>('/api/operations', { action, select, options })
  return jobUntilEnd(server, body.id)
}
const inBucket = async () =>
  (await s3.contents()).map((key) => key.replace(/^stevedore\/\d+\//, ''))
const inBackup = async () =>
  (await readdir(backup, { recursive: true }))
    .map((name) => path.basename(name))
    .filter((name) => name.length === 64)
const hashesOf = (numbers: readonly number[]) => numbers.map((n) => hashOf(bytesOf(n))).sort()

test('files are imported into the bucket completely, and nothing else', async () => {
  const entries = NUMBERS.map((n) => ({
    filename: `Book ${n}.epub`,
    url: `${origin.url}/bytes/${sizeOf(n)}/book-${n}`,
  }))
  const reply = await importUntilEnd(server, { files: entries })
  expect(reply).toMatchObject({ status: 'success', imported: COUNT })
  files = reply.files
  expect((await inBucket()).sort()).toEqual(hashesOf(NUMBERS))
  expect(await inBackup()).toEqual([])
})

test('buyers download them, and parts of them', async () => {
  const made = await post<{ data: { file_id: string; url: string }[] }>('/api/links', {
    file_ids: files.map(({ file_id }) => file_id),
    download_limit: null,
  })
  expect(made.status).toBe(201)
  for (const { file_id, url } of made.body.data)
    links.set(
      files.findIndex((file) => file.file_id === file_id),
      url,
    )
  for (const n of [0, 1, 9]) {
    const { status, body } = await download(n)
    expect([status, body.equals(bytesOf(n))]).toEqual([200, true])
  }
  const part = await download(0, { range: 'bytes=7000000-8899999' })
  expect([part.status, part.headers.get('content-range')]).toEqual([
    206,
    `bytes 7000000-8899999/${LARGE}`,
  ])
  expect(part.body.equals(bytesOf(0).subarray(7_000_000, 8_900_000))).toBe(true)
  const small = await download(1, { range: 'bytes=-1' })
  expect([small.status, small.body.equals(bytesOf(1).subarray(-1))]).toEqual([206, true])
})

soakTest('a bucket that refuses requests for a while fails no download', async () => {
  const { body } = await post<{ data: { id: string; url: string }[] }>('/api/links', {
    file_ids: [files[2]!.file_id],
    download_limit: 1,
  })
  s3.intercept = () => ({ status: 503, code: 'ServiceUnavailable' })
  const refused = await fetch(body.data[0]!.url)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  s3.intercept = () => null
  expect((await fetch(body.data[0]!.url)).status).toBe(200)
  expect((await fetch(body.data[0]!.url)).status).toBe(410)
})

describe('files that move to the backup location', () => {
  soakTest('are announced by a preview', async () => {
    const select = { file_ids: files.map(({ file_id }) => file_id) }
    const body = {
      action: 'change-storage',
      select,
      options: { location: 'primary' },
      dry_run: true,
    }
    const { body: preview } = await post<{ id: string }>('/api/operations', body)
    const record = async () =>
      (await (await server.call('GET', `/api/operations/${preview.id}`)).json()) as object
    await expect.poll(record).toMatchObject({ status: 'previewed', done: 0, skipped: COUNT })
  })
  test('can be downloaded meanwhile', async () => {
    let moving = true
    const answers: [number, boolean][] = []
    const buyers = [0, 1, 5].map(async (n) => {
      while (moving) {
        const { status, body } = await download(n)
        answers.push([status, body.equals(bytesOf(n))])
      }
    })
    const moved = await operate('change-storage', MOVED, { location: 'backup' })
    moving = false
    await Promise.all(buyers)
    expect(moved).toMatchObject({ status: 'success', done: MOVED.length })
    expect(answers.filter(([status, same]) => status !== 200 || !same)).toEqual([])
    expect((await inBackup()).sort()).toEqual(hashesOf(MOVED))
  })
  soakTest('say where their bytes are, and their copies and backups', async () => {
    const storageOf = async (n: number) =>
      ((await (await server.call('GET', `/api/files/${files[n]!.file_id}`)).json()) as Stored)
        .storage
    interface Stored {
      storage: { location: string; copies: string[]; backed_up_at: string | null }
    }
    expect(await storageOf(1)).toEqual({ location: 'backup', copies: [], backed_up_at: null })
    expect(await storageOf(9)).toEqual({ location: 'primary', copies: [], backed_up_at: null })
    await operate('change-storage', [1], { location: 'primary', keep: true })
    await operate('back-up-files', [1], {})
    expect(await storageOf(1)).toEqual({
      location: 'backup',
      copies: ['primary'],
      backed_up_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })
  test('are served from there afterwards', async () => {
    s3.intercept = () => ({ status: 503, code: 'ServiceUnavailable' })
    for (const n of MOVED) expect((await download(n)).body.equals(bytesOf(n))).toBe(true)
    const part = await download(0, { range: `bytes=${LARGE - 10}-` })
    expect([part.status, part.body.length]).toEqual([206, 10])
    s3.intercept = () => null
  })
})

soakTest('purged files leave their location after the grace period; the rest stays', async () => {
  const [gone, kept] = [MOVED.slice(0, 4), MOVED.slice(4)]
  await operate('delete-files', [...gone, STAYING[0]!])
  expect((await download(gone[1]!)).status).toBe(410)
  await operate('purge-files', [...gone, STAYING[0]!])
  const store = createS3Store(s3.location({ prefix: 'stevedore/' }))
  const disk = createDiskStore({ folder: backup })
  const sweep = async (hours: number) => {
    await sweepBlobs(pool, new Date(Date.now() + hours * 3_600_000))
    await store.sweep(-5000, knownIn(pool, 'primary'))
    await disk.sweep(-5000, knownIn(pool, 'backup'))
  }
  await sweep(0)
  await sweep(GRACE_MS / 3_600_000 - 1)
  expect((await inBucket()).sort()).toEqual(hashesOf(NUMBERS))
  expect((await inBackup()).sort()).toEqual(hashesOf(MOVED))
  await sweep(GRACE_MS / 3_600_000 + 1)
  await sweep(GRACE_MS / 3_600_000 + 1)
  expect((await inBucket()).sort()).toEqual(hashesOf(STAYING.slice(1)))
  // The backup of a purged file stays.
  expect((await inBackup()).sort()).toEqual(hashesOf([1, ...kept]))
  for (const n of [...kept, ...STAYING.slice(1)])
    expect((await download(n)).body.equals(bytesOf(n))).toBe(true)
})

soakTest('a bucket that refuses the keys is named when the server starts', async () => {
  const dataDir = await makeDataDir()
  const started = startServer({ dataDir, env: environment('not the secret') })
  await expect(started).rejects.toThrow(
    /STORAGE_PRIMARY: the bucket can't be used \(SignatureDoesNotMatch/,
  )
  await removeDataDir(dataDir)
})
