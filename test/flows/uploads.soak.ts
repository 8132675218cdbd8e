// Interrupted uploads: by the network, by kills of the server, and continued by another web
// process.
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf, hashOf } from '../fakes/content.ts'
import { soakTest } from '../scale.ts'
import { beginUpload, metadataOf, offsetOf, patch, sendFile, tus, type Sender } from '../uploads.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { jobUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import type { RunningServer, ServerProcess } from './server.ts'

const KILLS = 100
const SIZE = 1_000_000_000
const CHUNK = Math.min(8_000_000, Math.ceil(SIZE / 6))

let cluster: Cluster
/** It is killed. */
let one: ServerProcess
/** Another web process, which is also the worker. */
let two: RunningServer
beforeAll(async () => {
  cluster = await startCluster()
  one = await cluster.startWeb()
  two = await startLocalServer({ DATABASE_URL: cluster.url, DATA_DIR: cluster.dataDir })
})
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()])
  await cluster.close()
})

const senderOf = ({ url, apiKey }: RunningServer): Sender => ({ url, key: apiKey })
const pathOf = (address: string) => new URL(address, one.url).pathname

async function importedHash(batch: string): Promise<{ status: string; hashes: string[] }> {
  const found = (await (await two.call('GET', `/api/uploads/batches/${batch}`)).json()) as {
    operation_id: string
  }
  const { status } = await jobUntilEnd(two, found.operation_id)
  const folder = path.join(cluster.dataDir, 'files')
  return {
    status: status as string,
    hashes: (await readdir(folder, { recursive: true })).map((name) => path.basename(name)),
  }
}

async function newBatch(server: RunningServer): Promise<string> {
  const response = await server.call('POST', '/api/uploads/batches', { count: 1, notify: false })
  return ((await response.json()) as { id: string }).id
}

soakTest(
  `kills during a PATCH (${KILLS}): the same bytes, and at most one chunk sent again for each`,
  async () => {
    const bytes = contentOf(SIZE, 'killed')
    const batch = await newBatch(one)
    let address: string | undefined
    let again = 0
    for (let kill = 0; kill <= KILLS; kill++) {
      const from = address ? await offsetOf(senderOf(one), pathOf(address)) : 0
      // In the middle of a chunk, at a later offset every time.
      const killAt = Math.min(SIZE - 1, Math.floor((SIZE * (kill + 0.5)) / (KILLS + 1)))
      let sent = from
      let dying: Promise<void> | undefined
      const options = {
        metadata: { filename: 'killed.bin', batch },
        chunkSize: CHUNK,
        ...(address ? { uploadUrl: new URL(pathOf(address), one.url).href } : {}),
        onProgress: (reached: number) => {
          sent = Math.max(sent, reached)
          if (kill < KILLS && reached >= killAt) dying ??= one.kill()
        },
      }
      const { upload, done } = sendFile(senderOf(one), bytes, options)
      const ended = await done.then(
        () => 'done',
        () => 'cut',
      )
      address = upload.url!
      await dying
      expect(ended).toBe(kill < KILLS ? 'cut' : 'done')
      if (kill === KILLS) break
      one = await cluster.startWeb()
      const kept = await offsetOf(senderOf(one), pathOf(address))
      again = Math.max(again, sent - kept)
      expect(kept).toBeGreaterThanOrEqual(from)
    }
    expect(again).toBeLessThanOrEqual(CHUNK)
    const { status, hashes } = await importedHash(batch)
    expect(status).toBe('success')
    expect(hashes).toContain(hashOf(bytes))
  },
)

