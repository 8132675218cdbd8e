// Images compressed on the real engine: existing files, with undo, and files during import.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import type { Entry, Workflow } from '../../plugins/contract/index.ts'
import { withOptions } from '../../server/engine/steps.ts'
import type { ItemRow } from '../../server/engine/items.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import type { BlobStore } from '../../server/core/store/store.ts'
import { checkWorkflow } from '../../server/features/workflows/check.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { bomb, delaysOf, photo } from '../images.ts'
import { fillMirror } from '../mirror.ts'
import { soakTest, someOf } from '../scale.ts'

const { plugins, workflows } = appConfig({})
let house: TestEngine
let store: BlobStore
let stop: () => Promise<void>
let origin: Server
/** The content served by the origin, by path. */
const served = new Map<string, Buffer>()

beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
  store = createDiskStore({ folder: path.join(house.folder, 'primary') })
  stop = (await house.startWorker()).stop
  origin = createServer((request, response) =>
    response.end(served.get(decodeURIComponent(request.url!.slice(1)))),
  )
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
})
afterAll(async () => {
  origin.close()
  await stop()
  await house.close()
})
beforeEach(async () => {
  await house.scope.query('delete from files where shop_id = :shop')
  served.clear()
})

const importOf = (...steps: [plugin: string, options?: Record<string, unknown>][]): Workflow => ({
  id: 'own-import',
  title: 'Import of images',
  action: 'import',
  kind: 'import',
  parallel: 2,
  steps: steps.map(([plugin, options = {}]) => ({ id: plugin, plugin, options })),
})
/** A shop's own workflow, in its stored form. */
const own = checkWorkflow(
  {
    name: 'Small photographs',
    kind: 'import',
    parallel: 2,
    channel: 'api',
    steps: [
      { plugin: 'fetch-url' },
      { plugin: 'validate-file' },
      { plugin: 'optimize-image', options: { max_px: 100 } },
      { plugin: 'map-products' },
      { plugin: 'notify' },
    ],
  },
  { plugins, workflows },
)

async function imported(
  workflow: Workflow,
  files: Readonly<Record<string, Buffer>>,
  onConflict?: Entry['on_conflict'],
) {
  const { port } = origin.address() as AddressInfo
  const entries = Object.entries(files).map(([filename, bytes]) => {
    served.set(filename, bytes)
    return { filename, url: `http://127.0.0.1:${port}/${encodeURIComponent(filename)}` }
  })
  const { items } = await house.untilEnd(await house.startImport(workflow, entries, onConflict))
  return new Map<string, ItemRow>(items.map((item, at) => [entries[at]!.filename, item]))
}
const optimizing = (options: Record<string, unknown> = {}) =>
  withOptions(house.engine.workflow('optimize-image')!, 'optimize-image', {
    max_px: 100,
    ...options,
  })
const undone = async ({ id }: OperationRow) =>
  house.untilEnd(await house.engine.undo(house.scope, id, 'Mira', 'admin'))

interface Kept {
  filename: string
  content_type: string
  size_bytes: number
  version: number
  hash: string
  drops: boolean
}
/** The files by name, in their current state. */
async function files(): Promise<Record<string, Kept>> {
  const rows = await house.scope.query<Kept>(
    `select f.filename, f.content_type, f.size_bytes, f.version, encode(v.hash, 'hex') as hash,
       exists (select from versions o where o.shop_id = f.shop_id and o.file_id = f.id
         and o.expires_at is not null) as drops
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     where f.shop_id = :shop and f.deleted_at is null order by f.filename`,
  )
  return Object.fromEntries(rows.map((row) => [row.filename, row]))
}
const bytesOf = ({ hash }: Kept) => store.readWhole(house.shop, hash)
const said = ({ status, error }: ItemRow) => [
  status,
  error?.code === 'skipped' ? error.message : (error?.code ?? null),
]

/** Frames of noise, which compress badly as GIF: as WebP they take fewer bytes. */
function noise(width: number, height: number, frames: number): Sharp {
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const
  return sharp(randomBytes(width * height * frames * 3), { raw })
}

