import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, untilEnded, type Answer, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { randomOf, sized } from '../../../test/scale.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { raiseEvent } from '../../core/outbox/webhook-events.ts'
import type { Engine } from '../../engine/engine.ts'
import type { StartInput } from '../../engine/start.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { EVENTS } from '../../features.ts'
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
/** The event of a file’s change, as the end of this operation raises it. */
const raise = (key: string, operation: string | null = null, of = [present(files[0], 'A file')]) =>
  app.owner.scope.transaction((tx) => raiseEvent(tx, CHANGED, { key, operation, files: of }))

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

test('a change of nothing is no event, and neither is one that the condition leaves out a run', async () => {
  const marks = await onChange('left-out', { which: { tags: ['no file has it'] } })
  await changeAll('three')
  await changeAll('three')
  expect(await waiting(marks)).toHaveLength(1)
  expect(await run(marks)).toEqual([])
  expect(await waiting(marks)).toEqual([])
})

test('an event that nothing waits for is one statement, and the end of an operation asks once', async () => {
  const { knex } = app.engine.parts.database
  const statements: string[] = []
  const note = ({ sql }: { sql: string }) => void statements.push(sql)
  knex.on('query', note)
  await app.owner.scope.transaction((tx) => raiseEvent(tx, CHANGED, { key: 'unwanted' }))
  expect(statements.filter((sql) => !/^(BEGIN|COMMIT)/.test(sql))).toHaveLength(1)
  statements.length = 0
  await changeAll('four')
  knex.removeListener('query', note)
  const about = statements.filter((sql) => /trigger_events|webhook_endpoints|triggers/.test(sql))
  expect(about).toHaveLength(1)
})

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

test('a run that cannot start keeps its events, and its trigger pauses and says why', async () => {
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
})

test('the task queues what has no job, at the time of its first event', async () => {
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
  test('of 60 runs an hour: then it pauses, says the chain and keeps its events for 7 days', async () => {
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
  })

  test('of files: a run above it does not start', async () => {
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
    for (let round = 0; round < sized(3, 10_000); round++) {
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

  test('an undo of a run does not start it again', async () => {
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
