// A retry after what failed was mended: in the workflow, in a schedule, in the settings of the shop,
// or with options that no workflow stores.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePublicId, toPublicId } from '../../server/core/ids.ts'
import { openTestApp, type Answer, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { documentOf, encrypted, numberedPages } from '../documents.ts'
import { sized, soakTest } from '../scale.ts'

const PASSWORD = 'open-sesame-51'
let app: TestApp
let stop: () => Promise<void>
let locked: Uint8Array
beforeAll(async () => {
  app = await openTestApp()
  stop = (await app.engine.startWorker()).stop
  locked = await encrypted(documentOf(numberedPages(1)), PASSWORD, 'owner')
})
afterAll(async () => {
  await stop()
  await app.close()
})

const call = (method: string, route: string, body?: unknown): Promise<Answer> =>
  app.owner.call(method, route, body)
const post = async (route: string, body?: unknown) => (await call('POST', route, body)).body
const add = async (name: string, bytes: Uint8Array) =>
  toPublicId('file', await addFile(app.engine, name, bytes))
async function ended(id: string): Promise<Answer['body']> {
  await app.engine.untilEnd(parsePublicId('op', id)!)
  return (await call('GET', `/api/operations/${id}`)).body
}
const start = async (body: object) => ended((await post('/api/operations', body)).id)
const retry = (id: string, body?: object) => call('POST', `/api/operations/${id}/retry`, body)
const planOf = async (id: string) => (await call('GET', `/api/operations/${id}/retry`)).body
const tagsOf = async (id: string): Promise<string[]> =>
  (await call('GET', `/api/files/${id}`)).body.tags
const lockedFiles = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => add(`${name} ${at}.pdf`, locked)))

const WORKFLOW = { kind: 'bulk', parallel: 2 }
const tagging = (tag: string) => ({
  id: 'tag',
  plugin: 'tag-files',
  options: { mode: 'add', tags: [tag] },
})
const marking = { id: 'mark', plugin: 'watermark-pdf', options: { text: 'a' } }

soakTest(
  'encrypted documents succeed when the retry brings their password; an undo restores all',
  async () => {
    const count = sized(3, 20)
    const file_ids = await lockedFiles('Action', count)
    const failed = await start({
      action: 'watermark-pdf',
      select: { file_ids },
      options: { text: 'a' },
    })
    expect(failed).toMatchObject({ status: 'failed', failed: count })
    expect(await planOf(failed.id)).toMatchObject({
      changed: false,
      problem: null,
      mending: [{ step: 'act', option: 'password', option_title: 'Password' }],
    })
    const wrong = await retry(failed.id, { options: { act: { password: 7 }, none: {} } })
    expect([
      wrong.status,
      wrong.body.error.details.map(({ param }: { param: string }) => param),
    ]).toEqual([422, ['options.none', 'options.act.password']])
    await retry(failed.id, { options: { act: { password: PASSWORD } } })
    const done = await ended(failed.id)
    expect(done).toMatchObject({ status: 'success', done: count, failed: 0 })
    expect(JSON.stringify(done)).not.toContain(PASSWORD)
    const undone = await ended((await post(`/api/operations/${failed.id}/undo`)).id)
    expect(undone).toMatchObject({ status: 'success', done: count })
    for (const id of file_ids)
      expect((await call('GET', `/api/files/${id}`)).body.size_bytes).toBe(locked.length)
  },
)

test('runs the steps of the workflow as they are now, or as they were; an undo restores all', async () => {
  const [closed] = await lockedFiles('Flow', 1)
  const open = await add('Flow open.pdf', documentOf(numberedPages(1)))
  const { id: workflow } = await post('/api/workflows', {
    ...WORKFLOW,
    name: 'Mark and tag',
    steps: [marking, tagging('first')],
  })
  const partial = await start({ workflow, select: { file_ids: [closed, open] } })
  expect(partial).toMatchObject({ status: 'partial', done: 1, failed: 1 })
  const change = (steps: object[]) =>
    call('PUT', `/api/workflows/${workflow}`, { ...WORKFLOW, name: 'Mark and tag', steps })
  expect((await change([tagging('second')])).status).toBe(200)
  expect(await planOf(partial.id)).toMatchObject({ changed: true, steps: [{ id: 'tag' }] })
  await retry(partial.id, { workflow: 'as_started' })
  expect(await ended(partial.id)).toMatchObject({ status: 'partial', failed: 1 })
  await retry(partial.id)
  const mended = await ended(partial.id)
  expect(mended).toMatchObject({ status: 'success', done: 2, failed: 0, steps: [{ id: 'tag' }] })
  expect([await tagsOf(closed!), await tagsOf(open)]).toEqual([['second'], ['first']])
  const undone = await ended((await post(`/api/operations/${partial.id}/undo`)).id)
  expect(undone).toMatchObject({ status: 'success', done: 2, skipped: 0 })
  expect([await tagsOf(closed!), await tagsOf(open)]).toEqual([[], []])
})

