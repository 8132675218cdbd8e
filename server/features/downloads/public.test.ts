import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { rotateAddress } from '../../files/public-addresses.ts'
import { get, openDepot, visit, type Depot } from '../../../test/delivery.ts'

const run = promisify(execFile)
const SMALL = randomBytes(1000)
const LARGE = randomBytes(700_000)
const HOUR_MS = 60 * 60 * 1000
const CDN = 'https://cdn.example.com/pull'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
let secondPort: number
let cdnPort: number
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve()
  secondPort = await depot.serve()
  cdnPort = await depot.serve({ cdnBaseUrl: CDN })
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})

describe('a public file', () => {
  test('arrives completely, is counted in its own row, and leaves the file’s row unchanged', async () => {
    for (const bytes of [SMALL, LARGE]) {
      const { file, path } = await depot.addPublic(bytes)
      const rowVersion = async () =>
        (
          await depot.scope.query<{ xmin: string }>(
            'select xmin::text from files where shop_id = :shop and id = :file',
            { file },
          )
        )[0]
      const before = await rowVersion()
      const answer = await visit(port, path)
      expect([answer.status, answer.body.equals(bytes)]).toEqual([200, true])
      expect(await depot.publicDownloads(file)).toBe(1)
      expect(await rowVersion()).toEqual(before)
    }
  })

  test('has the safe headers of a link’s file, may be cached with revalidation, and sets no cookie', async () => {
    const { path } = await depot.addPublic(SMALL, {
      filename: 'page.html',
      content_type: 'text/html',
    })
    const { headers } = await visit(port, path)
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate, no-transform',
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="page.html"',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(headers['set-cookie']).toBeUndefined()
  })

  test('every one of many requests at two servers is counted', async () => {
    const files = await Promise.all([1, 2, 3].map(() => depot.addPublic(SMALL)))
    await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        visit(at % 2 ? port : secondPort, files[at % 3]!.path),
      ),
    )
    for (const { file } of files) expect(await depot.publicDownloads(file)).toBe(40)
  })

  test('counts at its first byte: not HEAD, 304 or 416, and no later part', async () => {
    const { file, path } = await depot.addPublic(SMALL)
    const head = await visit(port, path, {}, 'HEAD')
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      '1000',
      0,
    ])
    const { etag } = head.headers as { etag: string }
    expect((await visit(port, path, { 'if-none-match': etag })).status).toBe(304)
    expect((await visit(port, path, { range: 'bytes=1000-' })).headers['content-range']).toBe(
      'bytes */1000',
    )
    expect((await visit(port, path, { 'if-match': '"x"' })).status).toBe(412)
    const later = await visit(port, path, { range: 'bytes=990-' })
    expect([later.status, later.body.equals(SMALL.subarray(990))]).toEqual([206, true])
    expect((await visit(port, path, { range: 'bytes=0-1' })).body.length).toBe(2)
    expect(await depot.publicDownloads(file)).toBe(0)
    const first = await visit(port, path, { range: 'bytes=0-9', 'if-range': etag })
    expect([first.status, first.body.length]).toEqual([206, 10])
    const changed = await visit(port, path, { range: 'bytes=5-9', 'if-range': '"other"' })
    expect([changed.status, changed.body.length]).toEqual([200, 1000])
    expect(await depot.publicDownloads(file)).toBe(2)
  })

  test('stops immediately when it is private, in the trash or its shop has uninstalled; the same address works again', async () => {
    const stops: [object, object][] = [
      [{ visibility: 'private' }, { visibility: 'public' }],
      [{ deleted_at: new Date() }, { deleted_at: null }],
    ]
    const { file, path } = await depot.addPublic(SMALL)
    for (const [stop, start] of stops) {
      await depot.setFile(file, stop as never)
      for (const headers of [{}, { range: 'bytes=5-' }, { 'if-none-match': '*' }] as Record<
        string,
        string
      >[]) {
        const answer = await visit(port, path, headers)
        expect([answer.status, answer.text.includes('Harbour')]).toEqual([404, false])
      }
      await depot.setFile(file, start as never)
      expect((await visit(port, path)).status).toBe(200)
    }
    await database.pool.query('update shops set uninstalled_at = now()')
    expect((await visit(port, path)).status).toBe(404)
    await database.pool.query('update shops set uninstalled_at = null')
    expect(await depot.publicDownloads(file)).toBe(2)
  })

  soakTest('keeps its address under another name, and may be given another address', async () => {
    const { file, token, path } = await depot.addPublic(SMALL, { filename: 'old.pdf' })
    await depot.setFile(file, { filename: 'new.pdf', name_key: 'new.pdf' })
    expect((await visit(port, path)).headers['content-disposition']).toContain('new.pdf')
    const fresh = await rotateAddress(depot.scope, file)
    expect(fresh).not.toBe(token)
    expect((await visit(port, path)).status).toBe(404)
    expect((await visit(port, `/files/${fresh}/x`)).status).toBe(200)
    await depot.setFile(file, { visibility: 'private' })
    expect(await rotateAddress(depot.scope, file)).toBeNull()
  })

  test('missing bytes count nothing', async () => {
    const bytes = randomBytes(600)
    const { file, path } = await depot.addPublic(bytes)
    const { hash } = await depot.store.write(depot.shop, [bytes] as never)
    await depot.store.remove(depot.shop, hash)
    expect((await visit(port, path)).status).toBe(503)
    expect(await depot.publicDownloads(file)).toBe(0)
  })

  test('an unknown address is 404 and reveals nothing; other methods are refused', async () => {
    const answer = await visit(port, '/files/0e6b4a1c-7a53-4a55-8d7f-0a4f6d2b9c11/a.pdf')
    expect([answer.status, answer.text.includes('Harbour')]).toEqual([404, false])
    const { path } = await depot.addPublic(SMALL)
    expect((await visit(port, path, {}, 'POST')).headers.allow).toBe('GET, HEAD')
  })
})

