// Answers as servers write them, compared with curl over a socket: a file has the same bytes, and what
// curl refuses is refused. Each answer is also read in pieces of every size.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { PortError } from '../../plugins/contract/index.ts'
import { AnswerParser } from './answer-head.ts'
import { createGuardedClient } from './guarded-fetch.ts'

const { signal } = new AbortController()
const LENGTH = 'Content-Length: 5'
const CHUNKED = 'Transfer-Encoding: chunked'
const CHUNKS = '5\r\nhello\r\n0\r\n\r\n'
const answer = (headers: string, body = 'hello') => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`
const chunks = (body: string) => answer(CHUNKED, body)
const status = (line: string) => `${line}\r\n${LENGTH}\r\n\r\nhello`

/** Both programs read "hello". */
const READ: Record<string, string> = {
  'one length': answer(LENGTH),
  'two equal lengths': answer(`${LENGTH}\r\n${LENGTH}`),
  'a list of equal lengths': answer('Content-Length: 5, 5'),
  'a list with an empty length': answer('Content-Length: 5,'),
  'a length with zeros': answer('Content-Length: 005'),
  'a length between tabs': answer('Content-Length:\t5\t'),
  'a length beside a blank before the colon': answer('Content-Length : 5'),
  'no length': answer('X: y'),
  'no headers': 'HTTP/1.1 200 OK\r\n\r\nhello',
  'a folded header': answer(`X: a\r\n b\r\n${LENGTH}`),
  'a header folded twice by tabs': answer(
    `Content-Type: text/plain;\r\n\ta=b;\r\n\tc=d\r\n${LENGTH}`,
  ),
  'a header without a value': answer(`X:\r\n${LENGTH}`),
  'a header without a name': answer(`: x\r\n${LENGTH}`),
  'a name with a blank': answer(`Bad Name: x\r\n${LENGTH}`),
  'a value in Latin-1': answer(`X: caf\xe9\r\n${LENGTH}`),
  'a name in Latin-1': answer(`X-\xe9: a\r\n${LENGTH}`),
  'a value with control characters': answer(`X: a\x01\rb\r\n${LENGTH}`),
  'a name of an object’s own': answer(`__proto__: a\r\nconstructor: b\r\n${LENGTH}`),
  'many headers': answer(`${`X: ${'y'.repeat(500)}\r\n`.repeat(400)}${LENGTH}`),
  'bare line feeds': `HTTP/1.1 200 OK\n${LENGTH}\n\nhello`,
  'mixed line ends': `HTTP/1.1 200 OK\r\n${LENGTH}\n\r\nhello`,
  'two carriage returns': `HTTP/1.1 200 OK\r\r\n${LENGTH}\r\r\n\r\r\nhello`,
  'no reason': status('HTTP/1.1 200'),
  'an empty reason': status('HTTP/1.1 200 '),
  'two blanks before the status': status('HTTP/1.1  200 OK'),
  'no blank before the reason': status('HTTP/1.1 200OK'),
  'a protocol in lower case': status('http/1.1 200 OK'),
  'HTTP/1.0': status('HTTP/1.0 200 OK'),
  'HTTP/1.0 without a length': 'HTTP/1.0 200 OK\r\n\r\nhello',
  'HTTP/1.0 in chunks': `HTTP/1.0 200 OK\r\n${CHUNKED}\r\n\r\n${CHUNKS}`,
  'HTTP/2 without its frames': status('HTTP/2 200 OK'),
  'HTTP/2.0 without its frames': status('HTTP/2.0 200 OK'),
  chunks: chunks(CHUNKS),
  'several chunks': chunks('2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n'),
  'blanks after sizes': chunks('5  \r\nhello\r\n0 \r\n\r\n'),
  'tabs after sizes': chunks('5\t\r\nhello\r\n0\t\r\n\r\n'),
  'extensions of chunks': chunks('5;a=b\r\nhello\r\n0;x\r\n\r\n'),
  'quoted extensions of chunks': chunks('5 ; a="b;c"\r\nhello\r\n0\r\n\r\n'),
  'sizes with zeros': chunks('0005\r\nhello\r\n000\r\n\r\n'),
  'chunks with bare line feeds': chunks('5\nhello\n0\n\n'),
  trailers: chunks('5\r\nhello\r\n0\r\nX: y\r\nContent-Length: 9\r\n\r\n'),
  'CHUNKED in upper case': answer('TRANSFER-ENCODING: CHUNKED', CHUNKS),
  'chunks and a length': answer(`Content-Length: 3\r\n${CHUNKED}`, CHUNKS),
  'chunks, then a length': answer(`${CHUNKED}\r\nContent-Length: 3`, CHUNKS),
  'identity on its own line': answer(`Transfer-Encoding: identity\r\n${CHUNKED}`, CHUNKS),
  'chunks on two lines': answer(`${CHUNKED}\r\n${CHUNKED}`, CHUNKS),
  'identity in a list': answer('Transfer-Encoding: identity, chunked', CHUNKS),
  'identity at the end of a list': answer('Transfer-Encoding: chunked, identity', CHUNKS),
  'empty entries of a list': answer('Transfer-Encoding: , chunked,', CHUNKS),
  identity: answer('Transfer-Encoding: identity'),
  'identity with a length': answer(`Transfer-Encoding: identity\r\n${LENGTH}`),
  'an empty coding': answer(`Transfer-Encoding:\r\n${LENGTH}`),
  '100 before': `HTTP/1.1 100 Continue\r\n\r\n${answer(LENGTH)}`,
  '103 and 102 before': `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 P\r\n\r\n${answer(LENGTH)}`,
}

/** Both programs refuse the file. */
const REFUSED: Record<string, string> = {
  'too few bytes': answer('Content-Length: 6'),
  'a second, longer length': answer(`${LENGTH}\r\nContent-Length: 6`),
  'a negative length': answer('Content-Length: -5'),
  'an empty length': answer('Content-Length:'),
  'a header without a colon': answer(`none\r\n${LENGTH}`),
  'a header with a zero byte': answer(`X: a\0b\r\n${LENGTH}`),
  'chunks in quotes': answer('Transfer-Encoding: "chunked"', CHUNKS),
  'chunks with a parameter': answer('Transfer-Encoding: chunked;q=1', CHUNKS),
  'an unknown coding': answer(`Transfer-Encoding: binary\r\n${LENGTH}`),
  'another coding after chunks': answer('Transfer-Encoding: chunked, gzip', CHUNKS),
  'no last chunk': chunks('5\r\nhello\r\n'),
  'no end of the trailers': chunks('5\r\nhello\r\n0\r\n'),
  'a chunk cut off': chunks('9\r\nhello'),
  'a chunk that is too long': chunks('4\r\nhello\r\n0\r\n\r\n'),
  'a size that is no number': chunks('-5\r\nhello\r\n0\r\n\r\n'),
  'a size of 0x5': chunks('0x5\r\nhello\r\n0\r\n\r\n'),
  'a blank before a size': chunks(' 5\r\nhello\r\n0\r\n\r\n'),
  'an empty size': chunks('\r\n5\r\nhello\r\n0\r\n\r\n'),
  'a size without an end': chunks('fffffffffffffffff\r\nhello'),
  'bytes before the status line': `\xef\xbb\xbf${answer(LENGTH)}`,
  'an empty line before the status line': `\r\n${answer(LENGTH)}`,
  'a status of four digits': status('HTTP/1.1 2000 OK'),
  'HTTP/3': status('HTTP/3.1 200 OK'),
  'no answer': '',
}

/** curl takes the first length, no length, or the bytes of the chunks themselves. */
const REFUSED_HERE: Record<string, string> = {
  'a second, shorter length': answer(`${LENGTH}\r\nContent-Length: 4`),
  'a list of different lengths': answer('Content-Length: 5, 6'),
  'a length with a unit': answer('Content-Length: 5 bytes'),
  'a signed length': answer('Content-Length: +5'),
  'a length that no number holds': answer('Content-Length: 99999999999999999999'),
  'more bytes than the length': answer('Content-Length: 4'),
  'too few bytes beside identity': answer('Transfer-Encoding: identity\r\nContent-Length: 6'),
  'a blank before the colon of chunks': answer('Transfer-Encoding : chunked', CHUNKS),
  'words after a size': chunks('5 xyz\r\nhello\r\n0\r\n\r\n'),
  'a change of the protocol': 'HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\nhello',
  'a head cut off': 'HTTP/1.1 200 OK\r\nContent-Le',
}

const ALL = { ...READ, ...REFUSED, ...REFUSED_HERE }
const NAMES = Object.keys(ALL)
let server: Server
let base: string
let connections = 0
/** Whether the server keeps its connections open after an answer. */
let keeps = false
const client = createGuardedClient({ allowLoopback: true, fileBytes: 1e6, turns: { restMs: 1 } })

beforeAll(async () => {
  server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const text = ALL[NAMES[Number(/\/(\d+)/.exec(data.toString('latin1'))?.[1])] ?? ''] ?? ''
      socket.write(Buffer.from(text, 'latin1'))
      if (!keeps) socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await client.close()
  server.close()
})

const urlOf = (name: string) => `${base}/${NAMES.indexOf(name)}`
const fetched = async (name: string): Promise<string> => {
  const { body } = await client.open(urlOf(name), signal)
  return Buffer.concat(await Array.fromAsync(body)).toString('latin1')
}
/** What curl writes; null: it fails. */
const curled = (name: string): Promise<string | null> =>
  new Promise((resolve) => {
    const args = ['--silent', '--http1.1', '--max-time', '20', urlOf(name)]
    execFile('curl', args, { encoding: 'latin1' }, (error, bytes) => resolve(error ? null : bytes))
  })

test.each(someOf(Object.keys(READ), (_, at) => at % 8 === 0))(
  '%s: read as curl reads it',
  async (name) => {
    expect(await fetched(name)).toBe('hello')
    expect(await curled(name)).toBe('hello')
  },
)
test.each(someOf(Object.keys(REFUSED), (_, at) => at % 8 === 0))(
  '%s: refused as curl refuses it',
  async (name) => {
    await expect(fetched(name)).rejects.toBeInstanceOf(PortError)
    expect(await curled(name)).toBeNull()
  },
)
test.each(someOf(Object.keys(REFUSED_HERE), (_, at) => at % 4 === 0))(
  '%s: refused although curl reads it',
  async (name) => {
    await expect(fetched(name)).rejects.toBeInstanceOf(PortError)
    expect(await curled(name)).not.toBeNull()
  },
)

/** What a parser reads from an answer that arrives in pieces of this size; null: it refuses it. */
function parsed(text: string, size: number): string | null {
  const bytes = Buffer.from(text, 'latin1')
  const body: Buffer[] = []
  let isComplete = false
  const parser = new AnswerParser('GET', 4000, {
    onHead: ({ status: code }) => {
      if (code !== 200) throw new PortError('url_not_accessible', 'No file', false)
    },
    onData: (part) => void body.push(Buffer.from(part)),
    onComplete: () => (isComplete = true),
  })
  try {
    for (let at = 0; at < bytes.length; at += size) {
      const piece = Buffer.from(bytes.subarray(at, at + size))
      parser.read(piece)
      // Its memory may be freed.
      piece.fill('!')
    }
    parser.end()
  } catch {
    return null
  }
  return isComplete ? Buffer.concat(body).toString('latin1') : null
}

test('the size of the pieces makes no difference', () => {
  for (const name of NAMES)
    for (const size of [1, 2, 3, 7, 64, 1e6])
      expect([name, size, parsed(ALL[name]!, size)]).toEqual([
        name,
        size,
        name in READ ? 'hello' : null,
      ])
})

test('a connection is used again only after an answer without a fault', async () => {
  keeps = true
  onTestFinished(() => void (keeps = false))
  const kept: string[] = []
  // The others end with the connection.
  const framed = Object.keys(READ).filter((name) => /content-length|chunked/i.test(ALL[name]!))
  await fetched('one length')
  for (const name of framed) {
    const before = connections
    expect(await fetched(name)).toBe('hello')
    expect(await fetched('one length')).toBe('hello')
    if (connections === before) kept.push(name)
  }
  expect(kept).toEqual([
    'one length',
    'a length between tabs',
    'a header without a value',
    'a value in Latin-1',
    'a name of an object’s own',
    'many headers',
    'no reason',
    'an empty reason',
    'chunks',
    'several chunks',
    'extensions of chunks',
    'sizes with zeros',
    'trailers',
    'CHUNKED in upper case',
    '100 before',
    '103 and 102 before',
  ])
})
