import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appConfig } from '../../../app.config.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { AppError } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import { createLicenceList } from '../preparation/licence-lists.ts'
import type { WorkflowBody } from './check.ts'
import { attachedWorkflow, requireWorkflow } from './find.ts'
import { referencesIn } from './references.ts'
import { createSchedule } from '../schedules/rows.ts'
import { readTriggers, triggerBody } from './triggers.ts'
import { createWorkflow, deleteWorkflow, listWorkflows, replaceWorkflow } from './workflows.ts'

const parts = appConfig({})
/** No workflow of this file runs. */
const engine = { move: () => Promise.reject(new Error('Nothing runs')) }
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let other: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'a.myshopify.com'))
  other = forShop(database, await createTestShop(database, 'b.myshopify.com'))
})
afterAll(() => database.drop())

const bulk = (name: string, change: Partial<WorkflowBody> = {}): WorkflowBody => ({
  name,
  kind: 'bulk',
  parallel: 2,
  steps: [
    { plugin: 'tag-files', options: { mode: 'add', tags: ['summer'] }, when: { type: ['pdf'] } },
  ],
  channel: null,
  ...change,
})
const imports = (name: string, channel: WorkflowBody['channel'] = null): WorkflowBody =>
  bulk(name, {
    kind: 'import',
    channel,
    steps: [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }],
  })

const problemsOf = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: AppError) => error.details.map(({ param, message }) => `${param}: ${message}`),
  )

test('names lists of keys, packs and files of the workflow’s shop alone', async () => {
  const own = forShop(database, await createTestShop(database, 'ids.myshopify.com'))
  const listOf = (of: ShopScope, name: string) =>
    of.transaction(async (tx) => toPublicId('licences', await createLicenceList(tx, name)))
  const saved = async (steps: WorkflowBody['steps'], kind: WorkflowBody['kind'] = 'delivery') =>
    problemsOf(createWorkflow(own, bulk(randomUUID(), { kind, steps }), parts))
  const keys = (list: string) => [{ plugin: 'assign-licence-key', options: { list } }]
  const refused = 'There is no such list of licence keys: choose one of this shop'
  const theirs = await listOf(other, 'Theirs')
  expect(await saved(keys(theirs))).toEqual([`steps[0].options.list: ${refused}`])
  expect(await saved([{ plugin: 'stamp-pdf' }, ...keys(theirs)])).toEqual([
    `steps[1].options.list: ${refused}`,
  ])
  expect(await saved(keys(await listOf(own, 'Ours')))).toEqual([])
  const mark = [{ plugin: 'watermark-pdf', options: { picture: toPublicId('file', randomUUID()) } }]
  expect(await saved(mark, 'bulk')).toEqual([
    'steps[0].options.picture: There is no such file: choose one of this shop',
  ])
})

/** Options of every plugin that take an id of ours, by their schema. */
const idOptions = (schema: object, path: string): string[] =>
  Object.entries((schema as { properties?: Record<string, object> }).properties ?? {}).flatMap(
    ([name, property]) => {
      const isId = /"pattern":"\^[a-z]+_\[0-9a-f\]\{32\}\$"/.test(JSON.stringify(property))
      return isId ? [`${path}.${name} ${'widget' in property ? String(property.widget) : '–'}`] : []
    },
  )

test('every option that holds an id says of which kind it is', () => {
  const options = parts.plugins.flatMap(({ id, options }) =>
    idOptions(z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }), id),
  )
  const unnamed = options.filter(
    (one) => !/ (?:pack|file|licence-list|webhook|connection)$/.test(one),
  )
  // Their ids are in objects inside.
  expect(unnamed.map((one) => one.split(' ')[0])).toEqual([
    'map-products.choices',
    'create-links.per_file',
    'watermark-pdf.by_pack',
    'merge-duplicates.groups',
  ])
  const [file, pack] = [toPublicId('file', randomUUID()), toPublicId('pack', randomUUID())]
  const inner = { choices: [{ file_id: file }], by_pack: { [pack]: {} }, per_file: { [file]: {} } }
  expect(referencesIn(parts.plugins[0], inner, 'options').map(({ id }) => id)).toEqual([
    file,
    pack,
    file,
  ])
})

