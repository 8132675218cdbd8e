import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, untilEnded, type Answer, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { makeFiles } from '../../../test/files.ts'
import { randomOf, sized, soakTest } from '../../../test/scale.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { raiseEvent } from '../../core/outbox/webhook-events.ts'
import type { Engine } from '../../engine/engine.ts'
import type { StartInput } from '../../engine/start.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { EVENTS } from '../../features.ts'
import { restoreVersion } from '../../files/versions.ts'
import { runTrigger, triggerTask } from './run.ts'
import { sweepEvents } from './sweep.ts'

const CHANGED = { name: 'file.changed' }

let app: TestApp
let files: string[]
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  const { shop, parts, scope } = app.engine
  await insertManyFiles(parts.database.pool, { shop, count: sized(300, 100_000) })
  const rows = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop order by id limit 10',
  )
  files = rows.map(({ id }) => id)
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
beforeEach(async () => {
  const { scope, call } = app.owner
  for (const { id, built_in } of (await call('GET', '/api/workflows')).body.data)
    if (!built_in) await call('DELETE', `/api/workflows/${id}`)
  // The end of a run of the test before is an event, too.
  await expect
    .poll(
      () =>
        scope.query(`select id from operations where shop_id = :shop
      and status in ('queued', 'running')`),
      { timeout: 30_000 },
    )
    .toEqual([])
  await scope.from('notices').delete()
})

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const tag = (...tags: string[]) => [{ plugin: 'tag-files', options: { mode: 'add', tags } }]

interface Saved {
  id: string
  /** The bare UUID of its trigger. */
  trigger: string
}

async function save(name: string, when: object, steps: object[] = tag(name)): Promise<Saved> {
  const body = { name, kind: 'bulk', steps, when: [{ collect: 0, ...when }] }
  const answer = await call('POST', '/api/workflows', body)
  expect(answer.body).toMatchObject({ name })
  return { id: answer.body.id, trigger: parsePublicId('trigger', answer.body.when[0].id)! }
}

const onChange = (name: string, more: object = {}) =>
  save(name, { kind: 'event', event: 'file.changed', ...more })

const parts = (engine: Engine = app.engine.engine) => ({
  engine,
  database: app.engine.parts.database,
  events: EVENTS,
  log: silent,
})
const run = ({ trigger }: Saved, engine?: Engine) =>
  runTrigger(parts(engine), app.owner.scope, trigger)
const waiting = async ({ trigger }: Saved) => {
  const rows = await app.owner.scope.query<{ operation_id: string | null }>(
    `select operation_id from trigger_events
     where shop_id = :shop and trigger_id = :trigger and taken_at is null order by id`,
    { trigger },
  )
  return rows.map(({ operation_id }) => operation_id)
}
const changeAll = async (name: string, filter: object = {}) => {
  const body = { action: 'tag-files', options: { mode: 'add', tags: [name] }, select: { filter } }
  const { body: operation } = await call('POST', '/api/operations', body)
  await untilEnded(app.owner, operation.id)
  return parsePublicId('op', operation.id)!
}
const lastRun = async ({ id }: Saved): Promise<string> =>
  (await call('GET', `/api/operations?workflow=${id}&limit=1`)).body.data[0].id
/** The event of a file’s change, as the end of this operation raises it. */
const raise = (
  key: string,
  operation: string | null = null,
  of = [present(files[0], 'A file')],
  name = CHANGED.name,
) => app.owner.scope.transaction((tx) => raiseEvent(tx, { name }, { key, operation, files: of }))

