// What servers answer that are no storage service, or another one than the settings say: each answer gives
// a message that says what to do, and nothing is taken for deleted.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { useClouds } from '../cloud.ts'

const { app, bucket } = await useClouds()

interface Answer {
  status: number
  type?: string
  headers?: Record<string, string>
  body?: string
}
let given: Answer
const server = createServer((request, response) => {
  request.resume()
  const { status, type = 'application/xml', headers, body = '' } = given
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(request.method === 'HEAD' ? '' : body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const error = (code: string, more = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>As the test says</Message>${more}</Error>`
const PAGE = '<!DOCTYPE html><html><body>Welcome to the Wi-Fi</body></html>'

test.each<[string, Answer, string, string | undefined, RegExp]>([
  [
    'a web page',
    { status: 200, type: 'text/html', body: PAGE },
    'cloud_not_a_listing',
    'endpoint',
    /address is the one of the storage service/,
  ],
  ['an empty answer', { status: 200 }, 'cloud_not_a_listing', 'endpoint', /storage service/],
  [
    'JSON',
    { status: 200, type: 'application/json', body: '{"ok":true}' },
    'cloud_not_a_listing',
    'endpoint',
    /storage service/,
  ],
  [
    'a refusal as a web page',
    { status: 403, type: 'text/html', body: PAGE },
    'cloud_not_a_listing',
    'endpoint',
    /storage service/,
  ],
  [
    'another document of XML',
    { status: 200, body: '<?xml version="1.0"?><ListAllMyBucketsResult/>' },
    'cloud_not_a_listing',
    'endpoint',
    /storage service/,
  ],
  [
    'the region in a refused signature',
    {
      status: 400,
      body: error('AuthorizationHeaderMalformed', '<Region>eu-central-1</Region>'),
    },
    'cloud_wrong_region',
    'region',
    /region eu-central-1/,
  ],
  [
    'the region in a header',
    {
      status: 301,
      headers: { 'x-amz-bucket-region': 'ap-south-1' },
      body: error('PermanentRedirect', '<Endpoint>harbour.s3.amazonaws.com</Endpoint>'),
    },
    'cloud_wrong_region',
    'region',
    /region ap-south-1/,
  ],
  [
    'the region in an endpoint',
    {
      status: 301,
      body: error('PermanentRedirect', '<Endpoint>harbour.s3-us-west-2.amazonaws.com</Endpoint>'),
    },
    'cloud_wrong_region',
    'region',
    /region us-west-2/,
  ],
  [
    'another region without its name',
    { status: 301, body: error('PermanentRedirect') },
    'cloud_wrong_region',
    'region',
    /in another region/,
  ],
  [
    'a redirect',
    { status: 307, headers: { location: 'https://portal.example.com/' }, body: PAGE },
    'cloud_redirected',
    'endpoint',
    /storage service itself/,
  ],
  [
    'an unknown key',
    { status: 403, body: error('InvalidAccessKeyId') },
    'cloud_access_denied',
    'secret_key',
    /does not know this access key/,
  ],
  [
    'a wrong secret',
    { status: 403, body: error('SignatureDoesNotMatch') },
    'cloud_access_denied',
    'secret_key',
    /secret key does not belong/,
  ],
  [
    'a clock that differs',
    { status: 403, body: error('RequestTimeTooSkewed') },
    'cloud_access_denied',
    'secret_key',
    /clock of this server/,
  ],
  [
    'keys that have expired',
    { status: 400, body: error('ExpiredToken') },
    'cloud_access_denied',
    'secret_key',
    /have expired/,
  ],
  [
    'a closed account',
    { status: 403, body: error('AllAccessDisabled') },
    'cloud_access_denied',
    'secret_key',
    /closed this account/,
  ],
  [
    'a name that no bucket has',
    { status: 400, body: error('InvalidBucketName') },
    'cloud_folder_not_found',
    'bucket',
    /No bucket can have this name/,
  ],
  [
    'no such bucket',
    { status: 404, body: error('NoSuchBucket') },
    'cloud_folder_not_found',
    'bucket',
    /no such bucket/,
  ],
  [
    'no permission',
    { status: 403, body: error('AccessDenied') },
    'cloud_access_denied',
    'secret_key',
    /may list/,
  ],
])('%s is explained', async (_, answer, code, param, message) => {
  given = answer
  const { status, body } = await app.owner.call('POST', '/api/connections', {
    ...bucket.connection('any'),
    endpoint,
  })
  expect([status, body.error]).toEqual([422, expect.objectContaining({ code, param })])
  expect(body.error.message).toMatch(message)
})

test('a web page in place of a bucket of this machine deletes nothing', async () => {
  bucket.put('page/one page.txt', 'one')
  const id = await app.connect(bucket.connection('page'))
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
  bucket.intercept = ({ method, key }) =>
    method === 'GET' && key === '' ? { status: 200, code: 'Welcome' } : null
  expect(await app.sync(id)).toMatchObject({ status: 'failed', total: 0 })
  expect((await app.get(`/api/connections/${id}`)).error.code).toBe('cloud_not_a_listing')
  bucket.intercept = () => null
  expect(await app.files()).toHaveProperty(['one page.txt'])
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})
