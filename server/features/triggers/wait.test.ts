// A wait between two parts of a workflow: each part is an operation, and the second starts once, on
// the files that the first one finished.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { startOrigin } from '../../../test/fakes/origin.ts'
import { makeFiles } from '../../../test/files.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { armWait, continueRun, waitTask } from './wait.ts'

let app: TestApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
beforeEach(async () => {
  const { call } = app.owner
  for (const { id, built_in } of (await call('GET', '/api/workflows')).body.data)
    if (!built_in) await call('DELETE', `/api/workflows/${id}`)
})

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const tag = (...tags: string[]) => ({ plugin: 'tag-files', options: { mode: 'add', tags } })
const later = (options: object = { for: 2, unit: 'days' }) => ({ plugin: 'wait', options })
const save = async (steps: readonly object[], more: object = {}): Promise<string> => {
  const answer = await call('POST', '/api/workflows', {
    name: 'Parts',
    kind: 'bulk',
    steps,
    ...more,
  })
  expect(answer.status).toBe(201)
  return answer.body.id
}
const files = async (count = 3) => {
  const rows = Array.from({ length: count }, () => ({ filename: `${crypto.randomUUID()}.pdf` }))
  return (await makeFiles(app.owner.scope, rows)).map((id) => toPublicId('file', id))
}
const run = async (workflow: string, file_ids: readonly string[]) => {
  const { body } = await call('POST', '/api/operations', { workflow, select: { file_ids } })
  return untilEnded(app.owner, body.id)
}
const read = async (id: string) => (await call('GET', `/api/operations/${id}`)).body
const bare = (id: string) => present(parsePublicId('op', id), 'An operation')
const tagsOf = async (file: string): Promise<string[]> =>
  (await call('GET', `/api/files/${file}`)).body.tags
/** A file failed, as if by a bug. */
const failOne = (id: string, position = 1) =>
  app.owner.scope.query(
    `with failed as (update items set status = 'failed', after = null, error = '{"code": "internal"}'
       where shop_id = :shop and operation_id = :id and position = :position)
     update operations set status = 'partial', done = done - 1, failed = failed + 1
     where shop_id = :shop and id = :id`,
    { id: bare(id), position },
  )
/** Ends the wait as if its time had come. */
const due = async (id: string) => {
  await app.owner.scope.query(
    `update operations set continue_at = now() where shop_id = :shop and id = :id
       and continue_at is not null`,
    { id: bare(id) },
  )
  return continueRun(app.engine.engine, app.owner.scope, bare(id))
}

test('the part after a wait starts once, on the files that were done, and says what it continues', async () => {
  const workflow = await save([
    tag('first'),
    later(),
    tag('second'),
    later({ for: 5, unit: 'minutes' }),
    tag('third'),
  ])
  const [done, skipped, gone] = await files()
  const first = await run(workflow, [done!, skipped!, gone!])
  expect(first).toMatchObject({ status: 'success', total: 3, continued_by: [] })
  expect(first.steps).toHaveLength(1)
  const twoDays = Date.now() + 2 * 86_400_000
  expect(Math.abs(Date.parse(first.waits.until) - twoDays)).toBeLessThan(600_000)
  expect(first.waits.steps).toHaveLength(3)
  const { body: waiting } = await call('GET', `/api/operations?waiting=true&workflow=${workflow}`)
  expect(waiting.data).toMatchObject([{ id: first.id }])
  expect(await continueRun(app.engine.engine, app.owner.scope, bare(first.id))).toBeNull()
  await app.owner.scope.query(
    `update items set status = 'skipped', error = '{"code": "skipped"}'
     where shop_id = :shop and operation_id = :id and file_id = :file`,
    { id: bare(first.id), file: parsePublicId('file', skipped!) },
  )
  const trash = { action: 'delete-files', select: { file_ids: [gone] } }
  await untilEnded(app.owner, (await call('POST', '/api/operations', trash)).body.id)
  const started = await Promise.all([due(first.id), due(first.id), due(first.id)])
  const ids = started.filter((id) => id !== null)
  expect(ids).toHaveLength(1)
  const second = await untilEnded(app.owner, toPublicId('op', ids[0]!))
  expect(second).toMatchObject({ total: 1, continues: first.id, waits: { steps: [{}] } })
  expect(await read(first.id)).toMatchObject({ waits: null, continued_by: [second.id] })
  const third = await untilEnded(
    app.owner,
    toPublicId('op', present(await due(second.id), 'The third')),
  )
  expect(third).toMatchObject({ total: 1, continues: second.id, waits: null })
  expect(await tagsOf(done!)).toEqual(['first', 'second', 'third'])
  expect(await tagsOf(skipped!)).toEqual(['first'])
  // Backwards over the parts, every field is as it was.
  for (const { id } of [third, second, first])
    await untilEnded(app.owner, (await call('POST', `/api/operations/${id}/undo`)).body.id)
  expect(await tagsOf(done!)).toEqual([])
})

