// ZIP archives that a workflow unpacks, through each channel: their files are imported as any others.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { holdBlobs } from '../../server/files/blobs.ts'
import { untilEnded, untilOperation, type Answer } from '../app.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { sendFile } from '../uploads.ts'
import { zipOf, type ZipPart } from '../zips.ts'

let app: CsvApp
let worker: EngineWorker
let origin: Server
/** What the origin sends. */
let archive: Buffer
beforeAll(async () => {
  app = await openCsvApp({})
  worker = await app.engine.startWorker()
  origin = createServer((_, response) => response.end(archive))
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await worker.stop()
  origin.closeAllConnections()
  origin.close()
  await app.close()
})

const call = (...request: Parameters<CsvApp['owner']['call']>) => app.owner.call(...request)
const address = (name: string) =>
  `http://127.0.0.1:${(origin.address() as AddressInfo).port}/${name}`
const ended = (id: string) => untilEnded(app.owner, id)
const itemsOf = async (id: string) => (await call('GET', `/api/operations/${id}/items`)).body.data
const fileNamed = async (filename: string) =>
  (await call('GET', `/api/files?name_contains=${encodeURIComponent(filename)}`)).body.data[0]

/** Leaves the archive in a folder of the drop folder. */
async function drop(filename: string): Promise<void> {
  const { scope } = app.owner
  const store = app.stores.get('primary')!
  const written = await store.write(scope.shop, Readable.from([archive]))
  await holdBlobs(scope, [{ ...written, location: 'primary', content_type: null }])
  await call('PATCH', '/api/drop', { folder_names: 'tag', match_by: 'rules' })
  await scope.query('delete from drop_entries where shop_id = :shop')
  await scope.query(
    `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, hash, location,
       size_bytes)
     values (:shop, 'given', :filename, 'file', 'waiting', true, decode(:hash, 'hex'), 'primary',
       :size_bytes)`,
    { filename, ...written },
  )
}

type Way = (filename: string) => Promise<Answer['body']>
const WAYS: Record<string, { fetch: string; give: Way }> = {
  api: {
    fetch: 'fetch-url',
    give: async (filename) => {
      const files = [{ filename, url: address(filename), tags: ['given'] }]
      const { body } = await call('POST', '/api/files/import', { files })
      return ended(body.job_id)
    },
  },
  csv: {
    fetch: 'fetch-url',
    give: async (filename) => {
      const id = await app.uploaded(
        `filename,file_url,tags\n${filename},${address(filename)},given\n`,
      )
      await app.checked(id, { probe: false })
      return ended((await call('POST', `/api/csv/${id}/start`, {})).body.job_id)
    },
  },
  upload: {
    fetch: 'take-upload',
    give: async (filename) => {
      const { body: batch } = await call('POST', '/api/uploads/batches', {})
      await sendFile({ url: app.url, key: app.owner.key }, archive, {
        metadata: { filename, batch: batch.id, tags: 'given' },
      }).done
      return ended((await call('POST', `/api/uploads/batches/${batch.id}/start`)).body.id)
    },
  },
  drop: {
    fetch: 'take-drop',
    give: async (filename) => {
      await drop(filename)
      return ended((await call('POST', '/api/drop/import')).body.id)
    },
  },
}
/** Imports of the channel are unpacked until the test ends. */
async function attach(channel: string, options: object = {}, more: object[] = []): Promise<void> {
  const { status, body } = await call('POST', '/api/workflows', {
    name: `Unpack, ${channel}`,
    kind: 'import',
    channel,
    steps: [
      { plugin: WAYS[channel]!.fetch },
      { plugin: 'validate-file' },
      { plugin: 'unpack-zip', options },
      ...more,
      { plugin: 'map-products' },
    ],
  })
  expect([status, body.error]).toEqual([201, undefined])
  onTestFinished(async () => void (await call('DELETE', `/api/workflows/${body.id}`)))
}

const partsOf = (channel: string): ZipPart[] => [
  { name: `${channel}/EB-001 ${channel}.txt`, bytes: `guide ${channel}` },
  { name: `__MACOSX/._x`, bytes: 'x' },
  { name: `${channel}-notes.txt`, bytes: `notes ${channel}` },
]

