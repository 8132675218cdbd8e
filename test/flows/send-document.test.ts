// An export that a workflow sends: into a bucket and by email, as its preview says, again after a
// failure, and once for a run.
import { parsePublicId } from '../../server/core/ids.ts'
import { queueDocument } from '../../server/features/cloud/documents.ts'
import { WholeBlobs } from '../../server/files/whole-blobs.ts'
import { openOutbox } from '../../server/startup/outbox.ts'
import { afterAll, expect, test, vi } from 'vitest'
import { untilEnded } from '../app.ts'
import { untilEndedOrPreview, useClouds } from '../cloud.ts'
import { silent } from '../database.ts'
import { startMailFake } from '../fakes/smtp.ts'
import { makeFiles } from '../files.ts'
import { WAIT_MS } from '../wait.ts'

const { app, bucket } = await useClouds()
const smtp = await startMailFake()
afterAll(() => smtp.close())
const { call, scope } = app.owner
await makeFiles(scope, [{ filename: 'guide.pdf' }, { filename: 'map.pdf' }])

const until = <T>(found: () => T | Promise<T>) =>
  vi.waitUntil(found, { timeout: WAIT_MS, interval: 50 })

const EXPORT = { plugin: 'export-files', options: { columns: ['filename'] } }
const select = { filter: {} }

async function save(options: object, name = 'Nightly') {
  const steps = [EXPORT, { plugin: 'send-document', options }]
  const { body } = await call('POST', '/api/workflows', { name, kind: 'bulk', steps })
  expect(body.error).toBeUndefined()
  return body.id as string
}
const run = async (workflow: string) => {
  const { body } = await call('POST', '/api/operations', { workflow, select })
  return untilEnded(app.owner, body.id)
}
const sends = () =>
  scope.query<{ id: string; operation_id: string; status: string; path: string }>(
    'select id, operation_id, status, path from document_sends where shop_id = :shop order by id',
  )
const settled = (count: number) =>
  until(async () => {
    const rows = await sends()
    return rows.length === count && rows.every(({ status }) => status !== 'waiting') && rows
  })
const text = (key: string) => {
  const object = bucket.objects.get(key)
  return object?.read(0, object.size).toString()
}

test('a document goes to a bucket as the preview says, is tried again, and no sync takes it', async () => {
  bucket.put('own/photo.txt', 'theirs')
  const connection = await app.connect({ ...bucket.connection('own/'), name: 'Archive' })
  const workflow = await save({ connection, name: 'files-{year}' })
  const { body } = await call('POST', '/api/operations', { workflow, select, dry_run: true })
  const year = new Date().getFullYear()
  const preview = await untilEndedOrPreview(app, body.id)
  expect(JSON.stringify(preview)).toContain('The document to the folder exports of the connection')
  expect(JSON.stringify(preview)).toContain(`Its name: files-${year}`)
  expect(await sends()).toEqual([])

  bucket.intercept = ({ method }) =>
    method === 'PUT' ? { status: 503, code: 'ServiceUnavailable' } : null
  expect(await run(workflow)).toMatchObject({ status: 'success', warnings: [] })
  await until(() =>
    scope.first(
      `select from background_tasks where shop_id = :shop and task = 'send-document'
         and attempts > 1`,
    ),
  )
  bucket.intercept = () => null
  const [sent] = await settled(1)
  const key = `own/exports/files-${year}.csv`
  expect(sent).toMatchObject({ status: 'sent', path: `exports/files-${year}.csv` })
  expect(text(key)).toContain('guide.pdf')

  // The same step again, as after a kill: nothing is queued twice.
  await scope.transaction((tx) =>
    queueDocument(
      tx,
      { operation: sent!.operation_id, key: '0/1/0' },
      { connection, path: 'x.csv' },
    ),
  )
  expect(await sends()).toHaveLength(1)
  await run(workflow)
  await settled(2)
  expect([...bucket.objects.keys()].filter((one) => one.startsWith('own/exports'))).toEqual([key])
  expect(await app.sync(connection)).toMatchObject({ done: 1 })
  expect(Object.keys(await app.files())).not.toContain(`files-${year}.csv`)
})

