// The same addresses imported again: the server is asked whether their bytes have changed since, and
// what has not makes no version, no bytes and no work.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, type TestApp } from '../app.ts'

let app: TestApp
let worker: EngineWorker
/** Two hosts, as far as a client can see. */
let origin: Server
let elsewhere: Server
const asked: { url: string; headers: IncomingMessage['headers']; status: number }[] = []
const etags = new Map<string, string>()

/** Serves `/NAME` with its entity tag as bytes, and redirects `/to-NAME` to the other server. */
const serve = () =>
  createServer((request, response) => {
    const url = request.url!
    const answer = (status: number, headers: Record<string, string>, body = '') => {
      asked.push({ url, headers: request.headers, status })
      response.writeHead(status, headers).end(body)
    }
    if (url.startsWith('/to-'))
      return answer(302, { location: `${urlOf(elsewhere)}/${url.slice('/to-'.length)}` })
    if (url === '/wrong') return answer(304, { etag: '"wrong"' })
    const etag = etags.get(url) ?? '"first"'
    if (request.headers['if-none-match'] === etag) return answer(304, { etag })
    answer(200, { etag, 'content-type': 'text/plain' }, `bytes of ${etag}`)
  })
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const opened = async (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))

beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  elsewhere = await opened(serve())
  origin = await opened(serve())
})
afterAll(async () => {
  await worker.stop()
  for (const server of [origin, elsewhere]) {
    server.closeAllConnections()
    server.close()
  }
  await app.close()
})
beforeEach(() => void asked.splice(0))

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const imported = async (filename: string, at: string, more: object = {}) => {
  const files = [{ filename, url: `${urlOf(origin)}${at}`, ...more }]
  return (await call('POST', '/api/files/import', { files, on_conflict: 'new_version' })).body
}
const versions = async (id: string) => (await call('GET', `/api/files/${id}/versions`)).body.data

test('an unchanged address is not fetched again, and what the entry states is written', async () => {
  const { files } = await imported('a.txt', '/a')
  const id = files[0].file_id
  expect(await imported('a.txt', '/a')).toMatchObject({ unchanged: 1, imported: 0 })
  expect(asked.map(({ status }) => status)).toEqual([200, 304])
  const tagged = await imported('a.txt', '/a', { tags: ['new'] })
  expect(tagged).toMatchObject({ unchanged: 0, imported: 1 })
  expect((await call('GET', `/api/files/${id}`)).body).toMatchObject({ tags: ['new'], version: 1 })
  expect(asked.at(-1)).toMatchObject({ status: 304 })

  etags.set('/a', '"second"')
  expect(await imported('a.txt', '/a')).toMatchObject({ imported: 1 })
  expect(await versions(id)).toHaveLength(2)
  expect(await imported('a.txt', '/a')).toMatchObject({ unchanged: 1 })
  // The older version's bytes are current again: they are not those of the address.
  await call('POST', `/api/files/${id}/versions/1/restore`)
  await imported('a.txt', '/a')
  expect(asked.at(-1)).toMatchObject({ status: 200 })
})

test('another address, and a file of another name, are fetched without a condition', async () => {
  await imported('b.txt', '/b')
  await imported('b.txt', '/b?other')
  await imported('c.txt', '/b')
  expect(asked.map(({ status, headers }) => [status, headers['if-none-match']])).toEqual([
    [200, undefined],
    [200, undefined],
    [200, undefined],
  ])
})

test('no condition is sent to the host that another one names', async () => {
  await imported('d.txt', '/to-d')
  expect(await imported('d.txt', '/to-d')).toMatchObject({ unchanged: 1 })
  expect(asked.filter(({ headers }) => headers['if-none-match'])).toEqual([])
})

test('304 to a request without a condition is an error', async () => {
  const { files } = await imported('e.txt', '/wrong')
  expect(files[0]).toMatchObject({ status: 'failed', error: { code: 'url_not_accessible' } })
})
