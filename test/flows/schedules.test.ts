// Schedules on a real database: each run starts once with any number of schedulers, by the shop's
// clock, never while the previous one runs, and never above its deletion limit.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import {
  createSchedule,
  readSchedule,
  replaceSchedule,
} from '../../server/features/schedules/rows.ts'
import { type ScheduleBody } from '../../server/features/schedules/check.ts'
import { runNow } from '../../server/features/schedules/run.ts'
import { SCHEDULE_TEMPLATES } from '../../server/features/schedules/templates.ts'
import { runDue, scheduleTask, type ScheduleParts } from '../../server/features/schedules/task.ts'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import { createEngine } from '../../server/engine/engine.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import { countFiles } from '../../server/files/list.ts'
import { changeShopSettings } from '../../server/files/shop-settings.ts'
import { createWorkflow } from '../../server/features/workflows/workflows.ts'
import { toPublicId } from '../../server/core/ids.ts'
import { createTestShop, silent } from '../database.ts'
import { createTestEngine, testEngineOn, type TestEngine } from '../engine.ts'
import { makeFiles } from '../files.ts'
import { promisedMs, soakDescribe, soakTest } from '../scale.ts'

const { plugins, workflows } = appConfig({})

let house: TestEngine
let scope: ShopScope
let second: Database
/** The schedulers of two worker processes, each with its own connections. */
let one: ScheduleParts
let two: ScheduleParts

let first: TestEngine

beforeAll(async () => {
  first = await createTestEngine(plugins, workflows)
  second = openDatabase(first.parts.database.url, 4, silent)
})
/** Removes earlier schedules and operations, because a scheduler runs the due ones of all shops. */
beforeEach(async () => {
  const { pool } = first.parts.database
  await pool.query('delete from triggers')
  await pool.query('delete from operations')
  await pool.query(`update shops set domain = id || '.example'`)
  house = await testEngineOn(first)
  scope = forShop(house.parts.database, house.shop)
  const clock = () => new Date()
  one = { database: house.parts.database, engine: house.engine, clock, log: silent }
  two = { ...one, database: second, engine: createEngine(house.parts) }
})
afterAll(async () => {
  await second.close()
  await first.close()
})

const nightly = (change: Partial<ScheduleBody> = {}): ScheduleBody => ({
  ...SCHEDULE_TEMPLATES[1]!,
  name: 'Nightly tags',
  ...change,
})

const cleaning = (change: Partial<ScheduleBody> = {}) =>
  nightly({
    name: 'Cleaning',
    action: 'delete-files',
    options: {},
    filter: { mapped: false },
    ...change,
  })

const at = (time: string) => new Date(time)
const create = (body: ScheduleBody, now: string) =>
  createSchedule(scope, body, house.engine, at(now))
const runs = (schedule: string) => house.engine.list(scope, { schedule, limit: 100 })
const nextRun = async (schedule: string) =>
  (await readSchedule(scope, schedule))!.next_run_at?.toISOString()
const noticeTitles = async () =>
  (await scope.from<{ title: string }>('notices').orderBy('id').select('title')).map(
    ({ title }) => title,
  )

/** Runs both schedulers concurrently at each of these times; returns the number of runs started. */
async function lookAt(...moments: string[]): Promise<number> {
  let fired = 0
  for (const moment of moments) {
    const both = await Promise.all([
      runDue(one, at(moment)),
      runDue(two, at(moment)),
      runDue(one, at(moment)),
    ])
    fired += both.reduce((sum, count) => sum + count, 0)
  }
  return fired
}

/** A real worker runs the queued operations. */
async function carryOut(...operations: string[]): Promise<OperationRow[]> {
  const worker = await house.startWorker()
  try {
    return await Promise.all(operations.map(async (id) => (await house.untilEnd(id)).operation))
  } finally {
    await worker.stop()
  }
}

/** Ends queued operations without a worker. */
const endAll = () =>
  scope.query(
    `update operations set status = 'success', finished_at = now() where shop_id = :shop
       and finished_at is null`,
  )

