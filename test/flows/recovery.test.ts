// A killed server: what was acknowledged is all there after the next start, and nothing twice.
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashOf, contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from './catalog.ts'
import { jobUntilEnd, listAll, type ImportReply } from './imports.ts'
import { makeDataDir, removeDataDir, startServer, type RunningServer } from './server.ts'

let dataDir: string
let origin: Origin
let server: RunningServer

beforeAll(async () => {
  dataDir = await makeDataDir()
  origin = await startOrigin()
  server = await startServer({ dataDir })
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await removeDataDir(dataDir)
})

test('an import that is killed in the middle goes on after the next start: all there, none twice', async () => {
  const skus = uniqueSkus()
  const files = Array.from({ length: 400 }, (_, n) => ({
    filename: `kept-${n}.bin`,
    url: `${origin.url}/bytes/${30_000 + n}/kept-${n}`,
    product_sku: skus[n % skus.length]!,
  }))
  const response = await server.call('POST', '/api/files/import', { files }, { prefer: 'respond-async' })
  const { job_id } = (await response.json()) as ImportReply
  await until(() => origin.total > 150)
  await server.kill()

  const key = server.apiKey
  server = await startServer({ dataDir })
  expect(server.apiKey).toBe(key)
  expect(await jobUntilEnd(server, job_id)).toMatchObject({ status: 'success', total: 400, done: 400, failed: 0 })

  const listed = await listAll(server, '/api/files?search=kept-&limit=250')
  expect(new Set(listed.map(({ filename }) => filename)).size).toBe(400)
  expect(listed.length).toBe(400)
  expect(listed.every(({ products }) => products!.length === 1)).toBe(true)
  const blobs = await storedBlobs(path.join(dataDir, 'files'))
  for (let n = 0; n < 400; n++) expect(blobs.get(hashOf(contentOf(30_000 + n, `kept-${n}`)))).toBe(30_000 + n)
  for (const [hash, size] of blobs) expect(hashOf(await readFile(blobPath(hash)))).toBe(size >= 0 ? hash : '')
})

test('an ordinary stop and start keeps everything', async () => {
  expect(await server.stop()).toBe(0)
  expect(existsSync(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false)
  server = await startServer({ dataDir })
  expect((await listAll(server, '/api/files?search=kept-&limit=250')).length).toBe(400)
})

test('a second server on the same data folder is refused with what to do', async () => {
  await expect(startServer({ dataDir })).rejects.toThrow(/Another Stevedore is running on this data folder/)
})

const blobFiles = new Map<string, string>()
const blobPath = (hash: string) => blobFiles.get(hash)!

/** Every blob's size by its hash, wherever the store keeps it. */
async function storedBlobs(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/^[0-9a-f]{64}$/.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    blobFiles.set(entry.name, file)
    sizes.set(entry.name, (await readFile(file)).length)
  }
  return sizes
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
