// Servers as they are met in the world: raw answers over a socket, each of which is a fine file or
// deserves a message that says what is wrong.
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../test/scale.ts'
import type { PortError } from '../../plugins/contract/index.ts'
import { createGuardedClient, type GuardedClient } from './guarded-fetch.ts'

const FILE = Buffer.from('the bytes of a file that compress: '.repeat(40))
const { signal } = new AbortController()

let server: Server
let base: string
let client: GuardedClient
/** The answer to each path, as it goes over the socket; absent: 404. */
const answers = new Map<string, (request: string) => Buffer>()
const requests: string[] = []

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const request = data.toString('latin1')
      requests.push(request)
      const path = request.split(' ')[1]!
      const answer = answers.get(path)?.(request) ?? raw('404 Not Found', {}, Buffer.from('gone'))
      socket.end(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = createGuardedClient({ allowLoopback: true, fileBytes: 50_000_000 })
})
afterAll(async () => {
  await client.close()
  server.close()
})

const raw = (status: string, headers: Record<string, string>, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\n${Object.entries({
        'content-length': body.length,
        connection: 'close',
        ...headers,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
      'latin1',
    ),
    body,
  ])

const read = async (path: string): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync((await client.open(base + path, signal)).body))
const detailOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: PortError) => error.detail ?? error.code,
  )
let paths = 0
/** Serves this answer at a new path with this ending; gives the path. */
function serve(answer: Buffer | ((request: string) => Buffer), ending = 'file.pdf'): string {
  const path = `/${(paths += 1)}/${ending}`
  answers.set(path, typeof answer === 'function' ? answer : () => answer)
  return path
}

