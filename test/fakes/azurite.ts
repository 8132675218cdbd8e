// Azure's own emulator as a separate process: one account, with the TLS certificate that the fakes
// share.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'

export interface Azurite {
  port: number
  put(name: string, content: string): Promise<void>
  close(): Promise<void>
}

const CONTAINER = 'harbour'
const VERSION = '2021-12-02'

export async function startAzurite({
  account,
  key,
  certificate,
}: {
  account: string
  key: string
  certificate: { key: string; cert: string }
}): Promise<Azurite> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-azurite-'))
  const [cert, secret] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  await writeFile(cert, certificate.cert)
  await writeFile(secret, certificate.key)
  const root = path.dirname(createRequire(import.meta.url).resolve('azurite/package.json'))
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'dist/src/blob/main.js'),
      ...['--blobHost', '127.0.0.1', '--blobPort', '0', '--location', folder],
      ...['--cert', cert, '--key', secret, '--skipApiVersionCheck', '--disableTelemetry'],
    ],
    { env: { PATH: process.env.PATH, AZURITE_ACCOUNTS: `${account}:${key}` } },
  )
  const port = await portOf(child.stdout)
  const send = (route: string, headers: Record<string, string>, body: string) =>
    put({ account, key, port, ca: certificate.cert }, route, headers, body)
  await send(`/${CONTAINER}?restype=container`, {}, '')
  return {
    port,
    put: (name, content) =>
      send(`/${CONTAINER}/${encodeURI(name)}`, { 'x-ms-blob-type': 'BlockBlob' }, content),
    close: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Keeps reading the output: the process would end with an error on a closed pipe. */
function portOf(output: Readable): Promise<number> {
  let text = ''
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      text = (text + String(chunk)).slice(-10_000)
      const match = /successfully listens on https:\/\/127\.0\.0\.1:(\d+)/.exec(text)
      if (match) resolve(Number(match[1]))
    })
    output.once('end', () => reject(new Error(`Azurite did not start: ${text}`)))
  })
}

interface Place {
  account: string
  key: string
  port: number
  ca: string
}

/** A PUT request signed with the account's key, as Azure's documentation describes. */
async function put(
  { account, key, port, ca }: Place,
  route: string,
  given: Record<string, string>,
  body: string,
): Promise<void> {
  const [address, query = ''] = route.split('?')
  const length = String(Buffer.byteLength(body))
  const headers: Record<string, string> = {
    ...given,
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': VERSION,
  }
  const canonical = Object.keys(headers)
    .sort()
    .map((name) => `${name}:${headers[name]}\n`)
    .join('')
  const resource = `/${account}${address}${query && `\n${query.replace('=', ':')}`}`
  const text = `PUT\n\n\n${length === '0' ? '' : length}\n\n\n\n\n\n\n\n\n${canonical}${resource}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
  const host = `${account}.blob.core.windows.net`
  const sent = request({
    ...{ host: '127.0.0.1', servername: host, port, ca, method: 'PUT', path: route },
    headers: {
      ...headers,
      host,
      'content-length': length,
      authorization: `SharedKey ${account}:${signature}`,
    },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks = await Array.fromAsync(response)
  if (response.statusCode !== 201)
    throw new Error(`Azurite refused a request: ${response.statusCode}: ${Buffer.concat(chunks)}`)
}
