// The end of operations after errors: leftovers, retries, and error codes.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { z } from 'zod'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import {
  definePlugin,
  PortError,
  type Item,
  type ItemPlugin,
  type OperationContext,
  type OperationReport,
  type Outcome,
  type WriteContext,
} from '../../plugins/contract/index.ts'
import { PORTS } from '../../test/ports.ts'
import { draftFrom } from '../files/drafts.ts'
import { shopSettingsSchema } from '../files/shop-settings.ts'
import { hasEnded } from './lifecycle.ts'
import { takeEnd } from './finish-lease.ts'
import type { EngineWorker } from './worker.ts'

type Work = (item: Item, context: WriteContext) => Promise<Outcome> | Outcome
const ok = (item: Item) => ({ item: item.id, status: 'ok' as const })
const fails = (item: Item): Outcome => ({
  item: item.id,
  status: 'failed',
  code: 'not_an_image',
  message: 'no',
  retryable: false,
})

/** The test sets what the steps do. */
let work: Work
let last: (context: OperationContext) => Promise<OperationReport>
const common = { kind: 'act' as const, options: z.strictObject({}), undo: 'fields' as const }
const act = definePlugin({
  ...common,
  id: 'act',
  title: 'Act',
  bytes: true,
  needs: PORTS,
  async *plan(items: readonly Item[]) {
    for (const item of items) yield ok(item)
  },
  async *run(items: readonly Item[], _options: unknown, context: WriteContext) {
    for (const item of items) yield await work(item, context)
  },
} as ItemPlugin)
const rename = definePlugin({
  ...common,
  id: 'rename',
  title: 'Rename',
  async *plan(items) {
    for (const item of items)
      yield { ...ok(item), change: { set: { filename: `new ${item.file.filename}` } } }
  },
})
const lastPlugin = (id: string, given: { ledger?: false; document?: true }) =>
  definePlugin({
    ...common,
    id,
    title: 'Last',
    scope: 'operation' as const,
    ...given,
    needs: PORTS,
    async *plan() {},
    run: (_operation, _options, context) => last(context),
  })
const plugins = [
  act,
  rename,
  makeBytes,
  lastPlugin('silent', {}),
  lastPlugin('last', { document: true }),
  lastPlugin('list', { document: true, ledger: false }),
]
const bulk = (...steps: string[]) => ({
  ...workflowOf(...steps),
  id: 'b',
  action: 'b',
  kind: 'bulk' as const,
})

let house: TestEngine
let worker: EngineWorker
beforeAll(async () => {
  house = await createTestEngine(plugins, [])
  worker = await house.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await house.close()
})
beforeEach(async () => {
  work = ok
  last = () => Promise.resolve({})
  await house.scope.query('delete from files where shop_id = :shop')
})

const imported = async (...names: string[]): Promise<string[]> =>
  (await house.untilEnd(await house.start(workflowOf('make-bytes'), names))).items.map(
    ({ file_id }) => file_id!,
  )
const read = async (id: string) => (await house.engine.get(house.scope, id))!
const done = async (id: string) => (await house.untilEnd(id)).operation
const retried = async (id: string) => {
  await house.engine.move(house.scope, id, 'retry')
  return done(id)
}
const write = (text: string, { stage, signal }: WriteContext) =>
  stage.write(Readable.from([Buffer.from(text)]), null, signal)
const versions = () =>
  house.scope.query<{ filename: string; number: number; expires_at: Date | null }>(
    `select f.filename, v.number, v.expires_at from versions v join files f on f.shop_id = v.shop_id
       and f.id = v.file_id
     where v.shop_id = :shop order by f.filename, v.number`,
  )
const names = async () =>
  (
    await house.scope.query<{ filename: string }>(
      'select filename from files where shop_id = :shop order by 1',
    )
  ).map(({ filename }) => filename)

test('a conversion to a taken name leaves nothing behind, after any number of retries', async () => {
  await imported('photo.jpg', 'photo.webp')
  work = async (item, context) => {
    if (item.file.filename !== 'photo.jpg') return ok(item)
    const created = [{ filename: 'beside.txt', bytes: await write('beside', context) }]
    const bytes = await write('converted', context)
    return {
      ...ok(item),
      bytes,
      drop_previous: true,
      created,
      change: { set: { filename: 'photo.webp' } },
    }
  }
  const id = await house.startOn(bulk('act'))
  const { items } = await house.untilEnd(id)
  expect(items[0]).toMatchObject({ status: 'failed', error: { code: 'duplicate_filename' } })
  await retried(id)
  expect(await versions()).toEqual([
    { filename: 'photo.jpg', number: 1, expires_at: null },
    { filename: 'photo.webp', number: 1, expires_at: null },
  ])
})