describe('the file itself', () => {
  it.each(
    someOf(
      [
        'aws-chunked',
        'utf-8',
        'binary',
        'none',
        'identity',
        'aws-chunked,',
        'UTF-8, binary',
        '',
      ] as const,
      (_, at) => at < 2,
    ),
  )('with the Content-Encoding "%s", which is no coding', async (coding) => {
    expect(await read(serve(raw('200 OK', { 'content-encoding': coding }, FILE)))).toEqual(FILE)
  })
  it.each([
    ['gzip', gzipSync(FILE)],
    ['x-gzip', gzipSync(FILE)],
    ['deflate', deflateSync(FILE)],
  ])('with the Transfer-Encoding %s', async (coding, body) => {
    const head = `HTTP/1.1 200 OK\r\ntransfer-encoding: ${coding}\r\nconnection: close\r\n\r\n`
    expect(await read(serve(Buffer.concat([Buffer.from(head), body]), 'file.gz'))).toEqual(FILE)
  })
  it('with the Transfer-Encoding gzip in chunks', async () => {
    const body = gzipSync(FILE)
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\nconnection: close\r\n\r\n'
    const answer = Buffer.concat([
      Buffer.from(`${head}${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    expect(await read(serve(answer))).toEqual(FILE)
  })
  it.each(
    someOf(
      [
        ['file.tar.gz', 'application/octet-stream'],
        ['download', 'application/gzip'],
        ['download', 'application/x-tar+gzip'],
        ['download', 'application/x-gzip'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('%s of type %s, called gzip', async (name, type) => {
    const archive = gzipSync(FILE)
    const headers = { 'content-encoding': 'gzip', 'content-type': type }
    expect(await read(serve(raw('200 OK', headers, archive), name))).toEqual(archive)
  })
  it.each(
    someOf(
      [
        'attachment; filename="backup 1.tar.gz"',
        "attachment; filename*=UTF-8''b%C3%A4ckup.tgz",
        'attachment; filename=a.gz; size=3',
      ] as const,
      (_, at) => at < 1,
    ),
  )('called gzip, with the Content-Disposition %s', async (disposition) => {
    const archive = gzipSync(FILE)
    const headers = { 'content-encoding': 'gzip', 'content-disposition': disposition }
    expect(await read(serve(raw('200 OK', headers, archive), 'download'))).toEqual(archive)
  })
  it('called gzip, behind an address that names an archive', async () => {
    const archive = gzipSync(FILE)
    const stored = serve(raw('200 OK', { 'content-encoding': 'gzip' }, archive), 'blob')
    const moved = raw('302 Found', { location: base + stored }, Buffer.alloc(0))
    expect(await read(serve(moved, 'a.tar.gz'))).toEqual(archive)
    expect(await read(serve(moved, 'a.tar'))).toEqual(FILE)
  })
  it.each(
    someOf(
      [
        ['gzip', gzipSync(FILE)],
        ['x-gzip', gzipSync(FILE)],
        ['GZIP, aws-chunked', gzipSync(FILE)],
        ['deflate', deflateSync(FILE)],
        ['br', brotliCompressSync(FILE)],
        ['zstd', zstdCompressSync(FILE)],
      ] as const,
      (_, at) => at < 2,
    ),
  )('compressed with %s, which was not asked for', async (coding, body) => {
    const path = serve(raw('200 OK', { 'content-encoding': coding }, body))
    expect(await read(path)).toEqual(FILE)
    expect(await client.probe(base + path, signal)).toMatchObject({
      size_bytes: FILE.length,
    })
  })
  it('with 203, and with 206 for the whole of it', async () => {
    expect(await read(serve(raw('203 Non-Authoritative', {}, FILE)))).toEqual(FILE)
    const range = { 'content-range': `bytes 0-${FILE.length - 1}/${FILE.length}` }
    expect(await read(serve(raw('206 Partial Content', range, FILE)))).toEqual(FILE)
  })
  it.each(
    someOf(
      ['bytes 0-99/1400', 'bytes 1-1399/1400', 'bytes 0-99/*', 'items 0-99/100'] as const,
      (_, at) => at < 1,
    ),
  )('is not what 206 has with %s', async (range) => {
    const path = serve(
      raw('206 Partial Content', { 'content-range': range }, FILE.subarray(0, 100)),
    )
    expect(await detailOf(read(path))).toBe('The server answered 206')
  })
  it('is not at an address that expired: Google Cloud Storage answers 400', async () => {
    expect(await detailOf(read(serve(raw('400 Bad Request', {}, FILE))))).toBe(
      'The server answered 400. The address may be incomplete, or may have expired',
    )
  })
  it.each(someOf(['403 Forbidden', '503 Service Unavailable'] as const, (_, at) => at < 1))(
    'is not behind a challenge of Cloudflare (%s)',
    async (status) => {
      const headers = { 'cf-mitigated': 'challenge', 'content-type': 'text/html' }
      const asked = client.open(base + serve(raw(status, headers, FILE)), signal)
      const error = await asked.catch((cause: unknown) => cause as PortError)
      expect(error).toMatchObject({
        retryable: false,
        detail: expect.stringContaining('upload the file'),
      })
    },
  )
  it('is not in the protected folder of a shop', async () => {
    for (const folder of ['woocommerce_uploads/2024', 'uploads/edd/2024']) {
      const path = serve(raw('403 Forbidden', {}, FILE), `wp-content/${folder}/a.pdf`)
      expect(await detailOf(read(path))).toContain('The shop protects this folder')
    }
  })
  it('at an address with an unencoded #', async () => {
    answers.set('/dir/No.%231.pdf', () => raw('200 OK', {}, FILE))
    expect(await read('/dir/No.#1.pdf')).toEqual(FILE)
    expect(await detailOf(read('/dir/No.#2.pdf'))).toContain('Write # in the name of a file as %23')
  })
})

describe('what a server calls a web page', () => {
  const page = { 'content-type': 'text/html; charset=UTF-8' }
  const typeOf = async (answer: Buffer | ((request: string) => Buffer)) => {
    const { content_type } = await client.probe(base + serve(answer, 'download.php'), signal)
    return content_type
  }
  const pdf = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')
  const html = Buffer.from('<!DOCTYPE html><html><body>Sign in</body></html>')
  it('may be a document, or bytes of an unknown type', async () => {
    expect(await typeOf(raw('200 OK', page, pdf))).toBe('application/pdf')
    expect(await typeOf(raw('200 OK', page, Buffer.from([35, 80, 69, 83, 0, 1, 2])))).toBeNull()
    const zipped = { ...page, 'content-encoding': 'gzip' }
    expect(await typeOf(raw('200 OK', zipped, gzipSync(pdf)))).toBe('application/pdf')
  })
  it('may be a text that it offers to save', async () => {
    const offered = { ...page, 'content-disposition': 'attachment; filename="preset.cube"' }
    expect(await typeOf(raw('200 OK', offered, Buffer.from('LUT_3D_SIZE 2\n')))).toBeNull()
  })
  it('is one otherwise', async () => {
    for (const headers of [page, { ...page, 'content-encoding': 'gzip' }]) {
      const body = 'content-encoding' in headers ? gzipSync(html) : html
      expect(await typeOf(raw('200 OK', headers, body))).toBe(page['content-type'])
    }
    const saved = { ...page, 'content-disposition': 'attachment; filename="page.html"' }
    expect(await typeOf(raw('200 OK', saved, html))).toBe(page['content-type'])
    expect(await typeOf(raw('200 OK', page, Buffer.from('Access denied')))).toBe(
      page['content-type'],
    )
    expect(await typeOf(raw('200 OK', { ...page, 'content-length': '9000' }, html))).toBe(
      page['content-type'],
    )
  })
})

describe('a compressed answer is refused', () => {
  const refused = async (coding: string, body: Buffer) =>
    detailOf(read(serve(raw('200 OK', { 'content-encoding': coding }, body))))
  it('in a coding that cannot be decoded, or in several', async () => {
    for (const coding of ['compress', 'gzip, br', 'gzip, gzip'])
      expect(await refused(coding, FILE)).toMatch(/Content-Encoding that cannot be decoded/)
  })
  it('if it is cut off, or not compressed at all', async () => {
    const damaged = /compressed bytes that are damaged or incomplete/
    expect(await refused('gzip', gzipSync(FILE).subarray(0, 60))).toMatch(damaged)
    expect(await refused('gzip', FILE)).toMatch(damaged)
    expect(await refused('br', FILE)).toMatch(damaged)
  })
  it('if it expands to more than any file does', async () => {
    const bomb = gzipSync(Buffer.alloc(40_000_000))
    expect(await refused('gzip', bomb)).toMatch(/expand to more than 200 times/)
  })
  soakTest('if it is larger than a file may be', async () => {
    const noise = Buffer.alloc(
      60_000_000,
      'a line of text that compresses well, but not extremely\n',
    )
    for (let at = 0; at < noise.length; at += 997) noise[at] = (at * 7919) % 256
    expect(await refused('gzip', gzipSync(noise, { level: 1 }))).toBe('file_too_large')
  })
})

describe('redirects', () => {
  const to = (location: string, headers: Record<string, string> = {}) =>
    raw('302 Found', { location, ...headers }, Buffer.alloc(0))
  it('to raw UTF-8 and to raw Latin-1', async () => {
    answers.set('/caf%C3%A9.pdf', () => raw('200 OK', {}, FILE))
    expect(await read(serve(to(Buffer.from('/café.pdf').toString('latin1'))))).toEqual(FILE)
    expect(await read(serve(to('/caf\u00e9.pdf')))).toEqual(FILE)
    answers.set('/a%20b.pdf', () => raw('200 OK', {}, FILE))
    expect(await read(serve(to('/a b.pdf')))).toEqual(FILE)
  })
  it('to itself with a cookie', async () => {
    const path = serve((request) =>
      /\r\ncookie: seen=1; lang=de\r\n/i.test(request)
        ? raw('200 OK', {}, FILE)
        : to(path, { 'set-cookie': 'seen=1; Path=/; HttpOnly\r\nset-cookie: lang=de' }),
    )
    expect(await read(path)).toEqual(FILE)
    // Another fetch begins without cookies.
    requests.length = 0
    await read(path)
    expect(requests[0]).not.toMatch(/cookie/i)
  })
  it('send no cookie to another host', async () => {
    const other = serve(raw('200 OK', {}, FILE))
    const port = new URL(base).port
    const path = serve(to(`http://localhost:${port}${other}`, { 'set-cookie': 'secret=1' }))
    requests.length = 0
    expect(await read(path)).toEqual(FILE)
    expect(requests.at(-1)).not.toMatch(/secret/)
  })
  it('to an FTP server are not followed, and say so', async () => {
    expect(await detailOf(read(serve(to('ftp://files.example.com/a.pdf'))))).toContain(
      'redirects to an FTP server',
    )
  })
  it('without end name the last host', async () => {
    const path: string = serve(() => to(path))
    expect(await detailOf(read(path))).toBe(
      `The address redirects more than 10 times, at last at ${new URL(base).host}`,
    )
  })
})

describe('an answer that is no HTTP says what is wrong', () => {
  const answered = (text: string) => detailOf(read(serve(Buffer.from(text, 'latin1'))))
  it.each(
    someOf(
      [
        ['ICY 200 OK\r\nicy-name: radio\r\n\r\nbytes', /does not answer with HTTP.*radio stream/],
        ['SSH-2.0-OpenSSH_9.2\r\n', /does not answer with HTTP/],
        ['220 ftp.example.com ready\r\n', /does not answer with HTTP/],
        [`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(300_000)}\r\n\r\n`, /headers that are too long/],
        ['HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nbytes', /length of the file wrongly/],
      ] as const,
      (_, at) => at < 2,
    ),
  )('%.60j', async (text, expected) => {
    expect(await answered(text)).toMatch(expected)
  })
})

it.each([
  [undefined, 'self-signed certificate'],
  [['h2'], 'accepts HTTP/2 only'],
])('a server of TLS with the protocols %j has a reason', async (protocols, reason) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
  const options = { key, cert, ...(protocols && { ALPNProtocols: protocols }) }
  const https = createHttpsServer(options).listen(0, '127.0.0.1')
  await once(https, 'listening')
  const url = `https://127.0.0.1:${(https.address() as AddressInfo).port}/`
  expect(await detailOf(client.open(url, signal))).toContain(reason)
  https.close()
})

it('deflate without its wrapper is decoded too', async () => {
  const path = serve(raw('200 OK', { 'content-encoding': 'deflate' }, deflateRawSync(FILE)))
  expect(await read(path)).toEqual(FILE)
})
