// The part of Azure Blob Storage that rclone uses to read a container: one account, whose requests
// are checked against its key as Azure's documentation describes (Authorize with Shared Key).
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface AzureBlobFake {
  port: number
  /** Adds a blob, or replaces it. */
  put(name: string, content: string): void
  close(): Promise<void>
}

interface Account {
  account: string
  key: string
}

const CONTAINER = 'harbour'
/** Its names are in the text that is signed, in this order. */
const SIGNED_HEADERS = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
]

interface Blob {
  bytes: Buffer
  md5: string
  modified: string
}

export async function startAzureBlob(
  given: Account & { certificate: { key: string; cert: string } },
): Promise<AzureBlobFake> {
  const blobs = new Map<string, Blob>()
  const server = createServer(given.certificate, (request, response) => {
    const url = new URL(request.url!, 'https://azure')
    response.setHeader('x-ms-version', '2021-12-02')
    if (!isSigned(request, url, given)) return fail(response, 403, 'AuthenticationFailed')
    const [container, ...rest] = url.pathname.slice(1).split('/')
    if (container !== CONTAINER) return fail(response, 404, 'ContainerNotFound')
    const name = decodeURIComponent(rest.join('/'))
    if (name !== '') return sendBlob(request, response, blobs.get(name))
    if (url.searchParams.get('comp') === 'list') return sendList(response, blobs, url.searchParams)
    response.writeHead(200, { etag: '"1"', 'last-modified': new Date().toUTCString() }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    put: (name, content) => {
      const bytes = Buffer.from(content)
      const md5 = createHash('md5').update(bytes).digest('base64')
      blobs.set(name, { bytes, md5, modified: new Date().toUTCString() })
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function isSigned(request: IncomingMessage, url: URL, { account, key }: Account): boolean {
  const { headers } = request
  const plain = SIGNED_HEADERS.map((name) => {
    const value = String(headers[name] ?? '')
    return name === 'content-length' && value === '0' ? '' : value
  })
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
    .map((name) => `${name}:${String(headers[name])}\n`)
  const query = [...new Set(url.searchParams.keys())]
    .sort()
    .map((name) => `\n${name.toLowerCase()}:${url.searchParams.getAll(name).sort().join(',')}`)
  const resource = `/${account}${url.pathname}${query.join('')}`
  const text = `${request.method}\n${plain.join('\n')}\n${own.join('')}${resource}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
  return headers.authorization === `SharedKey ${account}:${signature}`
}

function fail(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`
  response.writeHead(status, { 'x-ms-error-code': code, 'content-type': 'application/xml' })
  response.end(body)
}

function sendBlob(request: IncomingMessage, response: ServerResponse, blob?: Blob): void {
  if (!blob) return fail(response, 404, 'BlobNotFound')
  response.writeHead(200, {
    'content-length': blob.bytes.length,
    'content-md5': blob.md5,
    'content-type': 'application/octet-stream',
    'last-modified': blob.modified,
    etag: `"${blob.md5}"`,
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-access-tier': 'Hot',
  })
  response.end(request.method === 'HEAD' ? undefined : blob.bytes)
}

function sendList(
  response: ServerResponse,
  blobs: ReadonlyMap<string, Blob>,
  query: URLSearchParams,
): void {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const folders = new Set<string>()
  const found: string[] = []
  for (const [name, { bytes, md5, modified }] of blobs) {
    if (!name.startsWith(prefix)) continue
    const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length)
    if (end >= 0) folders.add(name.slice(0, end + delimiter.length))
    else
      found.push(
        `<Blob><Name>${escapeXml(name)}</Name><Properties>` +
          `<Last-Modified>${modified}</Last-Modified><Etag>${md5}</Etag>` +
          `<Content-Length>${bytes.length}</Content-Length>` +
          `<Content-Type>application/octet-stream</Content-Type>` +
          `<Content-MD5>${md5}</Content-MD5><BlobType>BlockBlob</BlobType>` +
          `<AccessTier>Hot</AccessTier></Properties></Blob>`,
      )
  }
  const prefixes = [...folders].map(
    (name) => `<BlobPrefix><Name>${escapeXml(name)}</Name></BlobPrefix>`,
  )
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(
    `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="${CONTAINER}">` +
      `<Prefix>${escapeXml(prefix)}</Prefix><Blobs>${found.join('')}${prefixes.join('')}</Blobs>` +
      `<NextMarker/></EnumerationResults>`,
  )
}

const escapeXml = (text: string): string =>
  text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)
