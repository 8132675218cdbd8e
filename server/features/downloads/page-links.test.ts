// Links in mails: a page with a button, which counts nothing for any program that requests it.
import { beforeAll, expect, test } from 'vitest'
import { visit, openTestDepot, type Depot } from '../../../test/delivery.ts'

let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

const FILE = Buffer.from('the file')
const AGENTS = [
  '',
  'curl/8.5.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
  'Mimecast URL protect',
]
const downloads = async (id: string) => (await depot.downloads(id)).downloads

test.each<[string, object]>([
  ['limited', { download_limit: 1 }],
  ['unlimited', { download_limit: null }],
])('a %s link’s page counts nothing, and its button downloads', async (_, terms) => {
  const { key, id } = await depot.addLink(FILE, terms)
  const page = `/download?key=${key}&page=1`
  for (const agent of AGENTS)
    for (const method of ['GET', 'HEAD'])
      for (const range of ['', 'bytes=0-3']) {
        const headers = { 'user-agent': agent, ...(range ? { range } : {}) }
        const answer = await visit(port, page, headers as Record<string, string>, method)
        expect([answer.status, answer.headers['content-type']]).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
      }
  await depot.flush()
  expect(await downloads(id)).toBe(0)
  const { text } = await visit(port, page)
  expect(text).toContain(`<form method='post' action='download?key&#x3D;${key}&amp;page&#x3D;1'>`)
  expect(text).not.toContain('<script')

  const pressed = await visit(port, page, {}, 'POST')
  expect([pressed.status, pressed.headers.location]).toEqual([
    303,
    `download?key=${key}&confirmed=1`,
  ])
  expect((await visit(port, `/${pressed.headers.location}`)).text).toBe('the file')
  await depot.flush()
  expect(await downloads(id)).toBe(1)
})

test('the page of a link that is used up, expired or unknown says so', async () => {
  const { key } = await depot.addLink(FILE, { download_limit: 1 })
  await visit(port, `/download?key=${key}`)
  expect((await visit(port, `/download?key=${key}&page=1`)).status).toBe(410)
  expect((await visit(port, `/download?key=${'a'.repeat(43)}&page=1`)).status).toBe(404)
})

test('a POST to a link without its page is refused', async () => {
  const { key, id } = await depot.addLink(FILE, { download_limit: 1 })
  expect((await visit(port, `/download?key=${key}`, {}, 'POST')).status).toBe(405)
  expect(await downloads(id)).toBe(0)
})
