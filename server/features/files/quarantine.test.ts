// A file in which the virus scanner found something: it exists, is delivered at no door, says why, and is
// released with a reason.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { startFakeClamd, type FakeClamd } from '../../../test/fakes/clamd.ts'
import { contentOf } from '../../../test/fakes/content.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { parsePublicId } from '../../core/ids.ts'
import type { EngineWorker } from '../../engine/worker.ts'

const SIZE = 300

let app: TestApp
let clamd: FakeClamd
let origin: Origin
let worker: EngineWorker
beforeAll(async () => {
  clamd = await startFakeClamd({ finds: contentOf(SIZE, 'infected') })
  origin = await startOrigin()
  app = await openTestApp({ scanner: clamd.address })
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await Promise.all([app.close(), clamd.close(), origin.close()])
})

const call = (method: string, route: string, body?: unknown) => app.owner.call(method, route, body)

async function imports(
  filename: string,
  seed: string,
  more = {},
  on_conflict = 'error',
): Promise<string> {
  const entry = { filename, url: `${origin.url}/bytes/${SIZE}/${seed}`, ...more }
  const { body } = await call('POST', '/api/files/import', { files: [entry], on_conflict })
  await untilEnded(app.owner, body.job_id)
  return body.files[0].file_id
}

async function runs(action: string, ids: readonly string[], options: object = {}) {
  const { body } = await call('POST', '/api/operations', {
    action,
    options,
    select: { file_ids: ids },
  })
  const operation = await untilEnded(app.owner, body.id)
  const { data } = (await call('GET', `/api/operations/${body.id}/items`)).body
  return { operation, items: data }
}

const link = async (id: string): Promise<string> => {
  const { body } = await call('POST', '/api/links', { file_ids: [id] })
  return body.data[0].url.replace(/^.*\/download/, '/download')
}
const listed = async (query: string): Promise<string[]> =>
  (await call('GET', `/api/files?${query}`)).body.data
    .map(({ filename }: { filename: string }) => filename)
    .sort()
const needs = async () => (await call('GET', '/api/attention')).body.needs
const notices = async () => (await call('GET', '/api/notices')).body.data
const problem = async (id: string) => (await call('GET', `/api/files/${id}`)).body.problem
const contentStatus = async (id: string) =>
  (await call('GET', `/api/files/${id}/content`)).body.error?.code ?? 200

