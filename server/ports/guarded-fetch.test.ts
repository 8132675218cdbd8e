import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sized, soakTest, someOf } from '../../test/scale.ts'
import type { PortError } from '../../plugins/contract/index.ts'
import { contentOf } from '../../test/fakes/content.ts'
import { startOrigin, type Origin } from '../../test/fakes/origin.ts'
import { heldBytes } from '../../test/memory.ts'
import type { Resolver } from './addresses.ts'
import {
  createGuardedClient,
  type GuardedClient,
  type GuardedClientOptions,
} from './guarded-fetch.ts'

let origin: Origin
const clients: GuardedClient[] = []
beforeAll(async () => void (origin = await startOrigin()))
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await origin.close()
})

const signal = new AbortController().signal
const clientOf = (options: Partial<GuardedClientOptions> = {}) => {
  const client = createGuardedClient({ allowLoopback: true, fileBytes: 5 * 1024 ** 3, ...options })
  clients.push(client)
  return client
}
const read = async (url: string, client = clientOf()) =>
  Buffer.concat(await Array.fromAsync((await client.open(url, signal)).body))
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'none', message: 'none', detail: 'It did not fail', retryable: null }),
    ({ code, message, detail, retryable }: PortError) => ({ code, message, detail, retryable }),
  )
const MESSAGE = 'File URL not accessible'
const failure = (retryable: boolean, detail: string) => ({
  code: 'url_not_accessible',
  message: MESSAGE,
  detail,
  retryable,
})
/** Refused because of its text, without a look-up. */
const NOT_REACHED = failure(false, 'The address could not be reached')
/** Blocked, unknown or silent: after a look-up all of these have the same error. */
const UNREACHABLE = failure(true, 'The address could not be reached')
const unknownName: Resolver = (_, done) =>
  done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
