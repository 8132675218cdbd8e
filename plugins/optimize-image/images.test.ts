import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { fileItem, importItem } from '../../test/fakes/context.ts'
import { photo } from '../../test/images.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import type { Item } from '../contract/index.ts'
import { createImages, type ImageOptions } from './images.ts'

const WANTED: ImageOptions = { max_px: 100, quality: 80, format: 'webp' }
const never = new AbortController().signal
let house: TestEngine
let jpeg: Buffer
const tmp = process.env.TMPDIR
beforeAll(async () => {
  house = await createTestEngine([], [])
  // Work folders of this test file only.
  process.env.TMPDIR = path.join(house.folder, 'tmp')
  await mkdir(process.env.TMPDIR)
  jpeg = await photo(300, 200).jpeg().toBuffer()
})
afterAll(async () => {
  if (tmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = tmp
  await house.close()
})

const ports = async () => {
  const ports = await house.parts.ports(house.scope)
  return { ...ports, images: createImages(ports) }
}
async function itemOf(bytes: Buffer): Promise<Item> {
  const { stage } = await ports()
  return importItem('photo.jpg', { staged: await stage.write(Readable.from([bytes]), null, never) })
}

test('an image passes from the store through a child process into the store', async () => {
  const { images } = await ports()
  const result = await images.optimize(await itemOf(jpeg), WANTED, never)
  if ('unchanged' in result) throw new Error(JSON.stringify(result))
  expect(result).toMatchObject({ extension: 'webp', from_bytes: jpeg.length })
  const store = createDiskStore({ folder: path.join(house.folder, 'primary') })
  const bytes = await store.readWhole(house.shop, result.bytes.hash)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 100, height: 67 })
})

test('a missing file, and missing bytes, have an error', async () => {
  const { images } = await ports()
  await expect(images.optimize(fileItem('a'), WANTED, never)).rejects.toMatchObject({
    code: 'file_not_found',
  })
  const item = await itemOf(jpeg)
  const lost = { ...item, staged: { ...item.staged!, hash: 'a'.repeat(64) } }
  await expect(images.optimize(lost, WANTED, never)).rejects.toMatchObject({
    code: 'storage_failed',
    retryable: true,
  })
  const huge = { ...item, staged: { ...item.staged!, size_bytes: 400_000_000 } }
  await expect(images.optimize(huge, WANTED, never)).rejects.toMatchObject({
    code: 'image_too_large',
  })
})

test('no folder is left in any case', async () => {
  const { images } = await ports()
  await images.optimize(await itemOf(jpeg), WANTED, never)
  await expect(
    images.optimize(await itemOf(jpeg.subarray(0, 2000)), WANTED, never),
  ).rejects.toMatchObject({
    code: 'image_damaged',
  })
  const stop = new AbortController()
  const stopped = images.optimize(
    await itemOf(await photo(3000, 3000).png({ compressionLevel: 0 }).toBuffer()),
    WANTED,
    stop.signal,
  )
  stop.abort(new Error('cancelled'))
  await expect(stopped).rejects.toThrow('cancelled')
  expect(await readdir(process.env.TMPDIR!)).toEqual([])
})
