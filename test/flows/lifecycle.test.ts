// Actions on a running operation: pause, resume, cancel, preview, confirm, retry; during 100,000
// files (20,000 in npm test) and during downloads that do not end.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appConfig } from '../../app.config.ts'
import {
  definePlugin,
  type Item,
  type Outcome,
  type Step,
  type Workflow,
} from '../../plugins/contract/index.ts'
import type { ItemStatus, OperationRow } from '../../server/engine/types.ts'
import type { OperationMove } from '../../server/engine/moves.ts'
import { PLAN_BATCH } from '../../server/engine/steps.ts'
import { UNIFORM_BATCHES } from '../../server/engine/plan.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { promisedMs, sized, soakDescribe, soakTest } from '../scale.ts'
import { startGatedOrigin, type GatedOrigin } from './gated-origin.ts'
import { dumpOf, expectSame, fileIds, fillLibrary } from './library.ts'

const { plugins, workflows } = appConfig({})
/** The time within which a pause or a cancel must take effect. */
const DEADLINE = { timeout: promisedMs(1000), interval: 10 }

/** What the current test does with each batch. */
let behave: (items: readonly Item[], signal: AbortSignal) => AsyncGenerator<Outcome>
const ok = (item: Item): Outcome => ({ item: item.id, status: 'ok' })
async function* well(items: readonly Item[]): AsyncGenerator<Outcome> {
  for (const item of items) yield ok(item)
}
const work = definePlugin({
  id: 'work-on-bytes',
  kind: 'act',
  title: 'Work on bytes',
  options: z.strictObject({}),
  undo: 'none',
  worksOn: 'files',
  bytes: true,
  plan: well,
  run: (items, _options, { signal }) => behave(items, signal),
})

let house: TestEngine
let stop: () => Promise<void>
const engineOf = (count: number) => async () => {
  house = await createTestEngine([...plugins, work], workflows)
  await fillLibrary(house, count)
  stop = (await house.startWorker()).stop
}
const end = async () => {
  await stop()
  await house.close()
}

const workflowOf = (
  plugin: string,
  options: Record<string, unknown> = {},
  more: Partial<Step> = {},
): Workflow => ({
  id: 'test',
  title: 'Test',
  action: plugin,
  kind: 'bulk',
  parallel: 2,
  steps: [{ id: 'act', plugin, options, ...more }],
})
const expiryOf = (days: number) => workflowOf('update-settings', { expiry_days: days })
const read = async (id: string) => (await house.engine.get(house.scope, id))!
const move = (id: string, how: OperationMove) => house.engine.move(house.scope, id, how)
const begun = (id: string, done = 0) =>
  expect.poll(async () => (await read(id)).done, { interval: 2 }).toBeGreaterThan(done)

/** Waits until no job of its batches runs or is queued, so that nothing can be written for it. */
async function expectInterrupted(id: string, within = DEADLINE.timeout): Promise<void> {
  const jobs = async () =>
    (
      await house.parts.database.pool.query(
        `select from graphile_worker.jobs
         where key like 'chain:' || $1 || ':%' or task_identifier = 'chain'
           and locked_at is not null`,
        [id],
      )
    ).rowCount
  await expect.poll(jobs, { ...DEADLINE, timeout: within }).toBe(0)
}

/**
 * Waits for a second, or for the current batch if a busy machine takes longer for one transaction
 * of thousands.
 */
async function aBatchOrASecond(id: string): Promise<number> {
  const { started_at, done, workflow } = await read(id)
  const batch =
    (Date.now() - started_at!.getTime()) /
    (done / (UNIFORM_BATCHES * PLAN_BATCH) / workflow.parallel)
  return Math.max(DEADLINE.timeout, batch)
}

