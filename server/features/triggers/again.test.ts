// What follows runs with failed files: who is told, the tries, and the workflow on what still fails.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin } from '../../../plugins/contract/index.ts'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { makeFiles } from '../../../test/files.ts'
import { soakTest } from '../../../test/scale.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import { againTask, tryAgain } from './again.ts'
import { continueRun } from './wait.ts'

/** Bare UUIDs of the files that fail now. */
const broken = new Set<string>()
const breakable = definePlugin({
  id: 'check-breakable',
  kind: 'act',
  title: 'Check',
  options: z.strictObject({}),
  undo: 'fields',
  async *plan(items) {
    for (const { id: item, file } of items)
      yield broken.has(file.id ?? '')
        ? {
            item,
            status: 'failed' as const,
            code: 'plugin_failed' as const,
            message: 'It is broken',
            retryable: false,
          }
        : { item, status: 'ok' as const }
  },
})

let app: TestApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp({ plugins: [breakable] })
  worker = await app.engine.startWorker()
  await call('PATCH', '/api/settings', { recipients: ['shop@example.com'] })
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
beforeEach(async () => {
  broken.clear()
  await scope().query('delete from outbox where shop_id = :shop')
  await scope().query('delete from notices where shop_id = :shop')
  await scope().query('update workflows set if_not = null where shop_id = :shop')
  for (const { id, built_in } of (await call('GET', '/api/workflows')).body.data)
    if (!built_in) await call('DELETE', `/api/workflows/${id}`)
})