test('a wait is ended by a person, and cancelled', async () => {
  const workflow = await save([later({ until: '2099-01-01' }), tag('now')])
  const [file] = await files(1)
  const first = await run(workflow, [file!])
  expect(first.waits.until.slice(0, 4)).toMatch(/2098|2099/)
  const { status, body } = await call('POST', `/api/operations/${first.id}/continue`)
  expect(status).toBe(202)
  await untilEnded(app.owner, body.id)
  expect(await tagsOf(file!)).toEqual(['now'])
  expect((await call('POST', `/api/operations/${first.id}/continue`)).status).toBe(409)
  const second = await run(workflow, [file!])
  expect((await call('DELETE', `/api/operations/${second.id}/wait`)).status).toBe(204)
  expect((await call('DELETE', `/api/operations/${second.id}/wait`)).status).toBe(409)
  expect(await read(second.id)).toMatchObject({ waits: null, continued_by: [] })
  expect(await due(second.id)).toBeNull()
})

soakTest('a day that is over is no wait', async () => {
  const workflow = await save([tag('a'), later({ until: '2020-01-01' }), tag('b')])
  const [file] = await files(1)
  const first = await run(workflow, [file!])
  expect(Date.parse(first.waits.until)).toBeLessThanOrEqual(Date.now() + 60_000)
})

soakTest(
  'a secret that a retry gives to a later step is sealed, and opened for its part',
  async () => {
    const workflow = await save([tag('tried'), later(), { plugin: 'create-links' }])
    const operation = await run(workflow, await files(2))
    await failOne(operation.id)
    const { steps } = (await call('GET', `/api/workflows/${workflow}`)).body
    const link = { ask_for: 'password', password: 'canary password' }
    const options = { [steps[0].id]: { tags: ['again'] }, [steps[2].id]: link }
    const retry = await call('POST', `/api/operations/${operation.id}/retry`, { options })
    expect(retry.status).toBe(200)
    await untilEnded(app.owner, operation.id)
    const { stored } = await app.owner.scope.one<{ stored: string }>(
      'select workflow::text as stored from operations where shop_id = :shop and id = :id',
      { id: bare(operation.id) },
    )
    expect(stored).toContain('sealed')
    expect(stored).not.toContain('canary')
    const next = present(await due(operation.id), 'The next part')
    expect(await untilEnded(app.owner, toPublicId('op', next))).toMatchObject({ done: 2 })
  },
)

soakTest('off, stop, deletion and undo end the wait', async () => {
  const steps = [tag('x'), later(), tag('y')]
  const ends: readonly ((id: string, operation: string) => Promise<unknown>)[] = [
    (id) =>
      call('PUT', `/api/workflows/${id}`, { name: 'Parts', kind: 'bulk', steps, enabled: false }),
    (id) => call('POST', `/api/workflows/${id}/stop`),
    (_, operation) => call('POST', `/api/operations/${operation}/undo`),
    (id) => call('DELETE', `/api/workflows/${id}`),
  ]
  const workflow = await save(steps)
  for (const end of ends) {
    const operation = await run(workflow, await files(1))
    expect(operation.waits).not.toBeNull()
    await end(workflow, operation.id)
    expect((await read(operation.id)).waits).toBeNull()
    expect(await due(operation.id)).toBeNull()
  }
})