soakTest(
  'names why a workflow cannot continue the operation, and then runs the steps of its start',
  async () => {
    const [closed] = await lockedFiles('Unfit', 1)
    const body = { ...WORKFLOW, name: 'Unfit', steps: [marking] }
    const { id: workflow } = await post('/api/workflows', body)
    const { id } = await start({ workflow, select: { file_ids: [closed] } })
    const trash = [{ plugin: 'restore-files' }]
    expect(
      (await call('PUT', `/api/workflows/${workflow}`, { ...body, steps: trash })).status,
    ).toBe(200)
    const unfit = await retry(id, { workflow: 'current' })
    expect([unfit.status, unfit.body.error]).toMatchObject([
      409,
      {
        code: 'workflow_unfit',
        details: [{ param: 'workflow', message: expect.stringContaining('other files') }],
      },
    ])
    expect(await planOf(id)).toMatchObject({
      changed: false,
      steps: null,
      problem: { code: 'workflow_unfit' },
      reasons: [expect.anything()],
    })
    await call('DELETE', `/api/workflows/${workflow}`)
    const gone = await retry(id, { workflow: 'current' })
    expect([gone.status, gone.body.error.code]).toEqual([409, 'workflow_gone'])
    expect((await retry(id)).status).toBe(200)
    expect(await ended(id)).toMatchObject({ status: 'failed', steps: [{ id: 'mark' }] })
  },
)

soakTest('takes the mended options of a schedule and the mended settings of the shop', async () => {
  const file = await add('Scheduled.pdf', documentOf(numberedPages(1)))
  const body = {
    name: 'Nightly mark',
    cron: '0 3 * * *',
    action: 'watermark-pdf',
    options: { text: 'ꀀ\u{12000}' },
    filter: { search: 'Scheduled' },
  }
  const schedule = await post('/api/schedules', body)
  const run = await post(`/api/schedules/${schedule.id}/run`)
  expect(await ended(run.id)).toMatchObject({ status: 'failed', failed: 1 })
  const mended = { ...body, options: { saved: true } }
  expect((await call('PUT', `/api/schedules/${schedule.id}`, mended)).status).toBe(200)
  await retry(run.id)
  const items = async (id: string) =>
    (await call('GET', `/api/operations/${id}/items`)).body.data[0].error?.code
  expect(await ended(run.id)).toMatchObject({ status: 'failed' })
  expect(await items(run.id)).toBe('no_watermark')
  const manual = await start({
    action: 'watermark-pdf',
    select: { file_ids: [file] },
    options: { saved: true },
  })
  const watermark = { text: 'Ours', position: 'center', opacity: 0.4 }
  expect((await call('PATCH', '/api/settings', { watermark })).status).toBe(200)
  for (const { id } of [run, manual]) {
    expect(await planOf(id)).toMatchObject({ changed: true })
    await retry(id)
    expect(await ended(id)).toMatchObject({ status: 'success', done: 1 })
  }
})

test('needs the scopes of the steps as they are now', async () => {
  const [closed] = await lockedFiles('Scoped', 1)
  const body = { ...WORKFLOW, name: 'Scoped', steps: [marking] }
  const { id: workflow } = await post('/api/workflows', body)
  const { id } = await start({ workflow, select: { file_ids: [closed] } })
  await call('PUT', `/api/workflows/${workflow}`, { ...body, steps: [{ plugin: 'delete-files' }] })
  const program = await app.clientWith(['operations:write', 'files:write'])
  const tries = ['current', 'as_started'].map(
    async (steps) =>
      (await program.call('POST', `/api/operations/${id}/retry`, { workflow: steps })).status,
  )
  expect(await Promise.all(tries)).toEqual([403, 200])
  await ended(id)
})