test('a change of all files is one event that names its operation, and one run takes what came', async () => {
  const marks = await onChange('seen', { which: { type: ['pdf'], tags_none: ['seen'] } })
  const first = await changeAll('one')
  const second = await changeAll('two', { tags: ['tenth'] })
  expect(await waiting(marks)).toEqual([first, second])
  const [operation] = await run(marks)
  expect(await waiting(marks)).toEqual([])
  expect(await run(marks)).toEqual([])
  const ended = await untilEnded(app.owner, toPublicId('op', operation!))
  const { total } = await app.owner.scope.one<{ total: number }>(
    `select count(*)::int as total from files where shop_id = :shop and extension = 'pdf'`,
  )
  expect(ended).toMatchObject({ status: 'success', total, channel: 'trigger' })
  // Its own change is no event for it.
  expect(await waiting(marks)).toEqual([])
})

soakTest('a run says what started it: the chain of operations whose events led to it', async () => {
  const mark = await onChange('chain-mark')
  const tidy = await onChange('chain-tidy')
  const first = await changeAll('chain', { tags: ['tenth'] })
  const started = async (of: Saved) => {
    const id = toPublicId('op', present((await run(of))[0], 'A run'))
    return untilEnded(app.owner, id)
  }
  const marked = await started(mark)
  const tidied = await started(tidy)
  const none = { from: null, from_name: null }
  const byHand = { operation_id: toPublicId('op', first), kind: 'request', event: null, ...none }
  const event = { kind: 'event', event: CHANGED.name, ...none }
  expect(marked.because).toMatchObject({ ...event, count: 1, led_by: [byHand] })
  // Two events: that of the request, and that of the workflow, which has a longer path.
  const runs = [tidied, await untilEnded(app.owner, await lastRun(tidy))]
  expect(runs.map(({ because }) => because.led_by)).toEqual(
    expect.arrayContaining([
      [expect.objectContaining(byHand)],
      [
        expect.objectContaining(byHand),
        expect.objectContaining({ ...event, operation_id: marked.id, title: 'chain-mark' }),
      ],
    ]),
  )
  const { body: listed } = await call('GET', `/api/operations?workflow=${mark.id}&limit=1`)
  expect(listed.data).toMatchObject([{ workflow: mark.id, because: event }])
})

soakTest(
  'files that wait for a product to be chosen are one event of their operation',
  async () => {
    const { scope } = app.owner
    const asks = await onChange('asks', { event: 'review.opened' })
    await scope.query(
      `insert into products (shop_id, id, title, title_key, handle, status)
     values (:shop, 't1', 'Twin atlas', 'twin atlas', 'twin-1', 'ACTIVE'),
       (:shop, 't2', 'Twin atlas', 'twin atlas', 'twin-2', 'ACTIVE')`,
    )
    const [bare] = await makeFiles(scope, [{ filename: 'Twin atlas.pdf' }])
    const file = toPublicId('file', present(bare, 'Its file'))
    const body = { action: 'map-products', select: { file_ids: [file] } }
    const { body: operation } = await call('POST', '/api/operations', body)
    await untilEnded(app.owner, operation.id)
    expect((await call('GET', '/api/reviews')).body.data).toMatchObject([{ file: { id: file } }])
    expect(await waiting(asks)).toEqual([parsePublicId('op', operation.id)])
    expect(await run(asks)).toHaveLength(1)
  },
)

soakTest(
  'a change of nothing is no event, and neither is one that the condition leaves out a run',
  async () => {
    const marks = await onChange('left-out', { which: { tags: ['no file has it'] } })
    await changeAll('three')
    await changeAll('three')
    expect(await waiting(marks)).toHaveLength(1)
    expect(await run(marks)).toEqual([])
    expect(await waiting(marks)).toEqual([])
  },
)