async function someImages(): Promise<Record<string, Buffer>> {
  const jpeg = await photo(300, 200).jpeg({ quality: 95 }).toBuffer()
  return {
    'photo.jpg': jpeg,
    'taken.png': await photo(200, 300).png().toBuffer(),
    'Taken.webp': await photo(60, 40).webp({ quality: 30 }).toBuffer(),
    'moving.gif': await noise(200, 100, 20)
      .gif({ delay: delaysOf(20), loop: 2 })
      .toBuffer(),
    'scan.tiff': await photo(300, 200).tiff({ compression: 'none' }).toBuffer(),
    'broken.jpg': jpeg.subarray(0, jpeg.length / 2),
    'page.jpg': Buffer.from('<!doctype html><title>Not found</title>'),
    'bomb.png': await bomb(30_000),
    'drawing.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'guide.pdf': Buffer.from('%PDF-1.7'),
  }
}

soakTest(
  'each image has the right result independent of the others; an undo restores all, and the operation can run again',
  async () => {
    const images = await someImages()
    await imported(importOf(['fetch-url']), images)
    const before = await files()
    const { operation, items } = await house.untilEnd(await house.startOn(optimizing()))
    expect(Object.fromEntries(items.map((item) => [item.filename, said(item)]))).toEqual({
      'photo.webp': ['done', null],
      'taken.png': ['failed', 'duplicate_filename'],
      'Taken.webp': ['skipped', 'It would not become smaller'],
      'moving.webp': ['done', null],
      'scan.webp': ['done', null],
      'broken.jpg': ['failed', 'image_damaged'],
      'page.jpg': ['failed', 'not_an_image'],
      'bomb.png': ['failed', 'image_too_large'],
      'drawing.svg': ['skipped', 'SVG images are drawings and are not changed'],
      'guide.pdf': ['skipped', 'It is not an image'],
    })
    const after = await files()
    const changed = ['photo', 'moving', 'scan']
    for (const name of changed) {
      const file = after[`${name}.webp`]!
      expect(file).toMatchObject({ content_type: 'image/webp', version: 2, drops: false })
      expect(await sharp(await bytesOf(file)).metadata()).toMatchObject({
        format: 'webp',
        width: 100,
      })
    }
    expect(await sharp(await bytesOf(after['moving.webp']!)).metadata()).toMatchObject({
      pages: 20,
      loop: 2,
    })
    const sum = (all: Record<string, Kept>) =>
      Object.values(all).reduce((bytes, { size_bytes }) => bytes + size_bytes, 0)
    expect(operation).toMatchObject({
      status: 'partial',
      done: 3,
      bytes_saved: sum(before) - sum(after),
    })

    const back = await undone(operation)
    expect(back.operation).toMatchObject({ status: 'success', done: 3 })
    expect(await files()).toEqual(before)
    expect(await bytesOf((await files())['photo.jpg']!)).toEqual(images['photo.jpg'])

    const again = await house.untilEnd(await house.startOn(optimizing()))
    expect(again.operation.done).toBe(3)
    expect((await files())['photo.webp']).toMatchObject({
      version: 3,
      hash: after['photo.webp']!.hash,
    })
  },
)

soakTest('an original that is not kept is deleted when the time for undo ends', async () => {
  await imported(importOf(['fetch-url']), { 'photo.jpg': await photo(300, 200).jpeg().toBuffer() })
  const { operation } = await house.untilEnd(
    await house.startOn(optimizing({ preserve_original: false })),
  )
  expect(await files()).toMatchObject({ 'photo.webp': { drops: true } })
  await undone(operation)
  expect(await files()).toMatchObject({ 'photo.jpg': { version: 1 } })
})

test('of two files that would get one name, one keeps its own', async () => {
  const images = {
    'photo.jpg': await photo(300, 200).jpeg().toBuffer(),
    'photo.png': await photo(200, 300).png().toBuffer(),
  }
  await imported(importOf(['fetch-url']), images)
  const { items } = await house.untilEnd(await house.startOn(optimizing()))
  expect(items.map(({ error }) => error?.code ?? 'done').sort()).toEqual([
    'done',
    'duplicate_filename',
  ])
  const [kept] = Object.values(await files()).filter(({ version }) => version === 1)
  expect(await bytesOf(kept!)).toEqual(images[kept!.filename as keyof typeof images])
})