soakTest('a part that ends after the deletion of its workflow does not wait', async () => {
  const workflow = await save([tag('x'), later(), tag('y')])
  const { id } = await run(workflow, await files(1))
  await call('DELETE', `/api/workflows/${workflow}`)
  const { scope } = app.owner
  const operation = present(await app.engine.engine.get(scope, bare(id)), 'The part')
  await scope.transaction((tx) => armWait(tx, operation))
  expect((await read(id)).waits).toBeNull()
})

soakTest('a shop that uninstalls the app keeps its waits, and nothing continues', async () => {
  const operation = await run(await save([tag('x'), later(), tag('y')]), await files(1))
  const install = (at: string) =>
    app.owner.scope.query(`update shops set uninstalled_at = ${at} where id = :shop`)
  await install('now()')
  expect(await due(operation.id)).toBeNull()
  await install('null')
  expect(await due(operation.id)).not.toBeNull()
})

soakTest('a retry after the wait continues with its own files alone', async () => {
  const workflow = await save([tag('tried'), later(), tag('after')])
  const [first, second] = await files(2)
  const operation = await run(workflow, [first!, second!])
  await failOne(operation.id)
  const next = await untilEnded(
    app.owner,
    toPublicId('op', present(await due(operation.id), 'The next')),
  )
  expect(next.total).toBe(1)
  await call('POST', `/api/operations/${operation.id}/retry`)
  const retried = await untilEnded(app.owner, operation.id)
  expect(retried.waits).not.toBeNull()
  const again = await untilEnded(
    app.owner,
    toPublicId('op', present(await due(operation.id), 'It')),
  )
  expect(again.total).toBe(1)
  expect(await tagsOf(second!)).toEqual(['tried', 'after'])
  expect((await read(operation.id)).continued_by).toEqual([next.id, again.id])
})

soakTest(
  'a retry within the wait of another retry adds its files to those of the other',
  async () => {
    const workflow = await save([tag('tried'), later(), tag('after')])
    const [first, second, third] = await files(3)
    const operation = await run(workflow, [first!, second!, third!])
    const retry = async () => {
      await call('POST', `/api/operations/${operation.id}/retry`)
      expect((await untilEnded(app.owner, operation.id)).waits).not.toBeNull()
    }
    await failOne(operation.id, 2)
    await failOne(operation.id, 1)
    expect((await call('DELETE', `/api/operations/${operation.id}/wait`)).status).toBe(204)
    await retry()
    await failOne(operation.id, 2)
    await retry()
    const next = present(await due(operation.id), 'The next part')
    expect(await untilEnded(app.owner, toPublicId('op', next))).toMatchObject({ total: 2 })
    expect(await tagsOf(first!)).toEqual(['tried'])
  },
)

test('a preview promises the first part, and its confirmation waits', async () => {
  const workflow = await save([tag('shown'), later(), tag('after')])
  const select = { file_ids: await files(1) }
  const { body } = await call('POST', '/api/operations', { workflow, select, dry_run: true })
  await expect.poll(async () => (await read(body.id)).status).toBe('previewed')
  expect((await read(body.id)).waits).toBeNull()
  await call('POST', `/api/operations/${body.id}/confirm`)
  expect((await untilEnded(app.owner, body.id)).waits).not.toBeNull()
})

