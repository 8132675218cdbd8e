// Fairness between shops: a small import runs between the batches of another shop's large
// operation.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, type Plugin, type Workflow } from '../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import type { OperationSource } from '../../server/engine/freeze.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { createTestShop } from '../database.ts'
import { createTestEngine, entryOf, makeBytes, type TestEngine } from '../engine.ts'
import { sized, soakTest, someOf } from '../scale.ts'
import { fillLibrary } from './library.ts'
import { WAIT_MS } from '../wait.ts'

const LARGE = sized(12_000, 100_000)
/** How many batches began. */
let begun = 0
/**
 * Counts its batches. The plain kind runs in transactions of thousands of items, the other a hundred
 * at a time.
 */
const noting = (id: string, more: Partial<Plugin>): Plugin =>
  definePlugin({
    id,
    kind: 'act',
    title: 'Note',
    options: z.strictObject({}),
    undo: 'fields',
    ...(more as object),
    async *plan(items) {
      begun++
      for (const item of items)
        yield { item: item.id, status: 'ok', change: { set: { expiry_days: 5 } } }
    },
  })
/** Waits forever, as for a server that accepts the connection and never answers. */
const waitForEver = definePlugin({
  id: 'wait-for-ever',
  kind: 'act',
  title: 'Wait',
  options: z.strictObject({}),
  undo: 'none',
  outside: true,
  async *plan(_items, _options, { signal }) {
    waiting++
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    )
  },
})
let waiting = 0
const plugins = [
  noting('note', {}),
  noting('note-slowly', { outside: true }),
  makeBytes,
  waitForEver,
]

let house: TestEngine
let other: ShopScope
let worker: EngineWorker | null = null
beforeAll(async () => {
  house = await createTestEngine(plugins, [])
  await fillLibrary(house, LARGE)
  await house.parts.database.pool.query(RECORD_TURNS)
  other = forShop(
    house.parts.database,
    await createTestShop(house.parts.database, 'small.myshopify.com'),
  )
})
afterEach(async () => {
  await worker?.stop()
  worker = null
})
afterAll(() => house.close())

const workflowOf = (kind: Workflow['kind'], parallel: number, ...steps: string[]): Workflow => ({
  id: 'test',
  title: 'Test',
  action: steps.at(-1)!,
  kind,
  parallel,
  steps: steps.map((plugin) => ({ id: plugin, plugin })),
})
const start = (scope: ShopScope, workflow: Workflow, source: OperationSource) =>
  house.engine.start(scope, { workflow, channel: 'api', source, request: {}, requestedBy: 'test' })
const entriesOf = (name: string, count: number): OperationSource => ({
  type: 'entries',
  entries: Array.from({ length: count }, (_, n) => entryOf(`${name} ${n}.txt`)),
})

/**
 * Records which operation's job each place takes, in order. The time until its plugin runs is not
 * counted: a batch of an import reads more before that, and the more so on a busy machine.
 */
const RECORD_TURNS = `
  create table turns (n serial, operation uuid);
  create function record_turn() returns trigger language plpgsql as $$
    begin
      insert into turns (operation) values ((new.payload->>'operation')::uuid);
      return null;
    end $$;
  create trigger record_turn after update on graphile_worker._private_jobs
    for each row when (old.locked_at is null and new.locked_at is not null)
    execute function record_turn();
`
async function turns(): Promise<string[]> {
  const { rows } = await house.parts.database.pool.query<{ operation: string }>(
    'select operation from turns order by n',
  )
  return rows.map((row) => row.operation)
}

const all: OperationSource = { type: 'filter', filter: {} }
const large: [string, Workflow][] = [
  ['an update of a large library', workflowOf('bulk', 2, 'note')],
  ['work on a large library, one hundred at a time', workflowOf('bulk', 2, 'note-slowly')],
]