const scope = () => app.owner.scope
const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const tag = (...tags: string[]) => ({ plugin: 'tag-files', options: { mode: 'add', tags } })
const CHECK = { plugin: 'check-breakable' }
const bodyOf = (if_not: object | null, more: object = {}) => ({
  name: 'Supplier',
  kind: 'bulk',
  steps: [CHECK, tag('done')],
  if_not,
  ...more,
})
const save = async (if_not: object | null, more: object = {}): Promise<string> => {
  const { status, body } = await call('POST', '/api/workflows', bodyOf(if_not, more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const files = async (count = 2) => {
  const rows = Array.from({ length: count }, () => ({ filename: `${crypto.randomUUID()}.pdf` }))
  return makeFiles(scope(), rows)
}
const bare = (id: string) => present(parsePublicId(['op', 'import'], id), 'An operation')
const read = async (id: string) => (await call('GET', `/api/operations/${id}`)).body
const run = async (workflow: string, ids: readonly string[]) => {
  const file_ids = ids.map((id) => toPublicId('file', id))
  const { body } = await call('POST', '/api/operations', { workflow, select: { file_ids } })
  return untilEnded(app.owner, body.id)
}
/** What waits becomes due, and its earlier times are over. */
async function due(id: string, engine: Engine = app.engine.engine): Promise<string | null> {
  await scope().query(
    `update operations set again_at = now(), again = jsonb_set(again, '{since}',
       to_jsonb((again ->> 'since')::timestamptz - (again_at - now()))) where shop_id = :shop
       and id = :id and again_at is not null`,
    { id: bare(id) },
  )
  return tryAgain(engine, scope(), bare(id))
}
const mails = async () => {
  const rows = await scope().query<{ payload: Parameters<typeof renderMail>[0]; key: string }>(
    `select payload, key from outbox where shop_id = :shop and kind = 'email' order by id`,
  )
  return rows.map(({ payload }) => ({
    ...renderMail(payload, 'https://files.example.com'),
    to: payload.to,
  }))
}
const notices = async () =>
  (
    await scope().query<{ title: string }>(
      'select title from notices where shop_id = :shop order by id',
    )
  ).map(({ title }) => title)
const failingSince = async (id: string) =>
  (await call('GET', `/api/workflows/${id}`)).body.failing_since

test('failed files are tried again at each time, until none is left; then another workflow runs on them', async () => {
  const aside = await save(null, { name: 'Put aside', steps: [tag('aside')] })
  const workflow = await save({ after: 1, run: aside, again: ['1h', '6h'], mail: true })
  const [good, bad, worse] = (await files(3)) as [string, string, string]
  broken.add(bad).add(worse)
  const first = await run(workflow, [good, bad, worse])
  expect(first).toMatchObject({ status: 'partial', done: 1, failed: 2 })
  const minutes = (time: string) =>
    Math.round((Date.parse(time) - Date.parse(first.finished_at)) / 60_000)
  expect([minutes(first.again.at), first.again.later.map(minutes)]).toEqual([60, [360]])
  expect(await tryAgain(app.engine.engine, scope(), bare(first.id))).toBeNull()
  broken.delete(bad)
  // Concurrent jobs try once.
  const tried = await Promise.all([due(first.id), due(first.id)])
  expect(tried.filter((id) => id !== null)).toEqual([bare(first.id)])
  const second = await untilEnded(app.owner, first.id)
  expect(second).toMatchObject({ status: 'partial', done: 2, failed: 1, again: { later: [] } })
  expect(await due(first.id)).toBe(bare(first.id))
  expect(await untilEnded(app.owner, first.id)).toMatchObject({ failed: 1, again: null })
  // No try is left. A job may have started it already.
  await expect
    .poll(async () => {
      await tryAgain(app.engine.engine, scope(), bare(first.id))
      return (await call('GET', `/api/operations?workflow=${aside}`)).body.data.length
    })
    .toBe(1)
  const [other] = (await call('GET', `/api/operations?workflow=${aside}`)).body.data
  expect(await untilEnded(app.owner, other.id)).toMatchObject({
    total: 1,
    because: { kind: 'if_not', led_by: [{ operation_id: first.id, title: 'Supplier' }] },
  })
  const tagsOf = async (id: string) =>
    (await call('GET', `/api/files/${toPublicId('file', id)}`)).body.tags
  expect([await tagsOf(good), await tagsOf(bad), await tagsOf(worse)]).toEqual([
    ['done'],
    ['done'],
    ['aside'],
  ])
  const told = await mails()
  expect(told).toHaveLength(1)
  expect(told[0]!.text).toMatch(/tried again after 1h, 6h\.\n“Put aside” runs on those/)
})

test('the shop is told once after so many runs in a row, and once when it works again', async () => {
  const workflow = await save({ after: 2, mail: ['anna@example.com'] })
  const [file] = (await files(1)) as [string]
  broken.add(file)
  const first = await run(workflow, [file])
  // A retry is no other run.
  await call('POST', `/api/operations/${first.id}/retry`)
  await untilEnded(app.owner, first.id)
  expect(await failingSince(workflow)).not.toBeNull()
  expect([await notices(), await mails()]).toEqual([[], []])
  const second = await run(workflow, [file])
  await run(workflow, [file])
  expect(await notices()).toEqual(['“Supplier” fails: 2 runs in a row ended with failed files'])
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: ['anna@example.com'] })
  expect(mail!.text).toContain('It is broken')
  expect(mail!.text).toContain(`https://files.example.com/operations/${second.id}`)
  // A run without files says nothing about it, and that an earlier run is mended is no end.
  const select = { filter: { tags: ['there is none'] } }
  const { body: empty } = await call('POST', '/api/operations', { workflow, select })
  await untilEnded(app.owner, empty.id)
  broken.clear()
  await call('POST', `/api/operations/${first.id}/retry`)
  await untilEnded(app.owner, first.id)
  expect(await failingSince(workflow)).not.toBeNull()
  await run(workflow, [file])
  expect(await failingSince(workflow)).toBeNull()
  await run(workflow, [file])
  expect((await notices()).slice(1)).toEqual(['“Supplier” works again'])
  expect((await mails()).map(({ subject }) => subject)).toEqual([
    '“Supplier” fails: 2 runs in a row ended with failed files',
    '“Supplier” works again',
  ])
  // The next failure is another one.
  broken.add(file)
  await run(workflow, [file])
  await run(workflow, [file])
  expect(await mails()).toHaveLength(3)
})

test('a run has failed if one of its parts has', async () => {
  const steps = [CHECK, { plugin: 'wait', options: { for: 1, unit: 'days' } }, CHECK, tag('end')]
  const workflow = await save({ after: 1 }, { steps })
  const [file] = (await files(1)) as [string]
  const ended = async (id: string) => {
    const next = await continueRun(app.engine.engine, scope(), bare(id), true)
    return untilEnded(app.owner, toPublicId('op', present(next, 'The next part')))
  }
  const first = await run(workflow, [file])
  broken.add(file)
  const next = await ended(first.id)
  const since = await failingSince(workflow)
  expect(since).not.toBeNull()
  broken.clear()
  // The first part of the next run says nothing yet.
  const second = await run(workflow, [file])
  expect(await failingSince(workflow)).toBe(since)
  await ended(second.id)
  expect(await failingSince(workflow)).toBeNull()
  expect(next.status).toBe('failed')
  expect(await notices()).toEqual([
    '“Supplier” fails: a run ended with failed files',
    '“Supplier” works again',
  ])
})

soakTest('a later part is retried with its steps as they are now', async () => {
  const wait = { plugin: 'wait', options: { for: 1, unit: 'days' } }
  const steps = [tag('begun'), wait, CHECK, tag('old')]
  const workflow = await save(null, { steps })
  const [file] = (await files(1)) as [string]
  broken.add(file)
  const first = await run(workflow, [file])
  const next = await continueRun(app.engine.engine, scope(), bare(first.id), true)
  const part = await untilEnded(app.owner, toPublicId('op', present(next, 'The next part')))
  const saved = (await call('GET', `/api/workflows/${workflow}`)).body.steps
  const ids = saved.map(({ id }: { id: string }) => id)
  const mended = [...steps.slice(0, 3), tag('new')].map((step, at) => ({ ...step, id: ids[at] }))
  await call('PUT', `/api/workflows/${workflow}`, bodyOf(null, { steps: mended }))
  broken.clear()
  expect((await call('GET', `/api/operations/${part.id}/retry`)).body.changed).toBe(true)
  await call('POST', `/api/operations/${part.id}/retry`)
  expect(await untilEnded(app.owner, part.id)).toMatchObject({ status: 'success' })
  const { body } = await call('GET', `/api/files/${toPublicId('file', file)}`)
  expect(body.tags).toEqual(['begun', 'new'])
})

const IN_TRASH = { plugin: 'delete-files', options: {} }
test('what waits ends when it is cancelled, retried, undone, or the workflow is changed, stopped, switched off or deleted', async () => {
  const ends: readonly ((workflow: string, operation: string) => Promise<{ status: number }>)[] = [
    (_, operation) => call('DELETE', `/api/operations/${operation}/again`),
    (_, operation) => call('POST', `/api/operations/${operation}/undo`),
    (id) => call('PUT', `/api/workflows/${id}`, bodyOf({ again: [] })),
    (id) => call('POST', `/api/workflows/${id}/stop`),
    (id) => call('PUT', `/api/workflows/${id}`, bodyOf(null, { enabled: false })),
    (id) => call('DELETE', `/api/workflows/${id}`),
  ]
  const workflow = await save({ again: ['1h'] })
  const fresh = async () => {
    const ids = await files(2)
    broken.add(ids[0]!)
    return ids
  }
  for (const end of ends) {
    await call('PUT', `/api/workflows/${workflow}`, bodyOf({ again: ['1h'] }, { enabled: true }))
    const operation = await run(workflow, await fresh())
    expect(operation.again).not.toBeNull()
    expect((await end(workflow, operation.id)).status).toBeLessThan(300)
    expect((await read(operation.id)).again).toBeNull()
    expect(await due(operation.id)).toBeNull()
  }
  const gone = await call(
    'DELETE',
    `/api/operations/${(await run(await save(null), await fresh())).id}/again`,
  )
  expect(gone.status).toBe(409)
})

test('a kill leaves what waits, and it happens once', async () => {
  const aside = await save(null, { name: 'Put aside', steps: [tag('aside')] })
  const workflow = await save({ again: ['1h'], run: aside })
  const [file] = (await files(1)) as [string]
  broken.add(file)
  const operation = await run(workflow, [file])
  const { engine } = app.engine
  const kill = () => Promise.reject(new Error('killed'))
  await expect(due(operation.id, { ...engine, move: kill, retryWith: kill })).rejects.toThrow(
    'killed',
  )
  expect(await read(operation.id)).toMatchObject({ status: 'failed', again: {} })
  const { pool } = app.engine.parts.database
  const wanted = await pool.query<{ key: string }>(
    present(againTask({ engine, database: app.engine.parts.database }).wanted, 'Its jobs'),
  )
  expect(wanted.rows.map(({ key }) => key)).toContain(bare(operation.id))
  expect(await tryAgain(engine, scope(), bare(operation.id))).toBe(bare(operation.id))
  expect(await tryAgain(engine, scope(), bare(operation.id))).toBeNull()
})

test('workflows that run on each other’s failed files end', async () => {
  const second = await save(null, { name: 'Second' })
  const first = await save({ run: second }, { name: 'First' })
  await call('PUT', `/api/workflows/${second}`, bodyOf({ run: first }, { name: 'Second' }))
  const [file] = (await files(1)) as [string]
  broken.add(file)
  const led = await run(first, [file])
  const other = present(await tryAgain(app.engine.engine, scope(), bare(led.id)), 'The other run')
  await untilEnded(app.owner, toPublicId('op', other))
  expect(await tryAgain(app.engine.engine, scope(), other)).toBeNull()
  expect(await notices()).toContain('No workflow runs on the failed files of “Second”')
  const runs = await Promise.all(
    [first, second].map(
      async (id) => (await call('GET', `/api/operations?workflow=${id}`)).body.data,
    ),
  )
  expect(runs.map(({ length }) => length)).toEqual([1, 1])
})

test('every problem is named', async () => {
  const imports = await save(null, {
    name: 'Imports',
    kind: 'import',
    steps: [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }],
  })
  const own = await save(null)
  const problems = async (if_not: unknown, more: object = {}) =>
    (
      await call('PUT', `/api/workflows/${own}`, bodyOf(if_not as object, more))
    ).body.error.details.map(({ param }: { param: string }) => param)
  expect(
    await problems({ after: 0, mail: ['nobody'], run: imports, again: ['6h', 'soon', '7d'] }),
  ).toEqual(
    expect.arrayContaining([
      'if_not.after',
      'if_not.mail[0]',
      'if_not.run',
      'if_not.again[1]',
      'if_not.again[2]',
    ]),
  )
  expect(await problems({ again: ['6h', '1h'] })).toEqual(['if_not.again[1]'])
  expect(await problems({ run: own })).toEqual(['if_not.run'])
  expect(await problems({ run: toPublicId('workflow', crypto.randomUUID()) })).toEqual([
    'if_not.run',
  ])
  expect(await problems({}, { kind: 'delivery', steps: [{ plugin: 'stamp-pdf' }] })).toEqual([
    'if_not',
  ])
  const aside = await save({ run: own }, { name: 'Aside' })
  const { status, body } = await call('DELETE', `/api/workflows/${own}`)
  expect([status, body.error.message]).toEqual([
    409,
    'This workflow is run by “Aside”, if files fail',
  ])
  // Who may not delete files saves no workflow that does.
  const deleting = await save(null, { name: 'Deletes', steps: [IN_TRASH] })
  const weak = await app.clientWith(['settings:write', 'files:write'])
  const refused = await weak.call('PUT', `/api/workflows/${aside}`, {
    ...bodyOf({ run: deleting }),
    name: 'Aside',
  })
  expect(refused.status).toBe(403)
})

soakTest('files of a deletion above the limit wait for a confirmation', async () => {
  const deleting = await save(null, { name: 'Deletes', steps: [IN_TRASH] })
  const workflow = await save({ run: deleting })
  const ids = await files(101)
  for (const id of ids) broken.add(id)
  const { id } = await run(workflow, ids)
  await tryAgain(app.engine.engine, scope(), bare(id))
  const last = async () => (await call('GET', `/api/operations?workflow=${deleting}`)).body.data[0]
  await expect.poll(async () => (await last())?.status).toBe('previewed')
})
