import { createHash } from 'node:crypto'
import { readdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../../../test/app.ts'
import { contentOf, hashOf } from '../../../test/fakes/content.ts'
import {
  beginUpload,
  create,
  offsetOf,
  patch,
  sendFile,
  tus,
  type Sender,
} from '../../../test/uploads.ts'
import { closeAbandoned } from './sweep.ts'
import { openUploadFolder, sweepUploads, type UploadFolder } from './upload.ts'
import { silent } from '../../../test/database.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { parsePublicId } from '../../core/ids.ts'

let app: TestApp
let worker: EngineWorker
let owner: Sender
let other: Sender
let stranger: Client
beforeAll(async () => {
  app = await openTestApp({ limits: { file_bytes: 5 * 1024 ** 3 } })
  worker = await app.engine.startWorker()
  stranger = await app.stranger('elsewhere.myshopify.com')
  owner = { url: app.url, key: app.owner.key }
  other = { url: app.url, key: stranger.key }
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const incoming = () => readdir(path.join(app.engine.folder, 'uploads/incoming'))
const received = () => readdir(path.join(app.engine.folder, 'uploads/received'))
const sweep = (broken: Partial<UploadFolder> = {}) => {
  const { database } = app.engine.parts
  const folder = { ...openUploadFolder(path.join(app.engine.folder, 'uploads')), ...broken }
  return sweepUploads({ engine: app.engine.engine, folder, log: silent }, database)
}
const batch = async (body: object = {}) =>
  (await app.owner.call('POST', '/api/uploads/batches', body)).body.id as string
const readBatch = async (id: string) =>
  (await app.owner.call('GET', `/api/uploads/batches/${id}`)).body
/** Moves the time when the batch's client was last heard of into the past. */
const ageBatch = (id: string, minutes: number) =>
  app.owner.scope.query(
    `update upload_batches set seen_at = seen_at - :minutes * interval '1 minute'
     where shop_id = :shop and id = :id`,
    { id: parsePublicId('batch', id), minutes },
  )
const seenAgo = async (id: string) =>
  (
    await app.owner.scope.one<{ seconds: number }>(
      `select extract(epoch from now() - seen_at)::int as seconds from upload_batches
       where shop_id = :shop and id = :id`,
      { id: parsePublicId('batch', id) },
    )
  ).seconds
async function endAbandoned(id: string, minutes: number): Promise<void> {
  await ageBatch(id, minutes)
  const folder = openUploadFolder(path.join(app.engine.folder, 'uploads'))
  const parts = { engine: app.engine.engine, folder, log: silent }
  await closeAbandoned(parts, app.engine.parts.database)
}
const fileNamed = async (name: string) => {
  const { body } = await app.owner.call('GET', `/api/files?search=${encodeURIComponent(name)}`)
  return body.data.find((file: { filename: string }) => file.filename === name)
}
const importOf = async (id: string) => untilEnded(app.owner, (await readBatch(id)).operation_id)
const rowOf = (at: string) => parsePublicId('upload', at.split('/').at(-1)!)!

describe('an upload', () => {
  it('is sent in chunks and becomes a file with the same bytes', async () => {
    const bytes = contentOf(3_000_001, 'whole')
    const at = await sendFile(owner, bytes, {
      metadata: { filename: 'whole.pdf', tags: 'a, b;a' },
      chunkSize: 1_000_000,
    }).done
    expect(at).toMatch(/\/api\/uploads\/upload_[0-9a-f]{32}$/)
    const { body } = await app.owner.call(
      'GET',
      '/api/operations?channel=upload&search=upload&limit=1',
    )
    const operation = await untilEnded(app.owner, body.data[0].id)
    expect(operation).toMatchObject({
      status: 'success',
      total: 1,
      done: 1,
      workflow: 'import-upload',
      channel: 'upload',
    })
    expect(await fileNamed('whole.pdf')).toMatchObject({
      size_bytes: bytes.length,
      tags: ['a', 'b'],
    })
    const stored = await readdir(path.join(app.engine.folder, 'primary', String(app.engine.shop)))
    expect(stored).toContain(hashOf(bytes))
    // The second name of its bytes is removed when the file has them; the upload still reads as
    // complete.
    await sweep()
    expect(await incoming()).toEqual([])
    expect(await received()).toEqual([])
    expect(await offsetOf(owner, at)).toBe(bytes.length)
  })
  it('resumes at its offset', async () => {
    const bytes = contentOf(500_000, 'on')
    const at = await beginUpload(owner, bytes.length, { filename: 'on.bin' })
    expect((await patch(owner, at, 0, bytes.subarray(0, 200_000))).status).toBe(204)
    expect(await offsetOf(owner, at)).toBe(200_000)
    const wrong = await patch(owner, at, 100_000, bytes.subarray(100_000))
    expect(wrong.status).toBe(409)
    expect(await wrong.json()).toMatchObject({ error: { code: 'conflict', status: 409 } })
    await sendFile(owner, bytes, { uploadUrl: new URL(at, app.url).href }).done
    expect(await offsetOf(owner, at)).toBe(bytes.length)
  })
  it('can never be downloaded', async () => {
    const at = await beginUpload(owner, 10, { filename: 'secret.txt' })
    for (const bytes of [Buffer.alloc(5), Buffer.alloc(5)]) {
      expect((await tus(owner, 'GET', at)).status).toBe(405)
      await patch(owner, at, await offsetOf(owner, at), bytes)
    }
    expect((await tus(owner, 'GET', at)).status).toBe(405)
    expect((await tus(owner, 'GET', '/api/uploads')).status).toBe(405)
    // A complete upload cannot be written to, not even by its sender.
    expect((await patch(owner, at, 0, Buffer.alloc(10, 1))).status).toBe(409)
    expect((await patch(owner, at, 10, Buffer.alloc(10, 1))).status).toBe(413)
  })
  it('belongs only to its shop', async () => {
    const at = await beginUpload(owner, 100, { filename: 'mine.bin' })
    expect((await tus(other, 'HEAD', at)).status).toBe(404)
    expect((await patch(other, at, 0, Buffer.alloc(100))).status).toBe(404)
    expect((await tus(other, 'DELETE', at)).status).toBe(404)
    expect(await offsetOf(owner, at)).toBe(0)
    const id = await batch()
    expect((await stranger.call('GET', `/api/uploads/batches/${id}`)).status).toBe(404)
    expect((await stranger.call('POST', `/api/uploads/batches/${id}/start`)).status).toBe(404)
    expect((await create(other, 10, { filename: 'a.txt', batch: id })).status).toBe(422)
  })
  it('needs a key with the scope, on every request', async () => {
    const at = await beginUpload(owner, 100, { filename: 'key.bin' })
    const reader = { url: app.url, key: (await app.clientWith(['files:read'])).key }
    for (const [who, status] of [
      [{ url: app.url, key: 'none' }, 401],
      [reader, 403],
    ] as const) {
      expect((await create(who, 10, { filename: 'a.txt' })).status).toBe(status)
      expect((await patch(who, at, 0, Buffer.alloc(10))).status).toBe(status)
      for (const method of ['HEAD', 'DELETE'])
        expect((await tus(who, method, at)).status).toBe(status)
    }
  })
  it('is deleted by its sender', async () => {
    const at = await beginUpload(owner, 100, { filename: 'given-up.bin' })
    await patch(owner, at, 0, Buffer.alloc(50))
    expect((await tus(owner, 'DELETE', at)).status).toBe(204)
    expect((await tus(owner, 'HEAD', at)).status).toBe(404)
    expect(await incoming()).not.toContain(rowOf(at))
  })
  it('is created with its bytes, in one request', async () => {
    const id = await batch()
    const headers = {
      'upload-length': '5',
      'upload-metadata': `filename ${Buffer.from('one.txt').toString('base64')} , batch ${Buffer.from(id).toString('base64')}`,
      'content-type': 'application/offset+octet-stream',
    }
    const response = await tus(owner, 'POST', '/api/uploads', headers, Buffer.from('hello'))
    expect([response.status, response.headers.get('upload-offset')]).toEqual([201, '5'])
    expect(await readBatch(id)).toMatchObject({ uploading: 0, received: 1 })
  })
})

describe('the protocol', () => {
  it('accepts another method by X-HTTP-Method-Override, for clients behind a proxy that blocks PATCH', async () => {
    const at = await beginUpload(owner, 100, { filename: 'override.bin' })
    const as = (method: string) => ({ 'x-http-method-override': method })
    const bytes = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const sent = await tus(owner, 'POST', at, { ...as('PATCH'), ...bytes }, Buffer.alloc(60))
    expect([sent.status, sent.headers.get('upload-offset'), await offsetOf(owner, at)]).toEqual([
      204,
      '60',
      60,
    ])
    const typed = { ...as('PATCH'), ...bytes, 'content-type': 'text/plain' }
    expect((await tus(owner, 'POST', at, typed, Buffer.alloc(40))).status).toBe(415)
    expect((await tus(owner, 'POST', at, as('GET'))).status).toBe(405)
    expect((await tus(owner, 'POST', at, as('delete'))).status).toBe(204)
    expect((await tus(owner, 'HEAD', at)).status).toBe(404)
  })
  it('uses the API’s error format, with its own headers', async () => {
    for (const [headers, status, code, message] of [
      [{ 'tus-resumable': '' }, 412, 'precondition_failed', 'Uploads speak tus 1.0.0'],
      [{ 'tus-resumable': '0.9' }, 412, 'precondition_failed', 'Uploads speak tus 1.0.0'],
      [{ 'upload-length': 'x' }, 400, 'malformed_request', 'Invalid upload-length'],
    ] as const) {
      const refused = await tus(owner, 'POST', '/api/uploads', headers)
      expect([refused.status, refused.headers.get('tus-resumable')]).toEqual([status, '1.0.0'])
      expect(await refused.json()).toMatchObject({
        error: { code, message, status, request_id: expect.any(String) },
      })
      expect(refused.headers.get('tus-version')).toBe(status === 412 ? '1.0.0' : null)
    }
  })
})

describe('refused before any byte is sent', () => {
  const GB = 1024 ** 3
  it('a name in Latin-1', async () => {
    const refused = await tus(owner, 'POST', '/api/uploads', {
      'upload-length': '5',
      'upload-metadata': `filename ${Buffer.from('Grüße.pdf', 'latin1').toString('base64')}`,
    })
    expect(await refused.json()).toMatchObject({
      error: { status: 422, param: 'filename', message: 'Send it in UTF-8, encoded as base64' },
    })
  })
  it('a file over 5 GB, with advice', async () => {
    const refused = await create(owner, 5 * GB + 1, { filename: 'large.zip' })
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'file_too_large',
        message: 'The file is larger than 5 GB: contact support to have larger files imported',
      },
    })
    const taken = await create(owner, 5 * GB, { filename: 'large.zip' })
    expect(taken.status).toBe(201)
    await tus(owner, 'DELETE', taken.headers.get('location')!)
  })
  it.each(
    someOf(
      [
        '',
        ' ',
        '..',
        '../../etc/passwd',
        'a/b.pdf',
        'a\\b.pdf',
        'a\0.pdf',
        'a\u202Egpj.exe',
        'x'.repeat(256),
        ' a',
      ] as const,
      (_, at) => at % 4 === 0,
    ),
  )('the name %j', async (filename) => {
    const refused = await create(owner, 10, { filename })
    expect(refused.status).toBe(422)
    const { error } = (await refused.json()) as { error: { param: string; details: object[] } }
    expect(error).toMatchObject({ type: 'invalid_request', param: 'filename' })
    expect(error.details).toMatchObject([{ param: 'filename', code: 'invalid_filename' }])
  })
  it('invalid options, each by name', async () => {
    const wishes = {
      filename: '',
      on_conflict: 'guess',
      tags: 'a\u0007',
      batch: 'batch_1',
      size: '9',
    }
    const { error } = (await (await create(owner, 10, wishes)).json()) as {
      error: { details: { param: string }[] }
    }
    expect(error.details.map(({ param }) => param).sort()).toEqual([
      'batch',
      'filename',
      'on_conflict',
      'size',
      'tags',
    ])
    expect((await create(owner, 0, { filename: 'empty.txt' })).status).toBe(422)
    const without = await tus(owner, 'POST', '/api/uploads', { 'upload-length': '10' })
    expect(without.status).toBe(422)
    expect((await tus(owner, 'POST', '/api/uploads', { 'upload-defer-length': '1' })).status).toBe(
      400,
    )
  })
  soakTest('a name that was taken during the upload, before more bytes are sent', async () => {
    const bytes = contentOf(20_000_000, 'resumed')
    const at = await beginUpload(owner, bytes.length, { filename: 'Resumed.bin' })
    expect((await patch(owner, at, 0, bytes.subarray(0, 1000))).status).toBe(204)
    const id = await batch({ count: 1 })
    await sendFile(owner, Buffer.from('x'), { metadata: { filename: 'resumed.bin', batch: id } })
      .done
    await importOf(id)
    const uploadUrl = new URL(at, app.url).href
    // A client that sends the rest in one request reads the reason too.
    const failure = await sendFile(owner, bytes, { uploadUrl }).done.catch((error) => error)
    expect(failure.originalResponse?.getStatus()).toBe(422)
    expect(failure.originalResponse?.getBody()).toContain('duplicate_filename')
    expect(await offsetOf(owner, at)).toBe(1000)
    const rest = bytes.subarray(1000)
    const wrong = await patch(owner, at, 1000, rest, { 'upload-on-conflict': 'shrug' })
    expect([wrong.status, await offsetOf(owner, at)]).toEqual([422, 1000])
    const chosen = await patch(owner, at, 1000, rest, { 'upload-on-conflict': 'rename' })
    expect(chosen.status).toBe(204)
    await expect
      .poll(() => fileNamed('Resumed (2).bin').catch(() => undefined))
      .toMatchObject({ size_bytes: bytes.length })
  })
  it('a taken name, unless the request says what to do', async () => {
    const id = await batch({ count: 1 })
    await sendFile(owner, Buffer.from('first'), { metadata: { filename: 'Taken.TXT', batch: id } })
      .done
    await importOf(id)
    const refused = await create(owner, 10, { filename: 'taken.txt' })
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      error: {
        message: 'Duplicate filename',
        details: [{ param: 'filename', code: 'duplicate_filename' }],
      },
    })
    const second = await batch({ count: 1 })
    await sendFile(owner, Buffer.from('second'), {
      metadata: { filename: 'taken.txt', batch: second, on_conflict: 'rename' },
    }).done
    expect(await importOf(second)).toMatchObject({ status: 'success' })
    expect(await fileNamed('taken (2).txt')).toBeDefined()
    const { body } = await app.owner.call('POST', '/api/uploads/check-names', {
      filenames: ['TAKEN.txt', 'free.txt', 'a/b'],
    })
    expect(body.data).toMatchObject([
      { filename: 'TAKEN.txt', taken: { filename: 'Taken.TXT', size_bytes: 5 }, error: null },
      { filename: 'free.txt', taken: null, error: null },
      {
        filename: 'a/b',
        taken: null,
        error: { code: 'invalid_filename', message: expect.stringContaining('cannot contain /') },
      },
    ])
  })
})