test('the end of a retry is an event about the retried files alone', async () => {
  const { scope } = app.owner
  const marks = await onChange('retried')
  const pair = await makeFiles(scope, [{ filename: 'first.pdf' }, { filename: 'second.pdf' }])
  const select = { file_ids: pair.map((id) => toPublicId('file', id)) }
  const options = { mode: 'add', tags: ['again'] }
  const { body } = await call('POST', '/api/operations', { action: 'tag-files', options, select })
  await untilEnded(app.owner, body.id)
  const totalOf = async ([started]: string[]) =>
    (await untilEnded(app.owner, toPublicId('op', present(started, 'A run')))).total
  expect(await totalOf(await run(marks))).toBe(2)
  // As if the second file had failed.
  const failed = { id: pair[1]!, operation: parsePublicId('op', body.id)! }
  await scope.query(`update files set tags = '{}' where shop_id = :shop and id = :id`, failed)
  await scope.query(
    `with failed as (update items set status = 'failed', after = null, error = '{"code": "internal"}'
       where shop_id = :shop and operation_id = :operation and file_id = :id)
     update operations set status = 'partial', done = 1, failed = 1
     where shop_id = :shop and id = :operation`,
    failed,
  )
  expect((await call('POST', `/api/operations/${body.id}/retry`)).status).toBe(200)
  await untilEnded(app.owner, body.id)
  expect(await totalOf(await run(marks))).toBe(1)
})

soakTest('a change of one file outside operations is an event, in its transaction', async () => {
  const { scope } = app.owner
  const [bare] = await makeFiles(scope, [{ filename: 'by-hand.pdf' }])
  const file = toPublicId('file', present(bare, 'Its file'))
  const raised = () =>
    scope.query<{ event: string; files: string[] }>(
      'select event, files from trigger_events where shop_id = :shop order by id',
    )
  const saw = async (...request: Parameters<typeof call>) => {
    await scope.from('trigger_events').delete()
    expect((await call(...request)).status).toBeLessThan(300)
    return raised()
  }
  const none = await saw('PATCH', `/api/files/${file}`, { tags: ['unseen'] })
  expect(none).toEqual([])
  for (const event of ['file.changed', 'file.replaced']) await save(event, { kind: 'event', event })
  const { body: pack } = await call('POST', '/api/packs', { name: 'By hand' })
  const changed = { event: 'file.changed', files: [bare] }
  for (const body of [
    { tags: ['seen'] },
    { filename: 'renamed.pdf' },
    { download_limit: 3 },
    { pack_id: pack.id },
  ])
    expect(await saw('PATCH', `/api/files/${file}`, body)).toEqual([changed])
  expect(await saw('PATCH', `/api/files/${file}`, { tags: ['seen'] })).toEqual([])
  expect((await call('PATCH', `/api/files/${file}`, { filename: '' })).status).toBe(422)
  expect(await saw('DELETE', `/api/packs/${pack.id}`)).toEqual([changed])
  await scope.query(
    `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
     select shop_id, file_id, 2, hash, location, size_bytes, content_type from versions
     where shop_id = :shop and file_id = :bare`,
    { bare },
  )
  // Its bytes are on no disk, as the endpoint would ask.
  await scope.from('trigger_events').delete()
  await restoreVersion(scope, present(bare, 'Its file'), 2)
  expect(await raised()).toEqual([{ event: 'file.replaced', files: [bare] }])
})

soakTest('the webhook of a change outside operations names the file', async () => {
  const { scope } = app.owner
  await scope.from('outbox').delete()
  const [bare] = await makeFiles(scope, [{ filename: 'told.pdf' }])
  const file = toPublicId('file', present(bare, 'Its file'))
  const webhook = { url: 'https://receiver.example/hook', events: ['file.changed'] }
  const { body: made } = await call('POST', '/api/webhooks', webhook)
  await call('PATCH', `/api/files/${file}`, { tags: ['told'] })
  const messages = await scope.query<{ payload: object }>(
    `select payload from outbox where shop_id = :shop and kind = 'webhook'`,
  )
  await call('DELETE', `/api/webhooks/${made.id}`)
  const data = { operation_id: null, total: 1, file_ids: [file], more: null }
  expect(messages).toEqual([{ payload: { type: 'file.changed', data } }])
})

