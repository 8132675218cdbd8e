import { beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { deaf, get, openDepot, openTestDepot, visit, type Depot } from '../../../test/delivery.ts'
import { deliveryAddress, prefersJson, routeOf } from './request.ts'

const BYTES = Buffer.from('some bytes')
const STRANGER = 'A'.repeat(43)

let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

test('an unknown key gets one page for every form of key', async () => {
  const unknown = await get(port, STRANGER)
  expect(unknown.status).toBe(404)
  for (const key of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}'`, '%00'.repeat(20)]) {
    const malformed = await get(port, key)
    expect([key, malformed.status, malformed.text]).toEqual([key, 404, unknown.text])
  }
  expect(unknown.text).not.toContain('Harbour')
})

test('the holder of a key learns why it ended, in the shop’s name, and what to do', async () => {
  const link = await depot.addLink(
    BYTES,
    { download_limit: 1 },
    { filename: '<script>alert(1)</script>.pdf' },
  )
  await get(port, link.key)
  const answer = await get(port, link.key)
  expect(answer.status).toBe(410)
  expect(answer.text).toContain('<h1>This link has been used up</h1>')
  expect(answer.text).toContain('If you need it again, ask Harbour &amp; Sons.')
  expect(answer.text).toContain('&lt;script&gt;')
  expect(answer.text).not.toContain('<script')
  expect(answer.text).toMatch(/^<!doctype html>\n<html lang='en'>/)
})

test('the page runs nothing, loads nothing, and its policy names only its own style', async () => {
  const { headers, text } = await get(port, STRANGER)
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none';/,
  )
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['cache-control']).toContain('no-store')
  expect(headers['set-cookie']).toBeUndefined()
  expect(text).not.toMatch(/<(script|link|img|iframe)/)
  expect(text.match(/<style>([^]*?)<\/style>/)![1]).toContain('prefers-color-scheme: dark')
})

test('a withdrawn file’s name is not shown', async () => {
  const link = await depot.addLink(
    BYTES,
    {},
    { filename: 'quarterly-secret.pdf', mapping_state: 'unmapped' },
  )
  const { status, text } = await get(port, link.key)
  expect(status).toBe(410)
  expect(text).toContain('withdrawn')
  expect(text).not.toContain('quarterly')
})

test('a client that prefers JSON gets the error body', async () => {
  const link = await depot.addLink(BYTES, { expiry_days: 1 })
  const start = depot.time.now
  depot.time.now = new Date(+start + 2 * 86_400_000)
  const { status, headers, text } = await get(port, link.key, { accept: 'application/json' })
  depot.time.now = start
  expect([status, headers['content-type']]).toEqual([410, 'application/json; charset=utf-8'])
  expect(headers['x-request-id']).toMatch(/^req_/)
  expect(JSON.parse(text)).toEqual({
    error: {
      type: 'not_found',
      code: 'link_expired',
      message: 'This link has expired',
      status: 410,
      param: null,
      details: [],
      details_total: 0,
      request_id: headers['x-request-id'],
    },
  })
})

test('HEAD has the same status without a body; other methods are refused', async () => {
  const head = await get(port, STRANGER, {}, 'HEAD')
  expect([head.status, head.text]).toEqual([404, ''])
  const link = await depot.addLink(BYTES)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await get(port, link.key, {}, method)
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  }
  expect((await depot.downloads(link.id)).downloads).toBe(0)
})

test('an unavailable database is a 503 with Retry-After', async () => {
  const own = await openTestDatabase()
  const lost = await openDepot(own, await createTestShop(own))
  const at = await lost.serve({ listener: deaf })
  await own.drop()
  const answer = await get(at, STRANGER)
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
  expect(answer.text).toContain('<h1>The download could not start</h1>')
  const page = await visit(at, `/view?key=${STRANGER}`)
  expect([page.status, page.text.includes('<h1>This page cannot be shown')]).toEqual([503, true])
  expect(answer.text).toContain('Try again')
  await lost.close()
})

test('which addresses and keys delivery handles', () => {
  const token = '0e6b4a1c-7a53-4a55-8d7f-0a4f6d2b9c11'
  const ours = [
    '/download',
    '/download?key=a',
    '/download/ask',
    `/files/${token}/a.pdf`,
    '/cdn/1/2',
    `/files/${token}/a?b`,
  ]
  const others = [
    '/downloads',
    '/download/x',
    '/',
    `/files/${token}`,
    '/files/file_1',
    `/files/${token}/a/b`,
    undefined,
  ]
  expect(ours.filter((url) => deliveryAddress(url) === null)).toEqual([])
  expect(others.filter((url) => deliveryAddress(url) !== null)).toEqual([])
  expect(routeOf(`/download?utm=1&key=${STRANGER}&x=2`)).toEqual({ kind: 'link', key: STRANGER })
  expect(routeOf(`/download?monkey=${STRANGER}`)).toEqual({ kind: 'link', key: null })
  expect(routeOf(`/files/${token}/a.pdf?x`)).toEqual({ kind: 'public', token })
})

test('which clients prefer JSON', () => {
  expect(prefersJson('application/json')).toBe(true)
  expect(prefersJson('text/html;q=0.5, application/json')).toBe(true)
  for (const accept of [
    undefined,
    '*/*',
    'text/html,application/xhtml+xml',
    'application/json;q=0',
    'text/html, application/json',
  ])
    expect(prefersJson(accept)).toBe(false)
})