test('a preview lists the new names, and those that are taken', async () => {
  const jpeg = await photo(150, 100).jpeg({ quality: 95 }).toBuffer()
  await imported(importOf(['fetch-url']), {
    'a.jpg': jpeg,
    'A.webp': jpeg,
    'b.jpg': jpeg,
    'c.txt': jpeg,
  })
  const id = await house.startOn(optimizing(), { dryRun: true })
  await expect.poll(async () => (await house.engine.get(house.scope, id))!.status).toBe('previewed')
  const previewed = await house.engine.items(house.scope, id, { limit: 10 })
  expect(previewed.map((item) => [...said(item), item.after?.filename])).toEqual([
    ['failed', 'duplicate_filename', undefined],
    ['done', null, undefined],
    ['done', null, 'b.webp'],
    ['skipped', 'It is not an image', undefined],
  ])
  await house.engine.move(house.scope, id, 'confirm')
  const { operation } = await house.untilEnd(id)
  expect(operation).toMatchObject({ done: 2, failed: 1, skipped: 1 })
  expect(Object.keys(await files())).toEqual(['A.webp', 'a.jpg', 'b.webp', 'c.txt'])
})

test('during an import: under the new name, with a product, other files unchanged', async () => {
  expect(own.problems).toEqual([])
  await fillMirror(house.scope, [{ title: 'Mountain lake at dawn' }])
  const jpeg = await photo(300, 200).jpeg({ quality: 95 }).toBuffer()
  const items = await imported(own.workflow, {
    'mountain-lake-at-dawn.jpg': jpeg,
    'guide.pdf': Buffer.from('%PDF-1.7'),
    'small.webp': await photo(60, 40).webp({ quality: 30 }).toBuffer(),
    'broken.jpg': jpeg.subarray(0, 3000),
  })
  expect([...items.values()].map(said)).toEqual([
    ['done', null],
    ['done', null],
    ['done', null],
    ['done', null],
  ])
  // A failed step keeps the file unchanged, and adds a warning.
  expect(items.get('broken.jpg')!.warnings).toMatchObject([{ code: 'image_damaged' }])
  const after = await files()
  expect(Object.keys(after)).toEqual([
    'broken.jpg',
    'guide.pdf',
    'mountain-lake-at-dawn.webp',
    'small.webp',
  ])
  expect(after['mountain-lake-at-dawn.webp']).toMatchObject({
    content_type: 'image/webp',
    version: 1,
  })
  expect(items.get('mountain-lake-at-dawn.jpg')).toMatchObject({ product_mapped: true })
})

const TAKEN = [
  ['error', 'duplicate_filename', ['photo.webp']],
  ['rename', null, ['photo (2).webp', 'photo (3).webp', 'photo.webp']],
  ['new_version', null, ['photo.webp']],
  ['overwrite', null, ['photo.webp']],
] as const
test.each(someOf(TAKEN, ([onConflict]) => ['error', 'new_version'].includes(onConflict)))(
  'a new name that is taken, and %s',
  async (onConflict, code, names) => {
    await imported(importOf(['fetch-url']), { 'photo.webp': await photo(50, 50).webp().toBuffer() })
    const items = await imported(
      own.workflow,
      {
        'photo.jpg': await photo(300, 200).jpeg().toBuffer(),
        'photo.png': await photo(200, 300).png().toBuffer(),
      },
      onConflict,
    )
    expect([...items.values()].map(({ error }) => error?.code ?? null)).toEqual([code, code])
    expect(Object.keys(await files())).toEqual(names)
    expect((await files())['photo.webp']!.version).toBe(
      onConflict === 'error' || onConflict === 'rename' ? 1 : 3,
    )
  },
)

soakTest('later steps also run on images that stay unchanged', async () => {
  const small = await photo(60, 40).webp({ quality: 30 }).toBuffer()
  await imported(importOf(['fetch-url']), {
    'a.jpg': await photo(300, 200).jpeg().toBuffer(),
    'b.webp': small,
  })
  const workflow: Workflow = {
    id: 'tidy',
    title: 'Tidy',
    action: 'tidy',
    kind: 'bulk',
    parallel: 1,
    steps: [
      { id: 'optimize', plugin: 'optimize-image', options: { max_px: 100 } },
      { id: 'tag', plugin: 'tag-files', options: { mode: 'add', tags: ['web'] } },
    ],
  }
  const { operation, items } = await house.untilEnd(await house.startOn(workflow))
  expect(operation).toMatchObject({ status: 'success', done: 2 })
  expect(items.map(({ after }) => after!.tags)).toEqual(
    Array(2).fill({ added: ['web'], removed: [] }),
  )
})
