import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakDescribe, soakTest } from '../../../../test/scale.ts'
import { z } from 'zod'
import { definePlugin, type Outcome, type Workflow } from '../../../../plugins/contract/index.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../../../../test/app.ts'
import { contentOf } from '../../../../test/fakes/content.ts'
import { startOrigin, type Origin } from '../../../../test/fakes/origin.ts'
import { startGatedOrigin } from '../../../../test/flows/gated-origin.ts'
import { beginUpload, patch, sendFile } from '../../../../test/uploads.ts'
import type { EngineWorker } from '../../../engine/worker.ts'

/** Changes bytes and extension like a conversion, and does not keep the previous version. */
const toWebp = definePlugin({
  id: 'to-webp',
  kind: 'optimize',
  title: 'To WebP',
  options: z.strictObject({ drop: z.boolean().default(true).meta({ title: 'Drop' }) }),
  undo: 'fields',
  needs: ['stage'],
  bytes: true,
  async *plan(items) {
    for (const item of items) yield { item: item.id, status: 'ok' }
  },
  async *run(items, { drop }, context): AsyncGenerator<Outcome> {
    for (const { id, file } of items) {
      const bytes = await context.stage.write(
        Readable.from([Buffer.from('webp')]),
        null,
        context.signal,
      )
      const filename = file.filename.replace(/\.\w+$/, '.webp')
      yield { item: id, status: 'ok', bytes, change: { set: { filename } }, drop_previous: drop }
    }
  },
})

const toWebpWorkflow: Workflow = {
  id: 'to-webp',
  title: 'To WebP',
  action: 'to-webp',
  kind: 'bulk',
  parallel: 1,
  steps: [{ id: 'act', plugin: 'to-webp' }],
}

let app: TestApp
let worker: EngineWorker
let origin: Origin
let owner: Client
let batch = 0
beforeAll(async () => {
  ;[app, origin] = await Promise.all([
    openTestApp({ plugins: [toWebp], workflows: [toWebpWorkflow] }),
    startOrigin(),
  ])
  worker = await app.engine.startWorker()
  owner = app.owner
})
afterAll(async () => {
  await worker.stop()
  await app.close()
  await origin.close()
})
beforeEach(() => void batch++)

const at = (seed: string) => `${origin.url}/bytes/100/${seed}`
async function imported(name: string, seed = name): Promise<string> {
  const files = [{ filename: `${batch}-${name}`, url: at(seed) }]
  const { body } = await owner.call('POST', '/api/files/import', { files })
  return body.files[0].file_id as string
}
const read = async (id: string) => (await owner.call('GET', `/api/files/${id}`)).body
const versions = async (id: string) =>
  (await owner.call('GET', `/api/files/${id}/versions`)).body.data
const replace = (id: string, body: object) => owner.call('POST', `/api/files/${id}/versions`, body)
const restore = (id: string, n: number | string) =>
  owner.call('POST', `/api/files/${id}/versions/${n}/restore`)
