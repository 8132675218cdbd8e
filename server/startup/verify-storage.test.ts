import { mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { sha256Of } from '../../test/fakes/content.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { listNotices } from '../core/outbox/notices.ts'
import { createDiskStore } from '../core/store/disk.ts'
import type { BlobStore } from '../core/store/store.ts'
import { admitFiles } from '../files/admit.ts'
import { draftFrom } from '../files/drafts.ts'
import { shopSettingsSchema } from '../files/shop-settings.ts'
import { UNLIMITED } from './pace.ts'
import {
  emptyState,
  verifyStorage,
  type VerifyOptions,
  type VerifyState,
} from './verify-storage.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let folder: string
let stores: Map<string, BlobStore>
let made = 0
beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-verify-'))
  const open = (name: string) =>
    [name, createDiskStore({ folder: path.join(folder, name) })] as const
  stores = new Map([open('primary'), open('backup')])
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  await database.pool.query('delete from shops')
  scope = forShop(database, await createTestShop(database, `shop-${made++}.myshopify.com`))
})

const write = (location: string, content: string) =>
  stores.get(location)!.write(scope.shop, Readable.from([Buffer.from(content)]))
const pathOf = (hash: string) => path.join(folder, 'primary', String(scope.shop), hash)

/** Adds a file, and returns its hash. */
async function addFile(content: string): Promise<string> {
  const filename = `file-${made++}.txt`
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
  const written = await write('primary', content)
  const staged = { ...written, location: 'primary', content_type: null }
  await scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 1000 }),
  )
  return written.hash
}

async function verify(
  options: Partial<VerifyOptions> = {},
  state: VerifyState = emptyState(options.hash ?? false),
): Promise<VerifyState> {
  return verifyStorage(
    { database, stores, log: silent },
    {
      hash: false,
      repair: false,
      pace: UNLIMITED,
      signal: new AbortController().signal,
      progress: () => Promise.resolve(),
      ...options,
    },
    state,
  )
}

test('reading all bytes computes the SHA-256 digests that are missing', async () => {
  const hash = await addFile('one')
  const stored = () =>
    scope.query(
      `select encode(hash, 'hex') as hash, encode(sha256, 'hex') as sha256 from blobs
       where shop_id = :shop`,
    )
  await verify()
  expect(await stored()).toEqual([{ hash, sha256: null }])
  expect(await verify({ hash: true })).toMatchObject({ rows: 1, damaged: 0 })
  expect(await stored()).toEqual([{ hash, sha256: sha256Of(Buffer.from('one')) }])
})

test('missing blobs, wrong lengths and, if requested, wrong bytes are found', async () => {
  const [missing, short, spoilt] = [
    await addFile('one'),
    await addFile('two'),
    await addFile('red'),
  ]
  await addFile('whole')
  await rm(pathOf(missing))
  await truncate(pathOf(short), 1)
  await writeFile(pathOf(spoilt), 'RED')
  const quick = await verify()
  expect(quick).toMatchObject({ rows: 4, bytes: 14, missing: 1, damaged: 1, restored: 0 })
  const state = await verify({ hash: true })
  expect(state).toMatchObject({ rows: 4, missing: 1, damaged: 2, restored: 0 })
  const found = new Map(state.problems.map(({ hash, found }) => [hash, found]))
  expect(found).toEqual(
    new Map([
      [missing, 'missing'],
      [short, 'damaged'],
      [spoilt, 'damaged'],
    ]),
  )
  // Nothing was changed.
  expect((await listNotices(scope, { limit: 10 })).rows).toEqual([])
})

test('a repair restores what the backup has, and reports the rest', async () => {
  const [kept, lost] = [await addFile('in both'), await addFile('only here')]
  await write('backup', 'in both')
  for (const hash of [kept, lost]) await rm(pathOf(hash))
  const state = await verify({ repair: true })
  expect(state).toMatchObject({ missing: 2, restored: 1 })
  const [notice] = (await listNotices(scope, { limit: 10 })).rows
  expect(notice?.title).toBe('The bytes of a file are damaged')
  expect(await verify({ hash: true })).toMatchObject({ missing: 1, damaged: 0 })
})

soakTest('bytes without a row are listed when they are an hour old, and stay', async () => {
  const [young, old] = [await write('primary', 'young'), await write('primary', 'old')]
  const hour = new Date(Date.now() - 2 * 60 * 60 * 1000)
  await utimes(pathOf(old.hash), hour, hour)
  const state = await verify({ repair: true })
  expect(state.orphans).toBe(1)
  expect(state.orphaned).toEqual([{ shop: scope.shop, hash: old.hash, location: 'primary' }])
  for (const { hash, size_bytes } of [young, old])
    expect(await stores.get('primary')!.size(scope.shop, hash)).toBe(size_bytes)
})

soakTest('an interrupted run continues where it was, and counts nothing twice', async () => {
  const hashes: string[] = []
  for (let n = 0; n < 30; n++) hashes.push(await addFile(`file ${n}`))
  for (const hash of hashes) await rm(pathOf(hash))
  const stop = new AbortController()
  let saved = ''
  const progress = (state: VerifyState) => {
    saved = JSON.stringify(state)
    return Promise.resolve()
  }
  // Interrupts the run in the middle of a page.
  const pace = { done: (items: number) => Promise.resolve(void (items > 0 && stop.abort())) }
  await expect(verify({ pace, progress, signal: stop.signal })).rejects.toThrow()
  const state = JSON.parse(saved) as VerifyState
  expect(state.rows).toBeGreaterThan(0)
  expect(state.rows).toBeLessThan(30)
  expect(await verify({}, state)).toMatchObject({ rows: 30, missing: 30 })
  expect(new Set(state.problems.map(({ hash }) => hash)).size).toBe(30)
})