describe('two workers', () => {
  soakTest('start each schedule once at each of its times', async () => {
    await makeFiles(scope, [{ filename: 'my-ebook.pdf' }])
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        create(nightly({ name: `Task ${n}` }), '2026-01-10T12:00:00Z'),
      ),
    )
    expect(await lookAt('2026-01-11T02:59:59Z')).toBe(0)
    expect(
      await lookAt('2026-01-11T03:00:00Z', '2026-01-11T03:00:00Z', '2026-01-11T03:00:07Z'),
    ).toBe(20)
    await endAll()
    expect(await lookAt('2026-01-12T03:00:07Z')).toBe(20)
    for (const id of ids) {
      expect((await runs(id)).length).toBe(2)
      // Five a second.
      expect(await nextRun(id)).toMatch(/^2026-01-13T03:00:0[0-3]\.000Z$/)
    }
  })

  soakTest('start more due schedules than one query reads', async () => {
    await makeFiles(scope, [{ filename: 'my-ebook.pdf' }])
    await create(nightly(), '2026-01-10T12:00:00Z')
    await house.parts.database.pool.query(
      `insert into triggers select (jsonb_populate_record(s,
         jsonb_build_object('id', gen_random_uuid(), 'name', 'Copy ' || n))).*
       from triggers s, generate_series(1, 120) n`,
    )
    expect(await runDue(one, at('2026-01-11T03:00:00Z'))).toBe(121)
  })

  test('start a run automatically when it is due', async () => {
    const due = Date.now() + 700
    const id = await create(nightly(), new Date().toISOString())
    await house.parts.database.knex('triggers').update({ next_run_at: new Date(due) })
    const workers = [
      await house.startWorker({}, [scheduleTask(one)]),
      await house.startWorker({}, [scheduleTask(two)]),
    ]
    try {
      await expect.poll(() => runs(id), { interval: 20 }).toHaveLength(1)
      const [run] = await runs(id)
      expect(run!.created_at.getTime()).toBeGreaterThanOrEqual(due)
      expect(run!.created_at.getTime()).toBeLessThan(due + promisedMs(2000))
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()))
    }
  })
})