test.each(Object.keys(WAYS))('%s: an archive becomes its files, once', async (channel) => {
  await attach(channel, { into: 'pack' })
  archive = zipOf(partsOf(channel))
  const { give } = WAYS[channel]!
  const first = await give(`${channel}.zip`)
  expect(first).toMatchObject({ status: 'success', total: 3, done: 3, failed: 0, present: 1 })
  const items = await itemsOf(first.id)
  expect(
    items.map((item: Answer['body']) => [item.filename, item.status, item.after?.unpacked]),
  ).toEqual([
    [`${channel}.zip`, 'done', 2],
    [`EB-001 ${channel}.txt`, 'done', undefined],
    [`${channel}-notes.txt`, 'done', undefined],
  ])
  const notes = await fileNamed(`${channel}-notes.txt`)
  expect(notes).toMatchObject({ tags: ['given'], pack: { name: channel }, version: 1 })
  expect(await fileNamed(`${channel}.zip`)).toBeUndefined()

  // The same archive changes nothing; another one makes versions of what differs.
  const again = await give(`${channel}.zip`)
  expect(again).toMatchObject({ status: 'success', total: 3, done: 3, unchanged: 2 })
  expect(await fileNamed(`${channel}-notes.txt`)).toEqual(notes)
  archive = zipOf([
    ...partsOf(channel).slice(0, 2),
    { name: `${channel}-notes.txt`, bytes: 'other' },
  ])
  expect(await give(`${channel}.zip`)).toMatchObject({ status: 'success', unchanged: 1 })
  expect((await fileNamed(`${channel}-notes.txt`)).version).toBe(2)

  const undo = await call('POST', `/api/operations/${first.id}/undo`, {})
  expect(await ended(undo.body.id)).toMatchObject({ failed: 0 })
  expect(await fileNamed(`EB-001 ${channel}.txt`)).toBeUndefined()
})

test('a preview says that it would be unpacked, and its confirmation unpacks it', async () => {
  await attach('drop')
  archive = zipOf([{ name: 'previewed.txt', bytes: 'x' }])
  await drop('preview.zip')
  const { body } = await call('POST', '/api/drop/import', { dry_run: true })
  await untilOperation(app.owner, body.id, `status = 'previewed'`)
  expect(await itemsOf(body.id)).toMatchObject([{ status: 'done', after: { unpacked: null } }])
  await call('POST', `/api/operations/${body.id}/confirm`)
  expect(await ended(body.id)).toMatchObject({ status: 'success', total: 2, done: 2, present: 1 })
  expect(await fileNamed('previewed.txt')).toMatchObject({ tags: ['given'] })
})

test('a file of an archive fails alone, and is tried again from its own bytes', async () => {
  await attach('api')
  archive = zipOf([
    { name: 'page.pdf', bytes: '<!doctype html><html><body>Sign in</body></html>' },
    { name: 'fine.txt', bytes: 'fine' },
    { name: 'empty.txt', bytes: '' },
  ])
  const result = await WAYS.api!.give('some.zip')
  expect(result).toMatchObject({ status: 'partial', total: 4, done: 2, failed: 2 })
  const failed = (await itemsOf(result.id)).filter(
    ({ status }: Answer['body']) => status === 'failed',
  )
  expect(failed.map(({ filename, error }: Answer['body']) => [filename, error.code])).toEqual([
    ['page.pdf', expect.any(String)],
    ['empty.txt', 'empty_file'],
  ])
  // The address has something else by now.
  archive = Buffer.from('gone')
  const retry = await call('POST', `/api/operations/${result.id}/retry`, {})
  expect(retry.status).toBe(200)
  expect(await ended(result.id)).toMatchObject({ total: 4, done: 2, failed: 2 })
  expect(await itemsOf(result.id)).toMatchObject([
    { status: 'done' },
    { error: { code: failed[0].error.code } },
    { status: 'done' },
    { error: { code: 'empty_file' } },
  ])
  // A day later its bytes are gone.
  await app.owner.scope.query(
    `delete from blob_locations where shop_id = :shop and unneeded_since is not null`,
  )
  await call('POST', `/api/operations/${result.id}/retry`, {})
  await ended(result.id)
  const later = (await itemsOf(result.id)).map(({ error }: Answer['body']) => error?.code)
  expect(later).toEqual([undefined, 'unpacked_gone', undefined, 'unpacked_gone'])
})

test('bytes of an archive count in the quota until they are files, and are freed', async () => {
  await attach('api')
  archive = zipOf([{ name: 'counted.txt', bytes: 'counted' }])
  await WAYS.api!.give('counted.zip')
  const { hash } = await app.owner.scope.one<{ hash: string }>(
    `select encode(v.hash, 'hex') as hash from files f join versions v on v.shop_id = f.shop_id
       and v.file_id = f.id where f.shop_id = :shop and f.filename = 'counted.txt'`,
  )
  const copies = await app.owner.scope.query<{ own: boolean; unneeded: boolean }>(
    `select b.hash = decode(:hash, 'hex') as own, l.unneeded_since is not null as unneeded
     from blobs b join blob_locations l on l.shop_id = b.shop_id and l.hash = b.hash
     where b.shop_id = :shop and (b.hash = decode(:hash, 'hex') or b.size_bytes = :size)`,
    { hash, size: archive.length },
  )
  expect(copies).toContainEqual({ own: true, unneeded: false })
  expect(copies).toContainEqual({ own: false, unneeded: true })
})
