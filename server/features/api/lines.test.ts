// Entries as lines of one body (NDJSON): one job, or none if a line is invalid.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openTestApp, type Answer, type TestApp } from '../../../test/app.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { present } from '../../core/lazy.ts'
import { apiExamples } from './examples.ts'

const MOST = 2500
const MAX_BYTES = 1_000_000

let app: TestApp
let origin: Origin
beforeAll(async () => {
  const limits = { lines_per_import: MOST, lines_bytes: MAX_BYTES }
  ;[app, origin] = await Promise.all([openTestApp({ limits }), startOrigin()])
})
afterAll(async () => {
  await Promise.all([app.close(), origin.close()])
})

async function send(
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
  key = app.owner.key,
): Promise<Answer> {
  const answer = await fetch(`${app.url}/api/files/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      prefer: 'respond-async',
      ...headers,
    },
    body,
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

const linesOf = (...values: object[]) => values.map((each) => JSON.stringify(each)).join('\n')
const entry = (filename: string, more = {}) => ({
  filename,
  url: `${origin.url}/bytes/100/${encodeURIComponent(filename)}`,
  ...more,
})
const operations = () =>
  app.owner.scope.one<{ count: number }>(
    'select count(*) as count from operations where shop_id = :shop',
  )

it('many lines are one job, in their order, and equal names wait for each other', async () => {
  const entries = Array.from({ length: MOST }, (_, n) => entry(`book ${n % 2400}.pdf`))
  const about = { import: { on_conflict: 'new_version', notify: false } }
  const answer = await send(linesOf(about, ...entries))
  expect(answer.status).toBe(202)
  expect(answer.body.files).toHaveLength(1000)
  const operation = answer.headers.get('location')!
  expect((await app.owner.call('GET', operation)).body).toMatchObject({
    total: MOST,
    label: 'book 0.pdf and 2,499 more',
  })
  const items = await app.owner.scope.query<{ waits_for: number | null; conflict: string }>(
    `select waits_for, entry ->> 'on_conflict' as conflict from items
     where shop_id = :shop order by position`,
  )
  expect(items.map(({ waits_for }) => waits_for)).toEqual(
    entries.map((_, at) => (at < 2400 ? null : at - 2400)),
  )
  expect(new Set(items.map(({ conflict }) => conflict))).toEqual(new Set(['new_version']))
  await app.owner.call('POST', `${operation}/cancel`)
})

it('the lines are imported as the entries of a JSON body are', async () => {
  const worker = await app.engine.startWorker()
  try {
    const shared = { import: { headers: { 'X-Feed': 'spring' }, notify: false } }
    const own = entry('own.pdf', { product_skus: ['NO-1'], tags: ['spring'], download_limit: 3 })
    const text = `\uFEFF${linesOf(shared, own)}\r\n\r\n${linesOf(entry('plain.pdf'))}`
    const { status, body } = await send(text, { prefer: 'wait=30' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'success', imported: 2 })
    const [first, second] = body.files
    expect([first.filename, second.filename]).toEqual(['own.pdf', 'plain.pdf'])
    expect(first.warnings).toMatchObject([{ code: 'sku_not_found' }])
    const file = await app.owner.call('GET', `/api/files/${first.file_id}`)
    expect(file.body).toMatchObject({ tags: ['spring'], download_limit: 3 })
    expect(origin.requests.find(({ path }) => path.includes('own.pdf'))?.headers).toMatchObject({
      'x-feed': 'spring',
    })
  } finally {
    await worker.stop()
  }
})

it('the same lines under one key are one job, and others are refused', async () => {
  const text = linesOf(entry('once.pdf'))
  const key = { 'idempotency-key': 'lines-1' }
  const [first, again] = await Promise.all([send(text, key), send(text, key)])
  expect(first.body.job_id).toBe(again.body.job_id)
  expect(
    [first, again].map(({ headers }) => headers.get('idempotent-replayed')).toSorted(),
  ).toEqual([null, 'true'])
  // The form of the body does not matter.
  const zipped = await send(gzipSync(text), { ...key, 'content-encoding': 'gzip' })
  expect(zipped.body.job_id).toBe(first.body.job_id)
  const other = await send(`${text}\n`, key)
  expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_key_reused'])
  await app.owner.call('POST', `/api/operations/${first.body.job_id}/cancel`)
})

it('the example of the document is accepted', async () => {
  const { status, body } = await send(
    present(apiExamples['post /api/files/import']?.lines, 'lines'),
  )
  expect([status, body.files.length]).toEqual([202, 2])
  await app.owner.call('POST', `/api/operations/${body.job_id}/cancel`)
})

it('every problem is named with the number of its line, and nothing is imported', async () => {
  const before = await operations()
  const text = [
    JSON.stringify({ import: { on_conflict: 'never', colour: 'red' } }),
    JSON.stringify(entry('good.pdf')),
    '',
    '{"filename":"cut.pdf",}',
    JSON.stringify({ filename: '', url: 'ftp://example.com/a' }),
    JSON.stringify(entry('late.pdf', { import: {} })),
    '7',
    '["a"]',
  ].join('\n')
  const { status, body } = await send(text)
  expect(status).toBe(422)
  expect(
    body.error.details.map(({ line, index, param, code }: Record<string, unknown>) => [
      line,
      index,
      param,
      code,
    ]),
  ).toEqual([
    [1, undefined, 'import.on_conflict', 'invalid_value'],
    [1, undefined, 'import.colour', 'unknown_field'],
    [4, 1, '', 'malformed_request'],
    [5, 2, 'filename', 'invalid_filename'],
    [5, 2, 'url', 'invalid_url'],
    [6, 3, 'import', 'unknown_field'],
    [7, 4, '', 'invalid_type'],
    [8, 5, '', 'invalid_type'],
  ])
  expect(body.error.details[2].message).toBe('This line is not valid JSON: column 23')
  expect(body.error.details_total).toBe(8)
  expect(await operations()).toEqual(before)
})

it('an answer names the first hundred problems and their number', async () => {
  const wrong = Array.from({ length: 450 }, () => entry('a.pdf', { download_limit: 0 }))
  const { body } = await send(linesOf(entry('good.pdf'), ...wrong))
  expect(body.error.details).toHaveLength(100)
  expect(body.error.details[99]).toMatchObject({ line: 101, index: 100 })
  expect(body.error.details_total).toBe(450)
})

describe('a body is refused', () => {
  const line = () => linesOf(entry('a.pdf'))
  test.each([
    ['without a line', () => '\n \n', {}, 422, 'validation_failed'],
    ['with too many lines', () => `${line()}\n`.repeat(MOST + 1), {}, 422, 'validation_failed'],
    ['that is too long', () => ' '.repeat(MAX_BYTES + 1), {}, 413, 'payload_too_large'],
    [
      'that is too long when it is unpacked',
      () => gzipSync(' '.repeat(MAX_BYTES + 1)),
      { 'content-encoding': 'gzip' },
      413,
      'payload_too_large',
    ],
    [
      'in another charset',
      line,
      { 'content-type': 'application/x-ndjson; charset=latin1' },
      415,
      'unsupported_media_type',
    ],
    [
      'with an unknown encoding',
      line,
      { 'content-encoding': 'zstd' },
      415,
      'unsupported_media_type',
    ],
  ])('%s', async (_, body, headers, status, code) => {
    const answer = await send(body(), headers as Record<string, string>)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('of a key that may not replace files', async () => {
    const { key } = await app.clientWith(['imports:write'])
    const about = { import: { on_conflict: 'overwrite' } }
    const answer = await send(linesOf(about, entry('a.pdf')), {}, key)
    expect([answer.status, answer.body.error.code]).toEqual([403, 'missing_scope'])
  })

  test('at an address that takes no lines', async () => {
    const answer = await fetch(`${app.url}/api/packs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.owner.key}`,
        'content-type': 'application/x-ndjson',
      },
      body: '{"name":"Kit"}',
    })
    expect(answer.status).toBe(415)
  })
})
