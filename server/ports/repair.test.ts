// Stored bytes that are missing or damaged when a plugin needs them.
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { fileItem } from '../../test/fakes/context.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { listNotices } from '../core/outbox/notices.ts'
import { createDiskStore } from '../core/store/disk.ts'
import type { BlobStore } from '../core/store/store.ts'
import { blobFindings } from '../core/totals.ts'
import { admitFiles } from '../files/admit.ts'
import { checkBlob } from '../files/blob-checks.ts'
import { draftFrom } from '../files/drafts.ts'
import { locateFile } from '../files/list.ts'
import { shopSettingsSchema } from '../files/shop-settings.ts'
import { createBytesPort } from './bytes.ts'
import type { CheckBlob } from './repair.ts'
import { createStoredFiles } from './stored.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let folder: string
let stores: Map<string, BlobStore>
let shops = 0
const signal = new AbortController().signal
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-repair-'))
  const open = (name: string) =>
    [name, createDiskStore({ folder: path.join(folder, name) })] as const
  stores = new Map([open('primary'), open('backup')])
  await scope.query(
    `update shops set settings = settings || '{"recipients": ["owner@example.com"]}' where id = :shop`,
  )
})
afterEach(() => rm(folder, { recursive: true }))

const write = (location: string, content: string) =>
  stores.get(location)!.write(scope.shop, Readable.from([Buffer.from(content)]))

async function addFile(content: string, filename: string) {
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
  const written = await write('primary', content)
  const staged = { ...written, location: 'primary', content_type: null }
  const [admitted] = await scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 1000 }),
  )
  const { fileId: id } = admitted as { fileId: string }
  return { id, blob: path.join(folder, 'primary', String(scope.shop), written.hash) }
}

const check: CheckBlob = (blob, signal) =>
  checkBlob({ database, stores, log: silent, clock: () => new Date() }, blob, signal)
/** Reads the file as a plugin does. */
const readAsPlugin = (id: string) => {
  const place = { store: stores.get('primary')!, shop: scope.shop, location: 'primary' }
  const bytes = createBytesPort({ scope, stores, check, place })
  const item = { ...fileItem('a', { id }), staged: null }
  return bytes.withFile(item, ({ path }) => readFile(path, 'utf8'), signal)
}
const backUp = (id: string) =>
  createStoredFiles(scope, stores, check).backUp({ ...fileItem('a', { id }), staged: null }, signal)
const found = (what: string) => blobFindings.read().get(what) ?? 0
const notices = async () => (await listNotices(scope, { limit: 10 })).rows.map(({ title }) => title)
const mails = () =>
  scope.query(`select 1 from outbox where shop_id = :shop and key like 'damaged/%'`)

const spoilers = {
  missing: (blob: string) => rm(blob),
  damaged: (blob: string) => truncate(blob, 3),
}

describe.each(Object.entries(spoilers))('%s bytes', (what, spoil) => {
  test('are restored from the backup, and the plugin gets them', async () => {
    const { id, blob } = await addFile('the whole text', 'a.txt')
    await write('backup', 'the whole text')
    await spoil(blob)
    const before = [found(what), found('restored')] as const
    expect(await readAsPlugin(id)).toBe('the whole text')
    expect([found(what), found('restored')]).toEqual([before[0] + 1, before[1] + 1])
    expect(await notices()).toEqual([])
  })

  test('without a backup are reported once: one notice for all files, and one mail', async () => {
    const files = [await addFile('first text', 'a.txt'), await addFile('second text', 'b.txt')]
    const before = found(what)
    const code = what === 'damaged' ? 'file_damaged' : 'storage_failed'
    for (const { id, blob } of files) {
      await spoil(blob)
      await expect(readAsPlugin(id)).rejects.toMatchObject({ code })
      await expect(backUp(id)).rejects.toMatchObject({ code })
    }
    expect(found(what)).toBeGreaterThanOrEqual(before + 2)
    expect(await notices()).toEqual(['The bytes of 2 files are damaged'])
    expect(await mails()).toHaveLength(1)
    expect(await locateFile(scope, files[0]!.id)).not.toBeNull()
  })
})
