import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestEngine, workflowOf, type TestEngine } from '../../test/engine.ts'
import { definePlugin, type Entry, type Item, type Outcome } from '../../plugins/contract/index.ts'
import { predecessorsOf } from './freeze.ts'
import { BATCH } from './steps.ts'
import { soakTest, someOf } from '../../test/scale.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const workflow = { ...workflowOf('fetch-backwards'), parallel: 4 }

/**
 * Fetches the last item first; each item has as many bytes as its position plus one. `fail`:
 * another outcome.
 */
async function engineWith(fail: (item: Item) => Outcome | null = () => null): Promise<TestEngine> {
  const fetchBackwards = definePlugin({
    id: 'fetch-backwards',
    kind: 'fetch',
    title: 'Fetch backwards',
    options: z.strictObject({}),
    undo: 'fields',
    needs: ['stage'],
    bytes: true,
    async *plan(items) {
      for (const item of items) yield { item: item.id, status: 'ok' }
    },
    async *run(items, _options, context): AsyncGenerator<Outcome> {
      for (const item of items.toReversed()) {
        const content = Readable.from([Buffer.alloc(item.position + 1, 'a')])
        const bytes = await context.stage.write(content, null, context.signal)
        yield fail(item) ?? { item: item.id, status: 'ok', bytes }
      }
    },
  })
  const engine = await createTestEngine([fetchBackwards], [workflow])
  cleanups.push(() => engine.close())
  const worker = await engine.startWorker()
  cleanups.push(() => worker.stop())
  return engine
}

async function importOf(
  engine: TestEngine,
  names: readonly string[],
  onConflict: Entry['on_conflict'],
) {
  const id = await engine.start(workflow, names, undefined, onConflict)
  return { id, ...(await engine.untilEnd(id)) }
}
const files = (engine: TestEngine) =>
  engine.scope.query<{ filename: string; size_bytes: number; version: number }>(
    'select filename, size_bytes, version from files where shop_id = :shop order by filename',
  )
const outcomes = (items: readonly { status: string; error: { code: string } | null }[]) =>
  items.map(({ status, error }) => error?.code ?? status)

test('the first entry of a name gets it, in any order of fetching', async () => {
  const engine = await engineWith()
  const { items } = await importOf(engine, ['a.txt', 'b.txt', 'A.TXT', 'a.txt'], 'error')
  expect(outcomes(items)).toEqual(['done', 'done', 'duplicate_filename', 'duplicate_filename'])
  expect(await files(engine)).toMatchObject([
    { filename: 'a.txt', size_bytes: 1 },
    { size_bytes: 2 },
  ])
})

test.each(someOf(['overwrite', 'new_version'] as const, (_, at) => at < 1))(
  '%s ends with the last entry',
  async (onConflict) => {
    const engine = await engineWith()
    const { items } = await importOf(engine, ['a.txt', 'a.txt', 'b.txt', 'a.txt'], onConflict)
    expect(new Set(outcomes(items))).toEqual(new Set(['done']))
    expect(await files(engine)).toMatchObject([
      { filename: 'a.txt', size_bytes: 4, version: 3 },
      { size_bytes: 3 },
    ])
  },
)

soakTest('rename numbers them in order and never fails', async () => {
  const engine = await engineWith()
  const { items } = await importOf(engine, Array<string>(30).fill('a.txt'), 'rename')
  expect(outcomes(items)).toEqual(Array(30).fill('done'))
  expect(items.map(({ after }) => after!.filename)).toEqual(
    Array.from({ length: 30 }, (_, n) => (n === 0 ? 'a.txt' : `a (${n + 1}).txt`)),
  )
})

soakTest(
  'more entries of one name than a batch and its chains hold: every version exists, in order',
  async () => {
    const engine = await engineWith()
    const names = Array.from({ length: 3 * BATCH }, (_, n) =>
      n % 3 === 0 ? `other-${n}.txt` : 'same.txt',
    )
    const { operation } = await importOf(engine, names, 'new_version')
    expect(operation).toMatchObject({ status: 'success', done: 3 * BATCH })
    const sizes = await engine.scope.query<{ size_bytes: number }>(
      `select v.size_bytes from versions v join files f on f.shop_id = v.shop_id and f.id = v.file_id
     where v.shop_id = :shop and f.filename = 'same.txt' order by v.number`,
    )
    const expected = names.flatMap((name, n) => (name === 'same.txt' ? [n + 1] : []))
    expect(sizes.map(({ size_bytes }) => size_bytes)).toEqual(expected)
  },
)

soakTest('a retried entry keeps its place, and a failed one gives it up', async () => {
  const tries = new Map<string, number>()
  const engine = await engineWith((item) => {
    const number = (tries.get(item.id) ?? 0) + 1
    tries.set(item.id, number)
    const failed = {
      item: item.id,
      status: 'failed',
      code: 'url_not_accessible',
      message: 'no',
    } as const
    if (item.position === 0) return { ...failed, retryable: false }
    // Its second attempt runs later than the first of the next entry, which has to wait for it.
    if (item.position === 1 && number <= 2) return { ...failed, retryable: true }
    if (item.position === 2 && number === 1) return { ...failed, retryable: true }
    return null
  })
  const { items } = await importOf(engine, ['a.txt', 'a.txt', 'a.txt'], 'error')
  expect(outcomes(items)).toEqual(['url_not_accessible', 'done', 'duplicate_filename'])
  expect(items.map(({ attempt }) => attempt)).toEqual([1, 3, 2])
  // Each claim takes a lease number: no entry was claimed repeatedly while it waited for the name.
  const [{ last_value: leases }] = (
    await engine.parts.database.pool.query('select last_value from leases')
  ).rows
  expect(leases).toBeLessThan(20)
})

soakTest('retried entries keep their order, also around one that had already ended', async () => {
  let healed = false
  const engine = await engineWith((item) => {
    if (item.position === 1 || healed) return null
    return {
      item: item.id,
      status: 'failed',
      code: 'url_not_accessible',
      message: 'no',
      retryable: false,
    }
  })
  const { id, items } = await importOf(engine, Array<string>(4).fill('a.txt'), 'overwrite')
  expect(outcomes(items).filter((outcome) => outcome === 'done')).toHaveLength(1)
  healed = true
  await engine.engine.move(engine.scope, id, 'retry')
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 4 })
  expect(await files(engine)).toMatchObject([{ size_bytes: 4 }])
})

test('names are compared as the shop compares them, and files to be replaced by their ids', () => {
  const entry = (filename: string, replaces?: string) => ({
    entry: {
      filename,
      source: { type: 'url', url: '' },
      on_conflict: 'error',
      ...(replaces ? { replaces } : {}),
    } as Entry,
    draft: { filename } as never,
  })
  const given = [entry('a'), entry('b'), entry('A'), entry('a', 'x'), entry('a'), entry('c', 'x')]
  expect(predecessorsOf(given)).toEqual([null, null, 0, null, 2, 3])
})
