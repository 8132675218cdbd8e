// The main job, end to end, on the real server: import, map and deliver.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from './catalog.ts'
import { importUntilEnd, listAll, type ImportReply } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'
import { someOf } from '../scale.ts'

let server: RunningServer
let origin: Origin

beforeAll(async () => {
  ;[server, origin] = await Promise.all([startLocalServer(), startOrigin()])
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await removeDataDir(server.dataDir)
})

const post = async (body: unknown, headers?: Record<string, string>) => {
  const response = await server.call('POST', '/api/files/import', body, headers)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as ImportReply,
  }
}

describe('an import of 200 files with SKUs', () => {
  const skus = uniqueSkus()
  const files = Array.from({ length: 200 }, (_, n) => ({
    filename: `Manual ${n}.pdf`,
    path: `/bytes/${2000 + n}/manual-${n}`,
    product_sku: skus[n % skus.length]!,
    tags: ['manual', `part-${n % 3}`],
  }))
  let reply: ImportReply

  beforeAll(async () => {
    const entries = files.map(({ path, ...file }) => ({ ...file, url: origin.url + path }))
    const answer = await post({ files: entries })
    expect(answer.status).toBe(200)
    reply = answer.body
  })

  test('succeeds completely, with every file mapped', () => {
    expect(reply).toMatchObject({ status: 'success', imported: 200, failed: 0 })
    expect(reply.job_id).toMatch(/^import_[0-9a-f]{32}$/)
    expect(reply.files.map(({ filename }) => filename)).toEqual(
      files.map(({ filename }) => filename),
    )
    expect(
      reply.files.filter((file) => file.status !== 'imported' || !file.product_mapped),
    ).toEqual([])
    expect(new Set(reply.files.map(({ file_id }) => file_id)).size).toBe(200)
  })

  test('serves exactly the imported bytes', async () => {
    for (const n of [0, 99, 199]) {
      const response = await server.call('GET', `/api/files/${reply.files[n]!.file_id}/content`)
      expect(
        Buffer.from(await response.arrayBuffer()).equals(contentOf(2000 + n, `manual-${n}`)),
      ).toBe(true)
      expect(response.headers.get('content-disposition')).toContain('attachment')
    }
  })

  test('is listed, filtered, sorted and paged', async () => {
    const all = await listAll(server, '/api/files?sort=filename&limit=37')
    expect(all.length).toBe(200)
    const names = all.map(({ filename }) => filename!)
    expect(names).toEqual([...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
    expect((await listAll(server, '/api/files?tags=manual,part-1')).length).toBe(67)
    expect((await listAll(server, '/api/files?search=MANUAL%2019')).length).toBe(11)
    expect((await listAll(server, '/api/files?mapped=false')).length).toBe(0)
    const one = (await (
      await server.call('GET', `/api/files/${reply.files[5]!.file_id}`)
    ).json()) as object
    expect(one).toMatchObject({
      filename: 'Manual 5.pdf',
      size_bytes: 2005,
      expiry_days: 60,
      download_limit: 5,
      version: 1,
    })
  })

  test('can be read back as a job, file by file, and creates a notice', async () => {
    const job = (await (await server.call('GET', `/api/jobs/${reply.job_id}`)).json()) as object
    expect(job).toMatchObject({
      id: reply.job_id,
      kind: 'import',
      status: 'success',
      total: 200,
      done: 200,
      percentage: 100,
    })
    const items = await listAll(server, `/api/operations/${reply.job_id}/items?limit=250`)
    expect(items.filter(({ status }) => status === 'done').length).toBe(200)
    const notices = (await (await server.call('GET', '/api/notices')).json()) as {
      data: object[]
      unread: number
    }
    expect(notices.unread).toBeGreaterThan(0)
    expect(notices.data[0]).toMatchObject({
      title: 'Import of “Manual 0.pdf and 199 more” complete',
      operation_id: reply.job_id,
    })
  })

  test('delivers through a link twice, and then gives the reason for refusing', async () => {
    const made = await server.call('POST', '/api/links', {
      file_ids: [reply.files[7]!.file_id],
      download_limit: 2,
    })
    expect(made.status).toBe(201)
    const { data } = (await made.json()) as { data: { url: string }[] }
    const { url } = data[0]!
    for (let n = 0; n < 2; n++) {
      const response = await fetch(url)
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer()).equals(contentOf(2007, 'manual-7'))).toBe(
        true,
      )
    }
    const refused = await fetch(url, { headers: { accept: 'text/html' } })
    expect(refused.status).toBe(410)
    expect(await refused.text()).toContain('Harbour Press')
    const links = await listAll(server, `/api/links?file_id=${reply.files[7]!.file_id}`)
    expect(links).toMatchObject([{ downloads: 2, status: 'exhausted' }])
  })
})