async function itemCounts(id: string): Promise<Partial<Record<ItemStatus, number>>> {
  const counts: Partial<Record<ItemStatus, number>> = {}
  for await (const page of house.engine.allItems(house.scope, id))
    for (const { status } of page) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const countsOf = ({ done, failed, skipped, cancelled }: OperationRow) =>
  Object.fromEntries(
    Object.entries({ done, failed, skipped, cancelled }).filter(([, count]) => count > 0),
  )
const filesWith = async (days: number) =>
  (
    await house.scope.query<{ n: number }>(
      'select count(*) as n from files where shop_id = :shop and expiry_days = :days',
      {
        days,
      },
    )
  )[0]!.n

describe('many files', () => {
  const COUNT = sized(20_000, 100_000)
  /** Thousands at a time: with two of them, half as many files would be done before the pause. */
  const parallel = sized(1, 2)
  beforeAll(engineOf(COUNT))
  afterAll(end)

  soakTest('a pause takes effect within a second, and resuming completes the work', async () => {
    const id = await house.startOn({ ...expiryOf(1001), parallel })
    await begun(id)
    await move(id, 'pause')
    await expectInterrupted(id, await aBatchOrASecond(id))
    const paused = await read(id)
    expect(paused.status).toBe('paused')
    expect(paused.done).toBeLessThan(COUNT)
    expect(await filesWith(1001)).toBe(paused.done)
    expect(await read(id)).toEqual(paused)
    await expect(move(id, 'pause')).rejects.toMatchObject({ code: 'operation_state', status: 409 })

    await move(id, 'resume')
    const { operation } = await house.untilEnd(id)
    expect(operation).toMatchObject({ status: 'success', done: COUNT })
    expect(await filesWith(1001)).toBe(COUNT)
    expect(operation.paused_ms).toBeGreaterThan(0)
    for (const how of ['pause', 'resume', 'cancel', 'confirm', 'retry'] as const)
      await expect(move(id, how)).rejects.toMatchObject({ code: 'operation_state' })
  })

  test('a cancel takes effect within a second, keeps what is done, and the counts add up', async () => {
    const id = await house.startOn({ ...expiryOf(1002), parallel })
    await begun(id)
    await move(id, 'cancel')
    await expectInterrupted(id, await aBatchOrASecond(id))
    const cancelled = await read(id)
    expect(cancelled.status).toBe('cancelled')
    expect(cancelled.done + cancelled.cancelled).toBe(COUNT)
    // Unprocessed items read as cancelled immediately, even before their rows are updated.
    expect(await itemCounts(id)).toEqual(countsOf(cancelled))
    expect(await filesWith(1002)).toBe(cancelled.done)

    const { operation } = await house.untilEnd(id)
    expect(countsOf(operation)).toEqual(countsOf(cancelled))
    expect(await itemCounts(id)).toEqual(countsOf(cancelled))
    expect(house.engine.actions(operation)).toEqual(['retry', 'undo'])
  })

  soakTest('a paused operation can be cancelled', async () => {
    const id = await house.startOn({ ...expiryOf(1003), parallel })
    await begun(id)
    await move(id, 'pause')
    await move(id, 'cancel')
    await expectInterrupted(id, await aBatchOrASecond(id))
    const { operation } = await house.untilEnd(id)
    expect(operation.done + operation.cancelled).toBe(COUNT)
    expect(await filesWith(1003)).toBe(operation.done)
  })
})

soakDescribe('an import whose origin does not answer', () => {
  const downloads: Workflow = { ...workflowOf('fetch-url'), action: 'import', kind: 'import' }
  let origin: GatedOrigin
  beforeAll(async () => {
    origin = await startGatedOrigin()
    await engineOf(0)()
  })
  afterAll(async () => {
    await origin.close()
    await end()
  })
  const start = (name: string) =>
    house.startImport(
      downloads,
      Array.from({ length: 120 }, (_, n) => ({
        filename: `${name} ${n}.bin`,
        url: origin.file(600_000, `${name}-${n}`),
      })),
    )
  const temporary = () => readdir(path.join(house.folder, 'primary', 'tmp'))
  /** Waits until some files are imported and others are being downloaded. */
  async function inTheMiddle(id: string): Promise<void> {
    await expect.poll(() => origin.waiting).toBeGreaterThan(20)
    origin.admit(30)
    await begun(id, 29)
    // The first batch downloads 16 files concurrently: the 30 may include all of the second.
    await expect.poll(() => origin.waiting).toBeGreaterThanOrEqual(16)
    await expect.poll(async () => (await temporary()).length).toBeGreaterThan(0)
  }

  soakTest(
    'a pause interrupts running downloads within a second without failing their files; resuming fetches them',
    async () => {
      const id = await start('paused')
      await inTheMiddle(id)
      await move(id, 'pause')
      await expectInterrupted(id)
      await expect.poll(() => origin.waiting, DEADLINE).toBe(0)
      expect(await temporary()).toEqual([])
      expect(await read(id)).toMatchObject({ status: 'paused', done: 30, failed: 0 })
      expect(await itemCounts(id)).toEqual({ done: 30, pending: 90 })

      origin.open()
      await move(id, 'resume')
      const { operation, items } = await house.untilEnd(id)
      expect(operation).toMatchObject({ status: 'success', done: 120 })
      expect(new Set(items.map(({ attempt }) => attempt))).toEqual(new Set([1]))
      origin.shut()
    },
  )

  soakTest(
    'a cancel interrupts running downloads within a second, keeps imported files and leaves no partial file',
    async () => {
      const id = await start('cancelled')
      await inTheMiddle(id)
      await move(id, 'cancel')
      await expectInterrupted(id)
      await expect.poll(() => origin.waiting, DEADLINE).toBe(0)
      expect(await temporary()).toEqual([])
      const { operation, items } = await house.untilEnd(id)
      expect(operation).toMatchObject({ status: 'cancelled', done: 30, cancelled: 90, failed: 0 })
      expect(
        items.filter(({ status }) => status === 'done').every(({ file_id }) => file_id !== null),
      ).toBe(true)
      expect(await itemCounts(id)).toEqual({ done: 30, cancelled: 90 })
      const [{ files }] = (await house.scope.query<{ files: number }>(
        `select count(*) as files from files where shop_id = :shop and filename like 'cancelled%'`,
      )) as [{ files: number }]
      expect(files).toBe(30)
    },
  )
})

describe('previews, retries and order', () => {
  const COUNT = sized(3000, 10_000)
  let ids: string[]
  beforeAll(async () => {
    await engineOf(COUNT)()
    ids = await fileIds(house.scope)
  })
  afterAll(end)
  const set = (id: string, change: Record<string, unknown>) =>
    house.scope
      .from('files')
      .where('id', id)
      .update(change as never)

  soakTest(
    'a preview changes nothing; once confirmed it makes the previewed changes, and skips files that would change differently by now',
    async () => {
      const before = await dumpOf(house.scope)
      const id = await house.startOn(
        workflowOf('update-settings', { add_expiry_days: 7, download_limit: 9 }),
        {
          dryRun: true,
        },
      )
      await expect.poll(async () => (await read(id)).status).toBe('previewed')
      expectSame(await dumpOf(house.scope), before)
      const preview = await read(id)
      expect(preview).toMatchObject({ total: COUNT, done: COUNT, failed: 0, undo_until: null })
      expect(house.engine.actions(preview)).toEqual(['cancel', 'confirm'])
      const [, second] = await house.engine.items(house.scope, id, { limit: 2 })
      expect(second).toMatchObject({
        status: 'done',
        before: { expiry_days: 2 },
        after: { expiry_days: 9, download_limit: 9 },
      })

      await set(ids[1]!, { expiry_days: 50 })
      await set(ids[2]!, { tags: ['by-hand'] })
      await set(ids[3]!, { deleted_at: new Date() })
      await move(id, 'confirm')
      const { operation, items } = await house.untilEnd(id)
      expect(operation).toMatchObject({ status: 'partial', done: COUNT - 2, skipped: 1, failed: 1 })
      expect(items[1]).toMatchObject({
        status: 'skipped',
        error: { message: 'It has changed since the preview' },
      })
      expect(items[2]).toMatchObject({ status: 'done', after: { expiry_days: 10 } })
      expect(items[3]).toMatchObject({ status: 'failed', error: { code: 'file_not_found' } })
      expect(
        await house.scope
          .from('files')
          .where('id', ids[1]!)
          .select('expiry_days', 'download_limit'),
      ).toEqual([{ expiry_days: 50, download_limit: 1 + (1 % 7) }])
      expect(
        await house.scope.from('files').where('id', ids[2]!).select('expiry_days', 'tags'),
      ).toEqual([{ expiry_days: 10, tags: ['by-hand'] }])
    },
  )

  soakTest(
    'if a step works on bytes, the previewed changes are checked before anything is done',
    async () => {
      const seen: (string | null)[] = []
      behave = async function* (items) {
        seen.push(...items.map(({ file }) => file.id))
        yield* well(items)
      }
      const workflow = workflowOf('work-on-bytes')
      const steps: Step[] = [
        ...workflow.steps,
        { id: 'then', plugin: 'update-settings', options: { add_expiry_days: 1 } },
      ]
      const on = ids.slice(2000, 2050)
      const id = await house.startOn({ ...workflow, steps }, { ids: on, dryRun: true })
      await expect.poll(async () => (await read(id)).status).toBe('previewed')
      expect(seen).toEqual([])
      await set(on[0]!, { expiry_days: 400 })
      await set(on[1]!, { tags: ['by-hand'] })
      await move(id, 'confirm')
      const { operation, items } = await house.untilEnd(id)
      expect(operation).toMatchObject({ status: 'success', done: 49, skipped: 1 })
      expect(items[0]).toMatchObject({
        status: 'skipped',
        error: { message: 'It has changed since the preview' },
      })
      expect(seen.toSorted()).toEqual(on.slice(1).toSorted())
    },
  )

  test('a discarded preview changes nothing, and cannot be confirmed', async () => {
    await set(ids[5]!, { deleted_at: new Date() })
    const before = await dumpOf(house.scope)
    const id = await house.startOn(expiryOf(77), { ids: ids.slice(4, 10), dryRun: true })
    await expect.poll(async () => (await read(id)).status).toBe('previewed')
    expect(await read(id)).toMatchObject({ done: 5, failed: 1 })
    await move(id, 'cancel')
    expect(await read(id)).toMatchObject({ status: 'cancelled', finished_at: expect.any(Date) })
    expectSame(await dumpOf(house.scope), before)
    expect(house.engine.actions(await read(id))).toEqual([])
    for (const how of ['retry', 'confirm', 'resume'] as const)
      await expect(move(id, how)).rejects.toMatchObject({ code: 'operation_state' })
  })

  test('Retry Failed retries the failed files in the same operation, and leaves the others alone', async () => {
    let broken = true
    const seen: number[] = []
    behave = async function* (items) {
      for (const item of items) {
        seen.push(item.position)
        if (broken && item.position % 10 === 3)
          yield {
            item: item.id,
            status: 'failed',
            code: 'storage_full',
            message: 'No room',
            retryable: false,
          }
        else yield ok(item)
      }
    }
    const on = ids.slice(20, 140)
    const id = await house.startOn(workflowOf('work-on-bytes'), { ids: on })
    expect((await house.untilEnd(id)).operation).toMatchObject({
      status: 'partial',
      done: 108,
      failed: 12,
    })
    broken = false
    seen.length = 0
    await move(id, 'retry')
    const { operation, items } = await house.untilEnd(id)
    expect(operation).toMatchObject({
      id,
      status: 'success',
      total: 120,
      done: 120,
      failed: 0,
      round: 1,
    })
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n * 10 + 3))
    expect(items.filter(({ error }) => error !== null)).toEqual([])
  })

  test('a failure policy of stop ends the operation at the first failure, cancels the rest, and a retry runs all of it again', async () => {
    let broken = true
    behave = async function* (items) {
      for (const item of items)
        if (broken && item.position === 150)
          yield {
            item: item.id,
            status: 'failed',
            code: 'storage_full',
            message: 'No room',
            retryable: false,
          }
        else yield ok(item)
    }
    const workflow = { ...workflowOf('work-on-bytes', {}, { onFailure: 'stop' }), parallel: 1 }
    const id = await house.startOn(workflow, { ids: ids.slice(100, 500) })
    const { operation } = await house.untilEnd(id)
    expect(operation).toMatchObject({
      status: 'partial',
      failed: 1,
      stopped: { step: 'act', code: 'storage_full', message: 'No room' },
    })
    expect(operation.done).toBeGreaterThanOrEqual(100)
    expect(operation.done + 1 + operation.cancelled).toBe(400)
    expect(operation.cancelled).toBeGreaterThanOrEqual(200)
    expect(await itemCounts(id)).toEqual(countsOf(operation))

    broken = false
    await move(id, 'retry')
    const again = await house.untilEnd(id)
    expect(again.operation).toMatchObject({
      status: 'success',
      done: 400,
      failed: 0,
      cancelled: 0,
      stopped: null,
    })
  })

  soakTest('one chain runs strictly one batch after another, in order', async () => {
    const log: string[] = []
    behave = async function* (items) {
      log.push(`begin ${items[0]!.position}`)
      for (const item of items) {
        await new Promise((resolve) => setImmediate(resolve))
        yield ok(item)
      }
      log.push(`end ${items.at(-1)!.position}`)
    }
    const id = await house.startOn(
      { ...workflowOf('work-on-bytes'), parallel: 1 },
      { ids: ids.slice(1000, 1350) },
    )
    expect((await house.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 350 })
    const batches = [0, 100, 200, 300].map((first) => [
      `begin ${first}`,
      `end ${Math.min(first + 99, 349)}`,
    ])
    expect(log).toEqual(batches.flat())
  })

  soakTest(
    'a file that another operation has claimed is in use: retried three times, then failed, unless the other ends',
    async () => {
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const inside = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      behave = async function* (items) {
        const gate = items[0]!.file.id === ids[600] ? 0 : 1
        inside[gate]!.resolve()
        await gates[gate]!.promise
        yield* well(items)
      }
      const holders = [
        await house.startOn(workflowOf('work-on-bytes'), { ids: ids.slice(600, 605) }),
        await house.startOn(workflowOf('work-on-bytes'), { ids: ids.slice(700, 705) }),
      ]
      await Promise.all(inside.map(({ promise }) => promise))
      const late = await house.startOn(expiryOf(501), { ids: ids.slice(603, 610) })
      const inTime = await house.startOn(expiryOf(502), { ids: ids.slice(703, 710) })
      const waiting = async (id: string) =>
        (await house.engine.items(house.scope, id, { limit: 10 })).map(({ error }) => error?.code)
      await expect.poll(() => waiting(inTime), { interval: 20 }).toContain('file_in_use')
      gates[1]!.resolve()

      const helped = await house.untilEnd(inTime)
      expect(helped.operation).toMatchObject({ status: 'success', done: 7 })
      expect(helped.items.slice(0, 2)).toMatchObject([
        { status: 'done', error: null },
        { status: 'done', error: null },
      ])
      const refused = await house.untilEnd(late)
      expect(refused.operation).toMatchObject({ status: 'partial', done: 5, failed: 2 })
      expect(refused.items.slice(0, 2)).toMatchObject(
        Array(2).fill({
          status: 'failed',
          attempt: 3,
          error: { code: 'file_in_use', message: 'File in use' },
        }),
      )
      gates[0]!.resolve()
      for (const id of holders)
        expect((await house.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 5 })
      await move(late, 'retry')
      expect((await house.untilEnd(late)).operation).toMatchObject({ status: 'success', done: 7 })
      expect(await filesWith(501)).toBe(7)
    },
  )
})
