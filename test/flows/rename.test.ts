// Renaming on the real engine: names that files take from each other, across batches; previews with
// the same result as the run; and undo.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { withOptions } from '../../server/engine/steps.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { makeFiles } from '../files.ts'
import { soakTest } from '../scale.ts'
import { WAIT_MS } from '../wait.ts'

const { plugins, workflows } = appConfig({})
let house: TestEngine
let stop: () => Promise<void>
beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
  stop = (await house.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await house.close()
})
beforeEach(() => house.scope.query('delete from files where shop_id = :shop'))

const numbered = (n: number) => `${String(n).padStart(5, '0')}.pdf`
const make = (names: readonly string[]) =>
  makeFiles(
    house.scope,
    names.map((filename) => ({ filename })),
  )
const range = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => numbered(from + n))

async function namesOf(ids: readonly string[]): Promise<string[]> {
  const rows = await house.scope.query<{ id: string; filename: string }>(
    'select id, filename from files where shop_id = :shop and id = any(:ids::uuid[])',
    { ids },
  )
  const names = new Map(rows.map(({ id, filename }) => [id, filename]))
  return ids.map((id) => names.get(id)!)
}

const start = (options: Record<string, unknown>, ids: readonly string[], dryRun = false) =>
  house.startOn(withOptions(house.engine.workflow('rename-files')!, 'rename-files', options), {
    ids,
    dryRun,
  })
const renamed = async (
  options: Record<string, unknown>,
  ids: readonly string[],
): Promise<OperationRow> => (await house.untilEnd(await start(options, ids))).operation
async function undone({ id }: OperationRow): Promise<OperationRow> {
  return (await house.untilEnd(await house.engine.undo(house.scope, id, 'Mira', 'admin'))).operation
}