test('a workflow is saved, found by its id as the engine does, replaced and deleted', async () => {
  const made = await createWorkflow(scope, bulk('  Summer '), parts)
  const id = toPublicId('workflow', made.id)
  expect(await requireWorkflow(scope, id, parts)).toEqual({
    id,
    title: 'Summer',
    action: 'workflow',
    kind: 'bulk',
    parallel: 2,
    steps: [
      {
        id: 'tag-files',
        plugin: 'tag-files',
        options: { mode: 'add', tags: ['summer'] },
        when: { type: ['pdf'] },
      },
    ],
  })
  const steps = [
    { id: 'tag-files', plugin: 'tag-files', options: { tags: ['autumn'] } },
    { plugin: 'notify' },
  ]
  const changed = await replaceWorkflow(scope, made.id, bulk('Autumn', { steps }), parts)
  expect(changed.steps.map((step) => step.id)).toEqual(['tag-files', 'notify'])
  await deleteWorkflow(scope, made.id, engine)
  expect(await listWorkflows(scope)).toEqual([])
  await expect(requireWorkflow(scope, id, parts)).rejects.toMatchObject({ code: 'not_found' })
})

describe('uniqueness within the shop', () => {
  test('names are unique within one shop', async () => {
    const first = await createWorkflow(scope, bulk('Tidy'), parts)
    expect(await problemsOf(createWorkflow(scope, bulk('Tidy'), parts))).toEqual([
      'name: Another workflow has this name',
    ])
    expect(await problemsOf(replaceWorkflow(scope, first.id, bulk('Tidy'), parts))).toEqual([])
    const theirs = await createWorkflow(other, bulk('Tidy'), parts)
    await expect(
      requireWorkflow(scope, toPublicId('workflow', theirs.id), parts),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(deleteWorkflow(scope, theirs.id, engine)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('of ten concurrent saves with one name, one is kept', async () => {
    const saved = await Promise.allSettled(
      Array.from({ length: 10 }, () => createWorkflow(scope, bulk('Once'), parts)),
    )
    expect(saved.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    for (const one of saved)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'validation_failed' })
  })

  test('only one is attached to the same imports', async () => {
    expect(await attachedWorkflow(scope, ['channel:api'], parts.plugins)).toBeNull()
    const first = await createWorkflow(scope, imports('From our tool', 'api'), parts)
    expect(await attachedWorkflow(scope, ['channel:api'], parts.plugins)).toMatchObject({
      workflow: { title: 'From our tool', action: 'import' },
      source: 'channel:api',
    })
    expect(await attachedWorkflow(other, ['channel:api'], parts.plugins)).toBeNull()
    expect(await problemsOf(createWorkflow(scope, imports('Another', 'api'), parts))).toEqual([
      'channel: “From our tool” is attached to these imports: detach it first',
    ])
    await replaceWorkflow(scope, first.id, imports('From our tool'), parts)
    await createWorkflow(scope, imports('Another', 'api'), parts)
    expect(await attachedWorkflow(scope, ['channel:api'], parts.plugins)).toMatchObject({
      workflow: { title: 'Another' },
    })
  })
})

test('triggers of one workflow may exchange their sources', async () => {
  const own = forShop(database, await createTestShop(database, 'sources.myshopify.com'))
  await own.insert('api_keys', { name: 'Tool', hash: randomUUID(), hint: 'key_', scopes: [] })
  const key = await own.one<{ id: string }>('select id from api_keys where shop_id = :shop')
  const sources = [{ channel: 'api' }, { api_key: toPublicId('key', key.id) }]
  const plain = { enabled: true, on_conflict: null, quiet_seconds: null, event: null, which: {} }
  const from = (of: typeof sources, ids: readonly (string | undefined)[] = []) => ({
    ...imports('Both'),
    when: of.map((source, at) => ({
      ...plain,
      kind: 'imports' as const,
      from: source,
      collect: 10,
      max_files: null,
      cap: 100,
      ...(ids[at] ? { id: ids[at] } : {}),
    })),
  })
  const { id } = await createWorkflow(own, from(sources), parts)
  const read = async () => (await readTriggers(own, id)).get(id) ?? []
  const ids = (await read()).map((trigger) => trigger.id)
  await replaceWorkflow(own, id, from(sources.toReversed(), ids), parts)
  expect((await read()).map((trigger) => [trigger.id, trigger.from])).toEqual([
    [ids[0], sources[1]],
    [ids[1], sources[0]],
  ])
})

describe('a workflow that a schedule runs', () => {
  test('cannot be deleted or changed to one for imports, and the schedule is named', async () => {
    const { id } = await createWorkflow(scope, bulk('Nightly'), parts)
    await scope.insert('triggers', { name: 'Every night', cron: '0 3 * * *', workflow_id: id })
    await expect(deleteWorkflow(scope, id, engine)).rejects.toMatchObject({
      code: 'workflow_in_use',
      message: 'This workflow is run by “Every night”',
    })
    expect(await problemsOf(replaceWorkflow(scope, id, imports('Nightly'), parts))).toEqual([
      'kind: “Every night” runs it, so it has to work on files',
    ])
    await scope.from('triggers').delete()
    await deleteWorkflow(scope, id, engine)
  })

  test('belongs to the same shop: the database refuses another’s', async () => {
    const { id } = await createWorkflow(other, bulk('Theirs'), parts)
    const insert = scope.insert('triggers', { name: 'Ours', cron: '0 3 * * *', workflow_id: id })
    await expect(insert).rejects.toMatchObject({ code: '23503' })
  })

  test('is deleted with its shop', async () => {
    const number = await createTestShop(database, 'c.myshopify.com')
    const third = forShop(database, number)
    const { id } = await createWorkflow(third, bulk('Short-lived'), parts)
    await third.insert('triggers', { name: 'Short', cron: '0 3 * * *', workflow_id: id })
    await database.knex('shops').where({ id: number }).delete()
    expect(await listWorkflows(third)).toEqual([])
  })
})

test('a stored workflow that is no longer valid cannot run, and gives the reason', async () => {
  const { id } = await createWorkflow(scope, bulk('Old'), parts)
  const without = { ...parts, plugins: parts.plugins.filter((plugin) => plugin.id !== 'tag-files') }
  await expect(requireWorkflow(scope, toPublicId('workflow', id), without)).rejects.toMatchObject({
    code: 'workflow_broken',
    message: 'The workflow “Old” cannot run: There is no plugin tag-files (steps[0].plugin)',
  })
})

test('scheduled tasks count among the five that start a workflow', async () => {
  const event = triggerBody.parse({ kind: 'event', event: 'file.changed' })
  const body = bulk('Full', { when: [event, event, event, event] })
  const { id } = await createWorkflow(scope, body, parts)
  const task = (name: string) =>
    createSchedule(
      scope,
      {
        name,
        enabled: true,
        cron: '0 3 * * *',
        action: null,
        workflow: toPublicId('workflow', id),
        options: {},
        filter: {},
        notify: 'never',
        cap: 100,
      },
      parts,
      new Date(),
    )
  const refused = { details: [{ param: 'workflow', code: 'invalid_value' }] }
  await task('First')
  await expect(task('Second')).rejects.toMatchObject(refused)
  const more = { ...body, when: [...body.when!, event] }
  await expect(replaceWorkflow(scope, id, more, parts)).rejects.toMatchObject({
    details: [{ param: 'when' }],
  })
  await replaceWorkflow(scope, id, { ...body, when: [event] }, parts)
  await task('Second')
})
