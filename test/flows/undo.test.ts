// Undo of large operations: every change is reverted, except for files changed since, which are
// reported.
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import type { Step, Workflow } from '../../plugins/contract/index.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import { createTestEngine, makeBytes, type TestEngine } from '../engine.ts'
import { sized, soakTest, someOf } from '../scale.ts'
import { dumpOf, expectSame, fileIds, fillLibrary, type Dump } from './library.ts'

const COUNT = sized(600, 10_000)
/** More files than one transaction of a plain change writes. */
const SEVERAL_WRITES = 10_000
const { plugins, workflows } = appConfig({})
let house: TestEngine
let stop: () => Promise<void>
let ids: string[]
let whole: Dump

beforeAll(async () => {
  house = await createTestEngine([...plugins, makeBytes], workflows)
  await fillLibrary(house, COUNT)
  ids = await fileIds(house.scope)
  stop = (await house.startWorker()).stop
  whole = await dumpOf(house.scope)
})
afterAll(async () => {
  await stop()
  await house.close()
})
// Every undo must restore all rows of the shop.
afterEach(async () => expectSame(await dumpOf(house.scope), whole))

const workflowOf = (...steps: [plugin: string, options: Record<string, unknown>][]): Workflow => ({
  id: 'test',
  title: 'Test',
  action: steps[0]![0],
  kind: 'bulk',
  parallel: 2,
  steps: steps.map(([plugin, options], n): Step => ({ id: `step-${n}`, plugin, options })),
})
const expiryOf = (days: number) => workflowOf(['update-settings', { expiry_days: days }])

async function carryOut(workflow: Workflow, on?: readonly string[]): Promise<OperationRow> {
  const { operation } = await house.untilEnd(await house.startOn(workflow, on ? { ids: on } : {}))
  return operation
}
const undo = (id: string) => house.engine.undo(house.scope, id, 'Mira', 'admin')
const reread = async (id: string) => (await house.engine.get(house.scope, id))!

const actions: [string, Workflow, Partial<OperationRow>][] = [
  [
    'settings',
    workflowOf([
      'update-settings',
      { expiry_days: 12, download_limit: null, visibility: 'public', allowed_referrers: [] },
    ]),
    { done: COUNT },
  ],
  [
    'days that are added to each file’s own',
    workflowOf(['update-settings', { add_expiry_days: 5 }]),
    { done: COUNT },
  ],
  [
    'tags that take the place of all others',
    workflowOf(['tag-files', { mode: 'replace', tags: ['new', 'manual'] }]),
    {},
  ],
  [
    'a deletion with its products',
    workflowOf(['delete-files', { remove_mappings: true }]),
    { done: COUNT },
  ],
  [
    'a workflow of several steps',
    workflowOf(
      ['tag-files', { mode: 'add', tags: ['summer'] }],
      ['update-settings', { cdn: true, expiry_days: 3 }],
      ['tag-files', { mode: 'remove', tags: ['manual', 'summer'] }],
      ['delete-files', { remove_mappings: true }],
    ),
    { done: COUNT },
  ],
]

test.each(someOf(actions, (_, at) => at % 2 === 0))(
  'reverts %s, restoring every row exactly',
  async (_what, workflow, expected) => {
    const did = await carryOut(workflow)
    expect(did).toMatchObject({ status: 'success', failed: 0, skipped: 0, ...expected })
    expect(
      (await dumpOf(house.scope)).files.filter((row, at) => row === whole.files[at]).length,
    ).toBeLessThan(COUNT / 2)

    const { operation, items } = await house.untilEnd(await undo(did.id))
    expect(operation).toMatchObject({ status: 'success', undoes: did.id, failed: 0, skipped: 0 })
    expect(operation.done).toBe(items.length)
    expect(await reread(did.id)).toMatchObject({ status: 'undone', undone_by: operation.id })
  },
)