describe('a public file that was replaced', () => {
  const OLD = randomBytes(400_000)
  const NEW = randomBytes(400_000)
  const agent = (name: string) => ({ 'user-agent': name })
  const part = (at: number, path: string, headers: Record<string, string> = {}) =>
    visit(at, path, { range: 'bytes=1000-1999', ...headers })

  test('is sent whole to a program that names no version, unless it was sent its first byte', async () => {
    const { file, path } = await depot.addPublic(OLD)
    expect((await visit(port, path)).status).toBe(200)
    // Never replaced: any program, at any process.
    for (const at of [port, secondPort])
      expect((await part(at, path, agent('any'))).status).toBe(206)
    await depot.replaceFile(file, NEW)
    for (const range of ['bytes=1000-1999', 'bytes=1000-', 'bytes=-1000']) {
      const answer = await visit(port, path, { range, ...agent(range) })
      expect([range, answer.status, answer.body.equals(NEW)]).toEqual([range, 200, true])
    }
    const joined = await part(port, path)
    expect([joined.status, joined.body.equals(NEW)]).toEqual([200, true])
    // This transfer began with the new version. Another process does not know that.
    const next = await part(port, path)
    expect([next.status, next.body.equals(NEW.subarray(1000, 2000))]).toEqual([206, true])
    expect((await part(secondPort, path)).status).toBe(200)
    expect((await part(port, path, agent('another'))).status).toBe(200)
    expect((await visit(port, path, { range: 'bytes=0-999', ...agent('player') })).status).toBe(206)
    expect((await part(port, path, agent('player'))).status).toBe(206)
  })

  soakTest(
    'is continued for half an hour, and then by a condition on its version alone',
    async () => {
      const { file, path } = await depot.addPublic(OLD)
      const { etag: old } = (await visit(port, path, {}, 'HEAD')).headers
      await depot.replaceFile(file, NEW)
      const { etag } = (await visit(port, path)).headers
      const start = depot.time.now
      const after = (ms: number) => (depot.time.now = new Date(+start + ms))
      try {
        after(HOUR_MS / 2 - 1)
        expect((await part(port, path)).status).toBe(206)
        after(HOUR_MS - 2)
        expect((await part(port, path)).status).toBe(206)
        after(2 * HOUR_MS)
        expect((await part(port, path, { 'if-range': etag! })).status).toBe(206)
        expect((await part(port, path, { 'if-range': old! })).status).toBe(200)
        after(4 * HOUR_MS)
        expect((await part(port, path)).status).toBe(200)
      } finally {
        depot.time.now = start
      }
    },
  )

  soakTest('is not redirected to the CDN with a part that is not granted', async () => {
    const { file, path } = await depot.addPublic(OLD)
    await depot.replaceFile(file, NEW)
    const whole = await part(cdnPort, path)
    expect([whole.status, whole.body.equals(NEW)]).toEqual([200, true])
    expect((await part(cdnPort, path)).status).toBe(302)
    expect((await visit(cdnPort, path, agent('plain'))).status).toBe(302)
  })

  soakTest('is never joined to the old part by curl', async () => {
    const { file, path: address } = await depot.addPublic(OLD)
    const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-curl-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const out = path.join(folder, 'out')
    const curl = (...args: string[]) =>
      run('curl', ['-sfL', '-o', out, ...args, `http://127.0.0.1:${port}${address}`])
    await curl('-r', '0-99999')
    await curl('-C', '-')
    expect((await readFile(out)).equals(OLD)).toBe(true)
    await curl('-r', '0-99999')
    await depot.replaceFile(file, NEW)
    await expect(curl('-C', '-')).rejects.toMatchObject({ code: 33 })
    expect((await readFile(out)).equals(OLD.subarray(0, 100_000))).toBe(true)
    await curl('-r', '0-99999')
    await curl('-C', '-')
    expect((await readFile(out)).equals(NEW)).toBe(true)
  })
})

