// Google, Dropbox and Microsoft on loopback, with their real host names and endpoints: rclone
// reaches them through the server's proxy, which this module redirects here, with its own
// certificate.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate } from 'selfsigned'
import type { CloudOptions } from '../../server/features/cloud/cloud.ts'
import type { Account, Answer, CloudRequest } from './clouds/account.ts'
import { drive } from './clouds/drive.ts'
import { dropbox } from './clouds/dropbox.ts'
import { onedrive } from './clouds/onedrive.ts'
import { storage } from './clouds/storage.ts'
import { token, type Grants } from './clouds/tokens.ts'

const HOSTS = [
  'www.googleapis.com',
  'oauth2.googleapis.com',
  'storage.googleapis.com',
  'api.dropboxapi.com',
  'content.dropboxapi.com',
  'graph.microsoft.com',
  'login.microsoftonline.com',
  'harbour1.blob.core.windows.net',
  's3.harbour.test',
]

export interface FakeClouds extends Account, Grants {
  emulators: NonNullable<CloudOptions['emulators']>
  put(path: string, content: string): void
  /** Every request, as `GET www.googleapis.com/drive/v3/files`. */
  requests: string[]
  /** Its result replaces the response. */
  intercept(request: { method: string; host: string; path: string }): Answer | null
  /** Requests wait for the promise that it returns. */
  hold(request: { method: string; host: string; path: string }): Promise<unknown> | undefined
  /** A certificate for all of these host names. */
  certificate: { key: string; cert: string }
  /** Redirects a host name to another server of the test. */
  lead(host: string, port: number): void
  close(): Promise<void>
}

const REFUSED: Answer = {
  status: 401,
  body: { error: { code: 401, errors: [{ reason: 'authError' }] } },
}
const EXPIRED: Answer = {
  status: 401,
  body: { error_summary: 'expired_access_token/', error: { '.tag': 'expired_access_token' } },
}

export async function startClouds(): Promise<FakeClouds> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-clouds-'))
  const ca = path.join(folder, 'ca.pem')
  const extensions = [
    { name: 'basicConstraints' as const, cA: true },
    {
      name: 'subjectAltName' as const,
      altNames: HOSTS.map((value) => ({ type: 2 as const, value })),
    },
  ]
  const made = await generate([{ name: 'commonName', value: 'Clouds' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions,
  })
  await writeFile(ca, made.cert)
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void answer(clouds, request, response).catch(() => response.destroy())
  }
  const secure = createSecureServer({ key: made.private, cert: made.cert }, listener)
  const plain = createServer(listener)
  for (const server of [secure, plain])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [securePort, plainPort] = [secure, plain].map(
    (server) => (server.address() as AddressInfo).port,
  )
  const elsewhere = new Map<string, number>()
  const clouds: FakeClouds = {
    certificate: { key: made.private, cert: made.cert },
    lead: (host, port) => void elsewhere.set(host, port),
    emulators: {
      dial: (host) => {
        if (!HOSTS.includes(host)) throw new Error(`No emulator of ${host}`)
        return connect({ host: '127.0.0.1', port: elsewhere.get(host) ?? securePort! })
      },
      environment: { RCLONE_CA_CERT: ca },
      certificate: made.cert,
      // The product's own requests use the same host names, without TLS.
      fetch: (input, init) => {
        const url = new URL(String(input instanceof Request ? input.url : input))
        const headers = new Headers(init?.headers)
        headers.set('x-host', url.host)
        return fetch(`http://127.0.0.1:${plainPort}${url.pathname}${url.search}`, {
          ...init,
          headers,
        })
      },
    },
    files: [],
    requests: [],
    tokens: new Set(),
    refresh: 'refresh-canary-1',
    page: 2,
    intercept: () => null,
    hold: () => undefined,
    put: (name, content) => {
      const at = clouds.files.findIndex((file) => file.path === name)
      const file = { path: name, content: Buffer.from(content), modified: new Date() }
      if (at === -1) clouds.files.push(file)
      else clouds.files[at] = file
    },
    close: async () => {
      for (const server of [secure, plain]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      await rm(folder, { recursive: true })
    },
  }
  return clouds
}

async function answer(clouds: FakeClouds, request: IncomingMessage, response: ServerResponse) {
  const host = String(request.headers['x-host'] ?? request.headers.host).split(':')[0]!
  const url = new URL(request.url!, `https://${host}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = 'GET', headers } = request
  clouds.requests.push(`${method} ${host}${url.pathname}`)
  const asked = { method, host, url, headers, body: Buffer.concat(chunks).toString() }
  await clouds.hold({ method, host, path: url.pathname })
  const {
    status = 200,
    headers: extra,
    body,
  } = clouds.intercept({ method, host, path: url.pathname }) ?? answerOf(clouds, asked)
  const bytes = Buffer.isBuffer(body)
  response
    .writeHead(status, {
      'content-type': bytes ? 'application/octet-stream' : 'application/json',
      ...extra,
    })
    .end(bytes ? body : JSON.stringify(body))
}

function answerOf(clouds: FakeClouds, asked: CloudRequest): Answer {
  if (/\/(oauth2\/(v2\.0\/)?)?token$/.test(asked.url.pathname)) return token(clouds, asked)
  const bearer = /^Bearer (.+)$/.exec(asked.headers.authorization ?? '')?.[1]
  const known = bearer !== undefined && clouds.tokens.has(bearer)
  if (asked.host.endsWith('dropboxapi.com')) return known ? dropbox(clouds, asked) : EXPIRED
  if (!known) return REFUSED
  if (asked.host === 'graph.microsoft.com') return onedrive(clouds, asked)
  return asked.url.pathname.startsWith('/storage/') ? storage(clouds, asked) : drive(clouds, asked)
}
