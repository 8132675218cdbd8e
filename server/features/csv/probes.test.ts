// Requests to the URLs of a CSV file: concurrency, retries, and hosts that do not answer.
import { say } from '../../../plugins/contract/index.ts'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { createGuardedClient } from '../../ports/guarded-fetch.ts'
import { probeAddresses, problemForName, type HostLimits, type ProbeResult } from './probes.ts'

const limits = { file_bytes: 5 * 1024 ** 3, large_file_bytes: 500 * 1024 ** 2 }
const client = createGuardedClient({
  allowLoopback: true,
  fileBytes: limits.file_bytes,
  turns: { restMs: 1 },
})
let origins: Origin[]
beforeAll(async () => {
  origins = await Promise.all([startOrigin(), startOrigin(), startOrigin()])
})
afterAll(async () => {
  await Promise.all(origins.map((origin) => origin.close()))
  await client.close()
})

async function ask(
  urls: readonly string[],
  hostLimits: HostLimits = {},
  signal = new AbortController().signal,
) {
  const found: ProbeResult[] = []
  for await (const one of probeAddresses(
    urls,
    client.probe,
    { signal, limits },
    { retryMs: 10, ...hostLimits },
  ))
    found.push(one)
  return found
}

/** A server that exists during one test. */
async function withServer<T>(
  answer: RequestListener,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
const NOT_ASKED = { severity: 'warning', code: 'not_asked', message: 'The URL was not checked' }

describe('the response of a URL', () => {
  it('is reported as the import would report it for the name of the file', () =>
    withServer(
      (request, response) => {
        const [path = '', form = ''] = request.url!.split('?')
        const [type, body] = ANSWERS[path] ?? expect.fail(path)
        response.setHeader('content-type', type)
        if (form === 'refused' && request.method === 'HEAD')
          return void response.writeHead(405).end()
        if (form !== 'refused') response.setHeader('content-length', body.length)
        response.end(request.method === 'HEAD' ? '' : body)
      },
      async (url) => {
        for (const form of ['head', 'refused']) {
          const found = await ask(Object.keys(ANSWERS).map((at) => `${url + at}?${form}`))
          const told = new Map(found.map((one) => [new URL(one.url).pathname, one.problem]))
          for (const [path, name, severity, code] of EXPECTED) {
            const problem = problemForName(told.get(path) ?? null, name)
            expect([form, path, name, problem?.severity ?? null, problem?.code ?? null]).toEqual([
              form,
              path,
              name,
              severity,
              code,
            ])
          }
        }
      },
    ))
})

const ANSWERS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/empty.pdf': ['application/pdf', ''],
  '/sign-in': ['text/html; charset=utf-8', '<!doctype html><html>Sign in</html>'],
  '/plan.pdf': ['text/html', '<html>Sign in</html>'],
  '/expired': ['application/json', '{"error": "expired"}'],
  '/real': ['text/html', '%PDF-1.7 a document whose script set no type'],
  '/notes': ['text/plain', 'just notes'],
}
/** What `validate-file` does with these bytes under these names. */
const EXPECTED = [
  ['/empty.pdf', 'a.pdf', 'error', 'empty_file'],
  ['/sign-in', 'plan.pdf', 'error', 'web_page'],
  ['/sign-in', 'page.html', null, null],
  ['/sign-in', 'plan', 'warning', 'web_page'],
  ['/plan.pdf', 'page.html', null, null],
  ['/plan.pdf', 'plan.pdf', 'error', 'web_page'],
  ['/expired', 'plan.pdf', 'error', 'web_page'],
  ['/expired', 'book.epub', 'error', 'web_page'],
  ['/expired', 'data.json', null, null],
  ['/real', 'plan.pdf', null, null],
  ['/notes', 'notes.txt', null, null],
] as const