/** The result of each item of a preview or a run, with the names before and after. */
async function resultsOf(id: string) {
  const results: unknown[] = []
  for await (const page of house.engine.allItems(house.scope, id))
    for (const { position, status, error, before, after } of page)
      results.push([position, status, error?.code ?? null, before?.filename, after?.filename])
  return results
}
async function previewed(id: string): Promise<OperationRow> {
  const until = Date.now() + WAIT_MS
  while (true) {
    const operation = (await house.engine.get(house.scope, id))!
    if (operation.status === 'previewed') return operation
    if (Date.now() > until) throw new Error(`The preview did not end: ${operation.status}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Runs the same twice, as a preview and as a run. */
async function expectPreview(
  options: Record<string, unknown>,
  ids: readonly string[],
): Promise<OperationRow> {
  const before = await namesOf(ids)
  const preview = await previewed(await start(options, ids, true))
  expect(await namesOf(ids)).toEqual(before)
  const operation = await renamed(options, ids)
  expect(await resultsOf(preview.id)).toEqual(await resultsOf(operation.id))
  expect(preview).toMatchObject({
    done: operation.done,
    failed: operation.failed,
    skipped: operation.skipped,
  })
  expect(await house.scope.query('select from preview_names where shop_id = :shop')).toEqual([])
  return operation
}

const SEQUENCE = { pattern: '{sequence}', digits: 5 }

soakTest(
  '4,100 numbered files move on by one, over several batches, as previewed; and back',
  async () => {
    const ids = await make(range(4100, 1))
    const operation = await expectPreview({ ...SEQUENCE, start: 2 }, ids)
    expect(operation).toMatchObject({ status: 'success', done: 4100 })
    expect(await namesOf(ids)).toEqual(range(4100, 2))
    expect(await undone(operation)).toMatchObject({ status: 'success', done: 4100 })
    expect(await namesOf(ids)).toEqual(range(4100, 1))
  },
)

soakTest('the same when a preview is confirmed', async () => {
  const ids = await make(range(2100, 1))
  const preview = await previewed(await start({ ...SEQUENCE, start: 2 }, ids, true))
  expect(preview.done).toBe(2100)
  await house.engine.move(house.scope, preview.id, 'confirm')
  expect((await house.untilEnd(preview.id)).operation).toMatchObject({
    status: 'success',
    done: 2100,
  })
  expect(await namesOf(ids)).toEqual(range(2100, 2))
})

soakTest(
  '2,500 files are renumbered in another order, all with each other’s names; and back',
  async () => {
    const ids = await make(range(2500, 1))
    // Far apart, so that each batch needs names of all others.
    const order = ids.map((_, n) => ids[(n * 1009) % ids.length]!)
    const operation = await expectPreview({ ...SEQUENCE, start: 1 }, order)
    // Some have their new name already.
    expect(operation).toMatchObject({
      status: 'success',
      failed: 0,
      done: 2500 - operation.skipped,
    })
    expect(operation.skipped).toBeLessThan(100)
    expect(await namesOf(order)).toEqual(range(2500, 1))
    expect(await undone(operation)).toMatchObject({ status: 'success' })
    expect(await namesOf(ids)).toEqual(range(2500, 1))
  },
)

soakTest(
  'a name conflict is reported before anything changes, and keeps all files behind it from their names',
  async () => {
    const ids = await make(range(4500, 1))
    await make([numbered(4502)])
    const operation = await expectPreview({ ...SEQUENCE, start: 3 }, ids)
    // Odd numbers move on by two up to 4,501; the even ones conflict with the existing 4,502.
    expect(operation).toMatchObject({ status: 'partial', done: 2250, failed: 2250 })
    const names = await namesOf(ids)
    expect(names.filter((name, n) => name === numbered(n + 3)).length).toBe(2250)
    expect(names.filter((name, n) => name === numbered(n + 1)).length).toBe(2250)
    expect(new Set(names).size).toBe(4500)
  },
)

test('of several files for one name the first gets it, in any batches', async () => {
  const ids = await make([
    'draft 1.pdf',
    ...range(2500),
    'draft-1.pdf',
    ...range(10, 3000),
    'draft_1.pdf',
    '1.pdf',
  ])
  const find = { mode: 'replace', find: 'draft[ _-]', replace: 'final ', regex: true }
  expect(await expectPreview(find, ids)).toMatchObject({ status: 'partial', failed: 2 })
  expect(
    (await namesOf(ids)).filter((name) => name.includes('1.pdf') && !name.startsWith('0')),
  ).toEqual(['final 1.pdf', 'draft-1.pdf', 'draft_1.pdf', '1.pdf'])
})

test('files are named after their products, and those without one are skipped', async () => {
  const ids = await makeFiles(house.scope, [
    { filename: 'a.pdf', mapped: true },
    { filename: 'b.zip', mapped: true },
    { filename: 'c.pdf' },
    { filename: 'd.pdf', mapped: true },
  ])
  const operation = await expectPreview({ pattern: '{product_name}' }, ids)
  expect(operation).toMatchObject({ status: 'partial', done: 2, failed: 1, skipped: 1 })
  expect(await namesOf(ids)).toEqual(['A product.pdf', 'A product.zip', 'c.pdf', 'd.pdf'])
})

test('in a workflow with other steps, on the files that a filter selects', async () => {
  const ids = await make(['Draft 1.pdf', 'Draft 2.pdf', 'x.pdf'])
  const steps = [
    { id: 'tag', plugin: 'tag-files', options: { mode: 'add', tags: ['old'] } },
    {
      id: 'rename',
      plugin: 'rename-files',
      options: { mode: 'replace', find: 'draft ', replace: '' },
    },
    { id: 'merge', plugin: 'merge-tag-case' },
  ]
  const workflow = {
    id: 'own',
    title: 'Own',
    action: 'workflow',
    kind: 'bulk',
    parallel: 4,
    steps,
  } as const
  const { operation } = await house.untilEnd(await house.startOn(workflow))
  expect(operation).toMatchObject({ status: 'success', done: 3, workflow: { parallel: 1 } })
  expect(await namesOf(ids)).toEqual(['1.pdf', '2.pdf', 'x.pdf'])
  await undone(operation)
  expect(await namesOf(ids)).toEqual(['Draft 1.pdf', 'Draft 2.pdf', 'x.pdf'])
})

test('an undo skips files renamed since, and names the conflict', async () => {
  const [a, b, c] = await make(['a.pdf', 'b.pdf', 'c.pdf'])
  const operation = await renamed({ pattern: 'new {original}' }, [a!, b!, c!])
  await renamed({ pattern: 'other' }, [a!])
  await make(['b.pdf'])
  const { operation: back, items } = await house.untilEnd(
    await house.engine.undo(house.scope, operation.id, 'Mira', 'admin'),
  )
  expect(back).toMatchObject({ done: 1, skipped: 1, failed: 1 })
  expect(items.map(({ status, error }) => [status, error?.message])).toEqual([
    ['skipped', 'Its name: changed since'],
    ['failed', '“b.pdf” is taken'],
    ['done', undefined],
  ])
  expect(await namesOf([a!, b!, c!])).toEqual(['other.pdf', 'new b.pdf', 'c.pdf'])
})