describe('allowed referrers', () => {
  const allowed_referrers = ['blog.example.com', '*.shop.example']

  test('apply to public files and links, in the same statement that counts', async () => {
    const { file, path } = await depot.addPublic(SMALL, { allowed_referrers })
    const { key, id } = await depot.addLink(SMALL, {}, { allowed_referrers })
    const good = [
      {},
      { referer: 'https://blog.example.com/post' },
      { referer: 'https://www.shop.example:8443/' },
    ]
    const bad = [
      'https://shop.example/',
      'https://evil.example/?https://blog.example.com/',
      'http://1.2.3.4/',
    ]
    for (const headers of good as Record<string, string>[]) {
      expect((await visit(port, path, headers)).status).toBe(200)
      expect((await get(port, key, headers)).status).toBe(200)
    }
    for (const referer of bad)
      for (const range of [undefined, 'bytes=0-', 'bytes=5-']) {
        const headers = { referer, ...(range && { range }) }
        const [open, linked] = [await visit(port, path, headers), await get(port, key, headers)]
        expect([referer, open.status, linked.status]).toEqual([referer, 403, 403])
        for (const { text } of [open, linked]) expect(text).toContain('<h1>Not from that site</h1>')
      }
    expect(await depot.publicDownloads(file)).toBe(3)
    expect((await depot.downloads(id)).downloads).toBe(3)
    const json = await visit(port, path, { referer: bad[0]!, accept: 'application/json' })
    expect(JSON.parse(json.text)).toMatchObject({
      error: { code: 'referrer_not_allowed', status: 403 },
    })
  })

  test('are checked per request, also of requests in one statement', async () => {
    const { file, path } = await depot.addPublic(SMALL, { allowed_referrers })
    const { key, id } = await depot.addLink(SMALL, { download_limit: 20 }, { allowed_referrers })
    const from = (at: number) => ({
      referer: at % 2 ? 'https://blog.example.com/' : 'https://evil.example/',
    })
    const open = await Promise.all(
      Array.from({ length: 40 }, (_, at) => visit(port, path, from(at))),
    )
    const linked = await Promise.all(
      Array.from({ length: 40 }, (_, at) => get(port, key, from(at))),
    )
    // A refused request may also find the link used up.
    for (const answers of [open, linked])
      expect(answers.filter(({ status }, at) => (status === 200) !== (at % 2 === 1))).toEqual([])
    expect([await depot.publicDownloads(file), (await depot.downloads(id)).downloads]).toEqual([
      20, 20,
    ])
  })
})