test('skips files changed since, with the reason; a download is not a change', async () => {
  const [changed, other, downloaded, gone] = [ids[10]!, ids[11]!, ids[12]!, ids[13]!]
  const before = await house.scope.query<{
    id: string
    expiry_days: number | null
    download_limit: number | null
  }>(
    `select id, expiry_days, download_limit from files where shop_id = :shop
      and id = any(:ids::uuid[])`,
    { ids: [changed, other, gone] },
  )
  const was = (id: string) => before.find((row) => row.id === id)!
  const did = await carryOut(expiryOf(111), ids.slice(0, 50))
  const set = (id: string, field: string, value: unknown) =>
    house.scope.query(`update files set ${field} = :value where shop_id = :shop and id = :id`, {
      id,
      value: value as never,
    })
  await set(changed, 'expiry_days', 7)
  await set(other, 'download_limit', 99)
  await set(gone, 'deleted_at', new Date())
  await house.scope.insert('links', {
    file_id: downloaded,
    key_hash: Buffer.alloc(32, 1),
    downloads: 1,
    served: 1,
    last_download_at: new Date(),
  })

  const { operation, items } = await house.untilEnd(await undo(did.id))
  expect(operation).toMatchObject({ status: 'success', done: 49, skipped: 1 })
  const skipped = items.filter(({ status }) => status === 'skipped')
  expect(skipped).toMatchObject([
    { file_id: changed, error: { message: 'Its expiry: changed since' } },
  ])
  const now = await house.scope.query<object>(
    `select id, expiry_days, download_limit, deleted_at is not null as deleted from files
     where shop_id = :shop and id = any(:ids::uuid[])`,
    { ids: [changed, other, gone, downloaded] },
  )
  expect(now).toContainEqual({ ...was(changed), expiry_days: 7, deleted: false })
  expect(now).toContainEqual({ ...was(other), download_limit: 99, deleted: false })
  expect(now).toContainEqual({ ...was(gone), deleted: true })

  await set(changed, 'expiry_days', was(changed).expiry_days)
  await set(other, 'download_limit', was(other).download_limit)
  await set(gone, 'deleted_at', null)
  await house.scope.from('links').where('file_id', downloaded).andWhere('served', 1).delete()
  await likeBefore([changed, other, gone])
})

/** Removes the times of the last change, which differ because of the test's own changes. */
async function likeBefore(touched: readonly string[]): Promise<void> {
  const rows = whole.files.map((row) => JSON.parse(row) as { id: string; updated_at: string })
  for (const id of touched)
    await house.scope.query(
      'update files set updated_at = :at::timestamptz where shop_id = :shop and id = :id',
      {
        id,
        at: rows.find((row) => row.id === id)!.updated_at,
      },
    )
}

test('reverts added and removed tags, next to changes by others since', async () => {
  const did = await carryOut(workflowOf(['tag-files', { mode: 'replace', tags: ['new'] }]), [
    ids[4]!,
  ])
  const tags = async () =>
    (await house.scope.from<{ tags: string[] }>('files').where('id', ids[4]!).select('tags'))[0]!
      .tags
  const had = (JSON.parse(whole.files.find((row) => row.includes(ids[4]!))!) as { tags: string[] })
    .tags
  await house.scope
    .from('files')
    .where('id', ids[4]!)
    .update({ tags: ['new', 'by-hand'] } as never)
  await house.untilEnd(await undo(did.id))
  expect((await tags()).toSorted()).toEqual([...had, 'by-hand'].toSorted())
  await house.scope
    .from('files')
    .where('id', ids[4]!)
    .update({ tags: had } as never)
  await likeBefore([ids[4]!])
})