describe('addresses', () => {
  it('are requested a few at a time for each host, until all are done', async () => {
    const urls = origins.flatMap(({ url }) =>
      Array.from({ length: 60 }, (_, n) => `${url}/bytes/10/${n}`),
    )
    const found = await ask(urls, { concurrency: 8, perHost: 3 })
    expect(found.map(({ url }) => url).sort()).toEqual(urls.toSorted())
    expect(found.every(({ problem }) => problem === null)).toBe(true)
    for (const origin of origins) {
      expect(origin.total).toBe(60)
      expect(origin.mostAtOnce).toBeLessThanOrEqual(3)
    }
  })

  it('that may answer later are requested once more', async () => {
    let asked = 0
    const server = createServer((_, response) =>
      response.writeHead(++asked <= 2 ? 503 : 200, { 'content-length': 1 }).end('a'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`
    expect(await ask([url])).toEqual([{ url, problem: null }])
    server.close()
  })

  it('of a host that never answers are not all requested', async () => {
    const server = createServer((request) => request.socket.destroy())
    let connections = 0
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const dead = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const alive = `${origins[0]!.url}/bytes/10/alive`
    const found = await ask([...Array.from({ length: 500 }, (_, n) => `${dead}/${n}`), alive])
    expect(found.length).toBe(501)
    expect(found.find(({ url }) => url === alive)!.problem).toBe(null)
    expect(found.filter(({ problem }) => problem?.code === 'url_not_accessible').length).toBe(500)
    expect(connections).toBeLessThan(100)
    server.close()
  })

  it('of a host with Retry-After are requested later, one at a time, and no others wait for it', async () => {
    const asked: string[] = []
    const limiter: RequestListener = ({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.writeHead(asked.length <= 8 ? 429 : 200, { 'retry-after': '0' }).end()
    }
    await withServer(limiter, async (busy) => {
      const urls = Array.from({ length: 40 }, (_, n) => `${busy}/${n}`)
      const found = await ask([...urls, `${origins[0]!.url}/bytes/10/other`])
      expect(found.filter(({ problem }) => problem !== null)).toEqual([])
      expect(new Set(asked)).toEqual(new Set(urls.map((_, n) => `HEAD /${n}`)))
      expect(asked.length).toBe(48)
    })
  })

  it.each([
    ['again and again', {}],
    ['for an hour', { 'retry-after': '3600' }],
    ['until tomorrow', { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() }],
  ])('of a host with Retry-After %s are a warning, not an error', async (_, headers) => {
    let asked = 0
    const limiter: RequestListener = (_, response) => {
      asked++
      response.writeHead(429, headers).end()
    }
    await withServer(limiter, async (busy) => {
      const found = await ask(
        Array.from({ length: 200 }, (_, n) => `${busy}/${n}`),
        { retryMs: 1 },
      )
      expect(found.length).toBe(200)
      for (const { problem } of found) expect(problem).toMatchObject(NOT_ASKED)
      expect(asked).toBeLessThan(15)
    })
  })

  it('are a warning if there is no time to request them', async () => {
    await withServer(
      () => {},
      async (silentHost) => {
        const urls = Array.from({ length: 100 }, (_, n) => `${silentHost}/${n}`)
        const found = await ask([...urls, `${origins[0]!.url}/bytes/10/in-time`], {
          timeLimitMs: 150,
        })
        expect(found.length).toBe(101)
        expect(found.filter(({ problem }) => problem === null).length).toBe(1)
        expect(found.at(-1)!.problem).toMatchObject(NOT_ASKED)
      },
    )
  })

  it('inside the network are not requested, and nothing about them is revealed', async () => {
    const guarded = createGuardedClient({ allowLoopback: false, fileBytes: 1 })
    const found: ProbeResult[] = []
    const urls = [
      'http://127.0.0.1:1/',
      'http://169.254.169.254/latest',
      'http://10.0.0.1/',
      'http://[::1]/',
    ]
    const signal = new AbortController().signal
    for await (const one of probeAddresses(urls, guarded.probe, { signal, limits })) found.push(one)
    for (const { problem } of found)
      expect(problem).toEqual({
        severity: 'error',
        code: 'url_not_accessible',
        message: 'File URL not accessible',
        detail: say('The address could not be reached'),
      })
    await guarded.close()
  })

  it('are not requested after the check is cancelled', async () => {
    const abort = new AbortController()
    const urls = Array.from({ length: 1000 }, (_, n) => `${origins[1]!.url}/bytes/10/later-${n}`)
    const before = origins[1]!.total
    const context = (async () => {
      for await (const { url } of probeAddresses(urls, client.probe, {
        signal: abort.signal,
        limits,
      }))
        abort.abort(new Error(`enough after ${url}`))
    })()
    await expect(context).rejects.toThrow('enough after')
    expect(origins[1]!.total - before).toBeLessThan(50)
  })
})