test('another file at the provider is not replaced, and the shop is told', async () => {
  bucket.put('taken/mine.csv', 'theirs')
  const connection = await app.connect(bucket.connection('taken/'))
  const before = (await sends()).length
  await run(await save({ connection, folder: '', name: 'mine' }, 'Taken'))
  expect((await settled(before + 1)).at(-1)).toMatchObject({ status: 'failed' })
  expect(text('taken/mine.csv')).toBe('theirs')
  const { data } = await app.get('/api/notices')
  expect(data).toContainEqual(
    expect.objectContaining({
      title: 'A document could not be sent',
      body: expect.stringContaining('The connection has another file mine.csv'),
    }),
  )
})

test('a document is attached to an email, and a large one is a link in it', async () => {
  const workflow = await save({ people: ['anna@example.com'], name: 'list-{date}' }, 'By mail')
  const { id, status } = await run(workflow)
  expect(status).toBe('success')
  const { database } = app.engine.parts
  const outbox = openOutbox({
    database,
    smtpUrl: smtp.url,
    twilio: null,
    from: 'Stevedore <files@example.com>',
    baseUrl: app.url,
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    secrets: app.engine.parts.secrets,
    operationRecord: () => Promise.resolve({}),
    blobs: new WholeBlobs({ database, stores: app.stores, log: silent, clock: () => new Date() }),
    clock: () => new Date(),
    log: silent,
  })
  const operation = parsePublicId(['op', 'import'], id)!
  const message = await scope.one<{ id: string }>(
    `select id from outbox where shop_id = :shop and operation_id = :operation and kind = 'email'
       and payload ->> 'template' = 'document'`,
    { operation },
  )
  const deliver = () => outbox.deliver({ shop: scope.shop, message: message.id })
  await deliver()
  const [mail] = smtp.mails
  expect(mail).toMatchObject({ to: ['anna@example.com'] })
  expect(mail!.raw).toMatch(/filename=list-\d{4}-\d\d-\d\d\.csv/)
  const attached = /text\/csv[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail!.raw)?.[1] ?? ''
  expect(Buffer.from(attached, 'base64').toString()).toContain('guide.pdf')

  await scope.query(
    `update outbox set status = 'waiting', result = null,
       payload = jsonb_set(payload, '{data,attached}', 'false')
     where shop_id = :shop and id = :id`,
    { id: message.id },
  )
  await deliver()
  const [, link = ''] =
    /(http\S+call-files\/\S+)/.exec(smtp.mails[1]!.raw.replace(/=\r\n/g, '')) ?? []
  expect(await (await fetch(link)).text()).toContain('guide.pdf')
  const kept = await scope.one<{ result: object }>(
    'select result from outbox where shop_id = :shop and id = :id',
    { id: message.id },
  )
  expect(JSON.stringify(kept.result)).not.toContain('call-files')
  await outbox.close()
})

test('the step needs a document, one place, and names that a provider allows', async () => {
  const problems = async (steps: object[]) => {
    const { body } = await call('POST', '/api/workflows', { name: 'Wrong', kind: 'bulk', steps })
    return body.error.details.map(({ param }: { param: string }) => param)
  }
  const people = ['anna@example.com']
  expect(await problems([{ plugin: 'send-document', options: { people } }])).toEqual([
    'steps[0].plugin',
  ])
  const wrong = { people, connection: `connection_${'0'.repeat(32)}`, name: 'a/b' }
  expect(await problems([EXPORT, { plugin: 'send-document', options: wrong }])).toContain(
    'steps[1].options.name',
  )
  expect(
    await problems([EXPORT, { plugin: 'send-document', options: { address: 'https://x' } }]),
  ).toContain('steps[1].options.address')
})
