// The page's requests with the uploader's client, a real server and a bucket over sockets.
import { DefaultHttpStack, Upload, type HttpStack } from 'tus-js-client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startS3, type FakeS3 } from '../fakes/s3.ts'
import { create, patch, tus, type Sender } from '../uploads.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { directStack } from '../../web/features/upload/direct-stack.ts'
import { soakTest } from '../scale.ts'

const PIECE = 1024 ** 2
const SIZE = 2 * PIECE + 12_345
const DIRECT = { min_bytes: PIECE, piece_bytes: PIECE }

let s3: FakeS3
let app: TestApp
let worker: EngineWorker
let sender: Sender
/** The methods of requests to the server, with `piece` for those that ask for an address. */
let asked: string[]
let requests: HttpStack
beforeAll(async () => {
  s3 = await startS3()
  app = await openTestApp({ bucket: s3.location(), directUploads: DIRECT })
  worker = await app.engine.startWorker()
  sender = { url: app.url, key: app.owner.key }
})
afterAll(async () => {
  await worker?.stop()
  await app?.close()
  await s3?.close()
})
beforeEach(() => {
  asked = []
  s3.requests.length = 0
  s3.intercept = () => null
  const plain = new DefaultHttpStack({})
  requests = directStack(
    {
      getName: () => 'counted',
      createRequest: (method, url) => {
        const request = plain.createRequest(method, url)
        const send = request.send.bind(request)
        return Object.assign(request, {
          send: (body: Buffer) => {
            if (url.startsWith(app.url)) asked.push(url.endsWith('/pieces') ? 'piece' : method)
            // A browser sends a Blob with its length, Node a stream in chunks.
            else request.setHeader('Content-Length', String(body.length))
            return send(body)
          },
        })
      },
    },
    async () => sender.key,
  )
})

function send(bytes: Buffer, filename: string, given: { at?: string; retry?: boolean } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const upload: Upload = new Upload(bytes, {
    endpoint: `${app.url}/api/uploads`,
    uploadUrl: given.at ?? null,
    httpStack: requests,
    metadata: { filename },
    headers: { authorization: `Bearer ${sender.key}` },
    retryDelays: given.retry ? [0, 0, 0, 0, 0] : [],
    storeFingerprintForResuming: false,
    onError: reject,
    onSuccess: () => resolve(),
  })
  upload.start()
  return { upload, done: promise }
}

const piecesSent = () => s3.requests.filter((line) => line.startsWith('PUT /harbour/uploads/'))

async function expectImported(filename: string, bytes: Buffer) {
  const listed = async () =>
    (await app.owner.call('GET', `/api/files?search=${filename}`)).body.data.length
  await expect.poll(listed).toBe(1)
  const rows = await app.owner.scope.query<{ hash: string }>(
    `select encode(v.hash, 'hex') as hash from files f
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id
     where f.shop_id = :shop and f.filename = :filename`,
    { filename },
  )
  expect(rows).toEqual([{ hash: hashOf(bytes) }])
}

it('sends a large file straight to the bucket, and the worker imports it', async () => {
  const bytes = contentOf(SIZE, 'direct')
  await send(bytes, 'direct.bin').done
  expect(asked).toEqual(['POST', 'piece', 'piece', 'piece', 'piece'])
  expect(piecesSent()).toHaveLength(3)
  await expectImported('direct.bin', bytes)
})

soakTest('sends a small file to the server', async () => {
  const bytes = contentOf(100_000, 'small')
  await send(bytes, 'small.bin').done
  expect(asked).toEqual(['POST', 'PATCH'])
  await expectImported('small.bin', bytes)
})