test('it is withheld at every door, with all files of these bytes, until it is released', async () => {
  const infected = await imports('infected.bin', 'infected', { visibility: 'public' })
  const twin = await imports('twin.bin', 'infected')
  const clean = await imports('clean.bin', 'clean')
  const [door, other] = [await link(infected), await link(clean)]
  const { public_url: address } = (await call('GET', `/api/files/${infected}`)).body
  const open = async (at: string) => (await fetch(app.url + at)).status
  const shared = new URL(address).pathname
  expect([await open(door), await open(shared)]).toEqual([200, 200])

  await call('POST', '/api/webhooks', { url: `${origin.url}/hook`, events: ['file.quarantined'] })
  const { operation: scan, items } = await runs('scan-file', [infected, clean])
  expect(items).toMatchObject([
    {
      status: 'done',
      warnings: [{ code: 'file_quarantined', message: expect.stringContaining('Eicar') }],
      after: { quarantine: { found: 'Eicar-Test-Signature' } },
    },
    { status: 'skipped' },
  ])
  expect(await problem(infected)).toEqual({
    code: 'file_quarantined',
    message: 'It is in quarantine: Eicar-Test-Signature was found in it',
  })
  const { data } = (await call('GET', '/api/files?search=infected')).body
  expect(data[0].problem.code).toBe('file_quarantined')
  expect(await problem(twin)).toMatchObject({ code: 'file_quarantined' })
  expect(await listed('quarantined=true')).toEqual(['infected.bin', 'twin.bin'])
  expect(await listed('quarantined=false')).toEqual(['clean.bin'])
  expect(await needs()).toContainEqual(expect.objectContaining({ need: 'quarantined', count: 2 }))
  expect((await notices())[0]).toMatchObject({
    level: 'critical',
    title: '1 file is in quarantine',
    operation_id: scan.id,
  })
  const sent = await app.owner.scope.query(
    `select payload ->> 'type' as type from outbox where shop_id = :shop and kind = 'webhook'`,
  )
  expect(sent).toEqual([{ type: 'file.quarantined' }])
  await expect.poll(() => Promise.all([door, shared, other].map(open))).toEqual([503, 503, 200])
  expect([await contentStatus(infected), await contentStatus(clean)]).toEqual([
    'file_quarantined',
    200,
  ])
  const version = await call('GET', `/api/files/${infected}/versions/1/content`)
  expect(version.body.error.code).toBe('file_quarantined')
  // The same bytes again.
  expect(await problem(await imports('again.bin', 'infected'))).toMatchObject({
    code: 'file_quarantined',
  })
  // No other file is made of it.
  const { operation } = await runs('zip-files', [infected, clean])
  const zip = await app.owner.call('GET', new URL(operation.artifact.url, app.url).pathname)
  expect([zip.body.includes('clean.bin'), zip.body.includes('infected.bin')]).toEqual([true, false])
  const { bytes } = await app.engine.parts.ports(app.owner.scope)
  const copy = bytes.withFile(
    { file: { id: parsePublicId('file', infected) }, staged: null },
    () => Promise.resolve(),
    new AbortController().signal,
  )
  await expect(copy).rejects.toMatchObject({ code: 'file_quarantined' })

  const released = await runs('release-files', [infected, clean], { reason: 'A false alarm' })
  expect(released.items).toMatchObject([
    { status: 'done', after: { quarantine: { released: 'A false alarm' } } },
    { status: 'failed', error: { code: 'conflict' } },
  ])
  expect([await problem(infected), await problem(twin)]).toEqual([null, null])
  expect(await listed('quarantined=true')).toEqual([])
  await expect.poll(() => Promise.all([door, shared].map(open))).toEqual([200, 200])
  const [row] = await app.owner.scope.query<{ quarantine: object }>(
    `select quarantine from versions where shop_id = :shop and quarantine is not null limit 1`,
  )
  expect(row!.quarantine).toMatchObject({
    found: 'Eicar-Test-Signature',
    released: { reason: 'A false alarm', by: 'test', at: expect.any(String) },
  })
  // The same finding is no news.
  await runs('scan-file', [infected])
  expect(await problem(infected)).toBeNull()
})

test('an import with the step creates the file in quarantine, and a clean version ends it', async () => {
  const { body: workflow } = await call('POST', '/api/workflows', {
    name: 'Scanned',
    kind: 'import',
    channel: 'api',
    steps: ['fetch-url', 'validate-file', 'scan-file', 'map-products'].map((plugin) => ({
      plugin,
    })),
  })
  expect(workflow.error).toBeUndefined()
  // These bytes were released in the test before.
  await app.owner.scope.query('update versions set quarantine = null where shop_id = :shop')
  // Bytes that the shop has already are scanned too.
  const known = (await call('GET', '/api/files?search=again')).body.data[0]
  expect(known.problem).toBeNull()
  const same = await imports('again.bin', 'infected', {}, 'new_version')
  expect([same, await problem(same)]).toMatchObject([known.id, { code: 'file_quarantined' }])
  await app.owner.scope.query('update versions set quarantine = null where shop_id = :shop')
  const id = await imports('scanned.bin', 'infected', { tags: ['new'] })
  expect(await problem(id)).toMatchObject({ code: 'file_quarantined' })
  const entry = { filename: 'scanned.bin', url: `${origin.url}/bytes/${SIZE}/clean-again` }
  const { body } = await call('POST', '/api/files/import', {
    files: [entry],
    on_conflict: 'new_version',
  })
  await untilEnded(app.owner, body.job_id)
  expect(await problem(id)).toBeNull()
  expect(await contentStatus(id)).toBe(200)
})