test('works once, within its time limit, and not while the operation runs', async () => {
  const did = await carryOut(expiryOf(222), [ids[0]!])
  const both = await Promise.allSettled([undo(did.id), undo(did.id)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const first = both.find(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<string>
  await house.untilEnd(first.value)
  await expect(undo(did.id)).rejects.toMatchObject({ code: 'operation_state', status: 409 })
  await expect(undo(first.value)).rejects.toMatchObject({ code: 'operation_state' })
  expect(house.engine.actions(await reread(did.id))).toEqual([])

  const late = await carryOut(expiryOf(333), [ids[0]!])
  await house.scope.query(
    `update operations set undo_until = now() - interval '1 second' where shop_id = :shop
       and id = :id`,
    {
      id: late.id,
    },
  )
  await expect(undo(late.id)).rejects.toMatchObject({
    message: 'An operation can be undone within 7 days',
  })
  await house.scope.query(
    `update operations set undo_until = now() + interval '1 day' where shop_id = :shop
       and id = :id`,
    {
      id: late.id,
    },
  )
  await house.untilEnd(await undo(late.id))
})

soakTest('of a cancelled operation reverts what was done', async () => {
  const other = await createTestEngine(plugins, workflows)
  onTestFinished(() => other.close())
  await fillLibrary(other, SEVERAL_WRITES)
  const worker = await other.startWorker()
  const done = async (id: string) => (await other.engine.get(other.scope, id))!.done
  const last = (await fileIds(other.scope)).at(-1)
  const id = await other.scope.transaction(async (tx) => {
    // The batch with this file waits for the test's lock.
    await tx.query('select from files where shop_id = :shop and id = :id for update', { id: last })
    const started = await other.startOn(expiryOf(444))
    await expect.poll(() => done(started), { interval: 1 }).toBeGreaterThan(0)
    await other.engine.move(other.scope, started, 'cancel')
    return started
  })
  const { operation } = await other.untilEnd(id)
  expect(operation).toMatchObject({
    status: 'cancelled',
    done: expect.toSatisfy((n: number) => n > 0 && n < SEVERAL_WRITES),
  })
  const undone = await other.untilEnd(await other.engine.undo(other.scope, id, 'Mira', 'admin'))
  expect(undone.operation).toMatchObject({
    status: 'success',
    total: operation.done,
    done: operation.done,
  })
  await worker.stop()
})

test('of an import moves its files to the trash, and replaces a new version with the previous one', async () => {
  const workflow: Workflow = { ...workflowOf(['make-bytes', {}]), kind: 'import', action: 'import' }
  const id = await house.start(workflow, ['fresh 1.txt', 'fresh 2.txt'])
  const made = await house.untilEnd(id)
  expect(made.operation).toMatchObject({ status: 'success', done: 2 })
  await house.untilEnd(await undo(id))
  const trash = () =>
    house.scope.query<{ filename: string }>(
      `select filename from files where shop_id = :shop and deleted_at is not null
        order by filename`,
    )
  expect(await trash()).toEqual([{ filename: 'fresh 1.txt' }, { filename: 'fresh 2.txt' }])

  const again = await house.start(workflow, ['fresh 3.txt'])
  const [file] = (await house.untilEnd(again)).items
  const same = await house.start(workflow, ['fresh 3.txt'], undefined, 'new_version')
  const unchanged = { status: 'success', done: 1, unchanged: 1, bytes: 0 }
  expect(await house.untilEnd(same)).toMatchObject({
    operation: unchanged,
    items: [{ file_id: file!.file_id, before: null, after: { same_bytes: true } }],
  })
  expect((await house.untilEnd(await undo(same))).operation).toMatchObject(unchanged)
  // The plugin makes the bytes from the name, whose letter case does not distinguish files.
  const versioned = await house.start(workflow, ['Fresh 3.txt'], undefined, 'new_version')
  expect((await house.untilEnd(versioned)).items).toMatchObject([
    { file_id: file!.file_id, after: { version: 2 } },
  ])
  const { operation, items } = await house.untilEnd(await undo(versioned))
  expect({ status: operation.status, items }).toMatchObject({
    status: 'success',
    items: [{ status: 'done' }],
  })
  const [now] = await house.scope.query<object>(
    'select filename, version, deleted_at from files where shop_id = :shop and id = :id',
    { id: file!.file_id },
  )
  expect(now).toEqual({ filename: 'fresh 3.txt', version: 1, deleted_at: null })
  await house.scope.from('files').whereLike('filename', 'fresh%').delete()
})

test('of which only a preview was made changes nothing, also when another one comes first', async () => {
  const id = await house.startOn(expiryOf(555))
  await house.untilEnd(id)
  const preview = () => house.engine.undo(house.scope, id, 'Mira', 'admin', true)
  const get = async (of: string) => (await house.engine.get(house.scope, of))!
  const [first, second, discarded] = [await preview(), await preview(), await preview()]
  for (const one of [first, second, discarded])
    await expect.poll(async () => (await get(one)).status).toBe('previewed')
  expect((await get(first)).preview_counts).toMatchObject({ changed: COUNT })
  await house.engine.move(house.scope, discarded, 'cancel')
  expect(await get(id)).toMatchObject({ status: 'success', undone_by: null })
  await house.engine.move(house.scope, first, 'confirm')
  await expect(house.engine.move(house.scope, second, 'confirm')).rejects.toMatchObject({
    code: 'operation_state',
  })
  expect((await house.untilEnd(first)).operation).toMatchObject({ status: 'success', done: COUNT })
  expect(await get(id)).toMatchObject({ status: 'undone', undone_by: first })
})