describe('bad input', () => {
  test('every problem of every entry is named together, and nothing is imported', async () => {
    const answer = await post({
      files: [
        { filename: 'ok.pdf', url: `${origin.url}/bytes/1/ok` },
        { filename: '../etc/passwd', url: 'ftp://example.com/x', expiry_days: 0, tags: ['a;b'] },
        { url: 'https://user:secret@example.com/x', colour: 'red' },
      ],
      notify: 'yes',
    })
    expect(answer.status).toBe(422)
    expect((answer.body as unknown as { error: { details: object[] } }).error.details).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ index: 1, param: 'filename', code: 'invalid_filename' }),
        expect.objectContaining({ index: 1, param: 'url', code: 'invalid_url' }),
        expect.objectContaining({ index: 1, param: 'expiry_days', code: 'out_of_range' }),
        expect.objectContaining({ index: 1, param: 'tags', code: 'invalid_tag' }),
        expect.objectContaining({ index: 2, param: 'filename', code: 'required' }),
        expect.objectContaining({ index: 2, param: 'url', code: 'invalid_url' }),
        expect.objectContaining({ index: 2, param: 'colour', code: 'unknown_field' }),
        expect.objectContaining({ param: 'notify', code: 'invalid_type' }),
      ]),
    )
    expect(await listAll(server, '/api/files?search=ok.pdf')).toEqual([])
  })

  test('an origin that misbehaves fails only its own entry', async () => {
    const all = {
      'forbidden.bin': '/status/403',
      'missing.bin': '/status/404',
      'private.bin': '/redirect?to=http://10.0.0.1/x',
      'metadata.bin': '/redirect?to=http://169.254.169.254/latest/meta-data/',
      'short.bin': '/short/5000/1200',
      'long.bin': '/long/100/900',
      'huge.bin': '/huge',
    }
    // A body that ends too early is fetched again, after a wait.
    const bad = someOf(Object.entries(all), ([filename]) => filename !== 'short.bin')
    const files = [
      ...bad.map(([filename, path]) => ({ filename, url: origin.url + path })),
      ...['good-1.bin', 'good-2.bin'].map((filename) => ({
        filename,
        url: `${origin.url}/bytes/5000/${filename}`,
      })),
    ]
    const answer = await importUntilEnd(server, { files })
    expect(answer).toMatchObject({ status: 'partial', imported: 2, failed: bad.length })
    for (const file of answer.files.slice(0, bad.length - 1))
      expect(file).toMatchObject({
        status: 'failed',
        error: { code: 'url_not_accessible', message: 'File URL not accessible' },
      })
    expect(answer.files[bad.length - 1]).toMatchObject({
      status: 'failed',
      error: { code: 'file_too_large' },
    })
  })

  test('a taken name is refused, renamed, or becomes a new version, as requested', async () => {
    const entry = (seed: string) => ({
      files: [{ filename: 'Taken.txt', url: `${origin.url}/bytes/300/${seed}` }],
    })
    const first = await post(entry('one'))
    expect(first.body.files[0]).toMatchObject({ status: 'imported' })
    expect((await post(entry('two'))).body.files[0]).toMatchObject({
      status: 'failed',
      error: { code: 'duplicate_filename', message: 'Duplicate filename' },
    })
    expect((await post({ ...entry('two'), on_conflict: 'rename' })).body.files[0]).toMatchObject({
      filename: 'Taken (2).txt',
    })
    const renewed = (await post({ ...entry('three'), on_conflict: 'new_version' })).body.files[0]!
    expect(renewed.file_id).toBe(first.body.files[0]!.file_id)
    const bytes = await (
      await server.call('GET', `/api/files/${renewed.file_id}/content`)
    ).arrayBuffer()
    expect(Buffer.from(bytes).equals(contentOf(300, 'three'))).toBe(true)
  })

  test('an unknown SKU imports the file unmapped, with a warning', async () => {
    const { body } = await post({
      files: [
        { filename: 'lost.pdf', url: `${origin.url}/bytes/9/lost`, product_sku: 'NO-SUCH-SKU' },
      ],
    })
    expect(body.files[0]).toMatchObject({
      status: 'imported',
      product_mapped: false,
      warnings: [{ code: 'sku_not_found', message: 'Product SKU not found' }],
    })
  })
})

test('ten identical concurrent requests with one Idempotency-Key create one job', async () => {
  const body = { files: [{ filename: 'once.bin', url: `${origin.url}/bytes/777/once` }] }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(body, { 'idempotency-key': 'once-1' })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(answers[0]!.body.files[0]).toMatchObject({ status: 'imported' })
  expect((await listAll(server, '/api/files?search=once.bin')).length).toBe(1)
  const other = await post(
    { files: [{ ...body.files[0]!, filename: 'twice.bin' }] },
    { 'idempotency-key': 'once-1' },
  )
  expect(other.status).toBe(409)
})

test('respond-async returns immediately, and the job ends without the client', async () => {
  const files = [{ filename: 'later.bin', url: `${origin.url}/bytes/500/later` }]
  const answer = await post({ files }, { prefer: 'respond-async' })
  expect(answer.status).toBe(202)
  expect(answer.body.status).toBe('processing')
  expect(answer.headers.get('location')).toBe(`/api/jobs/${answer.body.job_id}`)
  expect(await importUntilEnd(server, null, answer.body.job_id)).toMatchObject({
    status: 'success',
  })
})