soakTest(
  'a start that is interrupted leaves the wait, and the next one starts it once',
  async () => {
    const workflow = await save([tag('cut'), later(), tag('after')])
    const operation = await run(workflow, await files(1))
    const { engine } = app.engine
    const killed = {
      ...engine,
      start: async (...given: Parameters<typeof engine.start>) => {
        await engine.start(...given)
        throw new Error('killed')
      },
    }
    await app.owner.scope.query(
      'update operations set continue_at = now() where shop_id = :shop and id = :id',
      { id: bare(operation.id) },
    )
    const { scope } = app.owner
    await expect(continueRun(killed, scope, bare(operation.id))).rejects.toThrow('killed')
    expect(await read(operation.id)).toMatchObject({ continued_by: [], waits: {} })
    const next = present(await continueRun(engine, scope, bare(operation.id)), 'The next part')
    expect(await continueRun(engine, scope, bare(operation.id))).toBeNull()
    expect((await read(operation.id)).continued_by).toEqual([toPublicId('op', next)])
  },
)

soakTest('an import waits with files that exist, and its next part works on them', async () => {
  const origin = await startOrigin()
  const fetched = [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }]
  const workflow = await save([...fetched, later(), tag('reviewed')], {
    name: 'Imports',
    kind: 'import',
    channel: 'api',
  })
  const { body } = await call('POST', '/api/files/import', {
    files: [{ filename: 'later.pdf', url: `${origin.url}/bytes/1000/later.pdf` }],
  })
  const imported = await untilEnded(app.owner, body.job_id)
  await origin.close()
  expect(imported).toMatchObject({
    workflow,
    because: { kind: 'imports', from: { channel: 'api' } },
    waits: { steps: [{ plugin: 'tag-files' }] },
  })
  const id = present(parsePublicId('import', body.job_id), 'The import')
  const next = present(await continueRun(app.engine.engine, app.owner.scope, id, true), 'Its next')
  const ended = await untilEnded(app.owner, toPublicId('op', next))
  expect(ended).toMatchObject({ kind: 'bulk', continues: body.job_id, done: 1 })
  expect(await tagsOf(body.files[0].file_id)).toEqual(['reviewed'])
})

soakTest('a wait whose job was lost is queued again', async () => {
  const workflow = await save([tag('lost'), later(), tag('after')])
  const operation = await run(workflow, await files(1))
  const { pool } = app.engine.parts.database
  const { rows } = await pool.query<{ key: string; due_at: Date }>(
    present(
      waitTask({ engine: app.engine.engine, database: app.engine.parts.database }, () =>
        Promise.resolve(),
      ).wanted,
      'Its jobs',
    ),
  )
  const { until } = (await read(operation.id)).waits
  expect(rows).toContainEqual(
    expect.objectContaining({ key: bare(operation.id), due_at: new Date(until) }),
  )
})

soakTest(
  'a wait is followed by a step, has no condition, and its later steps work on files',
  async () => {
    const problems = async (kind: string, steps: readonly object[]) => {
      const { body } = await call('POST', '/api/workflows/check', { name: 'Parts', kind, steps })
      return body.problems.map(({ param }: { param: string }) => param)
    }
    expect(await problems('bulk', [tag('a'), later()])).toEqual(['steps[1]'])
    expect(await problems('bulk', [{ ...later(), when: { type: ['pdf'] } }, tag('a')])).toEqual([
      'steps[0].when',
    ])
    expect(await problems('bulk', [tag('a'), { plugin: 'notify' }, later(), tag('b')])).toEqual([])
    const fetched = [{ plugin: 'take-drop' }, { plugin: 'validate-file' }]
    expect(await problems('import', [...fetched, later(), { plugin: 'map-products' }])).toEqual([])
    expect(await problems('import', [fetched[0]!, later(), fetched[1]!])).toEqual(['steps'])
    expect(await problems('delivery', [later()])).toContain('steps[0].plugin')
    for (const options of [
      {},
      { for: 0 },
      { for: 91 },
      { for: 1, until: '2099-01-01' },
      { until: 'x' },
    ])
      expect((await problems('bulk', [later(options), tag('a')])).length).toBeGreaterThan(0)
  },
)
