import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { createDiskStore } from '../core/store/disk.ts'
import { WholeBlobs } from './whole-blobs.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let folder: string
let shop: number
const store = (name: string) => createDiskStore({ folder: path.join(folder, name) })
beforeAll(async () => {
  database = await openTestDatabase()
  shop = await createTestShop(database)
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-whole-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

let made = 0
async function damagedBlob({ backup }: { backup: boolean }) {
  const bytes = Buffer.from(`the bytes of blob ${made++}`)
  const written = await store('primary').write(shop, Readable.from([bytes]))
  if (backup) await store('backup').write(shop, Readable.from([bytes]))
  const at = path.join(folder, 'primary', String(shop), written.hash)
  const flip = async () => {
    const damaged = await readFile(at)
    damaged[5]! ^= 1
    await writeFile(at, damaged)
  }
  await flip()
  return { bytes, flip, blob: { ...written, shop, location: 'primary' } }
}

let now = new Date('2027-03-01T12:00:00Z')
const open = (comparedFirst?: number) => {
  const stores = new Map(['primary', 'backup'].map((name) => [name, store(name)]))
  return new WholeBlobs({ database, stores, log: silent, clock: () => now }, comparedFirst)
}

test('restores damaged bytes before the first is read, and compares once a day', async () => {
  const { bytes, blob, flip } = await damagedBlob({ backup: true })
  const blobs = open()
  expect(await buffer(await blobs.read(blob, { start: 4, end: 8 }))).toEqual(bytes.subarray(4, 9))
  expect(await buffer(await blobs.read(blob))).toEqual(bytes)
  await flip()
  expect(await buffer(await blobs.read(blob))).not.toEqual(bytes)
  now = new Date('2027-03-02T00:00:00Z')
  expect(await buffer(await blobs.read(blob))).toEqual(bytes)
})

test('without a good copy refuses each read, until there is one', async () => {
  const { bytes, blob } = await damagedBlob({ backup: false })
  const blobs = open()
  for (let n = 0; n < 2; n++)
    await expect(blobs.read(blob)).rejects.toMatchObject({ code: 'damaged' })
  await store('backup').write(shop, Readable.from([bytes]))
  expect(await buffer(await blobs.read(blob))).toEqual(bytes)
  await rm(path.join(folder, 'primary', String(shop), blob.hash))
  await rm(path.join(folder, 'backup', String(shop), blob.hash))
  await expect(open().read(blob)).rejects.toMatchObject({ code: 'missing' })
})

test('a large blob is compared on its way: the damage is not sent to its end, then repaired', async () => {
  const { bytes, blob } = await damagedBlob({ backup: true })
  const blobs = open(4)
  await expect(buffer(await blobs.read(blob))).rejects.toThrow()
  await expect.poll(async () => buffer(await blobs.read(blob)).catch(() => null)).toEqual(bytes)
})

test('a part of a large blob is sent, and the blob is compared afterwards', async () => {
  const { bytes, blob } = await damagedBlob({ backup: true })
  const blobs = open(4)
  await buffer(await blobs.read(blob, { start: 4, end: 8 }))
  const part = async () => buffer(await blobs.read(blob, { start: 4, end: 8 }))
  await expect.poll(part).toEqual(bytes.subarray(4, 9))
})