describe('with a CDN', () => {
  const pathOf = (location: string | undefined) => {
    expect(location).toMatch(/^https:\/\/cdn\.example\.com\/pull\/cdn\//)
    return location!.slice(CDN.length)
  }

  test('the public address counts and redirects to a signed one, where the CDN may cache the bytes', async () => {
    const { file, path } = await depot.addPublic(SMALL, { filename: 'café (1).pdf' })
    const answer = await visit(cdnPort, path)
    expect([answer.status, answer.headers['cache-control']]).toEqual([
      302,
      'private, no-store, no-transform',
    ])
    expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin')
    const signed = pathOf(answer.headers.location)
    const fetched = await visit(cdnPort, signed)
    expect([fetched.status, fetched.body.equals(SMALL)]).toEqual([200, true])
    expect(fetched.headers['cache-control']).toMatch(
      /^public, max-age=7200, immutable, no-transform$/,
    )
    expect(fetched.headers['content-disposition']).toContain('caf%C3%A9')
    expect((await visit(cdnPort, signed, { range: 'bytes=0-9' })).body.length).toBe(10)
    expect((await visit(cdnPort, signed, { 'if-none-match': fetched.headers.etag! })).status).toBe(
      304,
    )
    // The CDN may escape the name differently.
    const rewritten = signed
      .replace('%20', '+')
      .replace('+', '%20')
      .replace('caf%C3%A9', 'caf%c3%a9')
    expect((await visit(cdnPort, rewritten)).status).toBe(200)
    expect(await depot.publicDownloads(file)).toBe(1)
  })

  soakTest('HEAD and later parts redirect there too, and count nothing', async () => {
    const { file, path } = await depot.addPublic(SMALL)
    expect((await visit(cdnPort, path, {}, 'HEAD')).status).toBe(302)
    expect((await visit(cdnPort, path, { range: 'bytes=5-' })).status).toBe(302)
    expect(await depot.publicDownloads(file)).toBe(0)
    expect((await visit(cdnPort, path, { range: 'bytes=0-' })).status).toBe(302)
    expect(await depot.publicDownloads(file)).toBe(1)
  })

  soakTest(
    'the signed address is the same for an hour, and different for other bytes',
    async () => {
      const { path } = await depot.addPublic(SMALL)
      const start = depot.time.now
      const at = async (ms: number) => {
        depot.time.now = new Date(+start + ms)
        return (await visit(cdnPort, path)).headers.location
      }
      const first = await at(0)
      expect(await at(HOUR_MS - 1)).toBe(first)
      expect(await at(HOUR_MS)).not.toBe(first)
      depot.time.now = start
      expect((await visit(cdnPort, (await depot.addPublic(LARGE)).path)).headers.location).not.toBe(
        first,
      )
    },
  )

  test('a file without the CDN, and any link, is served directly', async () => {
    const { path } = await depot.addPublic(SMALL, { cdn: false })
    expect((await visit(cdnPort, path)).status).toBe(200)
    const { key } = await depot.addLink(SMALL, {}, { visibility: 'public' })
    expect((await get(cdnPort, key)).status).toBe(200)
  })

  test('an address with an invalid signature is refused, and so is one of a file that is private again', async () => {
    const { file, path } = await depot.addPublic(SMALL)
    const signed = pathOf((await visit(cdnPort, path)).headers.location)
    const parts = signed.split('/')
    for (const part of [2, 3, 4, 5, 6]) {
      const forged = parts
        .with(
          part,
          parts[part]!.replace(/^./, (c) => (c === '1' ? '2' : '1')),
        )
        .join('/')
      const answer = await visit(cdnPort, forged)
      expect([part, answer.status]).toEqual([part, 404])
    }
    expect((await visit(port, signed)).status).toBe(404)
    expect((await visit(cdnPort, '/cdn/%E0%A4%A/x')).status).toBe(404)
    await depot.setFile(file, { visibility: 'private' })
    const gone = await visit(cdnPort, signed)
    expect([gone.status, gone.headers.location]).toEqual([302, `http://shop.test${path}`])
    expect((await visit(cdnPort, path)).status).toBe(404)
  })

  soakTest('an expired signed address redirects to the stable address', async () => {
    const { path } = await depot.addPublic(SMALL)
    const start = depot.time.now
    const signed = pathOf((await visit(cdnPort, path)).headers.location)
    depot.time.now = new Date(+start + 2 * HOUR_MS)
    const answer = await visit(cdnPort, signed)
    depot.time.now = start
    expect([answer.status, answer.headers.location]).toEqual([302, `http://shop.test${path}`])
    expect(answer.headers['cache-control']).toContain('no-store')
  })

  soakTest('a replaced version is served at its signed address while it exists', async () => {
    const { file, path } = await depot.addPublic(SMALL)
    const signed = pathOf((await visit(cdnPort, path)).headers.location)
    const [version] = await depot.scope.query<{ hash: Buffer }>(
      'select hash from versions where shop_id = :shop and file_id = :file',
      { file },
    )
    const other = await depot.addFile(LARGE)
    await depot.scope.query(
      `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select :shop, :file, 2, hash, location, size_bytes, content_type from versions
         where shop_id = :shop and file_id = :other`,
      { file, other },
    )
    await depot.setFile(file, { version: 2 })
    expect((await visit(cdnPort, signed)).body.equals(SMALL)).toBe(true)
    expect(
      (await visit(cdnPort, pathOf((await visit(cdnPort, path)).headers.location))).body.equals(
        LARGE,
      ),
    ).toBe(true)
    await depot.scope.query(
      'delete from versions where shop_id = :shop and file_id = :file and hash = :hash',
      {
        file,
        hash: version!.hash,
      },
    )
    expect((await visit(cdnPort, signed)).status).toBe(302)
  })
})