const BROKEN = failure(true, 'The connection ended before the file was complete')
const SURPLUS = failure(false, 'The server sent more than it had declared')
const TOO_LARGE = { code: 'file_too_large', retryable: false }
/** A resolver that returns these addresses, one per call, then the last. */
const resolving = (...answers: (readonly string[])[]): Resolver => {
  let call = 0
  return (_, done) => {
    const addresses = answers[Math.min(call++, answers.length - 1)]!
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

describe('an honest origin', () => {
  it.each([0, 1, 65_536, 1_000_000, ...sized([], [30_000_000])])(
    'returns all %i bytes',
    async (size) => {
      expect(
        (await read(`${origin.url}/bytes/${size}/whole`)).equals(contentOf(size, 'whole')),
      ).toBe(true)
    },
  )
  it.each(['bytes', 'chunked'])(
    'returns a complete body (%s) although its buffers are released meanwhile',
    async (kind) => {
      const { body } = await clientOf().open(`${origin.url}/${kind}/3000000/released`, signal)
      const pieces: Buffer[] = []
      let held: Buffer[] = []
      for await (const chunk of body) {
        held.push(chunk)
        // Released late and several together, so that the connection is paused and resumed in
        // between.
        if (held.length < 7) continue
        await new Promise(setImmediate)
        pieces.push(Buffer.concat(held))
        body.release(held)
        held = []
      }
      expect(Buffer.concat([...pieces, ...held]).equals(contentOf(3_000_000, 'released'))).toBe(
        true,
      )
    },
  )
  it('gets a plain request for the unencoded file', async () => {
    await read(`${origin.url}/bytes/1/plain`)
    const ours = {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': expect.stringMatching(/^Mozilla\/5\.0 \(compatible; Stevedore\/[\d.]+\)$/),
    }
    const transport = { host: new URL(origin.url).host, connection: 'keep-alive' }
    expect(origin.requests.at(-1)!.headers).toEqual({ ...ours, ...transport })
  })
  it('reports size and type before the body', async () => {
    const { body, ...probe } = await clientOf().open(`${origin.url}/bytes/5/probe`, signal)
    expect(probe).toEqual({
      size_bytes: 5,
      content_type: 'application/octet-stream',
      identity: null,
    })
    await body.return!()
  })
  it('keeps a connection for the next request, and never shares it', async () => {
    const before = origin.connections
    const client = clientOf()
    for (let n = 0; n < 5; n += 1) await read(`${origin.url}/bytes/1000/keep${n}`, client)
    expect(origin.connections - before).toBe(1)
    await Promise.all(
      [1, 2, 3].map((n) => read(`${origin.url}/together/3/bytes/1000/${n}`, client)),
    )
    expect(origin.connections - before).toBe(3)
  })
  soakTest('may close each connection, regardless of its headers', async () => {
    const client = clientOf()
    for (let n = 0; n < 20; n += 1) {
      const bytes = contentOf(1000 + n, 'goodbye')
      expect((await read(`${origin.url}/goodbye/${1000 + n}/goodbye`, client)).equals(bytes)).toBe(
        true,
      )
    }
  })
  it('may end a body with the connection, as HTTP/1.0 does', async () => {
    expect((await read(`${origin.url}/unframed/100000/x`)).equals(contentOf(100_000, 'x'))).toBe(
      true,
    )
  })
  soakTest('is read no faster than the reader consumes', async () => {
    const { body } = await clientOf().open(`${origin.url}/huge?chunked`, signal)
    const before = heldBytes()
    for (let n = 0; n < 10; n += 1) await body.next()
    await new Promise(setImmediate)
    expect(heldBytes() - before).toBeLessThan(20_000_000)
    await body.return!()
  })
})

const NO_HTTP =
  'The server does not answer with HTTP at this address: it may be a radio stream or another service'

describe('a bad origin', () => {
  const timeouts = { connect: 1000, headers: 200, slow: 300 }
  it.each(
    someOf(
      [
        [
          '/status/403',
          failure(
            false,
            'The server answered 403: access denied. The server may refuse programs, or the address may have expired',
          ),
        ],
        ['/status/404', failure(false, 'The server answered 404: file not found')],
        ['/status/204', failure(false, 'The server answered 204')],
        ['/status/206', failure(false, 'The server answered 206')],
        ['/status/429', failure(true, 'The server answered 429: too many requests')],
        ['/status/500', failure(true, 'The server answered 500')],
        ['/status/503', failure(true, 'The server answered 503')],
        ['/short/1000/500', BROKEN],
        ['/short/1000/500?open', failure(true, 'The server sent the file too slowly')],
        ['/short/3000000/2999999', BROKEN],
        ['/cut/1000000/500000', BROKEN],
        ['/cut/1000000/500000?chunked', BROKEN],
        ['/cut/1000000/500000?unframed', BROKEN],
        ['/long/1000/1001', SURPLUS],
        ['/long/1000/2000', SURPLUS],
        ['/long/0/500', SURPLUS],
        ['/long/65536/131072', SURPLUS],
        ['/long/1000000/1000001', SURPLUS],
        ['/long/1000000/3000000', SURPLUS],
        ['/long/1000/1001?close', SURPLUS],
        ['/long/1000000/1000001?close', SURPLUS],
        ['/long/65536/131072?close', SURPLUS],
        ['/long/1000/2000?later', SURPLUS],
        ['/reset', BROKEN],
        ['/silent', failure(true, 'The server did not answer in time')],
        ['/silent-body', failure(true, 'The server sent the file too slowly')],
        ['/drip/20', failure(true, 'The server sent the file too slowly')],
        ['/not-http', failure(false, NO_HTTP)],
        ['/loop', failure(false, 'The address redirects more than 10 times, at last at HOST')],
        [
          '/hops/11/10/x',
          failure(false, 'The address redirects more than 10 times, at last at HOST'),
        ],
        ['/redirect-nowhere', failure(false, 'HOST redirects without a valid address')],
      ] as const,
      (one) =>
        /^\/(status\/404|short\/1000\/500$|cut\/1000000\/500000$|long\/1000\/2000$|silent|not-http|loop)/.test(
          one[0],
        ),
    ),
  )('%s', async (path, expected) => {
    const found = await failureOf(read(origin.url + path, clientOf({ timeouts })))
    const host = new URL(origin.url).host
    expect({ ...found, detail: found.detail?.replace(host, 'HOST') }).toEqual(expected)
  })
  it('that sends more than the size limit is stopped, by the declared length and by the count', async () => {
    expect(await failureOf(read(`${origin.url}/huge`))).toMatchObject(TOO_LARGE)
    expect(
      await failureOf(read(`${origin.url}/huge?chunked`, clientOf({ fileBytes: 9_000_000 }))),
    ).toMatchObject(TOO_LARGE)
    expect(
      await failureOf(read(`${origin.url}/bytes/9000001/x`, clientOf({ fileBytes: 9_000_000 }))),
    ).toMatchObject(TOO_LARGE)
    expect(
      await read(`${origin.url}/bytes/9000000/x`, clientOf({ fileBytes: 9_000_000 })),
    ).toHaveLength(9_000_000)
  })
  it('that labels an archive as encoded is read correctly', async () => {
    expect((await read(`${origin.url}/gzip/1000/a.tgz`)).subarray(0, 2)).toEqual(
      Buffer.from([0x1f, 0x8b]),
    )
  })
  soakTest(
    'that is slow for a moment is accepted; a slow reader is not the origin’s fault',
    async () => {
      const client = clientOf({ timeouts: { slow: 150 } })
      const { body } = await client.open(`${origin.url}/bytes/3000000/patient`, signal)
      const until = Date.now() + 500
      let bytes = (await body.next()).value!.length
      while (Date.now() < until) await new Promise(setImmediate)
      for await (const chunk of body) bytes += chunk.length
      expect(bytes).toBe(3_000_000)
    },
  )
  soakTest('does not affect the next request', async () => {
    const client = clientOf({ timeouts })
    for (const path of [
      '/long/1000/2000',
      '/short/10/5',
      '/silent',
      '/cut/1000000/500',
      '/gzip/9/a',
      '/status/500',
    ])
      await failureOf(read(origin.url + path, client))
    expect(
      (await read(`${origin.url}/bytes/1000/after`, client)).equals(contentOf(1000, 'after')),
    ).toBe(true)
  })
})

describe('a server that states when it may be asked again', () => {
  it.each([
    [429, '90', 90, 'The server answered 429: too many requests. It asks to wait 90 s'],
    [429, '86401', 86_401, 'The server answered 429: too many requests. It asks to wait 25 hours'],
    [503, '2', 2, 'The server answered 503. It asks to wait 2 s'],
    [429, 'soon', undefined, 'The server answered 429: too many requests'],
  ])('%i with Retry-After %s', async (status, stated, retryAfter, detail) => {
    const server = createServer((_, response) =>
      response.writeHead(status, { 'retry-after': stated }).end(),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const error = await clientOf()
      .open(`http://127.0.0.1:${port}/`, signal)
      .catch((thrown: unknown) => thrown)
    server.close()
    expect(error).toMatchObject({ detail, retryable: true, retryAfter })
  })
})

describe('an https URL', () => {
  it('without a TLS server behind it is reported', async () => {
    const url = origin.url.replace('http:', 'https:')
    expect(await failureOf(read(url))).toEqual(
      failure(
        false,
        'The server does not use TLS at this address: it may begin with http:// instead of https://',
      ),
    )
  })
})

it('given headers are sent to the host of the address, also after its redirects, and to no other', async () => {
  const seen: string[] = []
  const listen = async (name: string, answer: (path: string) => string | null) => {
    const server = createServer(({ url = '', headers }, response) => {
      seen.push(`${name}${url} ${headers.authorization ?? 'none'} ${headers.cookie ?? 'none'}`)
      const location = answer(url)
      if (location === null) response.end('bytes')
      else response.writeHead(302, { location, 'set-cookie': 'own=1' }).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  let first = ''
  const other = await listen('other', (path) => (path === '/back' ? `${first}/end` : null))
  first = await listen('first', (path) =>
    path === '/same' ? '/end' : path === '/away' ? `${other}/back` : null,
  )
  const client = clientOf()
  const headers = { authorization: 'Bearer canary', cookie: 'given=1' }
  for (const path of ['/same', '/away']) {
    const { body } = await client.open(first + path, signal, { headers })
    await Array.fromAsync(body)
  }
  expect(seen).toEqual([
    'first/same Bearer canary given=1',
    'first/end Bearer canary given=1; own=1',
    'first/away Bearer canary given=1',
    'other/back none none',
    // Another host has named this address.
    'first/end none own=1',
  ])
})

describe('redirects', () => {
  it('are followed ten times', async () => {
    expect(await read(`${origin.url}/hops/10/100/hops`)).toEqual(contentOf(100, 'hops'))
  })
  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::ffff:10.0.0.1]/',
    'http://0xa000001/',
    'http://0.0.0.0/',
    'file:///etc/passwd',
    'http://user:secret@127.0.0.1/',
    'http://8.8.8.8:22/',
    'data:,x',
  ])('to %s are refused like any other address', async (to) => {
    const url = `${origin.url}/redirect?to=${encodeURIComponent(to)}`
    expect(await failureOf(read(url))).toEqual(NOT_REACHED)
  })
  it('are checked at the tenth as at the first', async () => {
    const inside = `/redirect?to=${encodeURIComponent('http://10.0.0.1/')}`
    const to = Array.from({ length: 9 }).reduce<string>(
      (next) => `/redirect?to=${encodeURIComponent(next)}`,
      inside,
    )
    expect(await failureOf(read(origin.url + to))).toEqual(NOT_REACHED)
  })
  it('from outside to loopback are refused', async () => {
    // The name resolves to loopback, which only the test's client may reach, so the test checks the
    // redirect itself.
    const url = `${origin.url}/redirect?to=${encodeURIComponent('http://internal.example/')}`
    const client = clientOf({ resolve: resolving(['192.168.0.9']) })
    expect(await failureOf(read(url, client))).toEqual(UNREACHABLE)
  })
})

// Concurrently: each refusal takes the second that hides the result of the look-up.
describe.concurrent('addresses', () => {
  it('are refused before anything is sent, as unknown names are', async () => {
    const reach = (resolve: Resolver, allowLoopback = false) => {
      const client = clientOf({ allowLoopback, resolve })
      return client.reach('https://hooks.example/in').then(
        () => 'reached',
        (error: PortError) => `${error.code} ${error.retryable}`,
      )
    }
    const refused = 'url_not_accessible true'
    const inside = resolving(['10.1.2.3'])
    const reached = [
      reach(resolving(['93.184.216.34'])),
      reach(resolving(['93.184.216.34', '10.1.2.3'])),
      reach(inside),
      reach(resolving(['127.0.0.1'])),
      reach(unknownName),
      // Local development works without a network.
      reach(unknownName, true),
      reach(inside, true),
    ]
    expect(await Promise.all(reached)).toEqual([
      'reached',
      refused,
      refused,
      refused,
      refused,
      'reached',
      refused,
    ])
  })

  it('are refused if a name resolves to them, with the error of an unknown name', async () => {
    const addresses = [
      '127.0.0.1',
      '10.1.2.3',
      '::1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      'fd00::1',
    ]
    const resolvers = [unknownName, ...addresses.map((address) => resolving([address]))]
    const failures = await Promise.all(
      resolvers.flatMap((resolve) => {
        const client = clientOf({ allowLoopback: false, resolve })
        return [
          failureOf(client.open('http://files.example/', signal)),
          failureOf(client.probe('http://files.example/', signal)),
          failureOf(client.post('http://files.example/', {}, 'x', signal)),
        ]
      }),
    )
    expect(failures).toEqual(failures.map(() => UNREACHABLE))
    expect(failures).toHaveLength(21)
  })
  it('a name with one forbidden address among allowed ones is refused', async () => {
    const client = clientOf({
      allowLoopback: false,
      resolve: resolving(['93.184.216.34', '127.0.0.1']),
    })
    expect(await failureOf(client.open('http://files.example/', signal))).toEqual(UNREACHABLE)
  })
  it('is looked up once for each connection: the checked address is used', async () => {
    let asked = 0
    const resolve: Resolver = (_, done) => {
      asked += 1
      // The second answer differs, as with DNS rebinding.
      done(null, [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
    }
    const client = clientOf({ resolve })
    const url = `http://rebind.example:${origin.port}`
    expect(await read(`${url}/bytes/10/first`, client)).toEqual(contentOf(10, 'first'))
    expect(asked).toBe(1)
    // Interrupted, so that the next request needs a new connection.
    await failureOf(read(`${url}/cut/1000/10`, client))
    expect(await failureOf(read(`${url}/bytes/10/second`, client))).toEqual(UNREACHABLE)
    expect(asked).toBe(2)
  })
  it('loopback is closed unless it is allowed', async () => {
    const client = clientOf({ allowLoopback: false })
    const own = await startOrigin()
    for (const url of [own.url, `http://localhost:${own.port}`, `http://[::1]:${own.port}`])
      expect(await failureOf(client.open(`${url}/bytes/1/x`, signal))).toEqual(NOT_REACHED)
    expect(await failureOf(client.open('http://localhost/bytes/1/x', signal))).toEqual(UNREACHABLE)
    expect(own.total).toBe(0)
    await own.close()
  })
  it('a refused connection and an unknown name have the same error', async () => {
    const closed = await startOrigin()
    await closed.close()
    expect(await failureOf(read(`${closed.url}/`))).toEqual(UNREACHABLE)
    expect(
      await failureOf(read('http://nobody.example/', clientOf({ resolve: unknownName }))),
    ).toEqual(UNREACHABLE)
    const never: Resolver = () => {}
    const client = clientOf({ resolve: never, timeouts: { connect: 100 } })
    expect(await failureOf(read('http://nobody.example/', client))).toEqual(UNREACHABLE)
  })
})

describe('probe', () => {
  it('requests only the headers', async () => {
    const probe = { size_bytes: 6 * 1024 ** 3, content_type: null }
    expect(await clientOf().probe(`${origin.url}/huge`, signal)).toEqual(probe)
    expect(origin.requests.at(-1)!.method).toBe('HEAD')
  })
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['resets', ({ socket }) => socket.destroy()],
    ['is silent', () => {}],
    [
      'answers in a compressed form',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    ],
    ['redirects nowhere', (_, response) => response.writeHead(302).end()],
  ])('requests the file if HEAD %s', async (_, head) => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.method!)
      if (request.method === 'HEAD') head(request, response)
      else response.writeHead(200, { 'content-length': 5 }).end('whole')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect(await clientOf({ timeouts: { headers: 200 } }).probe(url, signal)).toMatchObject({
      size_bytes: 5,
    })
    expect(asked).toEqual(['HEAD', 'GET'])
    server.closeAllConnections()
    server.close()
  })
  it('fails if it is stopped while a web page arrives', async () => {
    const stopped = new AbortController()
    const server = createServer(({ method }, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      if (method === 'HEAD') response.end()
      else response.write('<', () => setTimeout(() => stopped.abort(), 200))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await expect(clientOf().probe(url, stopped.signal)).rejects.toThrow()
  })
  it('sends no second request to a rate-limited server or a refused address', async () => {
    const before = origin.total
    const inside = encodeURIComponent('http://10.0.0.1/')
    expect(await failureOf(clientOf().probe(`${origin.url}/status/429`, signal))).toMatchObject({
      retryable: true,
    })
    expect(
      await failureOf(clientOf().probe(`${origin.url}/redirect?to=${inside}`, signal)),
    ).toEqual(NOT_REACHED)
    expect(origin.total - before).toBe(2)
  })
  it('sends a second request if HEAD is refused', async () => {
    expect(await clientOf().probe(`${origin.url}/no-head/1000/x`, signal)).toMatchObject({
      size_bytes: 1000,
    })
    expect(await failureOf(clientOf().probe(`${origin.url}/status/404`, signal))).toMatchObject({
      retryable: false,
    })
  })
})

describe('post', () => {
  it('sends headers and body, and accepts every status', async () => {
    const client = clientOf()
    expect(
      await client.post(`${origin.url}/status/410`, { 'x-signature': 's' }, '{"a":1}', signal),
    ).toEqual({
      status: 410,
    })
    expect(origin.requests.at(-1)).toMatchObject({
      method: 'POST',
      headers: { 'x-signature': 's', 'content-length': '7' },
    })
    const redirect = `${origin.url}/redirect?to=${encodeURIComponent(origin.url)}`
    expect(await client.post(redirect, {}, 'x', signal)).toEqual({ status: 302 })
  })
  it('needs only the status of an answer that does not end', async () => {
    const ended = Promise.withResolvers<number>()
    let sent = 0
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200)
      const block = Buffer.alloc(64 * 1024)
      const fill = () => {
        while (response.write(block)) sent += block.length
      }
      response.on('drain', fill).on('close', () => ended.resolve(sent))
      fill()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await clientOf().post(`http://127.0.0.1:${port}/`, {}, 'x', signal)).toEqual({
      status: 200,
    })
    // What the system's buffers hold, and not more.
    expect(await ended.promise).toBeLessThan(20_000_000)
    server.close()
  })
})

describe('an abort', () => {
  const reason = new Error('paused')
  it('ends waiting for a response', async () => {
    const controller = new AbortController()
    const opened = clientOf().open(`${origin.url}/silent?abort`, controller.signal)
    while (origin.count('/silent?abort') === 0) await new Promise(setImmediate)
    controller.abort(reason)
    await expect(opened).rejects.toBe(reason)
  })
  it('ends waiting for bytes', async () => {
    const controller = new AbortController()
    const { body } = await clientOf().open(`${origin.url}/silent-body`, controller.signal)
    await body.next()
    const next = body.next()
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
  })
  it('sends nothing if it comes first', async () => {
    const { total } = origin
    await expect(
      clientOf().open(`${origin.url}/bytes/1/x`, AbortSignal.abort(reason)),
    ).rejects.toBe(reason)
    expect(origin.total).toBe(total)
  })
})
