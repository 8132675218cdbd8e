// A plugin that reads files' bytes and is only listed in the configuration: it has its form,
// preview, progress, history, schedule and undo.
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plugin, WriteContext } from '../../plugins/contract/index.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { importItem, writeContext } from '../fakes/context.ts'
import { countWords } from '../plugins/count-words/plugin.ts'
import { pluginSuite } from '../suites/plugins.ts'

describe('the sample plugin', () => {
  let house: TestEngine
  beforeAll(async () => void (house = await createTestEngine([], [])))
  afterAll(() => house.close())
  const context = async (): Promise<WriteContext> => {
    const { bytes, stage } = await house.parts.ports(house.scope)
    return writeContext({ bytes, stage })
  }
  pluginSuite(countWords, async () => {
    const { stage, signal } = await context()
    const staged = async (filename: string, text: string) => {
      const blob = await stage.write(Readable.from([Buffer.from(text)]), null, signal)
      return importItem(filename, { entry: { filename }, staged: blob })
    }
    const items = [await staged('a.txt', 'three short words'), await staged('b.pdf', '%PDF')]
    return { items, context: await context(), state: () => null }
  })
})

describe('once it is listed', () => {
  let app: TestApp
  let worker: EngineWorker
  let owner: Client
  beforeAll(async () => {
    app = await openTestApp({ plugins: [countWords] })
    owner = app.owner
    worker = await app.engine.startWorker()
    const to = { parts: app.engine.parts, scope: owner.scope }
    const long = Array.from({ length: 50_000 }, (_, at) => `word${at}`).join(' ')
    await addFile(to, 'poem.txt', Buffer.from('  The rose\nis red.\t'), { tags: ['mine'] })
    await addFile(to, 'novel.md', Buffer.from(long))
    await addFile(to, 'guide.pdf', Buffer.from('%PDF-1.7'))
  })
  afterAll(async () => {
    await worker.stop()
    await app.close()
  })

  const tags = () =>
    owner.scope.query('select filename, tags from files where shop_id = :shop order by filename')
  const start = async (body: object) => {
    const wanted = { action: 'count-words', select: { filter: {} }, ...body }
    const { status, body: operation } = await owner.call('POST', '/api/operations', wanted)
    expect([status, operation.error]).toEqual([202, undefined])
    return operation.id as string
  }

  test('its form, texts and menu entry are served', async () => {
    const { body } = await owner.call('GET', '/api/plugins')
    expect(body.groups).toContainEqual({ id: 'tags', title: 'Tags' })
    expect(body.data.find(({ id }: Plugin) => id === 'count-words')).toMatchObject({
      options: {
        properties: { prefix: { title: 'Tag', default: 'words' }, round_to: { suffix: 'words' } },
      },
      actions: [
        {
          id: 'count-words',
          group: 'tags',
          preview: 'estimate',
          labels: { menu: 'Count words', done: expect.stringContaining('counted') },
          fits: { places: ['files'], rules: [{ rule: 'some', why: 'No text file is selected' }] },
        },
      ],
      advice: { file_in_use: expect.any(String) },
    })
  })

  test('it is previewed, runs, can be read back, and is undone', async () => {
    const before = await tags()
    const id = await start({ dry_run: true, options: { round_to: 1000 } })
    await expect
      .poll(async () => (await owner.call('GET', `/api/operations/${id}`)).body.status)
      .toBe('previewed')
    expect(await tags()).toEqual(before)

    expect((await owner.call('POST', `/api/operations/${id}/confirm`)).status).toBe(200)
    const record = await untilEnded(owner, id)
    expect(record).toMatchObject({
      status: 'success',
      percentage: 100,
      workflow_title: 'Count words',
    })
    expect(await tags()).toEqual([
      { filename: 'guide.pdf', tags: [] },
      { filename: 'novel.md', tags: ['words-50000'] },
      { filename: 'poem.txt', tags: ['mine', 'words-0'] },
    ])
    const { body } = await owner.call('GET', `/api/operations/${id}/items`)
    expect(body.data).toContainEqual(
      expect.objectContaining({
        filename: 'poem.txt',
        status: 'done',
        after: { tags: { added: ['words-0'], removed: [] } },
      }),
    )

    expect((await owner.call('POST', `/api/operations/${id}/undo`)).status).toBe(202)
    const undone = await owner.call('GET', `/api/operations/${id}`)
    expect(await untilEnded(owner, undone.body.undone_by)).toMatchObject({ status: 'success' })
    expect(await tags()).toEqual(before)
  })

  test('it can be scheduled, and counts exactly', async () => {
    const schedule = {
      name: 'Every night',
      cron: '0 3 * * *',
      action: 'count-words',
      options: { prefix: 'length' },
    }
    const { status, body } = await owner.call('POST', '/api/schedules', { ...schedule, filter: {} })
    expect([status, body.error]).toEqual([201, undefined])
    const ran = await owner.call('POST', `/api/schedules/${body.id}/run`)
    expect(ran.status).toBe(202)
    expect(await untilEnded(owner, ran.body.id)).toMatchObject({
      status: 'success',
      schedule_id: body.id,
    })
    expect(await tags()).toMatchObject([
      { filename: 'guide.pdf' },
      { filename: 'novel.md', tags: ['length-50000'] },
      { filename: 'poem.txt', tags: ['mine', 'length-4'] },
    ])
  })
})
