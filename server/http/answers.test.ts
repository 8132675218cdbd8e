// How the API sends JSON: compressed, and without a body if the client already has the same
// response.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { insertManyFiles } from '../../test/factories.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  await insertManyFiles(app.engine.parts.database.pool, { shop: app.owner.scope.shop, count: 50 })
})
afterAll(() => app.close())

interface Raw {
  status: number
  headers: NodeJS.Dict<string | string[]>
  bytes: Buffer
}

/** The raw bytes of the response: fetch would decompress them. */
const get = (route: string, headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${app.owner.key}`, ...headers }
    const sent = request(app.url + route, { headers: all }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    sent.once('error', reject).end()
  })

it('is compressed as the client accepts, with the headers for it', async () => {
  const plain = await get('/api/files?limit=50')
  expect(plain.headers['content-encoding']).toBeUndefined()
  const gzip = await get('/api/files?limit=50', { 'accept-encoding': 'gzip' })
  const br = await get('/api/files?limit=50', { 'accept-encoding': 'gzip, br' })
  expect([gzip.headers['content-encoding'], br.headers['content-encoding']]).toEqual(['gzip', 'br'])
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes)
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes)
  expect(br.bytes.length).toBeLessThan(plain.bytes.length / 5)
  for (const { headers } of [plain, gzip, br]) {
    expect(headers.vary).toContain('Accept-Encoding')
    expect(headers['cache-control']).toBe('no-store')
  }
})

it('is not sent again to a client that names its ETag, until it changes', async () => {
  const first = await get('/api/files?limit=50', { 'accept-encoding': 'br' })
  const again = () => get('/api/files?limit=50', { 'if-none-match': String(first.headers.etag) })
  const same = await again()
  expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, first.headers.etag])
  const [{ id }] = (
    JSON.parse(brotliDecompressSync(first.bytes).toString()) as { data: [{ id: string }] }
  ).data
  expect((await app.owner.call('PATCH', `/api/files/${id}`, { tags: ['changed'] })).status).toBe(
    200,
  )
  expect((await again()).status).toBe(200)
})

it('counts new notices in a small response', async () => {
  const { status, bytes } = await get('/api/activity')
  expect([status, JSON.parse(bytes.toString())]).toEqual([
    200,
    { unread: 0, reviews: 0, running: false, latest_operation: null },
  ])
})

it('names an import after its first file, so that several can be distinguished', async () => {
  const label = async (...names: string[]) => {
    const files = names.map((filename) => ({ filename, url: 'https://files.example/bytes' }))
    const { body } = await app.owner.call(
      'POST',
      '/api/files/import',
      { files },
      { prefer: 'respond-async' },
    )
    return (
      (await app.owner.call('GET', `/api/operations/${body.job_id}`)).body as { label: string }
    ).label
  }
  expect(await label('Tide tables.pdf')).toBe('Tide tables.pdf')
  expect(await label('Chart 1.pdf', 'Chart 2.pdf', 'Chart 3.pdf')).toBe('Chart 1.pdf and 2 more')
})