soakTest(
  'an event that nothing waits for is one statement, and the end of an operation asks once',
  async () => {
    const { knex } = app.engine.parts.database
    const statements: string[] = []
    const note = ({ sql }: { sql: string }) => void statements.push(sql)
    knex.on('query', note)
    await app.owner.scope.transaction((tx) => raiseEvent(tx, CHANGED, { key: 'unwanted' }))
    expect(statements.filter((sql) => !/^(BEGIN|COMMIT)/.test(sql))).toHaveLength(1)
    statements.length = 0
    await changeAll('four')
    knex.removeListener('query', note)
    // The sweep of waiting events, which reads them too, may run meanwhile.
    const about = statements.filter((sql) => /webhook_endpoints|into trigger_events/.test(sql))
    expect(about).toHaveLength(1)
  },
)

test('each event is in one run, also if two runs begin at once', async () => {
  const marks = await onChange('once')
  for (const n of Array.from({ length: 12 }).keys()) await raise(`once/${n}`)
  await raise('once/1')
  const started = (await Promise.all([run(marks), run(marks), run(marks)])).flat()
  expect(started).toHaveLength(1)
  const taken = await app.owner.scope.query<{ run_id: string }>(
    'select run_id from trigger_events where shop_id = :shop and trigger_id = :trigger',
    { trigger: marks.trigger },
  )
  expect(taken.map(({ run_id }) => run_id)).toEqual(Array(12).fill(started[0]))
  await raise('once/1')
  expect(await waiting(marks)).toEqual([])
})

soakTest('an event that waits while its trigger is changed keeps its own files', async () => {
  const marks = await onChange('renamed', { event: 'file.trashed' })
  const first = await changeAll('five')
  await raise('renamed', first, [], 'file.trashed')
  const trigger = { id: toPublicId('trigger', marks.trigger), kind: 'event', collect: 0 }
  const body = { name: 'renamed', kind: 'bulk', steps: tag('renamed') }
  const when = [{ ...trigger, event: CHANGED.name }]
  await call('PUT', `/api/workflows/${marks.id}`, { ...body, when })
  const second = await changeAll('six', { tags: ['tenth'] })
  expect(await waiting(marks)).toEqual([first, second])
  const started = await run(marks)
  expect(started).toHaveLength(1)
  const changed = await call('GET', `/api/operations/${toPublicId('op', second)}`)
  const ended = await untilEnded(app.owner, toPublicId('op', present(started[0], 'A run')))
  expect(ended.total).toBe(changed.body.total)
})

soakTest(
  'a run that cannot start keeps its events, and its trigger pauses and says why',
  async () => {
    const marks = await onChange('broken')
    await raise('broken')
    const { scope } = app.owner
    await scope.query(`update workflows set steps = '[{"id": "gone", "plugin": "gone"}]'
    where shop_id = :shop and name = 'broken'`)
    expect(await run(marks)).toEqual([])
    expect(await waiting(marks)).toHaveLength(1)
    const { when } = (await call('GET', `/api/workflows/${marks.id}`)).body
    expect(when[0]).toMatchObject({ waiting: 1, paused: { message: expect.any(String) } })
    await call('PUT', `/api/workflows/${marks.id}`, {
      name: 'broken',
      kind: 'bulk',
      steps: tag('mended'),
    })
    expect((await call('POST', `/api/workflows/${marks.id}/resume`)).status).toBe(204)
    expect(await run(marks)).toHaveLength(1)
  },
)

soakTest('the task queues what has no job, at the time of its first event', async () => {
  const late = await onChange('late', { collect: 3600 })
  await raise('late/1')
  const { pool } = app.engine.parts.database
  const dueIn = async (sql: string) => {
    const { rows } = await pool.query<{ seconds: number }>(
      `select extract(epoch from due_at - now())::float8 as seconds from (${sql}) due`,
    )
    return rows.map(({ seconds }) => Math.round(seconds / 60))
  }
  const job = `select run_at as due_at from graphile_worker.jobs where key = 'run-triggers:${late.trigger}'`
  expect(await dueIn(job)).toEqual([60])
  await app.owner.scope.query(
    `update trigger_events set created_at = now() - interval '30 minutes' where shop_id = :shop
       and trigger_id = :trigger`,
    { trigger: late.trigger },
  )
  expect(await dueIn(present(triggerTask(parts()).wanted, 'Its jobs'))).toEqual([30])
})

