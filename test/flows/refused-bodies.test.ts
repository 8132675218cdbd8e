// Refused bodies and their connections: a connection that stays open must answer the next request,
// which behind nginx is another client's.
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { findNginx, startNginx, type Nginx } from '../nginx.ts'
import { soakTest } from '../scale.ts'

let app: TestApp
let nginx: Nginx
beforeAll(async () => {
  const program = findNginx()
  if (program === null) throw new Error('Install nginx (Debian: nginx-light)')
  app = await openTestApp()
  const folder = path.join(app.engine.folder, 'nginx')
  const upstream = Number(new URL(app.url).port)
  nginx = await startNginx({
    nginx: program,
    folder,
    upstream,
    location: '/blobs',
    blobs: app.engine.folder,
  })
})
afterAll(async () => {
  await nginx.stop()
  await app.close()
})

interface Asked {
  body?: Buffer
  /** In chunks, without a length. */
  chunked?: boolean
  headers?: Record<string, string>
  agent?: http.Agent
}

function ask(port: number, { body, chunked = false, headers = {}, agent }: Asked = {}) {
  const authorization = `Bearer ${app.owner.key}`
  const length = body && !chunked ? { 'content-length': String(body.length) } : {}
  const options = {
    port,
    host: '127.0.0.1',
    path: '/api/packs',
    method: body ? 'POST' : 'GET',
    headers: { authorization, 'content-type': 'application/json', ...length, ...headers },
    ...(agent && { agent }),
  }
  return new Promise<{ status: number; connection: string; socket: Socket }>((resolve, reject) => {
    const request = http.request(options, (response) => {
      const { statusCode: status = 0, headers } = response
      const answer = { status, connection: headers.connection ?? '', socket: response.socket }
      response
        .resume()
        .on('end', () => resolve(answer))
        .on('error', reject)
    })
    request.on('error', reject).end(body)
  })
}

const megabytes = (count: number) => Buffer.alloc(count * 1024 ** 2, 0x61)
const REFUSED: [string, number, Asked][] = [
  ['too many bytes', 413, { body: megabytes(20) }],
  ['too many bytes in chunks', 413, { body: megabytes(20), chunked: true }],
  ['too many values', 413, { body: Buffer.from(`[${'[],'.repeat(1_600_000)}[]]`) }],
  ['too deep', 400, { body: Buffer.from('['.repeat(5_000_000)) }],
  [
    'more bytes than it seems',
    413,
    { body: gzipSync(megabytes(60)), headers: { 'content-encoding': 'gzip' } },
  ],
  [
    'many compressed bytes',
    413,
    {
      body: gzipSync(randomBytes(15 * 1024 ** 2).toString('base64')),
      headers: { 'content-encoding': 'gzip' },
    },
  ],
  ['a broken encoding', 400, { body: megabytes(4), headers: { 'content-encoding': 'gzip' } }],
  ['an unknown encoding', 415, { body: megabytes(4), headers: { 'content-encoding': 'lzma' } }],
  ['another type', 415, { body: megabytes(20), headers: { 'content-type': 'text/plain' } }],
  ['no key', 401, { body: megabytes(1), headers: { authorization: 'Bearer none' } }],
]

test.each(REFUSED)('after %s the same connection answers', async (_what, status, asked) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const port = Number(new URL(app.url).port)
  const refused = await ask(port, { ...asked, agent })
  expect([refused.status, refused.connection]).toEqual([status, 'keep-alive'])
  const next = await ask(port, { agent })
  expect(next.status).toBe(200)
  expect(next.socket).toBe(refused.socket)
  agent.destroy()
})

test('a body too large to read and discard closes its connection', async () => {
  const port = Number(new URL(app.url).port)
  const refused = await ask(port, { body: megabytes(80) })
  expect([refused.status, refused.connection]).toEqual([413, 'close'])
})

soakTest('behind nginx no other request waits for it', async () => {
  for (const [what, status, asked] of REFUSED)
    expect([what, (await ask(nginx.port, asked)).status]).toEqual([what, status])
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(nginx.port)))
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200))
})
