// Which part of the server answers an address, and under which label it is counted: an address that
// differs in case, encoding, slashes or by a suffix is another one.
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { openTestApp, type TestApp } from '../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

/** Sends the path as it is written: fetch would normalise it. */
const send = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    const sent = request(app.url, { method, path, headers, agent: false }, (response) => {
      response.resume()
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers }),
      )
    })
    sent.once('error', reject).end()
  })

async function counted(): Promise<Map<string, number>> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const lines = text.matchAll(/^stevedore_http_requests_total\{route="(.*?)",.*\} (\d+)$/gm)
  const totals = new Map<string, number>()
  for (const [, route = '', count] of lines)
    if (route !== '/metrics') totals.set(route, (totals.get(route) ?? 0) + Number(count))
  return totals
}

/** The status, and the labels under which the request was counted. */
async function answered(method: string, path: string): Promise<string> {
  const before = await counted()
  const { status } = await send(method, path)
  const after = await counted()
  const routes = [...after].flatMap(([route, count]) =>
    count > (before.get(route) ?? 0) ? [route] : [],
  )
  return [status, ...routes].join(' ')
}

const UUID = '01a224bb-f02f-70d5-9597-0a5a707df01c'
test.each(
  someOf<[method: string, path: string, expected: string]>(
    [
      ['POST', '/webhooks', '401 /webhooks'],
      ['GET', '/webhooks', '405 /webhooks'],
      ['POST', '/webhooks?x=1', '401 /webhooks'],
      ['POST', '/webhooks/', '404 page'],
      ['POST', '/webhooksx', '404 page'],
      ['POST', '/Webhooks', '404 page'],
      ['POST', '/web%68ooks', '404 page'],
      ['POST', '//webhooks', '404 page'],
      ['POST', '/flow/actions/send-download-links', '401 /flow/actions/send-download-links'],
      ['POST', '/flow/triggers/', '404 page'],
      ['GET', '/library', '404 /library'],
      ['PUT', '/library/', '404 page'],
      ['GET', '/library/request', '405 /library/request'],
      ['POST', '/mail-reports/ses', '404 /mail-reports/ses'],
      ['POST', '/mail-reports/other', '404 /mail-reports/'],
      ['POST', '/mail-reports/constructor/x', '404 /mail-reports/'],
      ['POST', '/mail-reports', '404 page'],
      ['GET', '/download', '404 /download'],
      ['GET', '/download/', '404 /download'],
      ['HEAD', '/download', '404 /download'],
      ['OPTIONS', '/download', '405 /download'],
      ['PUT', '/download/other', '404 page'],
      ['PUT', '/Download', '404 page'],
      ['PUT', '/downloads', '404 page'],
      ['PUT', '/%64ownload', '404 page'],
      ['GET', `/files/${UUID}/guide.pdf`, '404 /files'],
      ['PUT', `/files/${UUID}`, '404 page'],
      ['PUT', `/files/file_1`, '404 page'],
      ['GET', '/view', '404 /view'],
      ['GET', '/view/', '404 /view'],
      ['PUT', '/view/assets/x', '404 page'],
      ['GET', '/cdn/x', '404 /cdn'],
      ['PUT', '/cdn', '404 page'],
      ['GET', '/healthz', '200 /healthz'],
      ['PUT', '/healthz/', '404 page'],
      ['PUT', '/HEALTHZ', '404 page'],
      ['GET', '/readyz', '200 /readyz'],
      ['GET', '/cloud/callback', '200 page'],
      ['PUT', '/cloud/callback', '404 page'],
      ['POST', '/extensions/thank-you', '401 page'],
      ['GET', '/extensions/thank-you', '405 page'],
      ['OPTIONS', '/extensions/thank-you', '204 page'],
      ['OPTIONS', '/extensions/thank-you/', '404 page'],
      ['POST', '/extensions/library', '401 page'],
      ['POST', '/licences/verify', '422 /licences/verify'],
      ['POST', '/api/licences/verify', '422 /api/licences/verify'],
      ['POST', '/api/licences/other', '404 /api'],
      ['POST', '/api//licences/verify', '404 /api'],
      ['PUT', '/samples/x/y', '404 page'],
      ['GET', `/samples/${'0'.repeat(32)}/y`, '404 page'],
      ['POST', `/samples/${'0'.repeat(32)}/y`, '404 page'],
      ['GET', '/api/docs', '200 /api'],
      ['GET', '/api/docs/', '200 /api'],
      ['GET', '/api/docs/start.js', '200 /api'],
      ['GET', '/api/docs/other.js', '404 /api'],
      ['GET', '/api/docs/x/start.js', '404 /api'],
      ['POST', '/api/docs', '405 /api'],
      ['HEAD', '/api/openapi.json', '200 /api'],
      ['GET', '/api/openapi.json/', '404 /api'],
      ['OPTIONS', '/api/uploads', '204 /api/uploads'],
      ['OPTIONS', '/api/uploads/', '204 /api/uploads'],
      ['OPTIONS', '/api/uploads/x', '204 /api/uploads'],
      ['GET', '/api/uploads', '405 /api/uploads'],
      ['GET', '/api/uploads/x/y', '404 /api/uploads'],
      ['GET', '/api/uploadsx', '404 /api'],
      ['GET', '/api/files', '401 /api/files'],
      ['GET', '/api/files/', '401 /api/files'],
      ['GET', '/API/files', '401 /api/files'],
      ['OPTIONS', '/api/files', '405 /api'],
      ['GET', '//api/files', '404 page'],
      ['GET', '/api', '404 /api'],
      ['GET', '/api/constructor', '404 /api'],
      ['PUT', '/apix', '404 page'],
      ['PUT', '/constructor/x', '404 page'],
    ],
    (_, at) => at % 3 === 0,
  ),
)('%s %s is answered with %s', async (method, path, expected) => {
  expect(await answered(method, path)).toBe(expected)
})

test('only the platform’s origin is allowed, at addresses of the API', async () => {
  const platform = { origin: 'https://extensions.shopifycdn.com' }
  const allowed = async (path: string, headers = {}) => {
    const { headers: got } = await send('GET', path, headers)
    return [got['access-control-allow-origin'], got.vary]
  }
  expect(await allowed('/api/files', platform)).toEqual([
    platform.origin,
    'Accept-Encoding, Origin',
  ])
  expect(await allowed('/api/files', { origin: 'https://example.com' })).toEqual([
    undefined,
    'Accept-Encoding, Origin',
  ])
  expect(await allowed('/api/files')).toEqual([undefined, 'Accept-Encoding, Origin'])
  expect((await allowed('/files', platform))[0]).toBeUndefined()
})
