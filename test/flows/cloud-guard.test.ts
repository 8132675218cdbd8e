// A merchant's S3 endpoint at a public name with TLS: connections only go through the server's
// proxy, and redirects are not followed.
import { createServer, connect, type AddressInfo, type Server } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openCloudApp, type CloudApp } from '../cloud.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startClouds, type FakeClouds } from '../fakes/clouds.ts'

const ENDPOINT = 'https://s3.harbour.test'

let clouds: FakeClouds
let bucket: FakeBucket
let app: CloudApp
let front: Server
/** Another service on this machine. */
let inside: Server
let visits = 0
beforeAll(async () => {
  clouds = await startClouds()
  bucket = await startBucket()
  const { port } = new URL(bucket.url)
  front = createSecureServer(clouds.certificate, (socket) => {
    const behind = connect(Number(port), '127.0.0.1')
    for (const one of [socket, behind]) one.on('error', () => one.destroy())
    socket.pipe(behind).pipe(socket)
  })
  inside = createServer((socket) => {
    visits++
    socket.destroy()
  })
  for (const server of [front, inside])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  clouds.lead('s3.harbour.test', (front.address() as AddressInfo).port)
  app = await openCloudApp({ emulators: clouds.emulators })
})
afterAll(async () => {
  await app.close()
  await bucket.close()
  await clouds.close()
  for (const server of [front, inside]) await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  bucket.intercept = () => null
})

const addressOf = (host: string) => `http://${host}:${(inside.address() as AddressInfo).port}/`
const given = (prefix: string) => ({ ...bucket.connection(prefix), endpoint: ENDPOINT })

test('is synced over TLS in both directions, with names that need escaping in a path', async () => {
  const names = ['a b.txt', 'é+ä.txt', "it's (1).txt", 'sub/%41.txt', 'large.bin']
  for (const name of names)
    bucket.put(`plain/${name}`, name === 'large.bin' ? 'x'.repeat(3e6) : name)
  const id = await app.connect({
    ...given('plain'),
    direction: 'two_way',
    include: ['/*', '/sub/*'],
  })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: names.length })
  expect((await app.files())['large.bin']).toMatchObject({ size_bytes: 3e6 })
  const { id: file } = (await app.files())['a b.txt']
  await app.owner.call('PATCH', `/api/files/${file}`, { filename: 'b c.txt' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect([...bucket.objects.keys()]).toContain('plain/b c.txt')
})

test.each(['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', 's3.harbour.test'])(
  'an object that redirects to %s fails, and no connection is made there',
  async (host) => {
    const folder = `redirected ${host.replaceAll(/\W/g, '')}`
    bucket.put(`${folder}/good.txt`, 'good')
    bucket.put(`${folder}/evil.txt`, 'evil')
    bucket.intercept = ({ method, key }) =>
      method === 'GET' && key.endsWith('evil.txt')
        ? { status: 307, code: 'TemporaryRedirect', headers: { location: addressOf(host) } }
        : null
    const id = await app.connect({ ...given(folder), auto_map: false })
    const sync = await app.sync(id)
    expect(sync).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
    expect(data).toMatchObject([{ error: { code: 'cloud_redirected' } }])
    expect(visits).toBe(0)
  },
)

test('an endpoint that redirects its listing is refused, with advice', async () => {
  bucket.intercept = () => ({
    ...{ status: 302, code: 'Found', headers: { location: addressOf('127.0.0.1') } },
  })
  const { status, body } = await app.owner.call('POST', '/api/connections', given('any'))
  expect([status, body.error]).toMatchObject([422, { code: 'cloud_redirected', param: 'endpoint' }])
  expect(body.error.message).toContain('write the address of the storage service itself')
  expect(visits).toBe(0)
})
