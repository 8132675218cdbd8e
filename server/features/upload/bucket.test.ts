import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { contentOf, hashOf } from '../../../test/fakes/content.ts'
import { startS3, type FakeS3 } from '../../../test/fakes/s3.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { createDiskStore } from '../../core/store/disk.ts'
import { openPieces } from '../../core/store/s3-pieces.ts'
import { openUploadBucket, type UploadBucket } from './bucket.ts'
import { openUploadFolder, type UploadFolder } from './folder.ts'
import { uploadPlace, withBucket } from './places.ts'
import { createUploadPort } from './port.ts'
import { findUpload, insertUpload, type UploadRow } from './rows.ts'
import { newUploadId } from '../../../test/uploads.ts'
import { sweepUploads } from './sweep.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let s3: FakeS3
let root: string
let scope: ShopScope
let bucket: UploadBucket
let folder: UploadFolder
beforeEach(async () => {
  ;[database, s3] = await Promise.all([openTestDatabase(), startS3()])
  root = await mkdtemp(path.join(tmpdir(), 'stevedore-bucket-'))
  scope = forShop(database, await createTestShop(database))
  bucket = await openUploadBucket(openPieces(s3.location(), 'uploads'), database)
  folder = withBucket(openUploadFolder(path.join(root, 'uploads')), bucket, true)
})
afterEach(async () => {
  await database.drop()
  await s3.close()
  await rm(root, { recursive: true })
})

async function begin(size: number, number: number | null = bucket.number): Promise<UploadRow> {
  const id = await newUploadId(scope)
  const choices = { filename: 'a.pdf', on_conflict: 'error' as const, tags: [], batch: null }
  const row = { id, size, choices, metadata: {}, requestedBy: 'test', folder: number }
  return insertUpload(scope, row, { shop_open_uploads: 1000, shop_upload_bytes: 1e12 })
}
const chunk = (bytes: Buffer, offset: number) => ({
  bytes: (async function* () {
    yield Buffer.from(bytes)
  })(),
  offset,
  limit: 1e9,
  checksum: null,
})
const rowOf = async ({ id }: UploadRow) => (await findUpload(scope, id))!
const offsetOf = async (upload: UploadRow) => (await rowOf(upload)).offset_bytes
const sweep = () => sweepUploads({ engine: null as never, folder, log: silent }, database)
const set = (upload: UploadRow, values: string) =>
  scope.query(`update uploads set ${values} where shop_id = :shop and id = :id`, { id: upload.id })
const taken = (upload: UploadRow) => {
  const place = { store: createDiskStore({ folder: path.join(root, 'files') }), shop: scope.shop }
  const port = createUploadPort({
    scope,
    uploads: folder,
    place: { ...place, location: 'primary' },
  })
  return port.take(upload.id, new AbortController().signal)
}

it('stores the bytes of one of many writers at the same offset, and nothing of the others', async () => {
  const upload = await begin(200)
  const results = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => bucket.receive(scope, upload, chunk(Buffer.alloc(100, n), 0))),
  )
  expect(results.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    ...Array.from({ length: 3 }, () => 'rejected'),
  ])
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' })
  expect(await offsetOf(upload)).toBe(100)
  expect(await s3.contents()).toHaveLength(1)
  const winner = results.findIndex(({ status }) => status === 'fulfilled') + 1
  await bucket.receive(scope, upload, chunk(Buffer.alloc(100, 9), 100))
  await set(upload, `status = 'received'`)
  const whole = Buffer.concat([Buffer.alloc(100, winner), Buffer.alloc(100, 9)])
  expect((await taken(upload)).hash).toBe(hashOf(whole))
})

it('keeps what is stored when the bucket fails, and reports lost bytes', async () => {
  const bytes = contentOf(300, 'outage')
  const upload = await begin(300)
  await bucket.receive(scope, upload, chunk(bytes.subarray(0, 100), 0))
  s3.intercept = ({ method }) => (method === 'PUT' ? { status: 507, code: 'QuotaExceeded' } : null)
  const failing = bucket.receive(scope, upload, chunk(bytes.subarray(100), 100))
  await expect(failing).rejects.toMatchObject({ code: 'storage_full' })
  s3.intercept = () => null
  expect(await offsetOf(upload)).toBe(100)
  await bucket.receive(scope, upload, chunk(bytes.subarray(100), 100))
  await set(upload, `status = 'received'`)
  expect((await taken(upload)).hash).toBe(hashOf(bytes))
  await bucket.remove(upload.id)
  await expect(taken(upload)).rejects.toMatchObject({ code: 'upload_lost', retryable: false })
})

it('keeps an object whose row was written, although the answer of the database was lost', async () => {
  const bytes = contentOf(100, 'lost')
  const upload = await begin(100)
  const losing: ShopScope = {
    ...scope,
    query: async <Row extends object>(sql: string, bindings = {}) => {
      const rows = await scope.query<Row>(sql, bindings)
      if (sql.includes('insert into upload_pieces')) throw new Error('Connection terminated')
      return rows
    },
  }
  await expect(bucket.receive(losing, upload, chunk(bytes, 0))).rejects.toThrow('terminated')
  expect(await offsetOf(upload)).toBe(100)
  await set(upload, `status = 'received'`)
  expect((await taken(upload)).hash).toBe(hashOf(bytes))
})

soakTest(
  'the sweep removes given-up uploads and pieces without a row, and nothing else',
  async () => {
    const [open, old] = [await begin(200), await begin(200)]
    for (const upload of [open, old])
      await bucket.receive(scope, upload, chunk(Buffer.alloc(100), 0))
    await set(old, `expires_at = now() - interval '1 minute'`)
    const pieces = openPieces(s3.location(), 'uploads')
    const unknown = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    for (const id of unknown) await pieces.write(`${id}/piece`, Buffer.alloc(10))
    await s3.age(`uploads/${unknown[0]}/piece`, new Date(Date.now() - 25 * 60 * 60 * 1000))
    expect(await sweep()).toBe(1)
    const left = (await s3.contents()).map((key) => key.split('/')[1])
    expect(left.sort()).toEqual([open.id, unknown[1]].sort())
  },
)

soakTest('an upload that began in the folder is continued there', async () => {
  const upload = await begin(10, null)
  const place = uploadPlace(folder, upload)
  await place.create(upload.id)
  await writeFile(folder.incoming(upload.id), 'first')
  expect(await place.offset(upload)).toBe(5)
  expect(await place.receive(scope, upload, chunk(Buffer.from('-last'), 5))).toBe(10)
  await place.finish(upload.id)
  await set(upload, `status = 'received'`)
  expect((await taken(upload)).hash).toBe(hashOf(Buffer.from('first-last')))
  expect(await s3.contents()).toEqual([])
})
