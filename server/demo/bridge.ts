// The part of the demo platform that a browser sees, served on the app's address: a bridge script,
// and session tokens for the open page. A token gives full access, so only pages of this address
// get one.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync } from 'node:zlib'
import { contentTypeOf } from '../files/rules.ts'
import type { DemoApp } from './app.ts'
import { isOwnPage } from './own-page.ts'
import { SAMPLES_PATH } from './sample/path.ts'
import { SESSION_TOKEN_SECONDS, signSessionToken } from './session-token.ts'

export const BRIDGE_PATH = '/demo/app-bridge.js'
const TOKEN_PATH = '/demo/session-token'

/** A file for a first import, for a product of the bundled catalog. */
export const SAMPLE = {
  path: '/demo/sample.pdf',
  filename: 'The Tide Tables of Memory.pdf',
  sku: 'EB-001',
}

/** Answers these paths and returns true; false for others. `adminOrigin`: the origin of the demo's admin. */
export function createBridge(
  app: DemoApp,
  adminOrigin: string,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const config = JSON.stringify({
    apiKey: app.apiKey,
    shop: app.shopDomain,
    locale: 'en',
    adminOrigin,
  })
  const script = readFileSync(new URL('./app-bridge.js', import.meta.url), 'utf8').replace(
    '__CONFIG__',
    config,
  )
  let packed: Buffer | undefined
  return (request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === SAMPLE.path) return sendSample(response)
    if (path?.startsWith(SAMPLES_PATH)) {
      void sendSampleFile(response, request.url ?? '')
      return true
    }
    if (path !== BRIDGE_PATH && path !== TOKEN_PATH) return false
    response.setHeader('cache-control', 'no-store')
    response.setHeader('cross-origin-resource-policy', 'same-origin')
    response.setHeader('x-content-type-options', 'nosniff')
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET' }).end()
    } else if (!isOwnPage(request)) {
      response.writeHead(403).end()
    } else if (path === BRIDGE_PATH) {
      response.setHeader('content-type', 'text/javascript; charset=utf-8')
      response.setHeader('vary', 'accept-encoding')
      if (/\bbr\b/.test(String(request.headers['accept-encoding']))) {
        packed ??= brotliCompressSync(script)
        response.writeHead(200, { 'content-encoding': 'br' }).end(packed)
      } else response.writeHead(200).end(script)
    } else {
      const body = { token: signSessionToken(app), expires_in: SESSION_TOKEN_SECONDS }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    return true
  }
}

/** Public too. */
async function sendSampleFile(response: ServerResponse, address: string): Promise<void> {
  // Loaded only here: it needs the libraries for documents and images.
  const bytes = await import('./sample/bytes.ts')
    .then(({ sampleBytes }) => sampleBytes(address))
    .catch(() => null)
  if (bytes === null) response.writeHead(404).end()
  else
    response
      .writeHead(200, {
        'content-type': contentTypeOf(address.split('?')[0] ?? ''),
        'content-length': bytes.length,
      })
      .end(bytes)
}

/** Public: the import fetches it without a token. */
function sendSample(response: ServerResponse): true {
  const pdf = readFileSync(new URL('./sample.pdf', import.meta.url))
  response
    .writeHead(200, { 'content-type': 'application/pdf', 'content-length': pdf.length })
    .end(pdf)
  return true
}