test.each(
  // Batches of an update are large: a small library has too few of them.
  someOf(large, (_, at) => at === 1).flatMap(([what, workflow]) =>
    sized([4], [1, 4]).map((jobs) => [what, jobs, workflow] as const),
  ),
)(
  '%s, with %i concurrent jobs, delays ten files of another shop by two batches at most',
  async (_what, jobs, workflow) => {
    begun = 0
    worker = await house.startWorker({ jobs_at_once: jobs })
    const big = await start(house.scope, workflow, all)
    await expect.poll(() => begun, { interval: 1 }).toBeGreaterThan(4)

    const small = await start(
      other,
      workflowOf('import', 4, 'note-slowly', 'make-bytes'),
      entriesOf(big, 10),
    )
    // Batches that have already begun are not counted.
    const before = (await turns()).length
    const ended = await house.engine.waitForEnd(other, small, WAIT_MS, new AbortController().signal)
    expect(ended).toMatchObject({ status: 'success', done: 10 })
    const taken = await turns()
    expect(taken.slice(0, before)).toContain(big)
    // It may have begun before its start was answered.
    const first = taken.indexOf(small)
    expect(first).toBeGreaterThan(-1)
    expect(first - before).toBeLessThanOrEqual(2)
    // The large one may end while this test reads it, but not before the small one.
    await house.engine.move(house.scope, big, 'cancel').catch(() => {})
    const last = await house.engine.waitForEnd(
      house.scope,
      big,
      WAIT_MS,
      new AbortController().signal,
    )
    expect(last!.finished_at! > ended!.finished_at!).toBe(true)
  },
)

soakTest(
  'several shops whose servers never answer delay others only until their batches count as slow',
  async () => {
    waiting = 0
    worker = await house.startWorker({ jobs_at_once: 4, slow_after_seconds: 1 })
    const stuck = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const { database } = house.parts
        const scope = forShop(database, await createTestShop(database, `stuck-${n}.myshopify.com`))
        const import_ = workflowOf('import', 4, 'wait-for-ever', 'make-bytes')
        return { scope, id: await start(scope, import_, entriesOf(`stuck ${n}`, 400)) }
      }),
    )
    await expect.poll(() => waiting).toBe(4)
    for (let n = 0; n < 3; n++) {
      const small = await start(
        other,
        workflowOf('import', 4, 'note-slowly', 'make-bytes'),
        entriesOf(`beside ${n}`, 10),
      )
      const ended = await house.engine.waitForEnd(
        other,
        small,
        WAIT_MS,
        new AbortController().signal,
      )
      expect(ended).toMatchObject({ status: 'success', done: 10 })
    }
    // As many as before still wait, and those of the third shop too.
    expect(waiting).toBeGreaterThanOrEqual(4)
    for (const { scope, id } of stuck) await house.engine.move(scope, id, 'cancel')
  },
)

soakTest(
  'ten files start beside a large import of the same shop that holds all of its places',
  async () => {
    waiting = 0
    worker = await house.startWorker({ jobs_at_once: 4 })
    const large = await start(
      house.scope,
      workflowOf('import', 4, 'wait-for-ever', 'make-bytes'),
      entriesOf('large of the shop', 400),
    )
    await expect.poll(() => waiting).toBe(2)
    const small = await start(
      house.scope,
      workflowOf('import', 4, 'note-slowly', 'make-bytes'),
      entriesOf('small of the shop', 10),
    )
    const ended = await house.engine.waitForEnd(
      house.scope,
      small,
      WAIT_MS,
      new AbortController().signal,
    )
    expect(ended).toMatchObject({ status: 'success', done: 10 })
    expect(waiting).toBe(2)
    await house.engine.move(house.scope, large, 'cancel')
  },
)

test('a shop whose servers never answer delays neither its own changes nor the imports of others', async () => {
  waiting = 0
  worker = await house.startWorker({ jobs_at_once: 4 })
  const hanging = [0, 1].map((n) => entriesOf(`hanging ${n}`, 400))
  const stuck = await Promise.all(
    hanging.map((source) =>
      start(house.scope, workflowOf('import', 4, 'wait-for-ever', 'make-bytes'), source),
    ),
  )
  await expect.poll(() => waiting).toBe(2)
  const quick = await start(house.scope, workflowOf('bulk', 1, 'note'), {
    type: 'filter',
    filter: { search: '-00012' },
  })
  const small = await start(
    other,
    workflowOf('import', 4, 'note-slowly', 'make-bytes'),
    entriesOf('small', 10),
  )
  for (const [scope, id] of [
    [house.scope, quick],
    [other, small],
  ] as const)
    // oxfmt-ignore
    expect(await house.engine.waitForEnd(scope, id, WAIT_MS, new AbortController().signal)).toMatchObject({
      status: 'success',
    })
  expect(waiting).toBe(2)
  for (const id of stuck) await house.engine.move(house.scope, id, 'cancel')
})
