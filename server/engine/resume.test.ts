import { Readable } from 'node:stream'
import { z } from 'zod'
import { expect, onTestFinished, test } from 'vitest'
import { sized, soakTest } from '../../test/scale.ts'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import {
  definePlugin,
  type Item,
  type ItemPlugin,
  type Outcome,
  type Plugin,
  type WriteContext,
} from '../../plugins/contract/index.ts'
import { PORTS } from '../../test/ports.ts'

type Work = (item: Item, context: WriteContext) => Promise<Outcome> | Outcome
const stepOf = (id: string, work: Work, given: Partial<ItemPlugin> = {}): Plugin =>
  definePlugin({
    id,
    kind: 'act',
    title: id,
    options: z.strictObject({}),
    undo: 'fields',
    bytes: true,
    needs: PORTS,
    ...given,
    async *plan(items) {
      for (const item of items) yield { item: item.id, status: 'ok' }
    },
    async *run(items, _options, context) {
      for (const item of items) yield await work(item, context)
    },
  } as ItemPlugin)

const ok = (item: Item) => ({ item: item.id, status: 'ok' as const })
const bulk = (...plugins: string[]) => ({
  ...workflowOf(...plugins),
  id: 'bulk',
  action: 'bulk',
  kind: 'bulk' as const,
})
const write = (text: string, { stage, signal }: WriteContext) =>
  stage.write(Readable.from([Buffer.from(text)]), null, signal)

/** An engine with one file, `a.txt`, whose bytes are its name. */
async function withFile(plugins: readonly Plugin[]): Promise<TestEngine> {
  const engine = await createTestEngine([makeBytes, ...plugins], [])
  const worker = await engine.startWorker()
  onTestFinished(async () => {
    await worker.stop()
    await engine.close()
  })
  await engine.untilEnd(await engine.start(workflowOf('make-bytes'), ['a.txt']))
  return engine
}
const fileOf = async ({ scope }: TestEngine) =>
  (
    await scope.query<Record<string, unknown>>(
      'select * from files where shop_id = :shop and deleted_at is null',
    )
  )[0]!

test('a step’s changes are kept when a later step fails and is retried; bytes are not made twice', async () => {
  let [made, tries] = [0, 0]
  // The second retry waits five seconds.
  const enough = sized(2, 3)
  const engine = await withFile([
    stepOf('make', async (item, context) => ({
      ...ok(item),
      bytes: await write(`new bytes ${++made}`, context),
    })),
    stepOf('tag', (item) => ({
      ...ok(item),
      change: { set: { filename: 'b.txt' }, tags: { add: ['seen'] } },
    })),
    stepOf('try', (item) =>
      ++tries < enough
        ? {
            item: item.id,
            status: 'failed',
            code: 'storage_failed',
            message: 'away',
            retryable: true,
          }
        : ok(item),
    ),
  ])
  const { operation } = await engine.untilEnd(await engine.startOn(bulk('make', 'tag', 'try')))
  expect(operation.status).toBe('success')
  expect([made, tries]).toEqual([1, enough])
  expect(await fileOf(engine)).toMatchObject({
    filename: 'b.txt',
    tags: ['seen'],
    size_bytes: 11,
    version: 2,
  })
})

soakTest('they are kept when the work is interrupted and resumed', async () => {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  let waits = true
  const engine = await withFile([
    stepOf('tag', (item) => ({ ...ok(item), change: { tags: { add: ['seen'] } } })),
    stepOf('wait', async (item, { signal }) => {
      enter()
      if (waits)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
      return ok(item)
    }),
  ])
  const id = await engine.startOn(bulk('tag', 'wait'))
  await entered
  await engine.engine.move(engine.scope, id, 'pause')
  await expect
    .poll(async () => (await engine.engine.items(engine.scope, id, { limit: 1 }))[0]!.status)
    .toBe('pending')
  waits = false
  await engine.engine.move(engine.scope, id, 'resume')
  expect((await engine.untilEnd(id)).operation.status).toBe('success')
  expect(await fileOf(engine)).toMatchObject({ tags: ['seen'] })
})

test('a file that no step changes is skipped with the given reason; later steps still run', async () => {
  const tags: string[][] = []
  const engine = await withFile([
    stepOf('leave', (item) => ({ ...ok(item), unchanged: 'It is small already' })),
    stepOf('tag', (item) => ({ ...ok(item), change: { tags: { add: tags.pop() ?? [] } } })),
    stepOf('copy', ok, { undo: 'none' }),
  ])
  const nothing = await engine.untilEnd(await engine.startOn(bulk('leave', 'tag')))
  expect(nothing.operation).toMatchObject({ status: 'success', done: 0, skipped: 1 })
  expect(nothing.items[0]).toMatchObject({
    status: 'skipped',
    error: { message: 'It is small already' },
  })
  tags.push(['seen'])
  const tagged = await engine.untilEnd(await engine.startOn(bulk('leave', 'tag')))
  expect(tagged.items[0]).toMatchObject({ status: 'done', after: { tags: { added: ['seen'] } } })
  const copied = await engine.untilEnd(await engine.startOn(bulk('leave', 'copy')))
  expect(copied.items[0]).toMatchObject({ status: 'done', error: null })
  const imported = await engine.untilEnd(
    await engine.start(workflowOf('make-bytes', 'leave'), ['b.txt']),
  )
  expect(imported.items[0]).toMatchObject({ status: 'done', after: { created: true } })
})

soakTest(
  'new bytes are reported with the sizes before and after; an undo reports them too',
  async () => {
    const engine = await withFile([
      stepOf('shorten', async (item, context) => ({
        ...ok(item),
        bytes: await write('a', context),
      })),
    ])
    const id = await engine.startOn(bulk('shorten'))
    const { operation, items } = await engine.untilEnd(id)
    expect(items[0]).toMatchObject({
      before: { version: 1, size_bytes: 5 },
      after: { version: 2, size_bytes: 1 },
    })
    expect(operation.bytes_saved).toBe(4)
    const undone = await engine.untilEnd(await engine.engine.undo(engine.scope, id, 'test', 'api'))
    expect(undone.items[0]).toMatchObject({
      status: 'done',
      before: { size_bytes: 1 },
      after: { size_bytes: 5 },
    })
    expect(undone.operation.bytes_saved).toBe(-4)
    expect(await fileOf(engine)).toMatchObject({ version: 1, size_bytes: 5 })
  },
)
