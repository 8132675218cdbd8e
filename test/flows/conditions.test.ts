// Conditions over HTTP, with real workers: of the list, of a view, and of the steps of a workflow.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePublicId } from '../../server/core/ids.ts'
import { openTestApp, type Answer, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { documentOf, numberedPages } from '../documents.ts'

let app: TestApp
let stop: () => Promise<void>
let workflows = 0
beforeAll(async () => {
  app = await openTestApp()
  stop = (await app.engine.startWorker()).stop
  for (const name of ['A-1.pdf', 'A-2.pdf', 'B-1.pdf'])
    await addFile(app.engine, name, documentOf(numberedPages(1)))
})
afterAll(async () => {
  await stop()
  await app.close()
})

const call = (method: string, route: string, body?: unknown): Promise<Answer> =>
  app.owner.call(method, route, body)

/** Names of the files that the query finds. */
const found = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await call(
    'GET',
    `/api/files?${new URLSearchParams(query)}&sort=filename`,
  )
  expect([status, body.error]).toEqual([200, undefined])
  return body.data.map(({ filename }: { filename: string }) => filename)
}

async function workflowWith(steps: object[]): Promise<string> {
  const { status, body } = await call('POST', '/api/workflows', {
    name: `Workflow ${workflows++}`,
    kind: 'bulk',
    steps,
  })
  expect([status, body.error]).toEqual([201, undefined])
  return body.id
}

/** Runs the workflow on all files and waits for its end. */
async function run(workflow: string): Promise<void> {
  const { status, body } = await call('POST', '/api/operations', {
    workflow,
    select: { filter: {} },
  })
  expect([status, body.error]).toEqual([202, undefined])
  await app.engine.untilEnd(parsePublicId('op', body.id)!)
  const items = (await call('GET', `/api/operations/${body.id}/items`)).body.data
  expect(items.map(({ error }: { error: unknown }) => error)).toEqual([null, null, null])
}

const versions = async (): Promise<number[]> =>
  (await call('GET', '/api/files?sort=filename')).body.data.map(
    (file: { version: number }) => file.version,
  )

test('“mark what is not marked yet”, run twice, marks once', async () => {
  const when = { tags_none: ['marked'], any: [{ name_like: 'a-*' }, { tags_any: ['also'] }] }
  const workflow = await workflowWith([
    { plugin: 'watermark-pdf', options: { text: 'Preview' }, when },
    { plugin: 'tag-files', options: { mode: 'add', tags: ['marked'] }, when },
  ])
  await run(workflow)
  expect(await versions()).toEqual([2, 2, 1])
  expect(await found({ tags_any: 'marked' })).toEqual(['A-1.pdf', 'A-2.pdf'])
  await run(workflow)
  expect(await versions()).toEqual([2, 2, 1])
})

test('a later step sees what the steps before it made', async () => {
  const workflow = await workflowWith([
    { plugin: 'tag-files', options: { mode: 'add', tags: ['fresh'] }, when: { name_begins: 'B-' } },
    {
      plugin: 'move-to-pack',
      options: { new_pack: 'Fresh' },
      when: { tags: ['fresh'], pack_none: true, delivered: false, linked: false },
    },
    { plugin: 'tag-files', options: { mode: 'add', tags: ['packed'] }, when: { pack_none: false } },
  ])
  await run(workflow)
  expect(await found({ tags: 'packed' })).toEqual(['B-1.pdf'])
  expect(await found({ pack_none: 'false' })).toEqual(['B-1.pdf'])
})

describe('the list', () => {
  test('takes alternatives as JSON, and a view keeps them', async () => {
    const any = [{ name_ends: '-2.pdf' }, { name_begins: 'b' }]
    expect(await found({ any: JSON.stringify(any) })).toEqual(['A-2.pdf', 'B-1.pdf'])
    expect(await found({ any: JSON.stringify(any), name_like: '*-2.*' })).toEqual(['A-2.pdf'])
    const view = await call('POST', '/api/views', {
      name: 'Some',
      query: `any=${encodeURIComponent(JSON.stringify(any))}`,
    })
    expect([view.status, view.body.error, view.body.filter]).toEqual([201, undefined, { any }])
    expect(Object.fromEntries(new URLSearchParams(view.body.query))).toEqual({
      any: JSON.stringify(any),
    })
  })
  test('names every problem', async () => {
    const any = [{}, { colour: 'red' }, { pack: 'mine', larger_than: -1 }, { any: [] }]
    const query = new URLSearchParams({ any: JSON.stringify(any), version_above: 'x', folder: '/' })
    const { status, body } = await call('GET', `/api/files?${query}`)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    const places = body.error.details.map(
      ({ index, param }: { index?: number; param: string }) => `${param} ${index ?? ''}`,
    )
    expect(places.sort()).toEqual([
      'any 0',
      'any 3',
      'colour 1',
      'folder ',
      'larger_than 2',
      'pack 2',
      'version_above ',
    ])
    for (const { code } of body.error.details) expect(code).toEqual(expect.any(String))
  })
  test.each(['[]', '{}', 'x', '[1]'])('refuses the alternatives %s', async (any) => {
    const { status } = await call('GET', `/api/files?${new URLSearchParams({ any })}`)
    expect(status).toBe(422)
  })
})

test('a step names only what the shop has, in alternatives too', async () => {
  const pack = `pack_${'0'.repeat(32)}`
  const { status, body } = await call('POST', '/api/workflows', {
    name: 'Lost',
    kind: 'bulk',
    steps: [
      {
        plugin: 'tag-by-rule',
        options: { rules: [{ when: { any: [{ pack }] }, tags: ['a'] }] },
        when: { any: [{ pack }] },
      },
    ],
  })
  expect(status).toBe(422)
  expect(body.error.details).toEqual([
    expect.objectContaining({ param: 'steps[0].options.rules[0].when.any[0].pack' }),
    expect.objectContaining({ param: 'steps[0].when.any[0].pack' }),
  ])
})
