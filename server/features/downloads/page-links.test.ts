// The pages of links and their buttons: no request for a page begins a download, for any user
// agent. The button leads to a signed address, which begins one for ten minutes.
import { beforeAll, expect, test } from 'vitest'
import { visit, openTestDepot, breakOff, pressed, type Depot } from '../../../test/delivery.ts'

let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

const FILE = Buffer.from('the file')
const SCANNER = 'Mimecast URL protect'
const AGENTS = [
  '',
  'curl/8.5.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
  SCANNER,
]
const downloads = async (id: string) => (await depot.downloads(id)).downloads
const pageOf = (key: string) => `/download?key=${key}&page=1`
const later = (minutes: number) => {
  depot.time.now = new Date(depot.time.now.getTime() + minutes * 60_000)
}
const HTML = 'text/html; charset=utf-8'

test.each<[string, object]>([
  ['limited', { download_limit: 1 }],
  ['unlimited', { download_limit: null }],
])('a %s link’s page counts nothing, and its button downloads', async (_, terms) => {
  const { key, id } = await depot.addLink(FILE, terms)
  const page = pageOf(key)
  for (const agent of AGENTS)
    for (const method of ['GET', 'HEAD'])
      for (const range of ['', 'bytes=0-3', 'bytes=3-']) {
        const headers = { 'user-agent': agent, ...(range ? { range } : {}) }
        const answer = await visit(port, page, headers as Record<string, string>, method)
        expect([answer.status, answer.headers['content-type']]).toEqual([200, HTML])
      }
  await depot.flush()
  expect(await downloads(id)).toBe(0)
  const { text } = await visit(port, page)
  expect(text).toContain(`<form method='post' action='download?key&#x3D;${key}&amp;page&#x3D;1'>`)
  expect(text).not.toContain('<script')

  const download = await pressed(port, page)
  expect(download).toMatch(new RegExp(`^/download\\?key=${key}&start=\\d{10}\\.[\\w-]{43}$`))
  expect(await downloads(id)).toBe(0)
  expect((await visit(port, download, { 'user-agent': SCANNER })).text).toBe('the file')
  expect(await downloads(id)).toBe(1)
})

test('the page says how large the file is, and what is left of the link', async () => {
  const about = async (terms: object) => {
    const { key } = await depot.addLink(FILE, terms)
    const { text } = await visit(port, pageOf(key))
    return /<p class='quiet'>([^<]*)</.exec(text)?.[1]
  }
  expect(await about({ download_limit: 2, expiry_days: 30 })).toBe(
    '8 bytes · 2 downloads left · until March 31, 2026',
  )
  expect(await about({ download_limit: null, expiry_days: null })).toBe('8 bytes')
  const { key } = await depot.addLink(FILE, { download_limit: 1 })
  await visit(port, await pressed(port, pageOf(key)))
  expect((await visit(port, pageOf(key))).status).toBe(410)
})

test('no other signature begins a download', async () => {
  const [one, other] = [await depot.addLink(FILE), await depot.addLink(FILE)]
  const start = (await pressed(port, pageOf(one.key))).split('&start=')[1]!
  // The last of 43 characters has two bits that mean nothing, the first one has none.
  const forged = start.replace(/\.(.)/, (_, first) => (first === 'A' ? '.B' : '.A'))
  const longer = `9999999999${start.slice(start.indexOf('.'))}`
  for (const [key, given] of [
    [other.key, start],
    [one.key, forged],
    [one.key, longer],
    [one.key, ''],
    [one.key, 'confirmed'],
  ])
    for (const range of ['bytes=0-', 'bytes=2-']) {
      const answer = await visit(port, `/download?key=${key}&start=${given}`, { range })
      expect([answer.status, answer.headers['content-type']]).toEqual([403, HTML])
    }
  expect([await downloads(one.id), await downloads(other.id)]).toEqual([0, 0])
})

test('the address ends after ten minutes, but a download that began goes on', async () => {
  const bytes = Buffer.alloc(600_000, 'x')
  const { key, id } = await depot.addLink(bytes, { download_limit: 1 })
  const download = await pressed(port, pageOf(key))
  const headers = { 'user-agent': 'Safari' }
  const { etag } = await breakOff(port, download, headers)
  later(15)
  const rest = { range: 'bytes=1000-', 'if-range': etag }
  const part = await visit(port, download, { ...headers, ...rest })
  expect([part.status, part.body.length]).toEqual([206, bytes.length - 1000])
  expect(await downloads(id)).toBe(1)
  // Another program of the same network begins the copy again.
  const { key: second, id: other } = await depot.addLink(bytes, { download_limit: 1 })
  const handed = await pressed(port, pageOf(second))
  await breakOff(port, handed, headers)
  later(15)
  const whole = await visit(port, handed, { 'user-agent': 'AppleCoreMedia' })
  expect([whole.status, whole.body.length]).toEqual([200, bytes.length])
  expect(await downloads(other)).toBe(1)
})

test('an address that was not used in time answers programs 403, and shows the page', async () => {
  const { key, id } = await depot.addLink(FILE)
  const download = await pressed(port, pageOf(key))
  later(11)
  const answer = await visit(port, download)
  expect([answer.status, answer.headers['content-type']]).toEqual([403, HTML])
  expect(answer.text).toContain("method='post'")
  expect(await downloads(id)).toBe(0)
})

test('the page of a link that is used up, expired or unknown says so', async () => {
  const { key } = await depot.addLink(FILE, { download_limit: 1 })
  await visit(port, `/download?key=${key}`)
  expect((await visit(port, pageOf(key))).status).toBe(410)
  expect((await visit(port, pageOf('a'.repeat(43)))).status).toBe(404)
})

test('a POST to a link without its page is refused', async () => {
  const { key, id } = await depot.addLink(FILE, { download_limit: 1 })
  expect((await visit(port, `/download?key=${key}`, {}, 'POST')).status).toBe(405)
  expect(await downloads(id)).toBe(0)
})