soakTest(
  'continues after the pieces that have arrived, also if the page was closed before it knew',
  async () => {
    const bytes = contentOf(SIZE, 'resumed')
    let sent = 0
    s3.intercept = ({ method, url }) =>
      method === 'PUT' && url.includes('/uploads/') && ++sent === 2 ? 'lost' : null
    const first = send(bytes, 'resumed.bin')
    await expect(first.done).rejects.toThrow()
    asked = []
    s3.requests.length = 0
    await send(bytes, 'resumed.bin', { at: first.upload.url! }).done
    // The second piece is in the bucket: its answer was lost.
    expect(piecesSent()).toHaveLength(1)
    expect(asked[0]).toBe('HEAD')
    await expectImported('resumed.bin', bytes)
  },
)

it('sends to the server if the bucket cannot be reached', async () => {
  const bytes = contentOf(PIECE, 'blocked')
  s3.intercept = ({ method, url }) =>
    method === 'PUT' && url.includes('X-Amz-Signature')
      ? { status: 403, code: 'AccessDenied' }
      : null
  await send(bytes, 'blocked.bin', { retry: true }).done
  expect(asked.filter((method) => method === 'PATCH')).toHaveLength(1)
  await expectImported('blocked.bin', bytes)
})

soakTest('continues over tus where direct pieces ended, and back', async () => {
  const bytes = contentOf(SIZE, 'mixed')
  const { headers } = await create(sender, SIZE, { filename: 'mixed.bin' })
  const at = headers.get('location')!
  expect((await patch(sender, at, 0, bytes.subarray(0, 1000))).status).toBe(204)
  const url = new URL(at, app.url).href
  await send(bytes, 'mixed.bin', { at: url }).done
  expect(asked).toEqual(['HEAD', 'piece', 'piece', 'piece', 'piece'])
  await expectImported('mixed.bin', bytes)
})

it('gives an address for exactly the next bytes, and counts only what is there', async () => {
  const { headers } = await create(sender, SIZE, { filename: 'exact.bin' })
  const at = headers.get('location')!
  const next = async () => (await app.owner.call('POST', `${at}/pieces`, {})).body
  const { offset, piece } = await next()
  expect([offset, piece.size_bytes]).toEqual([0, PIECE])
  expect(new URL(piece.url).searchParams.get('X-Amz-SignedHeaders')).toContain('content-length')
  const short = await fetch(piece.url, { method: 'PUT', body: new Uint8Array(1000) })
  expect(short.status).toBe(403)
  expect((await next()).offset).toBe(0)
  expect((await next()).piece.url.split('?')[0]).toBe(piece.url.split('?')[0])
  expect((await tus(sender, 'DELETE', at)).status).toBe(204)
  expect((await app.owner.call('POST', `${at}/pieces`, {})).status).toBe(404)
})

soakTest('asks about a name that was taken meanwhile before more bytes are sent', async () => {
  await send(contentOf(1000, 'taken'), 'taken.bin').done
  await expectImported('taken.bin', contentOf(1000, 'taken'))
  const { headers } = await create(sender, SIZE, { filename: 'later.bin' })
  const at = headers.get('location')!
  await app.owner.scope.query(
    `update files set filename = 'later.bin', name_key = (select name_key from uploads
       where shop_id = :shop and filename = 'later.bin')
     where shop_id = :shop and filename = 'taken.bin'`,
  )
  const refused = await app.owner.call('POST', `${at}/pieces`, {})
  expect([refused.status, refused.body.error.details[0].code]).toEqual([422, 'duplicate_filename'])
  const renamed = await app.owner.call('POST', `${at}/pieces`, { on_conflict: 'rename' })
  expect(renamed.body.piece.size_bytes).toBe(PIECE)
})

it('refuses a file for which the shop has no room before it is sent', async () => {
  const full = await openTestApp({
    bucket: s3.location({ prefix: 'full/' }),
    directUploads: DIRECT,
    limits: { shop_storage_bytes: PIECE },
  })
  try {
    const owner = { url: full.url, key: full.owner.key }
    const refused = await create(owner, SIZE, { filename: 'full.bin' })
    expect([refused.status, await refused.text()]).toEqual([
      507,
      expect.stringContaining('storage_quota'),
    ])
  } finally {
    await full.close()
  }
})