soakTest('a worker that dies while it starts a run neither loses nor repeats it', async () => {
  const id = await create(nightly(), '2026-01-10T12:00:00Z')
  const holder = await house.parts.database.pool.connect()
  try {
    // Its transaction has updated the schedule and waits to insert the operation when its
    // connection is cut.
    await holder.query('begin; lock table operations in share mode')
    const dying = runDue(two, at('2026-01-11T03:00:00Z'))
    const cut = async () =>
      (
        await house.parts.database.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'
             and query ilike '%insert into operations%'`,
        )
      ).rowCount
    await expect.poll(cut, { interval: 20 }).toBe(1)
    expect(await dying).toBe(0)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(await nextRun(id)).toBe('2026-01-11T03:00:00.000Z')
  expect(await noticeTitles()).toEqual([])
  expect(await lookAt('2026-01-11T03:00:10Z')).toBe(1)
  expect((await runs(id)).length).toBe(1)
})

describe('the shop’s clock', () => {
  beforeEach(() => changeShopSettings(scope, { time_zone: 'America/New_York' }))

  test('a skipped hour is made up for once', async () => {
    const id = await create(nightly({ cron: '30 2 * * *' }), '2026-03-07T12:00:00Z')
    // On 8 March 02:00 is followed by 03:00.
    expect(await nextRun(id)).toBe('2026-03-08T07:00:00.000Z')
    expect(await lookAt('2026-03-08T06:30:00Z')).toBe(0)
    expect(await lookAt('2026-03-08T07:00:01Z')).toBe(1)
    await endAll()
    expect(await lookAt('2026-03-08T07:30:00Z', '2026-03-08T12:00:00Z')).toBe(0)
    expect(await nextRun(id)).toBe('2026-03-09T06:30:00.000Z')
  })

  test('a repeated hour runs once', async () => {
    const id = await create(nightly({ cron: '30 1 * * *' }), '2026-10-31T12:00:00Z')
    // On 1 November 02:00 is followed by 01:00.
    expect(await lookAt('2026-11-01T05:30:00Z')).toBe(1)
    await endAll()
    expect(await lookAt('2026-11-01T06:30:00Z', '2026-11-01T06:31:00Z')).toBe(0)
    expect(await nextRun(id)).toBe('2026-11-02T06:30:00.000Z')
  })
})

test('runs missed while no worker was up become one run', async () => {
  const id = await create(nightly({ cron: '0 * * * *' }), '2026-01-10T12:00:00Z')
  expect(await lookAt('2026-01-14T09:20:00Z')).toBe(1)
  await endAll()
  expect(await lookAt('2026-01-14T09:20:30Z')).toBe(0)
  expect(await nextRun(id)).toBe('2026-01-14T10:00:00.000Z')
  expect((await runs(id)).length).toBe(1)
})

describe('a run whose predecessor is still running', () => {
  test('is skipped with one notice, and the next one runs', async () => {
    const id = await create(nightly({ cron: '0 * * * *' }), '2026-01-10T11:30:00Z')
    expect(await lookAt('2026-01-10T12:00:00Z')).toBe(1)
    expect(await lookAt('2026-01-10T13:00:00Z', '2026-01-10T14:00:00Z')).toBe(0)
    expect(await noticeTitles()).toEqual(['“Nightly tags” was skipped'])
    await endAll()
    expect(await lookAt('2026-01-10T15:00:00Z')).toBe(1)
    expect((await runs(id)).length).toBe(2)
  })

  test('is refused when a person requests it', async () => {
    const id = await create(nightly(), '2026-01-10T12:00:00Z')
    const ask = () =>
      runNow(scope, house.engine, id, { requestedBy: 'user 1', now: at('2026-01-10T12:00:00Z') })
    const asked = await Promise.allSettled([ask(), ask(), ask()])
    expect(asked.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    for (const answer of asked)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' })
    expect(await runs(id)).toMatchObject([{ requested_by: 'user 1', channel: 'schedule' }])
    expect(await nextRun(id)).toBe('2026-01-11T03:00:00.000Z')
  })

  test('is not retried beside it', async () => {
    const id = await create(nightly(), '2026-01-10T12:00:00Z')
    const run = () =>
      runNow(scope, house.engine, id, { requestedBy: 'user 1', now: at('2026-01-10T12:00:00Z') })
    const failed = await run()
    await scope.query(
      `update operations set status = 'partial', finished_at = now(), total = 2, done = 1, failed = 1
       where shop_id = :shop and id = :failed`,
      { failed },
    )
    await run()
    const retry = () => house.engine.move(scope, failed, 'retry')
    await expect(retry()).rejects.toMatchObject({ code: 'conflict' })
    await endAll()
    await retry()
    await expect(run()).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('the deletion limit', () => {
  test('files up to the limit are deleted', async () => {
    await makeFiles(scope, [...names(3, 'loose'), { filename: 'kept.pdf', mapped: true }])
    const id = await create(cleaning({ cap: 3 }), '2026-01-10T12:00:00Z')
    expect(await lookAt('2026-01-11T03:00:00Z')).toBe(1)
    const [run] = await carryOut((await runs(id))[0]!.id)
    expect(run).toMatchObject({
      status: 'success',
      total: 3,
      done: 3,
      preview: false,
      requested_by: 'schedule Cleaning',
    })
    expect(await countFiles(scope, {})).toBe(1)
    expect(await countFiles(scope, { deleted: true })).toBe(3)
    expect(await noticeTitles()).toEqual(['Delete files by the schedule “Cleaning” complete'])
  })

  test('a run above the limit is a preview with a notice, until a person confirms it', async () => {
    await makeFiles(scope, names(4, 'loose'))
    const id = await create(cleaning({ cap: 3 }), '2026-01-10T12:00:00Z')
    expect(await lookAt('2026-01-11T03:00:00Z')).toBe(1)
    const [preview] = await runs(id)
    expect(preview).toMatchObject({ preview: true, total: 4 })
    const [notice] = await scope
      .from<{ title: string; body: string; operation_id: string }>('notices')
      .select('*')
    expect(notice).toMatchObject({
      title: '“Cleaning” waits for your confirmation',
      operation_id: preview!.id,
    })
    expect(notice!.body).toContain('It would delete 4 files, and one run may delete 3.')
    const worker = await house.startWorker()
    try {
      await expect
        .poll(async () => (await house.engine.get(scope, preview!.id))!.status)
        .toBe('previewed')
      expect(await countFiles(scope, {})).toBe(4)
      await house.engine.move(scope, preview!.id, 'confirm')
      expect((await house.untilEnd(preview!.id)).operation).toMatchObject({
        status: 'success',
        done: 4,
      })
    } finally {
      await worker.stop()
    }
    expect(await countFiles(scope, { deleted: true })).toBe(4)
  })

  soakTest('paid deliveries are named in its notices, before and after the deletion', async () => {
    const [file] = await makeFiles(scope, names(4, 'sold'))
    await scope.query(
      `with o as (insert into orders (shop_id, id, name, ordered_at, changed_at)
         values (:shop, 'gid://shopify/Order/1', '#1', now(), now()) returning id),
       d as (insert into deliveries (shop_id, order_id) select :shop, id from o returning id)
       insert into delivery_files (shop_id, delivery_id, line_id, file_id)
       select :shop, id, 'line', :file from d`,
      { file: file! },
    )
    const id = await create(cleaning({ cap: 3 }), '2026-01-10T12:00:00Z')
    await lookAt('2026-01-11T03:00:00Z')
    const [preview] = await runs(id)
    const bodies = async () =>
      (await scope.from<{ body: string }>('notices').orderBy('id').select('body')).map(
        ({ body }) => body,
      )
    expect(await bodies()).toEqual([
      expect.stringContaining('1 paid delivery contains them: the buyers would lose them.'),
    ])
    const worker = await house.startWorker()
    try {
      await expect
        .poll(async () => (await house.engine.get(scope, preview!.id))!.status)
        .toBe('previewed')
      await house.engine.move(scope, preview!.id, 'confirm')
      await house.untilEnd(preview!.id)
    } finally {
      await worker.stop()
    }
    expect((await bodies()).at(-1)).toContain(
      '4 of 4 files moved to the trash. 1 paid delivery contains what was deleted: its buyer lost it.',
    )
  })

  soakTest('an unconfirmed preview is replaced by the next run’s', async () => {
    await makeFiles(scope, names(4, 'loose'))
    const id = await create(cleaning({ cap: 3 }), '2026-01-10T12:00:00Z')
    await lookAt('2026-01-11T03:00:00Z')
    const worker = await house.startWorker()
    try {
      const [first] = await runs(id)
      await expect
        .poll(async () => (await house.engine.get(scope, first!.id))!.status)
        .toBe('previewed')
    } finally {
      await worker.stop()
    }
    expect(await lookAt('2026-01-12T03:00:00Z')).toBe(1)
    expect((await runs(id)).map(({ status }) => status)).toEqual(['previewing', 'cancelled'])
    const unread = await scope
      .from<{ operation_id: string }>('notices')
      .whereNull('read_at')
      .select('operation_id')
    expect(unread).toEqual([{ operation_id: (await runs(id))[0]!.id }])
  })

  soakTest(
    'applies to a shop’s own workflow that deletes, and not to one that deletes nothing',
    async () => {
      await makeFiles(scope, names(4, 'loose'))
      const steps = [
        { plugin: 'tag-files', options: { tags: ['old'] } },
        { plugin: 'delete-files', when: { search: 'loose-1' } },
      ]
      const body = {
        name: 'Tag and delete',
        kind: 'bulk' as const,
        parallel: 1,
        steps,
        channel: null,
      }
      const { id: own } = await createWorkflow(scope, body, house.engine)
      const workflow = toPublicId('workflow', own)
      const deleting = await create(
        cleaning({ action: null, workflow, filter: {}, cap: 3 }),
        '2026-01-10T12:00:00Z',
      )
      const tagging = await create(nightly({ cap: 1 }), '2026-01-10T12:00:00Z')
      expect(await lookAt('2026-01-11T03:00:00Z')).toBe(2)
      expect(await runs(deleting)).toMatchObject([
        { preview: true, workflow: { id: workflow, title: 'Tag and delete' } },
      ])
      expect(await runs(tagging)).toMatchObject([{ preview: false, total: 4 }])
      const [asked] = await scope.from<{ body: string }>('notices').select('body')
      expect(asked!.body).toContain(
        'It would delete some of 4 files, and a run on more than 3 waits',
      )
    },
  )

  soakTest('counts the trash for workflows on the trash', async () => {
    await makeFiles(scope, names(4, 'loose'))
    await house.parts.database.knex('files').update({ deleted_at: new Date() })
    const id = await create(
      cleaning({ action: 'purge-files', filter: {}, cap: 3 }),
      '2026-01-10T12:00:00Z',
    )
    expect(await lookAt('2026-01-11T03:00:00Z')).toBe(1)
    expect(await runs(id)).toMatchObject([{ preview: true, total: 4 }])
  })
})

describe('notifications of a schedule', () => {
  const stepsOf = (run: OperationRow | undefined) =>
    run?.workflow.steps.filter(({ plugin }) => plugin === 'notify')

  test('are passed to the workflow’s notify step', async () => {
    const id = await create(nightly({ notify: 'errors' }), '2026-01-10T12:00:00Z')
    await lookAt('2026-01-11T03:00:00Z')
    const [run] = await runs(id)
    expect(stepsOf(run)).toMatchObject([{ id: 'notify', options: { when: 'errors' } }])
    expect(run!.request).toEqual({ notify: true })
  })

  soakTest('are added if the workflow has none', async () => {
    const steps = [{ plugin: 'tag-files', options: { tags: ['old'] } }]
    const body = { name: 'Quiet', kind: 'bulk' as const, parallel: 1, steps, channel: null }
    const workflow = toPublicId('workflow', (await createWorkflow(scope, body, house.engine)).id)
    const quiet = { action: null, workflow, options: {} }
    const never = await create(nightly({ ...quiet, notify: 'never' }), '2026-01-10T12:00:00Z')
    const always = await create(nightly({ ...quiet, notify: 'always' }), '2026-01-10T12:00:00Z')
    await lookAt('2026-01-11T03:00:00Z')
    expect(stepsOf((await runs(never))[0])).toMatchObject([{ options: { when: 'never' } }])
    expect(stepsOf((await runs(always))[0])).toMatchObject([{ options: { when: 'always' } }])
  })
})

describe('a schedule that cannot run', () => {
  test('because its workflow is off moves to its next time, and runs again once it is on', async () => {
    const steps = [{ plugin: 'tag-files', options: { tags: ['old'] } }]
    const body = { name: 'Off', kind: 'bulk' as const, parallel: 1, steps, channel: null }
    const { id: own } = await createWorkflow(scope, body, house.engine)
    const ofOwn = { action: null, workflow: toPublicId('workflow', own), options: {} }
    const id = await create(nightly(ofOwn), '2026-01-10T12:00:00Z')
    const { knex } = house.parts.database
    await knex('workflows').where({ id: own }).update({ enabled: false })
    expect(await lookAt('2026-01-11T03:00:00Z')).toBe(0)
    expect([await runs(id), await nextRun(id)]).toEqual([[], '2026-01-12T03:00:00.000Z'])
    await knex('workflows').where({ id: own }).update({ enabled: true })
    expect(await lookAt('2026-01-12T03:00:00Z')).toBe(1)
  })

  test('creates a notice, moves to its next time, and delays no other', async () => {
    const broken = await create(nightly({ name: 'Broken' }), '2026-01-10T12:00:00Z')
    const fine = await create(nightly({ name: 'Fine' }), '2026-01-10T12:00:00Z')
    await house.parts.database.knex('triggers').where({ id: broken }).update({ action: 'fly' })
    expect(await lookAt('2026-01-11T03:00:00Z', '2026-01-12T03:00:00Z')).toBe(1)
    expect(await nextRun(broken)).toBe('2026-01-13T03:00:00.000Z')
    expect((await runs(fine)).length).toBe(1)
    expect((await noticeTitles()).filter((title) => title.includes('Broken'))).toEqual([
      '“Broken” could not run',
    ])
  })

  test('is not saved: every problem is named', async () => {
    const body = nightly({ cron: '0 25 * * *', options: { rules: [{ when: {}, tags: ['a;b'] }] } })
    const wrong = await create(body, '2026-01-10T12:00:00Z').catch((error: unknown) => error)
    expect(wrong).toMatchObject({
      code: 'validation_failed',
      details: [{ param: 'cron' }, { param: 'options.rules[0].tags[0]' }],
    })
    for (const [change, param] of [
      [{ name: ' ' }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ action: null }, 'action'],
      [{ action: 'fly' }, 'action'],
      [{ action: null, workflow: 'import-api', options: {} }, 'workflow'],
      [{ action: null, workflow: 'update-from-csv', options: {} }, 'workflow'],
      [
        { action: null, workflow: 'workflow_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e', options: {} },
        'workflow',
      ],
      [{ filter: { deleted: true } }, 'filter.deleted'],
    ] as const)
      await expect(create(nightly(change), '2026-01-10T12:00:00Z')).rejects.toMatchObject({
        details: [{ param }],
      })
  })
})

test('a schedule that is off never runs, nor does one of a shop that has uninstalled', async () => {
  const id = await create(nightly({ enabled: false }), '2026-01-10T12:00:00Z')
  const other = await createTestShop(house.parts.database, 'left.myshopify.com')
  await createSchedule(
    forShop(house.parts.database, other),
    nightly(),
    house.engine,
    at('2026-01-10T12:00:00Z'),
  )
  await house.parts.database
    .knex('shops')
    .where({ id: other })
    .update({ uninstalled_at: new Date() })
  expect(await lookAt('2026-01-12T03:00:00Z')).toBe(0)
  await replaceSchedule(scope, id, nightly(), house.engine, at('2026-01-12T03:00:00Z'))
  expect(await lookAt('2026-01-13T03:00:00Z')).toBe(1)
})

soakDescribe('the examples', () => {
  test('old files that nobody uses are deleted, and no others', async () => {
    await makeFiles(scope, [
      { filename: 'old.pdf', age: 400 },
      { filename: 'old-but-mapped.pdf', age: 400, mapped: true },
      { filename: 'old-but-downloaded.pdf', age: 400 },
      { filename: 'young.pdf', age: 300 },
    ])
    await scope.query(
      `insert into links (shop_id, file_id, key_hash, last_download_at)
       select :shop, id, sha256('x'), now() - interval '90 days' from files
       where shop_id = :shop and filename = 'old-but-downloaded.pdf'`,
    )
    const id = await create(SCHEDULE_TEMPLATES[0]!, '2026-01-10T12:00:00Z')
    expect(await nextRun(id)).toBe('2026-02-01T02:00:00.000Z')
    expect(await lookAt('2026-02-01T02:00:00Z')).toBe(1)
    const [run] = await carryOut((await runs(id))[0]!.id)
    expect(run).toMatchObject({ status: 'success', done: 1 })
    expect(await countFiles(scope, { deleted: true, search: 'old.pdf' })).toBe(1)
  })

  test('files get the tags of the rules that match', async () => {
    await makeFiles(scope, [
      { filename: 'My eBook.epub', tags: ['mine'] },
      { filename: 'course-1.PDF' },
      { filename: 'film.mp4', size_bytes: 200 * 1024 ** 2 },
      { filename: 'plain.txt' },
    ])
    const id = await create(SCHEDULE_TEMPLATES[1]!, '2026-01-10T12:00:00Z')
    expect(await lookAt('2026-01-11T03:00:00Z')).toBe(1)
    await carryOut((await runs(id))[0]!.id)
    const files = await scope
      .from<{ filename: string; tags: string[] }>('files')
      .orderBy('filename')
      .select('filename', 'tags')
    expect(Object.fromEntries(files.map(({ filename, tags }) => [filename, tags]))).toEqual({
      'My eBook.epub': ['mine', 'ebook'],
      'course-1.PDF': ['course', 'pdf'],
      'film.mp4': ['large-file'],
      'plain.txt': [],
    })
    expect(await readSchedule(scope, id)).toMatchObject({ last_status: 'success' })
  })
})

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ filename: `${prefix}-${n}.pdf` }))
