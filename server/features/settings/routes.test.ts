// Every import uses the shop's settings: defaults of new files, storage location, matching, the
// attached workflow, and messages about files without a product.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import { contentOf, hashOf } from '../../../test/fakes/content.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { importWays } from '../../../test/import-ways.ts'
import { fillMirror, productId } from '../../../test/mirror.ts'
import type { EngineWorker } from '../../engine/worker.ts'

let app: CsvApp
let origin: Origin
let worker: EngineWorker
beforeAll(async () => {
  app = await openCsvApp()
  origin = await startOrigin()
  worker = await app.engine.startWorker()
  await fillMirror(app.owner.scope, [
    { title: 'Sourdough for Beginners', skus: ['BREAD-1'], tags: ['Baking'] },
  ])
})
afterAll(async () => {
  await worker.stop()
  await origin.close()
  await app.close()
})

const get = async (route: string) => (await app.owner.call('GET', route)).body
const set = async (change: object) => {
  const { status, body } = await app.owner.call('PATCH', '/api/settings', change)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
const DEFAULTS = {
  expiry_days: 60,
  download_limit: 5,
  storage_location: 'primary',
  cdn: true,
  visibility: 'private',
  auto_map: true,
  match_by: ['sku', 'filename', 'title'],
  match_threshold: 0.8,
  notify_unmapped: true,
}

describe('settings', () => {
  it('begin as the specification defines them', async () => {
    expect(await get('/api/settings')).toMatchObject(DEFAULTS)
  })
  it.each([
    [{ storage_location: 'elsewhere' }, 'storage_location'],
    [{ notify_unmapped: 'yes' }, 'notify_unmapped'],
    [{ expiry_days: 0 }, 'expiry_days'],
    [{ match_by: ['guess'] }, 'match_by'],
    [{ match_threshold: 80 }, 'match_threshold'],
    [{ order_tag: 'two\nlines' }, 'order_tag'],
    [{ colour: 'red' }, 'colour'],
  ])('refuse %j', async (change, param) => {
    const { status, body } = await app.owner.call('PATCH', '/api/settings', change)
    expect([status, body.error.details[0].param]).toEqual([422, param])
  })
  it('belong to one shop', async () => {
    const stranger = await app.stranger('settings.myshopify.com')
    await set({ notify_unmapped: false })
    expect((await stranger.call('GET', '/api/settings')).body).toMatchObject(DEFAULTS)
    await set({ notify_unmapped: true })
  })
})

/** Imports one file through each channel; returns the operation after its end. */
const CHANNELS = importWays(() => ({
  app,
  address: (filename) => `${origin.url}/bytes/100/${encodeURIComponent(filename)}`,
}))
const fileNamed = async (filename: string) => {
  const { data } = await get(`/api/files?search=${encodeURIComponent(filename)}`)
  return get(`/api/files/${data[0].id}`)
}
/** Different extensions, so that no import takes another's name. */
const EXTENSIONS = { api: '.pdf', csv: '.zip', upload: '.mp3' }
const storedIn = (location: string) =>
  readdir(path.join(app.engine.folder, location, String(app.engine.shop)))
const locationsOf = async (filename: string) =>
  app.owner.scope.query<{ location: string; hash: string }>(
    `select v.location, encode(v.hash, 'hex') as hash from versions v join files f
       on f.shop_id = v.shop_id and f.id = v.file_id
     where v.shop_id = :shop and f.filename = :filename`,
    { filename },
  )

describe.each(someOf(Object.entries(CHANNELS), (_, at) => at === 0))(
  'imports by %s',
  (channel, imported) => {
    it('store their bytes in the shop’s location; existing ones stay', async () => {
      await imported(`${channel} here.bin`)
      await set({ storage_location: 'backup' })
      try {
        await imported(`${channel} there.bin`)
      } finally {
        await set(DEFAULTS)
      }
      expect(await locationsOf(`${channel} here.bin`)).toMatchObject([{ location: 'primary' }])
      const [version] = await locationsOf(`${channel} there.bin`)
      expect(version!.location).toBe('backup')
      expect(await storedIn('backup')).toContain(version!.hash)
      if (channel === 'upload')
        expect(version!.hash).toBe(hashOf(contentOf(100, `${channel} there.bin`)))
    })

    it.each(
      someOf<[string, object, string, string | null]>(
        [
          ['a SKU in the name', {}, 'BREAD-1_a.pdf', 'filename'],
          ['a title', {}, 'Sourdough for Beginners.pdf', 'title'],
          [
            'a title that is not sure enough',
            { match_threshold: 0.99 },
            'sourdough for begginners.pdf',
            null,
          ],
          [
            'a title, where names alone count',
            { match_by: ['filename'] },
            'sourdough_for_beginners.pdf',
            null,
          ],
          ['a SKU, where they are mapped by hand', { match_by: [] }, 'BREAD-1_b.pdf', null],
          ['a SKU, where nothing is mapped by itself', { auto_map: false }, 'BREAD-1_c.pdf', null],
        ],
        (_, at) => at < 2,
      ),
    )('are matched by %s', async (_what, change, name, method) => {
      await set(change)
      const filename = name.replace('.pdf', EXTENSIONS[channel as keyof typeof CHANNELS])
      try {
        await imported(filename)
      } finally {
        await set(DEFAULTS)
      }
      const { mappings } = await fileNamed(filename)
      expect(
        mappings.map((mapping: { product_id: string; method: string }) => [
          mapping.product_id,
          mapping.method,
        ]),
      ).toEqual(method === null ? [] : [[productId(1), method]])
    })

    it('list files without a product, unless the shop does not want them', async () => {
      const told = async (filename: string) => {
        const { id } = await imported(filename)
        const { data } = await get('/api/notices')
        return data.find((notice: { operation_id: string }) => notice.operation_id === id).body
      }
      expect(await told(`${channel} lost.bin`)).toContain(`Not mapped: ${channel} lost.bin.`)
      await set({ notify_unmapped: false })
      expect(await told(`${channel} quiet.bin`)).toBe('1 of 1 file imported.')
      await set(DEFAULTS)
    })
  },
)