async function bytesOf(route: string, headers: Record<string, string> = {}) {
  const response = await fetch(app.url + route, {
    headers: { authorization: `Bearer ${owner.key}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}
async function convert(id: string, options: object = {}) {
  const { body } = await owner.call('POST', '/api/operations', {
    action: 'to-webp',
    options,
    select: { file_ids: [id] },
  })
  return untilEnded(owner, body.id)
}

describe('a replaced file', () => {
  it('from a URL has one more version; its links and products stay, and each version can be downloaded', async () => {
    const id = await imported('guide.pdf', 'one')
    const link = (await owner.call('POST', '/api/links', { file_ids: [id] })).body.data[0]
    const before = await read(id)
    const reply = await replace(id, { url: at('two') })
    expect([reply.status, reply.body]).toMatchObject([
      200,
      {
        status: 'success',
        imported: 1,
        files: [{ filename: `${batch}-guide.pdf`, file_id: id, status: 'imported' }],
      },
    ])
    const sha256 = createHash('sha256').update(contentOf(100, 'two')).digest('hex')
    const now = { version: 2, sha256, updated_at: expect.any(String) }
    expect(await read(id)).toEqual({ ...before, ...now })
    expect(await versions(id)).toMatchObject([
      {
        number: 2,
        current: true,
        filename: `${batch}-guide.pdf`,
        size_bytes: 100,
        location: 'primary',
        expires_at: null,
      },
      {
        number: 1,
        current: false,
        content_type: 'application/pdf',
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    const key = new URL(link.url).searchParams.get('key')
    expect((await bytesOf(`/download?key=${key}`)).bytes).toEqual(contentOf(100, 'two'))
    expect((await bytesOf(`/api/files/${id}/content`)).bytes).toEqual(contentOf(100, 'two'))
    expect((await bytesOf(`/api/files/${id}/versions/1/content`)).bytes).toEqual(
      contentOf(100, 'one'),
    )
    const part = await bytesOf(`/api/files/${id}/versions/2/content`, { range: 'bytes=10-19' })
    expect([part.status, part.bytes]).toEqual([206, contentOf(100, 'two').subarray(10, 20)])
    expect(part.headers.get('content-disposition')).toContain(`${batch}-guide.pdf`)
  })
  soakTest(
    'is found under its current name; a file deleted meanwhile is not created again',
    async () => {
      const id = await imported('plan.pdf', 'one')
      const gate = await startGatedOrigin()
      const send = async (change: () => Promise<unknown>) => {
        const url = gate.file(100, 'two')
        const later = await owner.call(
          'POST',
          `/api/files/${id}/versions`,
          { url },
          { prefer: 'respond-async' },
        )
        await expect.poll(() => gate.waiting).toBe(1)
        await change()
        gate.admit(1)
        await untilEnded(owner, later.body.job_id)
        return (await owner.call('GET', `/api/operations/${later.body.job_id}/items`)).body.data[0]
      }
      const renamed = `${batch}-renamed.pdf`
      const item = await send(() => owner.call('PATCH', `/api/files/${id}`, { filename: renamed }))
      expect(item).toMatchObject({ status: 'done', file_id: id })
      expect(await read(id)).toMatchObject({ filename: renamed, version: 2 })
      const gone = await send(() =>
        owner.call('POST', '/api/files/bulk-delete', { file_ids: [id], permanent: true }),
      )
      expect(gone).toMatchObject({ status: 'failed', error: { code: 'file_not_found' } })
      expect((await owner.call('GET', `/api/files?search=${batch}-`)).body.data).toEqual([])
      await gate.close()
    },
  )
  soakTest(
    'responds like an import: later if the client does not wait, and with its errors',
    async () => {
      const id = await imported('a.pdf')
      const later = await owner.call(
        'POST',
        `/api/files/${id}/versions`,
        { url: at('b') },
        { prefer: 'respond-async' },
      )
      expect(later).toMatchObject({
        status: 202,
        body: { job_id: expect.stringMatching(/^import_/) },
      })
      expect(later.headers.get('location')).toBe(`/api/jobs/${later.body.job_id}`)
      expect(await untilEnded(owner, later.body.job_id)).toMatchObject({ status: 'success' })
      const failed = await replace(id, { url: `${origin.url}/status/404` })
      expect(failed.body).toMatchObject({
        status: 'failed',
        failed: 1,
        files: [{ error: { code: 'url_not_accessible' } }],
      })
      expect((await read(id)).version).toBe(2)
    },
  )
  soakTest('with an upload that waits in its batch', async () => {
    const id = await imported('upload.pdf')
    const bytes = contentOf(3000, 'uploaded')
    const batchId = (await owner.call('POST', '/api/uploads/batches', {})).body.id as string
    const sender = { url: app.url, key: owner.key }
    const metadata = { filename: 'whatever.pdf', batch: batchId }
    const url = await sendFile(sender, bytes, { metadata }).done
    const upload_id = url.split('/').at(-1)
    expect(await replace(id, { upload_id })).toMatchObject({
      status: 200,
      body: { imported: 1, files: [{ file_id: id, filename: `${batch}-upload.pdf` }] },
    })
    expect((await bytesOf(`/api/files/${id}/content`)).bytes).toEqual(bytes)
    expect(await replace(id, { upload_id })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
    const half = (await beginUpload(sender, 10, { filename: 'half.pdf', batch: batchId }))
      .split('/')
      .at(-1)
    await patch(sender, `/api/uploads/${half}`, 0, Buffer.alloc(5))
    expect(await replace(id, { upload_id: half })).toMatchObject({
      status: 409,
      body: { error: { message: 'This upload is not complete yet' } },
    })
    for (const unknown of ['upload_0199999900007000800000000000000a', 'mine'])
      expect(await replace(id, { upload_id: unknown })).toMatchObject({
        status: 422,
        body: { error: { details: [{ param: 'upload_id', code: 'not_found' }] } },
      })
  })
  it('requires one source, an existing file, and the scope', async () => {
    const id = await imported('s.pdf')
    for (const body of [
      {},
      { url: at('x'), upload_id: 'y' },
      { url: 'ftp://example.com/a' },
      { url: at('x'), more: 1 },
    ])
      expect((await replace(id, body)).status).toBe(422)
    expect((await replace('file_0199999900007000800000000000000a', { url: at('x') })).status).toBe(
      404,
    )
    const reader = await app.clientWith(['files:read', 'files:write'])
    expect((await reader.call('POST', `/api/files/${id}/versions`, { url: at('x') })).status).toBe(
      403,
    )
  })
})

soakDescribe('the list of versions', () => {
  it('is read page by page', async () => {
    const id = await imported('paged.pdf', 'one')
    for (const seed of ['two', 'three']) await replace(id, { url: at(seed) })
    const first = await owner.call('GET', `/api/files/${id}/versions?limit=2`)
    expect(first.body).toMatchObject({
      data: [{ number: 3 }, { number: 2 }],
      next_cursor: expect.any(String),
    })
    const { body } = await owner.call(
      'GET',
      `/api/files/${id}/versions?limit=2&cursor=${first.body.next_cursor}`,
    )
    expect(body).toMatchObject({ data: [{ number: 1 }], next_cursor: null })
  })
})

describe('restoring a version', () => {
  it('restores its bytes and size, under the file’s current name', async () => {
    const id = await imported('guide.pdf', 'one')
    await replace(id, { url: `${origin.url}/bytes/7/two` })
    await owner.call('PATCH', `/api/files/${id}`, { filename: `${batch}-manual.pdf` })
    const { status, body } = await restore(id, 1)
    expect([status, body]).toMatchObject([
      200,
      { id, filename: `${batch}-manual.pdf`, version: 1, size_bytes: 100 },
    ])
    const route = `/api/files/${id}/content`
    const back = await bytesOf(route)
    expect(back.bytes).toEqual(contentOf(100, 'one'))
    const since = new Date(Date.parse((await versions(id))[0].created_at as string)).toUTCString()
    expect(Date.parse(back.headers.get('last-modified')!)).toBeGreaterThanOrEqual(Date.parse(since))
    expect((await restore(id, 2)).body).toMatchObject({ version: 2, size_bytes: 7 })
    expect((await restore(id, 2)).body).toMatchObject({ version: 2 })
  })
  soakTest(
    'restores the extension that a conversion changed, and keeps the version that was to be deleted',
    async () => {
      const id = await imported('Cover.JPG')
      expect(await convert(id)).toMatchObject({ status: 'success' })
      expect(await read(id)).toMatchObject({
        filename: `${batch}-Cover.webp`,
        content_type: 'image/webp',
        version: 2,
      })
      expect((await versions(id))[1]).toMatchObject({
        filename: `${batch}-Cover.JPG`,
        expires_at: expect.any(String),
      })
      await owner.call('PATCH', `/api/files/${id}`, { filename: `${batch}-Front.webp` })
      expect((await restore(id, 1)).body).toMatchObject({
        filename: `${batch}-Front.JPG`,
        content_type: 'image/jpeg',
        size_bytes: 100,
        version: 1,
      })
      expect(
        (await versions(id)).map(({ expires_at }: { expires_at: string }) => expires_at),
      ).toEqual([null, null])
    },
  )
  soakTest('by an undo keeps the version too', async () => {
    const id = await imported('undo.jpg')
    const { id: operation } = await convert(id)
    const undo = await owner.call('POST', `/api/operations/${operation}/undo`)
    expect(await untilEnded(owner, undo.body.id)).toMatchObject({ status: 'success', done: 1 })
    expect(await read(id)).toMatchObject({ filename: `${batch}-undo.jpg`, version: 1 })
    expect(await versions(id)).toMatchObject([
      { number: 2 },
      { number: 1, current: true, expires_at: null },
    ])
  })
  soakTest('is refused if another file has the name by now', async () => {
    const id = await imported('taken.jpg')
    await convert(id)
    await imported('taken.jpg', 'other')
    expect(await restore(id, 1)).toMatchObject({
      status: 409,
      body: { error: { code: 'duplicate_filename' } },
    })
    expect(await read(id)).toMatchObject({ filename: `${batch}-taken.webp`, version: 2 })
    expect((await versions(id))[1].expires_at).not.toBeNull()
  })
  it('that does not exist is 404, and so is any of another shop or of a file in the trash', async () => {
    const id = await imported('none.pdf')
    for (const n of [2, 0, -1, '1.5', 'x', 99999999999])
      expect((await restore(id, n)).status).toBe(404)
    expect((await bytesOf(`/api/files/${id}/versions/2/content`)).status).toBe(404)
    const stranger = await app.stranger(`stranger-${batch}.myshopify.com`)
    expect((await stranger.call('POST', `/api/files/${id}/versions/1/restore`)).status).toBe(404)
    expect((await stranger.call('GET', `/api/files/${id}/versions/1/content`)).status).toBe(404)
    await owner.call('POST', '/api/files/bulk-delete', { file_ids: [id] })
    expect((await restore(id, 1)).status).toBe(404)
    expect((await owner.call('GET', `/api/files/${id}/versions`)).status).toBe(404)
  })
})
