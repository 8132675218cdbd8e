// Branches: each file takes one part of their steps, as it was judged before the first of them.
import { Readable } from 'node:stream'
import { z } from 'zod'
import { expect, onTestFinished, test } from 'vitest'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { insertManyFiles } from '../../test/factories.ts'
import {
  type Condition,
  definePlugin,
  type Plugin,
  type Step,
  type Workflow,
} from '../../plugins/contract/index.ts'
import { countSteps } from './trail.ts'
import { PORTS } from '../../test/ports.ts'

const tag = (plugin: string, ...tags: string[]): Plugin =>
  definePlugin({
    id: plugin,
    kind: 'act',
    title: plugin,
    options: z.strictObject({}),
    undo: 'fields',
    async *plan(items) {
      for (const item of items)
        yield { item: item.id, status: 'ok', change: { tags: { add: tags } } }
    },
  })

/** Makes ten bytes of each file, and fails once before that or after it. */
function shrinking(): readonly Plugin[] {
  const tried = new Set<string>()
  return ['shrink', 'check'].map((id) =>
    definePlugin({
      id,
      kind: 'act',
      title: id,
      options: z.strictObject({}),
      undo: 'fields',
      bytes: true,
      needs: PORTS,
      async *plan(items) {
        for (const item of items) yield { item: item.id, status: 'ok' }
      },
      async *run(items, _options, { stage, signal }) {
        for (const item of items)
          if (id === 'shrink') {
            const bytes = await stage.write(Readable.from([Buffer.alloc(10)]), null, signal)
            yield { item: item.id, status: 'ok', bytes }
          } else if (tried.has(item.id)) yield { item: item.id, status: 'ok' }
          else {
            tried.add(item.id)
            const retry = { code: 'storage_failed', message: 'away', retryable: true } as const
            yield { item: item.id, status: 'failed', ...retry }
          }
      },
    }),
  )
}

const PDF: Condition = { tags_none: ['first'], type: ['pdf'] }
const branchOf = (when: Condition) => (plugin: string, otherwise?: true) => ({
  id: plugin,
  plugin,
  branch: { id: 'one', when, ...(otherwise ? { else: otherwise } : {}) },
})
const bulk = (...steps: Step[]): Workflow => ({
  id: 'bulk',
  title: 'Bulk',
  action: 'bulk',
  kind: 'bulk',
  parallel: 2,
  steps,
})

async function withFiles(plugins: readonly Plugin[], count: number): Promise<TestEngine> {
  const engine = await createTestEngine(plugins, [])
  const worker = await engine.startWorker()
  onTestFinished(async () => {
    await worker.stop()
    await engine.close()
  })
  await insertManyFiles(engine.parts.database.pool, { shop: engine.shop, count })
  return engine
}
const filesOf = ({ scope }: TestEngine) =>
  scope.query<{ id: string; is: boolean; tags: string[]; size: number }>(
    `select id, extension = 'pdf' as is, tags, size_bytes::int as size from files
     where shop_id = :shop order by id`,
  )

test('each file takes one part, although the part changes what the condition is about', async () => {
  const plugins = ['first', 'second', 'other', 'all', 'new'].map((one) => tag(one, one))
  const engine = await withFiles(plugins, 40)
  const before = await filesOf(engine)
  const of = branchOf(PDF)
  const workflow = bulk(of('first'), of('second'), of('other', true), { id: 'all', plugin: 'all' })
  const taken = (is: boolean) => (is ? ['first', 'second', 'all'] : ['other', 'all'])
  const preview = await engine.startOn(workflow, { dryRun: true })
  await expect
    .poll(() =>
      engine.scope.first('select status from operations where shop_id = :shop and id = :preview', {
        preview,
      }),
    )
    .toEqual({ status: 'previewed' })
  const items = await engine.engine.items(engine.scope, preview, { limit: 100 })
  const isPdf = new Map(before.map(({ id, is }) => [id, is]))
  for (const { file_id, after } of items)
    expect((after as { tags: { added: string[] } }).tags).toMatchObject({
      added: expect.arrayContaining(taken(isPdf.get(file_id!)!)),
    })
  expect(await filesOf(engine)).toEqual(before)
  const id = await engine.startOn(workflow)
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 40 })
  for (const { id, is, tags } of await filesOf(engine)) {
    const had = before.find((one) => one.id === id)!.tags
    expect(tags.toSorted()).toEqual([...new Set([...had, ...taken(is)])].toSorted())
  }
  expect(new Set(before.map(({ is }) => is)).size).toBe(2)
  const pdfs = before.filter(({ is }) => is).length
  const results = await countSteps(engine.scope, id, 4)
  expect(results.map(({ changed }) => changed)).toEqual([pdfs, pdfs, 40 - pdfs, 40])
  const others = { limit: 100, step: { index: 2, result: 'changed' as const } }
  const listed = await engine.engine.items(engine.scope, id, others)
  expect(listed.map(({ file_id }) => isPdf.get(file_id!))).toEqual(Array(40 - pdfs).fill(false))
  const again = await engine.startOn(
    bulk({ id: 'all', plugin: 'all' }, { id: 'new', plugin: 'new', when: { tags: ['all'] } }),
  )
  await engine.untilEnd(again)
  expect(await countSteps(engine.scope, again, 2)).toMatchObject([
    { changed: 0, unchanged: 40 },
    { changed: 40 },
  ])
  const back = await engine.engine.undo(engine.scope, again, 'me', 'api')
  await engine.untilEnd(back)
  const undo = await engine.engine.undo(engine.scope, id, 'me', 'api')
  await engine.untilEnd(undo)
  expect(await filesOf(engine)).toEqual(before)
})

test('a file that is tried again stays in its part, although its new bytes do not meet the condition', async () => {
  const engine = await withFiles(
    [...shrinking(), tag('shrunk', 'shrunk'), tag('small', 'small')],
    3,
  )
  await engine.scope.query(
    `update files set size_bytes = 5 where shop_id = :shop and id = (
       select id from files where shop_id = :shop order by id limit 1)`,
  )
  const of = branchOf({ larger_than: 10 })
  const steps = [of('shrink'), of('check'), of('shrunk'), of('small', true)]
  const { operation } = await engine.untilEnd(await engine.startOn(bulk(...steps)))
  expect(operation).toMatchObject({ status: 'success', done: 3 })
  const files = await filesOf(engine)
  expect(files.map(({ size }) => size)).toEqual([5, 10, 10])
  for (const { size, tags } of files) {
    expect(tags.includes('small')).toBe(size === 5)
    expect(tags.includes('shrunk')).toBe(size === 10)
  }
})
