import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Item, StagedBlob } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { fileItem } from '../../test/fakes/context.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from '../files/admit.ts'
import { addVersion } from '../files/admit-version.ts'
import { GRACE_MS, sweepBlobs } from '../files/blobs.ts'
import { draftFrom } from '../files/drafts.ts'
import { locateFile } from '../files/list.ts'
import { usageOfShop, type ShopQuotas } from '../files/quotas.ts'
import { locateVersions } from '../files/locations.ts'
import { shopSettingsSchema } from '../files/shop-settings.ts'
import { knownIn } from '../startup/upkeep.ts'
import { createDiskStore } from '../core/store/disk.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import { createStoredFiles } from './stored.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let folder: string
let primary: BlobStore
let backup: BlobStore
let shops = 0
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-stored-'))
  primary = createDiskStore({ folder: path.join(folder, 'primary') })
  backup = createDiskStore({ folder: path.join(folder, 'backup') })
})
afterEach(() => rm(folder, { recursive: true }))

const signal = new AbortController().signal
/** The port, with another backup location if the test has one. */
const stored = (to: BlobStore = backup, quotas: Partial<ShopQuotas> = {}) =>
  createStoredFiles(
    scope,
    new Map([
      ['primary', primary],
      ['backup', to],
    ]),
    undefined,
    quotas,
  )
/** An item of the file, with the bytes that an earlier step staged. */
const itemOf = (id: string, staged: StagedBlob | null = null): Item => ({
  ...fileItem('a', { id }),
  staged,
})
/** Returns how many bytes were copied. */
const move = async (id: string, to?: BlobStore) =>
  (await stored(to).relocate(itemOf(id), 'backup', { keep: false }, signal)).copied
const copy = async (id: string, to?: BlobStore) =>
  (await stored(to).relocate(itemOf(id), 'backup', { keep: true }, signal)).copied
const stage = async (content: string) => ({
  ...(await primary.write(scope.shop, Readable.from([Buffer.from(content)]))),
  location: 'primary',
  content_type: null,
})
async function fileOf(content: string, filename = 'a.txt'): Promise<string> {
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
  const staged = await stage(content)
  const [admitted] = await scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 1000 }),
  )
  return (admitted as { fileId: string }).fileId
}
const addTo = (id: string, content: string) =>
  scope.transaction(async (tx) => {
    const version = await addVersion(tx, id, await stage(content), null)
    await tx.query('update files set version = :version where shop_id = :shop and id = :id', {
      id,
      version,
    })
  })
/** The bytes that a link to the file would serve now. */
async function served(id: string): Promise<string> {
  const { location, hash } = (await locateFile(scope, id))!
  return text(await (location === 'primary' ? primary : backup).read(scope.shop, hash))
}
const places = async (id: string) =>
  (await locateVersions(scope, id)).map(({ location }) => location)
const copies = (id: string) =>
  scope.query('select location from file_copies where shop_id = :shop and file_id = :id', { id })
const later = (n: number) => new Date(Date.now() + n * (GRACE_MS + 1000))
const sweep = (store: BlobStore, location: string) =>
  store.sweep(-1000, knownIn(database.pool, location))
const hashOf = async (id: string) => (await locateFile(scope, id))!.hash

