// A bucket in memory that speaks S3 as rclone uses it: signatures are checked, lists have pages and
// folders, and keys may be names that no disk allows. Objects may be generated, so that large ones
// take no memory.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const KEYS = { access_key: 'AKIAHARBOUR', secret_key: 'harbour/secret+canary/0123456789' }
export const NAME = 'harbour'

export interface StoredObject {
  size: number
  etag: string
  modified: Date
  read(start: number, end: number): Buffer
}

export interface FakeBucket {
  url: string
  objects: Map<string, StoredObject>
  put(key: string, content: string | Buffer): void
  /** Every request, as `GET key` or `LIST prefix`. */
  requests: string[]
  /** Its result replaces the response; null: the usual response. May be asynchronous. */
  intercept(request: {
    method: string
    key: string
  }): { status: number; code: string; headers?: Record<string, string> } | null | Promise<null>
  /** The number of objects in a page of a list. */
  page: number
  /** Objects are encrypted with a key of KMS: their ETags are no MD5, and another one after each write. */
  encrypted: boolean
  /** Each list begins again after its last page. */
  endless: boolean
  /** The settings for `connect`. */
  connection(prefix?: string): Record<string, string>
  close(): Promise<void>
}

export async function startBucket(): Promise<FakeBucket> {
  const objects = new Map<string, StoredObject>()
  const server = createServer((request, response) => {
    void answer(bucket, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bucket: FakeBucket = {
    url,
    objects,
    requests: [],
    page: 1000,
    encrypted: false,
    endless: false,
    intercept: () => null,
    put: (key, content) => void objects.set(key, stored(Buffer.from(content))),
    connection: (prefix = '') => ({
      provider: 's3',
      endpoint: url,
      region: 'us-east-1',
      bucket: NAME,
      prefix,
      ...KEYS,
    }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return bucket
}

const stored = (bytes: Buffer): StoredObject => ({
  size: bytes.length,
  etag: createHash('md5').update(bytes).digest('hex'),
  modified: new Date(),
  read: (start, end) => bytes.subarray(start, end),
})

async function answer(
  bucket: FakeBucket,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url!, bucket.url)
  const [name, ...rest] = url.pathname.slice(1).split('/')
  const key = decodeURIComponent(rest.join('/'))
  const { method = 'GET' } = request
  const listing = key === '' && method === 'GET'
  bucket.requests.push(
    listing ? `LIST ${url.searchParams.get('prefix') ?? ''}` : `${method} ${key}`,
  )
  const fail = (status: number, code: string, headers = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/xml', ...headers })
      .end(method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>no</Message></Error>`)
  const body = await bytesOf(request)
  const instead = await bucket.intercept({ method, key })
  if (instead) return void fail(instead.status, instead.code, instead.headers)
  if (!isSigned(request, url)) return void fail(403, 'SignatureDoesNotMatch')
  if (name !== NAME) return void fail(404, 'NoSuchBucket')
  if (listing) return list(bucket, url.searchParams, response)
  if (method === 'PUT') return put(bucket, key, body, request, response, fail)
  const found = bucket.objects.get(key)
  if (method === 'DELETE') {
    bucket.objects.delete(key)
    return void response.writeHead(204).end()
  }
  if (!found) return void fail(404, 'NoSuchKey')
  await give(found, request, response)
}

function put(
  { objects, encrypted }: FakeBucket,
  key: string,
  body: Buffer,
  { headers }: IncomingMessage,
  response: ServerResponse,
  fail: (status: number, code: string) => unknown,
): void {
  const source = headers['x-amz-copy-source']
  if (source === undefined) objects.set(key, stored(body))
  else {
    const from = decodeURIComponent(String(source))
      .replace(/^\//, '')
      .slice(NAME.length + 1)
    const found = objects.get(from)
    if (!found) return void fail(404, 'NoSuchKey')
    objects.set(key, { ...found, modified: new Date() })
  }
  if (encrypted) objects.set(key, { ...objects.get(key)!, etag: randomBytes(16).toString('hex') })
  const { etag, modified } = objects.get(key)!
  const result = `<CopyObjectResult><ETag>"${etag}"</ETag><LastModified>${modified.toISOString()}</LastModified></CopyObjectResult>`
  response.writeHead(200, { etag: `"${etag}"` }).end(source === undefined ? '' : result)
}

const PIECE = 1024 ** 2

async function give(found: StoredObject, request: IncomingMessage, response: ServerResponse) {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  const start = range ? Number(range[1]) : 0
  const end = range?.[2] ? Number(range[2]) + 1 : found.size
  response.writeHead(range ? 206 : 200, {
    'content-length': end - start,
    'last-modified': found.modified.toUTCString(),
    etag: `"${found.etag}"`,
    'accept-ranges': 'bytes',
    ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${found.size}` } : {}),
  })
  if (request.method === 'HEAD') return void response.end()
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  for (let at = start; at < end && !response.destroyed; at += PIECE)
    if (!response.write(found.read(at, Math.min(end, at + PIECE))))
      await once(response, 'drain', { signal: closed.signal }).catch(() => {})
  response.end()
}

const inUrl = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/')
const inXml = (text: string) =>
  text.replace(/[&<>"\0-\x1f]/g, (character) => `&#${character.charCodeAt(0)};`)

/** ListObjects versions 1 and 2, in the order of the keys. */
function list(
  { objects, page, endless }: FakeBucket,
  query: URLSearchParams,
  response: ServerResponse,
) {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const after = query.get('continuation-token') ?? query.get('marker') ?? ''
  const most = Math.min(page, Number(query.get('max-keys') ?? page))
  const entries = new Map<string, StoredObject | null>()
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix)) continue
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = cut === -1 ? key : key.slice(0, cut + 1)
    if (entry > after && !entries.has(entry))
      entries.set(entry, cut === -1 ? objects.get(key)! : null)
  }
  const encoded = query.get('encoding-type') === 'url'
  const escaped = encoded ? inUrl : inXml
  const shown = [...entries].slice(0, most)
  const more = endless || entries.size > most
  // A list without an end begins again: no key is before this one.
  const last = entries.size > most ? escaped(shown.at(-1)![0]) : '0'
  const rows = shown.map(([key, object]) =>
    object
      ? `<Contents><Key>${escaped(key)}</Key><Size>${object.size}</Size><ETag>"${object.etag}"</ETag><LastModified>${object.modified.toISOString()}</LastModified><StorageClass>STANDARD</StorageClass></Contents>`
      : `<CommonPrefixes><Prefix>${escaped(key)}</Prefix></CommonPrefixes>`,
  )
  response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(
      `<?xml version="1.0"?><ListBucketResult><Name>${NAME}</Name>${encoded ? '<EncodingType>url</EncodingType>' : ''}<IsTruncated>${String(more)}</IsTruncated>${more ? `<NextMarker>${last}</NextMarker><NextContinuationToken>${last}</NextContinuationToken>` : ''}${rows.join('')}</ListBucketResult>`,
    )
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Checks the AWS Signature Version 4 of the header. */
function isSigned({ method, headers }: IncomingMessage, url: URL): boolean {
  const match =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)/.exec(
      headers.authorization ?? '',
    )
  if (match?.[1] !== KEYS.access_key) return false
  const [, , date, region, names, given] = match as unknown as string[]
  const canonical = [
    method,
    url.pathname.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    url.search.slice(1).split('&').sort().join('&').replaceAll('+', '%20'),
    ...names!.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n')
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part!).digest(),
    `AWS4${KEYS.secret_key}`,
  )
  return createHmac('sha256', key).update(text).digest('hex') === given
}
