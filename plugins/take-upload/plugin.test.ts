import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forShop } from '../../server/core/db/for-shop.ts'
import { openUploadFolder } from '../../server/features/upload/upload.ts'
import { insertUpload } from '../../server/features/upload/rows.ts'
import { newUploadId } from '../../test/uploads.ts'
import { createUploadPort } from '../../server/features/upload/port.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { contentOf, hashOf } from '../../test/fakes/content.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { takeUpload } from './plugin.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let shops = 0
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

/** A new shop on a real database, with uploads and a disk. */
async function openWorld() {
  const shop = await createTestShop(database, `shop-${++shops}.myshopify.com`)
  const scope = forShop(database, shop)
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-take-'))
  const uploads = openUploadFolder(path.join(folder, 'uploads'))
  const place = {
    store: createDiskStore({ folder: path.join(folder, 'files') }),
    shop: scope.shop,
    location: 'primary',
  }
  const upload = async (bytes: Buffer, size = bytes.length) => {
    const id = await newUploadId(scope)
    const choices = { filename: 'a.pdf', on_conflict: 'error' as const, tags: [], batch: null }
    const quotas = { shop_open_uploads: 1000, shop_upload_bytes: 1e12 }
    const row = { id, size, choices, metadata: {}, requestedBy: 'test', folder: null }
    await insertUpload(scope, row, quotas)
    await uploads.create(id)
    await writeFile(uploads.incoming(id), bytes)
    await uploads.finish(id)
    await scope.query(`update uploads set status = 'received' where shop_id = :shop and id = :id`, {
      id,
    })
    return id
  }
  return {
    scope,
    uploads,
    upload,
    context: writeContext({ uploads: createUploadPort({ scope, uploads, place }) }),
    item: (id: string) => importItem(id, { entry: { source: { type: 'upload', id } } }),
    blobs: async () =>
      (await readdir(path.join(folder, 'files', String(scope.shop))).catch(() => [])).sort(),
    close: () => rm(folder, { recursive: true }),
  }
}

type World = Awaited<ReturnType<typeof openWorld>>
const ABSENT = '00000000-0000-4000-8000-000000000000'

pluginSuite(takeUpload, async () => {
  const world = await openWorld()
  const ids = [
    await world.upload(contentOf(1000, 'one')),
    await world.upload(contentOf(2000, 'two')),
    ABSENT,
  ]
  return {
    items: ids.map(world.item),
    context: world.context,
    state: world.blobs,
    close: world.close,
  }
})

describe('take-upload', () => {
  let world: World
  beforeEach(async () => void (world = await openWorld()))
  afterEach(() => world.close())
  const run = async (ids: readonly string[]) => {
    const outcomes = await Array.fromAsync(takeUpload.run!(ids.map(world.item), {}, world.context))
    return new Map(outcomes.map((outcome) => [outcome.item, outcome]))
  }

  it('returns the bytes, and keeps the upload for a retry', async () => {
    const bytes = contentOf(3_000_000, 'kept')
    const id = await world.upload(bytes)
    const staged = {
      hash: hashOf(bytes),
      size_bytes: bytes.length,
      location: 'primary',
      content_type: null,
      reserved: true,
    }
    expect((await run([id])).get(id)).toEqual({ item: id, status: 'ok', bytes: staged })
    expect((await run([id])).get(id)).toEqual({ item: id, status: 'ok', bytes: staged })
    expect(await world.uploads.stat(id)).toMatchObject({ size: bytes.length })
    expect(await world.blobs()).toEqual([hashOf(bytes)])
  })
  it('reports that an upload is missing, unfinished or incomplete', async () => {
    const [short, open] = [
      await world.upload(contentOf(10, 'short'), 11),
      await world.upload(contentOf(10, 'open')),
    ]
    await world.scope.query(
      `update uploads set status = 'uploading' where shop_id = :shop and id = :id`,
      { id: open },
    )
    const outcomes = await run([ABSENT, short, open])
    for (const id of [ABSENT, short, open])
      expect(outcomes.get(id)).toMatchObject({
        status: 'failed',
        code: 'upload_lost',
        retryable: false,
      })
    expect(await world.blobs()).toEqual([])
  })
  it('skips items of other channels', async () => {
    const outcomes = takeUpload.run!([importItem('url')], {}, world.context)
    expect(await Array.fromAsync(outcomes)).toMatchObject([{ status: 'skipped' }])
  })
})
