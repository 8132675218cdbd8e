// The same bytes sent again, by every way in which a file gets bytes: no version is made, and the
// item says so; also if steps of the import change the bytes before they are stored.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, type Outcome } from '../../plugins/contract/index.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { holdBlobs } from '../../server/files/blobs.ts'
import { untilEnded, type Answer } from '../app.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { photo } from '../images.ts'
import { sendFile } from '../uploads.ts'
import { someOf } from '../scale.ts'

/** Makes other bytes of the same ones each time: only those before the step can be compared. */
const never = definePlugin({
  id: 'never-the-same',
  kind: 'optimize',
  title: 'Never the same',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['stage'],
  bytes: true,
  async *plan(items) {
    for (const item of items) yield { item: item.id, status: 'ok' }
  },
  async *run(items, _options, { stage, signal }): AsyncGenerator<Outcome> {
    for (const { id } of items) {
      const bytes = await stage.write(Readable.from([Buffer.from(randomUUID())]), null, signal)
      yield { item: id, status: 'ok', bytes }
    }
  },
})

let app: CsvApp
let worker: EngineWorker
/** Names no entity tag: the bytes are always fetched. */
let origin: Server
let picture: Buffer
let earlier: Buffer
beforeAll(async () => {
  app = await openCsvApp({}, { plugins: [never] })
  worker = await app.engine.startWorker()
  picture = await photo(300, 200).jpeg({ quality: 100 }).toBuffer()
  earlier = await photo(200, 300).jpeg({ quality: 100 }).toBuffer()
  origin = createServer((request, response) => {
    response.setHeader('content-type', 'image/jpeg')
    response.end(request.url === '/earlier' ? earlier : picture)
  })
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
const ended = async (id: string) => untilEnded(app.owner, id)
const named = async (filename: string) =>
  (await call('GET', `/api/files?search=${filename.replace(/\.\w+$/, '')}`)).body.data[0]

async function imported(filename: string, url = address(filename)) {
  const files = [{ filename, url }]
  const { body } = await call('POST', '/api/files/import', { files, on_conflict: 'new_version' })
  return ended(body.job_id)
}
async function sent(filename: string) {
  const { body: batch } = await call('POST', '/api/uploads/batches', {})
  const upload = await sendFile({ url: app.url, key: app.owner.key }, picture, {
    metadata: { filename, batch: batch.id, on_conflict: 'new_version' },
  }).done
  return { upload: upload.split('/').at(-1), batch: batch.id as string }
}
/** Gives a file, which an import creates if there is none, new bytes. */
async function replaced(filename: string, from: () => Promise<object>) {
  if (!(await named(filename))) await imported(filename, address('earlier'))
  const { id } = await named(filename)
  const { body } = await call('POST', `/api/files/${id}/versions`, await from())
  return ended(body.job_id)
}

/** Each gives the picture to the file of this name; the operation, once it has ended. */
const WAYS: Record<string, (filename: string) => Promise<Answer['body']>> = {
  api: (filename) => imported(filename),
  csv: async (filename) => {
    const id = await app.uploaded(`filename,file_url\n${filename},${address(filename)}\n`)
    await app.checked(id, { probe: false, on_conflict: 'new_version' })
    return ended((await call('POST', `/api/csv/${id}/start`, {})).body.job_id)
  },
  upload: async (filename) => {
    const { batch } = await sent(filename)
    return ended((await call('POST', `/api/uploads/batches/${batch}/start`)).body.id)
  },
  drop: async (filename) => {
    const { scope } = app.owner
    await call('PATCH', '/api/drop', { on_conflict: 'new_version' })
    const written = await app.stores
      .get('primary')!
      .write(scope.shop, Readable.from([Buffer.from(picture)]))
    await holdBlobs(scope, [{ ...written, location: 'primary', content_type: null }])
    // The program writes over what it wrote before.
    await scope.query(`delete from drop_entries where shop_id = :shop and name = :filename`, {
      filename,
    })
    await scope.query(
      `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, hash, location,
         size_bytes)
       values (:shop, '', :filename, 'file', 'waiting', true, decode(:hash, 'hex'), 'primary',
         :size_bytes)`,
      { filename, ...written },
    )
    return ended((await call('POST', '/api/drop/import')).body.id)
  },
  'replaced by an address': (filename) =>
    replaced(filename, () => Promise.resolve({ url: address(filename) })),
  'replaced by an upload': (filename) =>
    replaced(filename, async () => ({ upload_id: (await sent('any.jpg')).upload })),
}

/** The steps that change bytes, and the name of the file after them. */
const STEPS: Record<string, { steps: object[]; extension: string }> = {
  'without further steps': { steps: [], extension: 'jpg' },
  'made smaller, in another format': {
    steps: [{ plugin: 'optimize-image', options: { max_px: 100, format: 'webp' } }],
    extension: 'webp',
  },
  'other ones each time': { steps: [{ plugin: 'never-the-same' }], extension: 'jpg' },
}
const FETCH = { api: 'fetch-url', csv: 'fetch-url', upload: 'take-upload', drop: 'take-drop' }

const attached: string[] = []
async function detach(): Promise<void> {
  for (const id of attached.splice(0)) await call('DELETE', `/api/workflows/${id}`)
}

async function attach(name: string, steps: object[]): Promise<void> {
  for (const [channel, fetch] of Object.entries(FETCH)) {
    const workflow = await call('POST', '/api/workflows', {
      name: `${channel}, ${name}`,
      kind: 'import',
      channel,
      steps: [{ plugin: fetch }, { plugin: 'validate-file' }, ...steps],
    })
    expect(workflow.status).toBe(201)
    attached.push(workflow.body.id)
  }
}

test.each(Object.keys(STEPS))('%s, the same bytes are no version', async (what) => {
  const { steps, extension } = STEPS[what]!
  if (steps.length > 0) await attach(what, steps)
  onTestFinished(detach)
  const at = Object.keys(STEPS).indexOf(what)
  // In npm test each way once.
  const ways = someOf([...Object.entries(WAYS).entries()], ([n]) => n % 3 === at)
  for (const [n, [way, give]] of ways) {
    const name = `way-${n}-${at}`
    const results = async () => {
      const operation = await give(`${name}.jpg`)
      expect([way, operation]).toMatchObject([way, { status: 'success', total: 1, failed: 0 }])
      const { body } = await call('GET', `/api/operations/${operation.id}/items`)
      return body.data.map((item: Answer['body']) => [way, item.status, item.after?.same_bytes])
    }
    expect(await results()).toEqual([[way, 'done', undefined]])
    const file = await named(name)
    expect(file.filename).toBe(`${name}.${extension}`)
    const versions = async () => (await call('GET', `/api/files/${file.id}/versions`)).body.data
    const before = await versions()

    expect(await results()).toEqual([[way, 'done', true]])
    expect(await named(name)).toEqual(file)
    expect(await versions()).toEqual(before)
  }
})