describe('a budget', () => {
  soakTest(
    'of 60 runs an hour: then it pauses, says the chain and keeps its events for 7 days',
    async () => {
      const { scope } = app.owner
      const often = await onChange('often')
      const engine = startsNothing()
      for (const n of Array.from({ length: 60 }).keys()) {
        await raise(`often/${n}`)
        expect(await run(often, engine)).toHaveLength(1)
      }
      await raise('often/60')
      expect(await run(often, engine)).toEqual([])
      await raise('often/61')
      expect(await waiting(often)).toHaveLength(2)
      const notices = await scope.query<{ title: string; body: string }>(
        'select title, body from notices where shop_id = :shop',
      )
      expect(notices).toMatchObject([{ title: '“often” has paused' }])
      expect(notices[0]!.body).toContain(
        'more than 60 times within an hour, the last time by “often”',
      )
      await scope.query(`update trigger_events set created_at = now() - interval '169 hours'
      where shop_id = :shop and key = 'file.changed/often/60'`)
      await sweepEvents(app.engine.parts)
      expect(await waiting(often)).toHaveLength(1)
      await call('POST', `/api/workflows/${often.id}/resume`)
      expect(await run(often, engine)).toHaveLength(1)
    },
  )

  soakTest('of files: a run above it does not start', async () => {
    const few = await onChange('few', { max_files: 3 })
    const engine = startsNothing()
    await raise('few/1', null, files.slice(0, 3))
    expect(await run(few, engine)).toHaveLength(1)
    await raise('few/2', null, files.slice(0, 1))
    expect(await run(few, engine)).toEqual([])
    expect(await waiting(few)).toHaveLength(1)
  })

  test('of deletions: a run above it waits to be confirmed', async () => {
    const clears = await onChange('clears', { cap: 2 })
    await call('PUT', `/api/workflows/${clears.id}`, {
      name: 'clears',
      kind: 'bulk',
      steps: [{ plugin: 'delete-files' }],
    })
    await raise('clears', null, files.slice(0, 3))
    const [operation] = await run(clears)
    const { body } = await call('GET', `/api/operations/${toPublicId('op', operation!)}`)
    expect(body.preview).toBe(true)
  })
})

/** An engine that writes the row of an operation and gives it nothing to do. */
function startsNothing(): Engine {
  const start: Engine['start'] = async (tx, { path = [], workflow }: StartInput) => {
    const row = await tx.one<{ id: string }>(
      `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total,
         status, finished_at, path)
       values (:shop, 'bulk', 'workflow', 'trigger', :workflow, 'test', 1, 'success', now(), :path)
       returning id`,
      { path, workflow: JSON.stringify(workflow) },
    )
    return row.id
  }
  return { ...app.engine.engine, start }
}

