import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from '../files/admit.ts'
import { GRACE_MS, sweepBlobs } from '../files/blobs.ts'
import { draftFrom } from '../files/drafts.ts'
import { shopSettingsSchema } from '../files/shop-settings.ts'
import { createDiskStore } from '../core/store/disk.ts'
import type { BlobStore } from '../core/store/store.ts'
import { knownIn } from './upkeep.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let folder: string
let store: BlobStore
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-upkeep-'))
  store = createDiskStore({ folder })
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

/** Bytes of any age: these tests do not depend on the time since they were written. */
const sweep = () => store.sweep(-1000, knownIn(database.pool, 'primary'))
const stage = async (text: string) => ({
  ...(await store.write(scope.shop, Readable.from([Buffer.from(text)]))),
  location: 'primary',
  content_type: null,
})
const admit = (filename: string, staged: Awaited<ReturnType<typeof stage>>) => {
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
  return scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 1000 }),
  )
}

test('bytes are deleted when their file has been purged for a day, and not before', async () => {
  const staged = await stage('purged')
  await admit('a.txt', staged)
  const day = (n: number) => new Date(Date.now() + n * (GRACE_MS + 1000))
  await scope.query('delete from files where shop_id = :shop')
  await sweepBlobs(database.pool, day(0))
  await sweepBlobs(database.pool, day(0))
  expect(await sweep()).toBe(0)
  await sweepBlobs(database.pool, day(1))
  expect(await store.size(scope.shop, staged.hash)).toBe(6)
  expect(await sweep()).toBe(1)
  expect(await store.size(scope.shop, staged.hash)).toBeNull()
})

test('bytes that a paused import has fetched are kept while it waits', async () => {
  const [waits, ended, nobodys] = [
    await stage('waits'),
    await stage('ended'),
    await stage('nobody’s'),
  ]
  const operation = randomUUID()
  await scope.query(
    `insert into operations (shop_id, id, kind, action, channel, workflow, requested_by, total,
       status)
     values (:shop, :operation, 'import', 'import', 'api', '{}', 'test', 2, 'paused')`,
    { operation },
  )
  await scope.query(
    `insert into items (shop_id, operation_id, position, status, staged, error)
     values (:shop, :operation, 0, 'pending', :waits::jsonb, null),
       (:shop, :operation, 1, 'failed', :ended::jsonb, '{"code": "file_in_use"}')`,
    { operation, waits: JSON.stringify(waits), ended: JSON.stringify(ended) },
  )
  expect(await sweep()).toBe(2)
  expect(await store.size(scope.shop, waits.hash)).toBe(waits.size_bytes)
  for (const { hash } of [ended, nobodys]) expect(await store.size(scope.shop, hash)).toBeNull()
})

test('rows of one location do not keep bytes in another', async () => {
  const staged = await stage('only here')
  await admit('b.txt', staged)
  const asked = [scope.shop, [staged.hash]] as const
  expect(await knownIn(database.pool, 'primary')(...asked)).toEqual(new Set([staged.hash]))
  expect(await knownIn(database.pool, 'backup')(...asked)).toEqual(new Set())
  expect(await knownIn(database.pool, 'primary')(scope.shop + 1, asked[1])).toEqual(new Set())
})

test('an aborted sweep deletes nothing more', async () => {
  await stage('stopped')
  const stopped = store.sweep(
    -1000,
    knownIn(database.pool, 'primary', AbortSignal.abort(new Error('stopping'))),
  )
  await expect(stopped).rejects.toThrow('stopping')
})