soakTest(
  'a version that is not kept is deleted when the operation can no longer be undone',
  async () => {
    await imported('a.txt')
    work = async (item, context) => ({
      ...ok(item),
      bytes: await write('shorter', context),
      drop_previous: true,
    })
    const { undo_until } = await done(await house.startOn(bulk('act')))
    expect(await versions()).toMatchObject([
      { number: 1, expires_at: undo_until },
      { number: 2, expires_at: null },
    ])
  },
)

test('a failed or skipped item has a code: a row without one is refused', async () => {
  await imported('a.txt')
  const id = await house.startOn(bulk('act'))
  await done(id)
  for (const status of ['failed', 'skipped'])
    for (const error of [null, '{"message": "no"}'])
      await expect(
        house.scope.query(
          `update items set status = :status, error = :error::jsonb where shop_id = :shop
            and operation_id = :id`,
          { id, status, error },
        ),
      ).rejects.toMatchObject({ constraint: 'items_say_why' })
})

soakTest('without a ledger each file has the code of the failed operation', async () => {
  await imported('a.txt', 'b.txt')
  last = () => Promise.reject(new PortError('not_a_pdf', 'a.txt: it is no PDF document', false))
  const { items } = await house.untilEnd(await house.startOn(bulk('list')))
  const failed = {
    status: 'failed',
    error: { code: 'not_a_pdf', message: 'a.txt: it is no PDF document' },
  }
  expect(items).toMatchObject([failed, failed])
})

test('unprocessed items are no success, and neither are failed or skipped ones', async () => {
  await imported('a.txt', 'b.txt')
  const { promise: release, resolve: go } = Promise.withResolvers<void>()
  work = async (item, { signal }) => {
    if (item.file.filename === 'a.txt') return fails(item)
    await Promise.race([
      release,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error()))),
    ])
    return ok(item)
  }
  const id = await house.startOn(bulk('act'))
  await expect.poll(async () => (await read(id)).failed).toBe(1)
  await house.engine.move(house.scope, id, 'cancel')
  expect(await done(id)).toMatchObject({ status: 'cancelled', failed: 1, cancelled: 1 })
  go()
  work = ok
  expect(await retried(id)).toMatchObject({ status: 'success', done: 2, cancelled: 0 })
  work = (item) =>
    item.position === 0 ? fails(item) : { item: item.id, status: 'skipped', reason: 'not wanted' }
  expect(await done(await house.startOn(bulk('act')))).toMatchObject({
    status: 'failed',
    failed: 1,
    skipped: 1,
  })
})

soakTest(
  'items that an undo could not revert can be retried, for as long as they are recorded',
  async () => {
    await imported('a.txt', 'b.txt')
    const did = await house.startOn(bulk('rename'))
    await done(did)
    const [newcomer] = await imported('a.txt')
    const undo = await house.engine.undo(house.scope, did, 'test', 'api')
    const first = await done(undo)
    expect(first).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    expect([(await read(did)).status, house.engine.actions(first)]).toEqual(['undone', ['retry']])
    expect(house.engine.actions({ ...first, detail: 'results' })).toEqual([])
    await house.scope.query('delete from files where shop_id = :shop and id = :id', {
      id: newcomer,
    })
    expect(await retried(undo)).toMatchObject({ status: 'success', done: 2 })
    expect(await names()).toEqual(['a.txt', 'b.txt'])
  },
)

soakTest('an import onto a file that is in use waits for it', async () => {
  const [file] = await imported('a.txt')
  const other = await house.startOn(bulk('rename'), { ids: [randomUUID()] })
  await done(other)
  await house.scope.query(
    `insert into file_claims (shop_id, file_id, operation_id, lease)
      values (:shop, :file, :other, 1)`,
    { file, other },
  )
  const id = await house.start(workflowOf('make-bytes'), ['A.txt'], undefined, 'new_version')
  await expect
    .poll(async () => (await house.engine.items(house.scope, id, { limit: 1 }))[0])
    .toMatchObject({ status: 'pending', error: { code: 'file_in_use' } })
  await house.scope.query('delete from file_claims where shop_id = :shop')
  const { operation, items } = await house.untilEnd(id)
  expect([operation.status, items[0]!.attempt, (await versions()).length]).toEqual([
    'success',
    2,
    2,
  ])
})

test('files that are not in a document are counted and reported', async () => {
  const [here, trashed] = await imported('a.txt', 'b.txt')
  await house.scope.query(
    'update files set deleted_at = now() where shop_id = :shop and id = :trashed',
    { trashed },
  )
  last = async ({ artifacts, listings, signal }) => {
    await artifacts.write('names.csv', 'text/csv', listings.files('csv', ['filename'], signal))
    return {}
  }
  const listed = await done(await house.startOn(bulk('list'), { ids: [here!, trashed!] }))
  expect(listed).toMatchObject({
    status: 'success',
    total: 2,
    done: 1,
    skipped: 1,
    warnings: [{ message: '1 file was left out: it is in the trash or was deleted' }],
  })
})