describe('workflows that start each other', () => {
  test('end: none is in its own path, and no path is longer than three', async () => {
    const { scope } = app.owner
    const random = randomOf('workflows that start each other')
    const engine = startsNothing()
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => onChange(name)))
    for (let round = 0; round < sized(1, 10_000); round++) {
      await scope.query(`update triggers set recent = '[]' where shop_id = :shop`)
      await scope.from('trigger_events').delete()
      await raise(`round/${round}`)
      let runs = 0
      for (let busy = true; busy;) {
        busy = false
        // In any order, and not all of them each time.
        for (const one of all.toSorted(() => random(-1, 2)).slice(random(0, 4))) {
          const started = await run(one, engine)
          for (const operation of started) await raise(`${round}/${operation}`, operation)
          runs += started.length
        }
        for (const one of all) busy ||= (await waiting(one)).length > 0
      }
      const [longest] = await scope.query<{ depth: number; loops: number }>(
        `select max(cardinality(path)) as depth, count(*) filter (where cardinality(path) <>
           (select count(distinct id) from unnest(path) id)) as loops
         from operations where shop_id = :shop`,
      )
      expect(longest).toEqual({ depth: 3, loops: 0 })
      expect(runs).toBeGreaterThanOrEqual(all.length)
    }
  })

  soakTest(
    'in random pairs: each event leads to at most one run of each, and all end',
    async () => {
      const { scope } = app.owner
      const random = randomOf('pairs of workflows that start each other')
      const engine = startsNothing()
      const events = ['file.changed', 'file.replaced', 'file.trashed'] as const
      const all = await Promise.all(
        ['p', 'q', 'r', 's', 't', 'u'].map((name, at) => onChange(name, { event: events[at % 3] })),
      )
      for (let round = 0; round < sized(20, 10_000); round++) {
        await scope.from('trigger_events').delete()
        // What each of the two raises at its end: any of the events that start the one or the other.
        const pair = [all[random(0, 5)]!, all[random(0, 5)]!]
        const causes = pair.map(() => events.filter(() => random(0, 1) === 1))
        const started: string[] = []
        await scope.query(`update triggers set recent = '[]' where shop_id = :shop`)
        for (const name of events) await raise(`pair/${round}`, null, undefined, name)
        for (let busy = true; busy;) {
          busy = false
          for (const [at, one] of pair.entries())
            for (const operation of await run(one, engine)) {
              busy = true
              started.push(operation)
              for (const name of causes[at]!) await raise(operation, operation, undefined, name)
            }
        }
        const paths = await scope.query<{ path: string[] }>(
          'select path from operations where shop_id = :shop and id = any(:started::uuid[])',
          { started },
        )
        const own = new Set(pair.map(({ trigger }) => trigger))
        for (const { path } of paths) {
          expect(path.length).toBeLessThanOrEqual(3)
          expect(new Set(path).size).toBe(path.length)
          expect(path.every((id) => own.has(id))).toBe(true)
        }
        // Each runs on the event from outside, and once more if the other one leads to it.
        expect(started.length).toBeGreaterThanOrEqual(own.size)
        expect(started.length).toBeLessThanOrEqual(2 * own.size)
      }
    },
  )

  soakTest('an undo of a run does not start it again', async () => {
    const marks = await onChange('undone')
    await raise('undone', null, files.slice(4, 6))
    const [operation] = await run(marks)
    const id = toPublicId('op', operation!)
    await untilEnded(app.owner, id)
    const undo = await call('POST', `/api/operations/${id}/undo`)
    await untilEnded(app.owner, undo.body.id)
    expect(await waiting(marks)).toEqual([])
  })
})

test('a workflow that is switched off forgets what waits, cancels what is queued, and starts no more', async () => {
  const off = await onChange('off')
  await raise('off/1')
  const change = (enabled: boolean) =>
    call('PUT', `/api/workflows/${off.id}`, {
      name: 'off',
      kind: 'bulk',
      steps: tag('off'),
      enabled,
    })
  expect((await change(false)).body).toMatchObject({ enabled: false, when: [{ waiting: 0 }] })
  await raise('off/2')
  expect(await waiting(off)).toEqual([])
  await change(true)
  await raise('off/3')
  expect(await waiting(off)).toHaveLength(1)
})

soakTest(
  'off cancels the runs that have not begun, except those that a person started',
  async () => {
    const off = await onChange('off-queued')
    await worker.stop()
    await raise('off-queued')
    const [queued] = await run(off)
    const select = { file_ids: [toPublicId('file', present(files[0], 'A file'))] }
    const { body: byHand } = await call('POST', '/api/operations', { workflow: off.id, select })
    const body = { name: 'off-queued', kind: 'bulk', steps: tag('off-queued'), enabled: false }
    await call('PUT', `/api/workflows/${off.id}`, body)
    worker = await app.engine.startWorker()
    const ends = await Promise.all(
      [toPublicId('op', queued!), byHand.id].map((id) => untilEnded(app.owner, id)),
    )
    expect(ends.map(({ status, done }) => [status, done])).toEqual([
      ['cancelled', 0],
      ['success', 1],
    ])
  },
)