describe('a checksum', () => {
  const bytes = contentOf(100_000, 'sum')
  const sumOf = (algorithm: string, of: Buffer) =>
    `${algorithm} ${createHash(algorithm).update(of).digest('base64')}`
  it('that is right is accepted, a wrong one discards the chunk', async () => {
    const at = await beginUpload(owner, bytes.length, { filename: 'sum.bin' })
    const [first, second] = [bytes.subarray(0, 60_000), bytes.subarray(60_000)]
    expect(
      (await patch(owner, at, 0, first, { 'upload-checksum': sumOf('sha1', first) })).status,
    ).toBe(204)
    const wrong = await patch(owner, at, 60_000, second, {
      'upload-checksum': sumOf('sha1', first),
    })
    expect(wrong.status).toBe(460)
    expect(await wrong.json()).toMatchObject({ error: { code: 'checksum_mismatch' } })
    expect(await offsetOf(owner, at)).toBe(60_000)
    expect(
      (await patch(owner, at, 60_000, second, { 'upload-checksum': 'crc32 AAAA' })).status,
    ).toBe(400)
    expect(
      (await patch(owner, at, 60_000, second, { 'upload-checksum': sumOf('sha256', second) }))
        .status,
    ).toBe(204)
  })
  it('is announced', async () => {
    // The protocol asks for it without credentials.
    const response = await fetch(`${app.url}/api/uploads`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('tus-version')).toBe('1.0.0')
    expect(response.headers.get('tus-checksum-algorithm')).toBe('sha1,sha256,md5')
    expect(response.headers.get('tus-extension')!.split(',')).toEqual(
      expect.arrayContaining(['creation', 'termination', 'checksum', 'expiration']),
    )
    expect(response.headers.get('tus-max-size')).toBe(String(5 * 1024 ** 3))
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a batch', () => {
  const send = (id: string, names: readonly string[]) =>
    Promise.all(
      names.map(
        (filename) =>
          sendFile(owner, Buffer.from(filename), { metadata: { filename, batch: id } }).done,
      ),
    )
  it('is one import, which starts on request', async () => {
    const id = await batch({ auto_map: false, notify: false })
    expect((await app.owner.call('POST', `/api/uploads/batches/${id}/start`)).status).toBe(409)
    await send(id, ['b1.txt', 'b2.txt', 'b3.txt'])
    expect(await readBatch(id)).toMatchObject({
      uploading: 0,
      received: 3,
      operation_id: null,
      auto_map: false,
    })
    const starts = await Promise.all(
      [1, 2, 3].map(() => app.owner.call('POST', `/api/uploads/batches/${id}/start`)),
    )
    expect(starts.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(starts.map(({ body }) => body.id)).size).toBe(1)
    expect(await importOf(id)).toMatchObject({ status: 'success', total: 3, done: 3 })
    // Files that arrive later are another import.
    await send(id, ['b4.txt'])
    const later = await app.owner.call('POST', `/api/uploads/batches/${id}/start`)
    expect(later.body.total).toBe(1)
    expect((await readBatch(id)).operation_ids).toEqual([starts[0]!.body.id, later.body.id])
  })
  const resultsOf = async (...uploads: readonly string[]) => {
    const upload_ids = uploads.map((at) => at.split('/').at(-1)!)
    const { body } = await app.owner.call('POST', '/api/uploads/results', { upload_ids })
    return body.data as {
      status: string
      filename: string
      operation_id: string
      error: { code: string } | null
    }[]
  }
  const statusOf = async (at: string) => (await resultsOf(at))[0]!.status
  const isDone = (at: string) => expect.poll(() => statusOf(at)).toBe('done')

  it('imports each file when it has arrived, also during a large upload, as one operation', async () => {
    const id = await batch({ count: 3 })
    const large = await beginUpload(owner, 1000, { filename: 'grow-large.bin', batch: id })
    const one = await beginUpload(owner, 3, { filename: 'grow-1.txt', batch: id })
    expect(await statusOf(one)).toBe('uploading')
    await patch(owner, one, 0, Buffer.from('one'))
    await isDone(one)
    expect(await fileNamed('grow-1.txt')).toBeDefined()
    const { operation_id } = await readBatch(id)
    const running = await app.owner.call('GET', `/api/operations/${operation_id}`)
    expect(running.body).toMatchObject({
      status: 'running',
      total: 1,
      done: 1,
      finished_at: null,
      receiving: true,
      remaining_seconds: null,
    })

    const two = await beginUpload(owner, 3, { filename: 'grow-2.txt', batch: id })
    await patch(owner, two, 0, Buffer.from('two'))
    await isDone(two)
    await patch(owner, large, 0, Buffer.alloc(1000))
    expect(await importOf(id)).toMatchObject({ status: 'success', total: 3, done: 3 })
    expect((await readBatch(id)).operation_ids).toEqual([operation_id])
    expect(await resultsOf(large, two, one)).toMatchObject(
      ['grow-large.bin', 'grow-2.txt', 'grow-1.txt'].map((filename) => ({
        filename,
        status: 'done',
        operation_id,
      })),
    )
    const messages = await app.owner.scope.query<{ kind: string }>(
      `select from notices where shop_id = :shop and operation_id = :operation`,
      { operation: parsePublicId('import', operation_id) },
    )
    expect(messages).toHaveLength(1)
  })
  it('writes its tags, pack and settings to all files, as chosen when each arrives', async () => {
    const files = { tags: ['spring'], pack: 'Spring', product_sku: 'NO-SUCH-SKU', expiry_days: 9 }
    const id = await batch({ count: 2, files })
    expect((await readBatch(id)).files).toEqual(files)
    const [one, two] = await Promise.all([
      beginUpload(owner, 3, { filename: 'all-1.txt', batch: id, tags: 'own' }),
      beginUpload(owner, 3, { filename: 'all-2.txt', batch: id }),
    ])
    await patch(owner, one, 0, Buffer.from('one'))
    await isDone(one)
    const changed = { files: { tags: ['late'], download_limit: null } }
    expect((await app.owner.call('PATCH', `/api/uploads/batches/${id}`, changed)).status).toBe(200)
    await patch(owner, two, 0, Buffer.from('two'))
    await importOf(id)
    const [first, second] = [await fileNamed('all-1.txt'), await fileNamed('all-2.txt')]
    expect(first).toMatchObject({
      tags: ['own', 'spring'],
      expiry_days: 9,
      pack: { name: 'Spring' },
    })
    expect(second).toMatchObject({ tags: ['late'], download_limit: null, pack: null })
    expect(await resultsOf(one, two)).toMatchObject(
      [first, second].map((file) => ({ status: 'done', file_id: file.id, products: [] })),
    )
    const wrong = { files: { tags: [''], pack: '' } }
    expect((await app.owner.call('PATCH', `/api/uploads/batches/${id}`, wrong)).status).toBe(422)
  })
  soakTest(
    'prefers the SKU and the pack in the metadata of a file to those of its batch',
    async () => {
      const id = await batch({ count: 2, files: { pack: 'Common', product_sku: 'NO-SUCH-SKU' } })
      const own = { pack: 'Own', product_sku: 'NO-SUCH-SKU-EITHER' }
      const sent = [
        await beginUpload(owner, 3, { filename: 'stated-1.txt', batch: id, ...own }),
        await beginUpload(owner, 3, { filename: 'stated-2.txt', batch: id }),
      ]
      for (const at of sent) await patch(owner, at, 0, Buffer.from('one'))
      const { id: operation } = await importOf(id)
      const { body } = await app.owner.call('GET', `/api/operations/${operation}/items`)
      expect(body.data).toMatchObject(
        ['stated-1.txt', 'stated-2.txt'].map((filename) => ({
          filename,
          warnings: [{ code: 'sku_not_found' }],
        })),
      )
      expect(await fileNamed('stated-1.txt')).toMatchObject({ pack: { name: 'Own' } })
      expect(await fileNamed('stated-2.txt')).toMatchObject({ pack: { name: 'Common' } })
      const entries = await app.owner.scope.query<{ sku: string }>(
        `select entry #>> '{product_names,skus,0}' as sku from items
       where shop_id = :shop and operation_id = :operation order by position`,
        { operation: parsePublicId('import', operation) },
      )
      expect(entries.map(({ sku }) => sku)).toEqual(['NO-SUCH-SKU-EITHER', 'NO-SUCH-SKU'])
      for (const [field, value] of [
        ['product_sku', 'x'.repeat(256)] as const,
        ['pack', 'a/b'] as const,
      ])
        expect((await create(owner, 3, { filename: 'stated-3.txt', [field]: value })).status).toBe(
          422,
        )
    },
  )
  it('ends on request with the files received, and an idle one is ended minutes later', async () => {
    for (const end of ['told', 'idle']) {
      const id = await batch({ count: 2 })
      const at = await beginUpload(owner, 4, { filename: `end-${end}.txt`, batch: id })
      await patch(owner, at, 0, Buffer.from('left'))
      await isDone(at)
      await sweep()
      const { operation_id } = await readBatch(id)
      expect((await app.owner.call('GET', `/api/operations/${operation_id}`)).body.status).toBe(
        'running',
      )
      if (end === 'told') await app.owner.call('POST', `/api/uploads/batches/${id}/start`)
      else await endAbandoned(id, 6)
      expect(await importOf(id)).toMatchObject({ id: operation_id, status: 'success', total: 1 })
    }
  })
  soakTest('puts files that arrive after its cancel into another import', async () => {
    const id = await batch({ count: 2 })
    const first = await beginUpload(owner, 4, { filename: 'cancel-1.txt', batch: id })
    await patch(owner, first, 0, Buffer.from('left'))
    await isDone(first)
    const { operation_id } = await readBatch(id)
    await app.owner.call('POST', `/api/operations/${operation_id}/cancel`)
    const second = await beginUpload(owner, 4, { filename: 'cancel-2.txt', batch: id })
    await patch(owner, second, 0, Buffer.from('more'))
    await isDone(second)
    const after = await importOf(id)
    expect(after).toMatchObject({ status: 'success', total: 1 })
    expect(after.id).not.toBe(operation_id)
  })
  soakTest('gives a name to the file that was started first, in any order of arrival', async () => {
    const id = await batch({ count: 3 })
    const conflict = { filename: 'twin.txt', batch: id, on_conflict: 'new_version' }
    const first = await beginUpload(owner, 1, conflict)
    const second = await beginUpload(owner, 2, { ...conflict, filename: 'TWIN.txt' })
    const third = await beginUpload(owner, 5, { filename: 'not-twin.txt', batch: id })
    await patch(owner, second, 0, Buffer.alloc(2))
    await patch(owner, third, 0, Buffer.alloc(5))
    await isDone(third)
    expect(await statusOf(second)).toBe('received')
    await patch(owner, first, 0, Buffer.alloc(1))
    expect(await importOf(id)).toMatchObject({ status: 'success', done: 3 })
    expect(await fileNamed('twin.txt')).toMatchObject({ version: 2, size_bytes: 2 })
  })
  soakTest('ends automatically with the last announced file', async () => {
    const id = await batch({ count: 8 })
    await send(
      id,
      Array.from({ length: 8 }, (_, n) => `own-${n}.txt`),
    )
    expect(await importOf(id)).toMatchObject({ total: 8, done: 8 })
  })
  soakTest('can be retried after failures: the bytes are kept', async () => {
    const id = await batch({ count: 2 })
    const at = await beginUpload(owner, 4, { filename: 'late.txt', batch: id })
    const again = await beginUpload(owner, 5, { filename: 'late.txt', batch: id })
    await patch(owner, at, 0, Buffer.from('late'))
    await patch(owner, again, 0, Buffer.from('again'))
    const operation = await importOf(id)
    expect(operation).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    await sweep()
    const file = await fileNamed('late.txt')
    await app.owner.call('POST', '/api/operations', {
      action: 'delete-files',
      select: { file_ids: [file.id] },
    })
    await expect.poll(() => fileNamed('late.txt')).toBeUndefined()
    await app.owner.call('POST', `/api/operations/${operation.id}/retry`)
    await expect.poll(async () => (await importOf(id)).status).toBe('success')
    // The other one of the two files: the first file to end had got the name.
    expect(await fileNamed('late.txt')).toMatchObject({ size_bytes: 4 + 5 - file.size_bytes })
  })
})

describe('the sweep', () => {
  const age = async (at: string, hours: number) => {
    const id = rowOf(at)
    await app.owner.scope.query(
      `update uploads set expires_at = now() - interval '1 hour',
         received_at = received_at - :hours * interval '1 hour'
       where shop_id = :shop and id = :id`,
      { id, hours },
    )
    const then = new Date(Date.now() - hours * 3_600_000)
    for (const place of ['incoming', 'received'])
      await utimes(path.join(app.engine.folder, 'uploads', place, id), then, then).catch(() => {})
  }
  soakTest('continues after an upload that fails each time', async () => {
    const at = await beginUpload(owner, 100, { filename: 'unreadable.bin' })
    await age(at, 26)
    const next = await beginUpload(owner, 100, { filename: 'expired.bin' })
    await age(next, 25)
    const { stat } = openUploadFolder(path.join(app.engine.folder, 'uploads'))
    const failing = (id: string) => (id === rowOf(at) ? Promise.reject(new Error('EIO')) : stat(id))
    await sweep({ stat: failing })
    expect((await tus(owner, 'HEAD', next)).status).toBe(404)
    await sweep()
    expect((await tus(owner, 'HEAD', at)).status).toBe(404)
  })
  it('deletes uploads that were unfinished for a day, and logs them', async () => {
    const at = await beginUpload(owner, 100, { filename: 'old.bin' })
    await patch(owner, at, 0, Buffer.alloc(50))
    await age(at, 25)
    const gone = await patch(owner, at, 50, Buffer.alloc(50))
    expect(gone.status).toBe(410)
    expect(await gone.json()).toMatchObject({ error: { code: 'upload_expired' } })
    expect(await sweep()).toBe(1)
    expect(await incoming()).not.toContain(rowOf(at))
    expect((await tus(owner, 'HEAD', at)).status).toBe(404)
  })
  it('keeps uploads that still receive bytes', async () => {
    const at = await beginUpload(owner, 100, { filename: 'slow.bin' })
    await age(at, 0)
    expect(await sweep()).toBe(0)
    expect((await patch(owner, at, 0, Buffer.alloc(50))).status).toBe(204)
  })
  it('never deletes a finished one: an abandoned batch imports what has arrived', async () => {
    const id = await batch({ count: 2 })
    const at = await beginUpload(owner, 4, { filename: 'left.txt', batch: id })
    await patch(owner, at, 0, Buffer.from('left'))
    await age(at, 25)
    await sweep()
    await endAbandoned(id, 6)
    expect(await importOf(id)).toMatchObject({ status: 'success', total: 1 })
  })
  soakTest(
    'ends the import of a closed page after minutes; what follows is imported too',
    async () => {
      const id = await batch({ count: 2 })
      const first = await beginUpload(owner, 4, { filename: 'idle-1.txt', batch: id })
      const second = await beginUpload(owner, 4, { filename: 'idle-2.txt', batch: id })
      await patch(owner, first, 0, Buffer.from('left'))
      const { operation_id } = await readBatch(id)
      const isOpen = async () =>
        (await app.owner.call('GET', `/api/operations/${operation_id}`)).body.receiving
      // A page that is open but paused asks for the batch.
      await endAbandoned(id, 4)
      await ageBatch(id, 20)
      await readBatch(id)
      await endAbandoned(id, 4)
      expect(await isOpen()).toBe(true)
      // Bytes count as well, also those of a slow request.
      await ageBatch(id, 20)
      await patch(owner, second, 0, Buffer.from('la'))
      await expect.poll(() => seenAgo(id)).toBeLessThan(60)
      await endAbandoned(id, 4)
      expect(await isOpen()).toBe(true)
      await endAbandoned(id, 6)
      expect(await untilEnded(app.owner, operation_id)).toMatchObject({
        status: 'success',
        total: 1,
      })
      await patch(owner, second, 2, Buffer.from('te'))
      expect(await importOf(id)).toMatchObject({ status: 'success', total: 1 })
      expect(await fileNamed('idle-2.txt')).toMatchObject({ size_bytes: 4 })
    },
  )
  it('deletes files without a row, and no others', async () => {
    const folder = openUploadFolder(path.join(app.engine.folder, 'uploads'))
    const [stray, young] = [
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ]
    await folder.create(stray!)
    await folder.create(young!)
    await utimes(folder.incoming(stray!), 1, 1)
    await sweep()
    expect(await incoming()).toContain(young)
    expect(await incoming()).not.toContain(stray)
    await folder.remove(young!)
  })
})

describe('a full disk', () => {
  it('is reported when an upload is created, and leaves nothing behind', async () => {
    const { pool } = app.engine.parts.database
    await pool.query(`create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
    await pool.query(
      'create trigger no_room before insert on uploads for each row execute function no_room()',
    )
    const response = await create(owner, 10, { filename: 'no-room.pdf' })
    expect([
      response.status,
      ((await response.json()) as { error: { code: string } }).error.code,
    ]).toEqual([507, 'storage_full'])
    await pool.query('drop function no_room cascade')
    expect((await create(owner, 10, { filename: 'no-room.pdf' })).status).toBe(201)
  })
})