soakTest(
  'a retry keeps the warnings of the channel, and replaces those of the final steps',
  async () => {
    const given = { code: 'rejected', message: 'One was left out' }
    const own = { code: 'partial', message: 'The list is shorter' }
    work = (item) => (item.file.filename === 'a.txt' ? fails(item) : ok(item))
    last = () => Promise.resolve({ warnings: [own] })
    const { steps, ...other } = workflowOf('make-bytes', 'act', 'silent')
    const drops = (step: (typeof steps)[number]) =>
      step.id === 'act' ? { ...step, onFailure: 'drop' as const } : step
    const workflow = { ...other, steps: steps.map(drops) }
    const id = await house.engine.start(house.scope, {
      workflow,
      channel: 'api',
      request: {},
      requestedBy: 'test',
      open: true,
      source: { type: 'entries', entries: [] },
    })
    const source = { type: 'url' as const, url: 'http://127.0.0.1/' }
    const entries = ['a.txt', 'b.txt'].map((filename) => {
      const entry = { filename, source, on_conflict: 'rename' as const }
      return { entry, draft: draftFrom(entry, shopSettingsSchema.parse({})), after: null }
    })
    await house.scope.transaction(async (tx) => {
      await house.engine.add(tx, id, entries)
      await house.engine.close(tx, id, [given])
    })
    const warnings = [given, { ...own, step: 0 }]
    expect(await done(id)).toMatchObject({ done: 1, failed: 1, warnings })
    expect(await retried(id)).toMatchObject({ done: 1, failed: 1, warnings })
  },
)

soakTest('a final step that kills its worker three times ends the operation', async () => {
  await imported('a.txt')
  await worker.stop()
  const id = await house.startOn(bulk('list'))
  last = () => Promise.reject(new Error('it must not be tried a fourth time'))
  const crashLoop = async () =>
    (await house.scope.transaction((tx) => takeEnd(tx, id, randomUUID())))!.crashLoop
  const step = (finished_steps: number) =>
    house.scope.query(
      'update operations set finished_steps = :finished_steps where shop_id = :shop and id = :id',
      {
        id,
        finished_steps,
      },
    )
  expect([await crashLoop(), await crashLoop(), await crashLoop()]).toEqual([false, false, false])
  // Deaths of another step do not count for this one.
  await step(1)
  expect(await crashLoop()).toBe(false)
  await step(0)
  expect([await crashLoop(), await crashLoop()]).toEqual([false, false])
  worker = await house.startWorker()
  expect(await done(id)).toMatchObject({
    status: 'failed',
    failed: 1,
    stopped: {
      step: 'list',
      code: 'worker_crashed',
      message: 'Last stopped the worker three times',
    },
  })
})

soakTest(
  'an operation whose plugin is missing, or takes other options now, ends with that error',
  async () => {
    await imported('a.txt')
    const gone = {
      step: 'gone',
      code: 'workflow_broken',
      message: expect.stringContaining('plugin gone'),
    }
    expect(await done(await house.startOn(bulk('gone')))).toMatchObject({
      status: 'failed',
      cancelled: 1,
      stopped: gone,
    })
    expect(await done(await house.startOn(bulk('act', 'gone')))).toMatchObject({
      status: 'failed',
      stopped: gone,
    })
    const preview = await house.startOn(bulk('gone'), { dryRun: true })
    await expect.poll(async () => hasEnded(await read(preview))).toBe(true)
    expect(await read(preview)).toMatchObject({ status: 'failed', stopped: gone, undo_until: null })
    const oddLast = { id: 'last', plugin: 'last', options: { colour: 'red' } }
    // What a preview found before it failed was not done.
    const previewed = [...bulk('rename').steps, oddLast]
    const found = await house.startOn({ ...bulk(), steps: previewed }, { dryRun: true })
    await expect.poll(async () => hasEnded(await read(found))).toBe(true)
    const { operation: none, items } = await house.untilEnd(found)
    expect(none).toMatchObject({ status: 'failed', done: 0, failed: 0, cancelled: 1 })
    expect(items).toMatchObject([
      {
        status: 'cancelled',
        filename: 'a.txt',
        before: null,
        after: null,
        error: { message: 'The preview failed: nothing was changed' },
      },
    ])
    const steps = [...bulk('act').steps, oddLast]
    const odd = await done(await house.startOn({ ...bulk(), steps }))
    expect(odd).toMatchObject({
      status: 'partial',
      done: 1,
      stopped: { step: 'last', code: 'workflow_broken' },
    })
  },
)

test('a document that its plugin does not declare is refused, because it might replace another one', async () => {
  await imported('a.txt')
  last = async ({ artifacts }) => {
    await artifacts.write('a.txt', 'text/plain', Readable.from([Buffer.from('a')]))
    return {}
  }
  expect(await done(await house.startOn(bulk('last')))).toMatchObject({
    artifact: { filename: 'a.txt' },
  })
  expect(await done(await house.startOn(bulk('silent')))).toMatchObject({
    status: 'partial',
    artifact: null,
    stopped: { step: 'silent', code: 'plugin_failed' },
  })
})