describe('relocate', () => {
  test('moves every version; only the sweep deletes the old copy, a day later', async () => {
    const id = await fileOf('first')
    await addTo(id, 'second!')
    expect(await move(id)).toBe('first'.length + 'second!'.length)
    expect(await places(id)).toEqual(['backup', 'backup'])
    expect(await served(id)).toBe('second!')
    const hash = await hashOf(id)
    await sweepBlobs(database.pool, later(0))
    expect(await sweep(primary, 'primary')).toBe(0)
    await sweepBlobs(database.pool, later(1))
    expect(await primary.size(scope.shop, hash)).toBe(7)
    expect(await sweep(primary, 'primary')).toBe(2)
    expect([await primary.size(scope.shop, hash), await served(id)]).toEqual([null, 'second!'])
    expect(await sweep(backup, 'backup')).toBe(0)
  })

  test('moving back and repeating it are harmless', async () => {
    const id = await fileOf('there and back')
    await move(id)
    expect(await stored().relocate(itemOf(id), 'primary', { keep: false }, signal)).toMatchObject({
      copied: 0,
      unchanged: false,
    })
    expect([await places(id), await served(id)]).toEqual([['primary'], 'there and back'])
    expect(await move(id)).toBe(0)
    expect(await move(id)).toBe(0)
    expect(await places(id)).toEqual(['backup'])
  })

  test('keeps a copy of the current version, which survives the sweep and is deleted with the file', async () => {
    const id = await fileOf('old')
    await addTo(id, 'new')
    expect(await copy(id)).toBe(3)
    expect([await places(id), await copies(id)]).toEqual([
      ['primary', 'primary'],
      [{ location: 'backup' }],
    ])
    await sweepBlobs(database.pool, later(0))
    await sweepBlobs(database.pool, later(1))
    expect(await sweep(backup, 'backup')).toBe(0)
    await scope.query('delete from files where shop_id = :shop')
    await sweepBlobs(database.pool, later(1))
    await sweepBlobs(database.pool, later(2))
    expect([await sweep(primary, 'primary'), await sweep(backup, 'backup')]).toEqual([2, 1])
  })

  test('a kept copy becomes the file’s own when it moves there', async () => {
    const id = await fileOf('kept')
    await copy(id)
    expect(await move(id)).toBe(0)
    expect([await places(id), await copies(id)]).toEqual([['backup'], []])
  })

  test('of two files with the same bytes one moves, the other stays', async () => {
    const [one, other] = [await fileOf('same', 'a.txt'), await fileOf('same', 'b.txt')]
    await move(one)
    await sweepBlobs(database.pool, later(0))
    await sweepBlobs(database.pool, later(1))
    expect(await sweep(primary, 'primary')).toBe(0)
    expect([await served(one), await served(other)]).toEqual(['same', 'same'])
    expect([await places(one), await places(other)]).toEqual([['backup'], ['primary']])
  })

  test('links serve the same bytes before, during and after', async () => {
    const id = await fileOf('all the while')
    const [writing, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: BlobStore = {
      ...backup,
      write: async (...given) => {
        writing.resolve()
        await mayWrite.promise
        return backup.write(...given)
      },
    }
    const { hash } = (await locateFile(scope, id))!
    const begun = await primary.read(scope.shop, hash)
    const moving = move(id, slow)
    await writing.promise
    expect([await places(id), await served(id)]).toEqual([['primary'], 'all the while'])
    mayWrite.resolve()
    await moving
    expect([await places(id), await served(id)]).toEqual([['backup'], 'all the while'])
    expect(await text(begun)).toBe('all the while')
  })

  test('copied versions are safe from the sweep while the rest is being copied', async () => {
    const id = await fileOf('quick')
    await addTo(id, 'slow')
    let writes = 0
    const swept: BlobStore = {
      ...backup,
      write: async (...given) => {
        if (++writes === 2) {
          await sweepBlobs(database.pool, later(0))
          await sweep(backup, 'backup')
        }
        return backup.write(...given)
      },
    }
    await move(id, swept)
    for (const { hash } of await locateVersions(scope, id))
      expect(await backup.size(scope.shop, hash)).not.toBeNull()
  })
})

describe('bytes created by an earlier step', () => {
  test('move with the versions, and report their new location', async () => {
    const id = await fileOf('before')
    const staged = await stage('after!!')
    const moved = await stored().relocate(itemOf(id, staged), 'backup', { keep: false }, signal)
    expect(moved).toEqual({
      copied: 13,
      unchanged: false,
      bytes: { ...staged, location: 'backup' },
    })
    expect(await places(id)).toEqual(['backup'])
    expect(await text(await backup.read(scope.shop, staged.hash))).toBe('after!!')
    const again = await stored().relocate(
      itemOf(id, moved.bytes),
      'backup',
      { keep: false },
      signal,
    )
    expect(again).toEqual({ copied: 0, unchanged: true, bytes: null })
  })
  test('are the ones that a copy is kept of', async () => {
    const id = await fileOf('before')
    const staged = await stage('after!!')
    const keep = () => stored().relocate(itemOf(id, staged), 'backup', { keep: true }, signal)
    expect(await keep()).toEqual({ copied: 7, unchanged: false, bytes: null })
    expect(await keep()).toEqual({ copied: 0, unchanged: true, bytes: null })
    expect([await places(id), await copies(id)]).toEqual([['primary'], [{ location: 'backup' }]])
    expect(await text(await backup.read(scope.shop, staged.hash))).toBe('after!!')
  })
  test('are the ones that are backed up, with their size', async () => {
    const id = await fileOf('before')
    const staged = await stage('after!!')
    await stored().backUp(itemOf(id, staged), signal)
    const [kept] = await scope.query(
      `select encode(hash, 'hex') as hash, record -> 'size_bytes' as size from backups
         where shop_id = :shop and file_id = :id`,
      { id },
    )
    expect(kept).toEqual({ hash: staged.hash, size: 7 })
  })
})

describe('a wrong copy', () => {
  const failure = (detail?: string) =>
    expect.objectContaining({
      name: 'PortError',
      code: 'storage_failed',
      retryable: true,
      ...(detail && { detail }),
    })

  test.each([move, copy])('moves nothing, and a retry replaces it', async (relocate) => {
    const id = await fileOf('forgetful')
    const forgetful: BlobStore = {
      ...backup,
      read: async () => Readable.from([Buffer.from('forgetfuX')]),
    }
    await expect(relocate(id, forgetful)).rejects.toEqual(
      failure('The copy differs from the original'),
    )
    expect([await places(id), await copies(id), await served(id)]).toEqual([
      ['primary'],
      [],
      'forgetful',
    ])
    await writeFile(path.join(folder, 'backup', String(scope.shop), await hashOf(id)), 'forgetfuX')
    expect(await relocate(id)).toBe(9)
    expect(await text(await backup.read(scope.shop, await hashOf(id)))).toBe('forgetful')
  })
  test('is not made from bytes that do not match their hash', async () => {
    const id = await fileOf('original')
    await writeFile(path.join(folder, 'primary', String(scope.shop), await hashOf(id)), 'damaged!')
    await expect(move(id)).rejects.toMatchObject({ code: 'file_damaged' })
    expect(await places(id)).toEqual(['primary'])
    expect(await backup.size(scope.shop, await hashOf(id))).toBeNull()
  })
  test('that exists already without a row is not trusted', async () => {
    const id = await fileOf('stray')
    await backup.write(scope.shop, Readable.from([Buffer.from('stray')]))
    // Bytes without a row may be swept at any moment, so they are written again.
    expect(await move(id)).toBe(5)
  })
  test('a location that is full or does not answer moves nothing', async () => {
    const id = await fileOf('refused')
    await rm(path.join(folder, 'backup'), { recursive: true })
    await expect(move(id)).rejects.toEqual(failure())
    expect(await places(id)).toEqual(['primary'])
  })
})

test('a file that is missing or in the trash, and an unknown location, are named', async () => {
  const id = await fileOf('trashed')
  await scope.query('update files set deleted_at = now() where shop_id = :shop')
  await expect(move(id)).rejects.toMatchObject({ code: 'file_not_found', retryable: false })
  const elsewhere = stored().relocate(itemOf(id), 'elsewhere', { keep: false }, signal)
  await expect(elsewhere).rejects.toMatchObject({ code: 'location_not_found', retryable: false })
  expect(await stored().locate([id])).toEqual(new Map())
})

test('an abort leaves the file in its location', async () => {
  const id = await fileOf('aborted')
  const reason = new Error('cancelled')
  const aborted = stored().relocate(
    itemOf(id),
    'backup',
    { keep: false },
    AbortSignal.abort(reason),
  )
  await expect(aborted).rejects.toBe(reason)
  expect(await places(id)).toEqual(['primary'])
})

describe('the quota of the shop', () => {
  const limits = { shop_storage_bytes: 25 }
  const room = async () => {
    const { bytes, leaving } = await usageOfShop(scope)
    return { bytes, leaving }
  }
  const admitted = async (content: string, filename: string) => {
    const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
    const admission = { draft, staged: await stage(content), onConflict: 'error' as const }
    const [result] = await scope.transaction((tx) =>
      admitFiles(tx, [{ ...admission, channel: 'api' }], { file_bytes: 1000, ...limits }),
    )
    return result?.status === 'refused' ? result.code : result?.status
  }
  const backUp = (id: string) => stored(backup, limits).backUp(itemOf(id), signal)
  const relocate = (id: string, keep: boolean) =>
    stored(backup, limits).relocate(itemOf(id), 'backup', { keep }, signal)

  test('counts a backup once, and refuses the next file', async () => {
    const id = await fileOf('ten bytes.')
    await backUp(id)
    await backUp(id)
    await relocate(id, true)
    expect(await room()).toEqual({ bytes: 20, leaving: 0 })
    expect(await admitted('six...', 'b.txt')).toBe('storage_quota')
    expect(await admitted('five.', 'c.txt')).toBe('created')
  })

  test('refuses a copy for which there is no room, and leaves no bytes', async () => {
    const id = await fileOf('thirteen byte')
    await expect(backUp(id)).rejects.toMatchObject({ code: 'storage_quota', retryable: false })
    await expect(relocate(id, true)).rejects.toMatchObject({ code: 'storage_quota' })
    expect(await room()).toEqual({ bytes: 13, leaving: 0 })
    expect(await backup.size(scope.shop, await hashOf(id))).toBeNull()
  })

  test('moves files of a full shop, whose old copies are being removed until they are gone', async () => {
    const [a, b] = [await fileOf('thirteen byte', 'a.txt'), await fileOf('twelve bytes', 'b.txt')]
    await relocate(a, false)
    expect(await room()).toEqual({ bytes: 25, leaving: 13 })
    await relocate(b, false)
    expect(await room()).toEqual({ bytes: 25, leaving: 25 })
    await sweepBlobs(database.pool, later(1), [scope.shop])
    expect(await room()).toEqual({ bytes: 25, leaving: 0 })
  })

  test('has room again as soon as a file is purged; what a backup keeps counts', async () => {
    const [a, b] = [await fileOf('ten bytes.', 'a.txt'), await fileOf('5 byt', 'b.txt')]
    await backUp(a)
    expect(await admitted('x', 'c.txt')).toBe('storage_quota')
    await scope.query('delete from files where shop_id = :shop and id = :b', { b })
    expect(await room()).toEqual({ bytes: 20, leaving: 5 + 1 })
    expect(await admitted('five.', 'd.txt')).toBe('created')
    await scope.query('delete from files where shop_id = :shop and id = :a', { a })
    expect(await room()).toEqual({ bytes: 15, leaving: 10 + 5 + 1 })
  })

  test('has no room for a copy that failed, until its bytes are gone', async () => {
    const id = await fileOf('ten bytes.')
    const broken: BlobStore = { ...backup, write: () => Promise.reject(new StoreError('full')) }
    const failing = stored(broken, limits).backUp(itemOf(id), signal)
    await expect(failing).rejects.toMatchObject({ code: 'storage_full' })
    expect(await room()).toEqual({ bytes: 10, leaving: 10 })
  })
})
