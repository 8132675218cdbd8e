// Downloads through a real nginx, configured as docs/operators.md says: nginx sends the bytes, and
// everything else is the same as without it.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, openDepot, pressed, visit, type Answer, type Depot } from '../delivery.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { findNginx, startNginx, type Nginx } from '../nginx.ts'
import { soakTest } from '../scale.ts'

const run = promisify(execFile)
const SMALL = randomBytes(1000)
const LARGE = randomBytes(3_000_000)
const LOCATION = '/blobs'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let nginx: Nginx
/** Ports: through nginx, the server that nginx uses, and a server without nginx. */
let port: number
let behind: number
let plain: number
beforeAll(async () => {
  const program = findNginx()
  if (program === null) throw new Error('Install nginx (Debian: nginx-light)')
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  behind = await depot.serve({ trustProxy: true, accel: { location: 'primary', prefix: LOCATION } })
  plain = await depot.serve()
  const folder = path.join(depot.folder, 'nginx')
  nginx = await startNginx({
    nginx: program,
    folder,
    upstream: behind,
    location: LOCATION,
    blobs: depot.folder,
  })
  port = nginx.port
})
afterAll(async () => {
  await nginx.stop()
  await depot.close()
  await database.drop()
})

/** The response headers about the file, without those about the server itself. */
function told({ status, headers }: Answer): object {
  const rest: Record<string, unknown> = { status, ...headers }
  for (const name of ['date', 'server', 'connection', 'keep-alive']) delete rest[name]
  // A partial answer implies Accept-Ranges, so nginx does not add it.
  if (status === 206) delete rest['accept-ranges']
  return rest
}

test('responses equal those without nginx, header by header, and nginx sends the bytes', async () => {
  for (const bytes of [SMALL, LARGE]) {
    const { key, id } = await depot.addLink(
      bytes,
      {},
      { filename: 'café.html', content_type: 'text/html' },
    )
    const [through, direct] = [await get(port, key), await get(plain, key)]
    expect(told(through)).toEqual(told(direct))
    expect(through.body.equals(bytes)).toBe(true)
    expect((await depot.downloads(id)).downloads).toBe(2)
    const handed = await get(behind, key)
    expect(handed.headers['x-accel-redirect']).toMatch(/^\/blobs\/\d+\/[0-9a-f]{64}$/)
    expect(handed.body.length).toBe(0)
  }
  const open = await depot.addPublic(LARGE)
  expect(told(await visit(port, open.path))).toEqual(told(await visit(plain, open.path)))
  expect(await depot.publicDownloads(open.file)).toBe(2)
})

soakTest('a button leads through nginx, which sends the bytes', async () => {
  const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
  const address = await pressed(port, `/download?key=${key}&page=1`)
  expect((await visit(port, address)).body.equals(LARGE)).toBe(true)
  expect((await depot.downloads(id)).downloads).toBe(1)
  const asking = await depot.addLink(LARGE, { email: 'ada@example.com', ask_for: 'email' })
  const form = `key=${asking.key}&answer=ada@example.com`
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const { headers } = await visit(port, '/download/open', type, 'POST', form)
  const open = await pressed(
    port,
    new URL(headers.location!, 'http://a/download/open').href.slice(8),
  )
  expect((await visit(port, open)).body.equals(LARGE)).toBe(true)
  const handed = await visit(behind, open)
  expect(handed.headers['x-accel-redirect']).toBeDefined()
})

test('blobs are only reachable through the server', async () => {
  const { key, id } = await depot.addLink(SMALL)
  const handed = await get(behind, key)
  expect((await visit(port, handed.headers['x-accel-redirect'] as string)).status).toBe(404)
  expect((await depot.downloads(id)).downloads).toBe(1)
})

soakTest('ranges and conditional requests behave as without nginx', async () => {
  const { key } = await depot.addLink(LARGE)
  const { headers } = await get(plain, key)
  const asked: Record<string, string>[] = [
    { range: 'bytes=0-99' },
    { range: 'bytes=0-' },
    { range: 'bytes=100-199' },
    { range: 'bytes=-7' },
    { range: 'bytes=-9000000' },
    { range: 'bytes=2999999-9999999' },
    { range: 'bytes=3000000-' },
    { range: 'bytes=9-3' },
    { range: 'bytes=0-1,5-6' },
    { range: 'lines=1-2' },
    { range: 'bytes=5-9', 'if-range': headers.etag! },
    { range: 'bytes=0-9', 'if-range': headers.etag! },
    { range: 'bytes=0-9', 'if-range': headers['last-modified']! },
    { range: 'bytes=0-9', 'if-range': '"other"' },
    { 'if-none-match': headers.etag! },
    { 'if-none-match': '"other"' },
    { 'if-match': headers.etag! },
    { 'if-match': '"other"' },
    { 'if-modified-since': headers['last-modified']! },
    { 'if-modified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' },
    { 'if-unmodified-since': headers['last-modified']! },
  ]
  for (const headers of asked) {
    const [through, direct] = [await get(port, key, headers), await get(plain, key, headers)]
    expect([headers, told(through)]).toEqual([headers, told(direct)])
    if (direct.status < 300)
      expect([headers, through.body.equals(direct.body)]).toEqual([headers, true])
  }
  const head = await get(port, key, {}, 'HEAD')
  expect([head.status, head.headers['content-length']]).toEqual([200, '3000000'])
})

test('a resumed download uses its session, which is charged for the bytes that arrive, and the limit is exact', async () => {
  const { key, id } = await depot.addLink(randomBytes(40_000_000), { download_limit: 1 })
  expect((await get(port, key, { range: 'bytes=0-99' })).status).toBe(206)
  const left = async () => {
    const sql = 'select bytes_left from download_sessions where shop_id = :shop and link_id = :id'
    return (await depot.scope.query<{ bytes_left: number }>(sql, { id }))[0]!.bytes_left
  }
  // Requests more than the session allows; each time the client leaves after the first bytes.
  const url = `http://127.0.0.1:${port}/download?key=${key}`
  for (let cut = 0; cut < 4; cut++) {
    const leaving = run('curl', ['-s', '-A', '', '--max-filesize', '1', '-r', '100-', url])
    await expect(leaving).rejects.toMatchObject({ code: 63 })
    await expect.poll(left).toBeGreaterThan(60_000_000)
  }
  expect((await get(port, key, { range: 'bytes=39999900-' })).status).toBe(206)
  expect((await depot.downloads(id)).downloads).toBe(1)
  const many = await depot.addLink(SMALL, { download_limit: 5 })
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(port, many.key)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect((await depot.downloads(many.id)).downloads).toBe(5)
})

test('a blob that is missing counts nothing', async () => {
  const bytes = randomBytes(700)
  const { key, id } = await depot.addLink(bytes, { download_limit: 1 })
  const { hash } = await depot.store.write(depot.shop, [bytes] as never)
  await depot.store.remove(depot.shop, hash)
  expect((await get(port, key)).status).toBe(503)
  expect((await depot.downloads(id)).downloads).toBe(0)
})

test('curl resumes at its offset, for one count', async () => {
  const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
  const out = path.join(depot.folder, 'curled')
  const url = `http://127.0.0.1:${port}/download?key=${key}`
  await run('curl', ['-sf', '-r', '0-999999', '-o', out, url])
  await run('curl', ['-sf', '-C', '-', '-o', out, url])
  expect((await readFile(out)).equals(LARGE)).toBe(true)
  expect((await depot.downloads(id)).downloads).toBe(1)
})