soakTest(
  'stop cancels also a run that a batch holds, and leaves one alone that is cancelled already',
  async () => {
    const all = await onChange('stopped')
    const run = async (status: string) => {
      const row = await app.owner.scope.one<{ id: string }>(
        `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
       values (:shop, 'bulk', 'workflow', 'trigger', :workflow, 'test', 1, :status) returning id`,
        { status, workflow: JSON.stringify({ id: all.id, steps: [] }) },
      )
      return row.id
    }
    const [held] = [await run('paused'), await run('cancelled')]
    const { pool } = app.engine.parts.database
    const batch = await pool.connect()
    await batch.query('begin')
    await batch.query('update operations set done = done where id = $1', [held])
    const { rows } = await batch.query<{ pid: number }>('select pg_backend_pid() as pid')
    const stopped = call('POST', `/api/workflows/${all.id}/stop`)
    await expect
      .poll(async () => {
        const waits = await pool.query(
          'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
          [rows[0]!.pid],
        )
        return waits.rowCount
      })
      .toBe(1)
    await batch.query('commit')
    batch.release()
    const { status, body } = await stopped
    expect([status, body]).toEqual([200, { cancelled: 1 }])
    await app.owner.scope.query(
      `delete from operations where shop_id = :shop and workflow ->> 'id' = :workflow`,
      { workflow: all.id },
    )
  },
)

soakTest(
  'a hook that becomes a trigger of another kind loses its address and what waits for it',
  async () => {
    const called = await save('called', { kind: 'hook', collect: 3600 })
    const id = toPublicId('trigger', called.trigger)
    const { body: made } = await call('POST', `/api/triggers/${id}/address`)
    const post = () =>
      fetch(app.url + new URL(made.address).pathname, {
        method: 'POST',
        body: JSON.stringify({ files: [toPublicId('file', present(files[0], 'A file'))] }),
      })
    expect((await post()).status).toBe(202)
    const when = [{ id, kind: 'event', event: CHANGED.name }]
    const body = { name: 'called', kind: 'bulk', steps: tag('called'), when }
    const { body: changed } = await call('PUT', `/api/workflows/${called.id}`, body)
    expect(changed.when).toMatchObject([{ id, kind: 'event', has_address: false, waiting: 0 }])
    expect((await post()).status).toBe(404)
  },
)

test('foreign ids are refused', async () => {
  const stranger = await app.stranger('strange.myshopify.com')
  const body = (when: object) => ({ name: 'Theirs', kind: 'bulk', steps: tag('x'), when: [when] })
  const refused = async (answer: Promise<Answer>) => {
    const { status, body: error } = await answer
    return [status, error.error.details.map(({ param }: { param: string }) => param)]
  }
  const own = await onChange('mine')
  const theirs = { id: toPublicId('trigger', own.trigger), kind: 'event', event: 'file.changed' }
  expect(await refused(stranger.call('POST', '/api/workflows', body(theirs)))).toEqual([
    422,
    ['when[0].id'],
  ])
  const account = toPublicId('account', crypto.randomUUID())
  const steps = [{ plugin: 'take-drop' }, { plugin: 'validate-file' }]
  const from = { kind: 'imports', from: { drop_account: account } }
  expect(
    await refused(call('POST', '/api/workflows', { ...body(from), kind: 'import', steps })),
  ).toEqual([422, ['when[0].from']])
  const unknown = { kind: 'event', event: 'file.unheard' }
  expect(await refused(call('POST', '/api/workflows', body(unknown)))).toEqual([
    422,
    ['when[0].event'],
  ])
})