test('another web process continues an upload whose client disappeared', async () => {
  const bytes = contentOf(3_000_000, 'moved')
  const batch = await newBatch(one)
  const at = await beginUpload(senderOf(one), bytes.length, { filename: 'moved.bin', batch })
  const silent = await stallingPatch(one, at, bytes.subarray(0, 1_000_000), bytes.length)
  // The first process holds the upload and waits for bytes that never arrive: it is asked to
  // release it.
  await expect.poll(() => offsetOf(senderOf(two), at)).toBe(1_000_000)
  expect(
    (await patch(senderOf(two), at, 1_000_000, bytes.subarray(1_000_000, 2_000_000))).status,
  ).toBe(204)
  expect((await patch(senderOf(one), at, 2_000_000, bytes.subarray(2_000_000))).status).toBe(204)
  silent()
  const { status, hashes } = await importedHash(batch)
  expect(status).toBe('success')
  expect(hashes).toContain(hashOf(bytes))
})

soakTest('a chunk whose checksum was not verified is discarded after a kill', async () => {
  const bytes = contentOf(2_000_000, 'unproved')
  const batch = await newBatch(one)
  const at = await beginUpload(senderOf(one), bytes.length, { filename: 'unproved.bin', batch })
  expect((await patch(senderOf(one), at, 0, bytes.subarray(0, 500_000))).status).toBe(204)
  const sum = `sha1 ${createHash('sha1').update(bytes.subarray(500_000)).digest('base64')}`
  const silent = await stallingPatch(
    one,
    at,
    bytes.subarray(500_000, 1_600_000),
    1_500_000,
    500_000,
    sum,
  )
  const onDisk = async () => {
    const { rows } = await cluster.pool.query<{ unproved_from: number | null }>(
      `select unproved_from from uploads where filename = 'unproved.bin'`,
    )
    return Number(rows[0]!.unproved_from)
  }
  await expect.poll(onDisk).toBe(500_000)
  await one.kill()
  silent()
  one = await cluster.startWeb()
  expect(await offsetOf(senderOf(one), at)).toBe(500_000)
  const last = await patch(senderOf(one), at, 500_000, bytes.subarray(500_000), {
    'upload-checksum': sum,
  })
  expect(last.status).toBe(204)
  const { hashes } = await importedHash(batch)
  expect(hashes).toContain(hashOf(bytes))
})

test('two clients that send one upload concurrently take turns, and the bytes are right', async () => {
  const bytes = contentOf(6_000_000, 'both')
  const batch = await newBatch(one)
  const at = await beginUpload(senderOf(one), bytes.length, { filename: 'both.bin', batch })
  const send = (server: RunningServer) =>
    sendFile(senderOf(server), bytes, {
      uploadUrl: new URL(at, server.url).href,
      chunkSize: 300_000,
      retryDelays: Array.from({ length: 50 }, () => 50),
    }).done
  await Promise.all([send(one), send(two)])
  const { status, hashes } = await importedHash(batch)
  expect(status).toBe('success')
  expect(hashes).toContain(hashOf(bytes))
})

test('metadata is returned as it was sent, without additions', async () => {
  const at = await beginUpload(senderOf(one), 10, {
    filename: 'é.txt',
    tags: 'a',
    filetype: 'text/html',
  })
  const response = await tus(senderOf(two), 'HEAD', at)
  const told = response.headers.get('upload-metadata')!.split(',').sort()
  expect(told).toEqual(metadataOf({ filename: 'é.txt', tags: 'a' }).split(','))
  expect(response.headers.get('upload-length')).toBe('10')
})

/**
 * Sends the beginning of a chunk and then nothing, on a connection that stays open. Returns a
 * function that ends it.
 */
async function stallingPatch(
  server: ServerProcess,
  at: string,
  bytes: Buffer,
  announced: number,
  offset = 0,
  checksum?: string,
): Promise<() => void> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    `PATCH ${at} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${server.apiKey}`,
    'Tus-Resumable: 1.0.0',
    'Content-Type: application/offset+octet-stream',
    `Upload-Offset: ${offset}`,
    `Content-Length: ${announced}`,
    ...(checksum ? [`Upload-Checksum: ${checksum}`] : []),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.write(bytes, resolve))
  return () => socket.destroy()
}
