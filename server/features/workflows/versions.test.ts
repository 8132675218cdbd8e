// The versions of workflows over the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { parsePublicId } from '../../core/ids.ts'
import { KEPT_VERSIONS } from './versions.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

const tags = (...given: string[]) => ({
  plugin: 'tag-files',
  options: { mode: 'add', tags: given },
})
const bodyOf = (name: string, change: object = {}) => ({
  name,
  kind: 'bulk',
  steps: [{ id: 'first', ...tags('a') }],
  ...change,
})
async function created(name: string) {
  const { status, body } = await app.owner.call('POST', '/api/workflows', bodyOf(name))
  expect([status, body.version]).toEqual([201, 1])
  return body.id as string
}
const put = (id: string, body: object) => app.owner.call('PUT', `/api/workflows/${id}`, body)
const versions = async (id: string) =>
  (await app.owner.call('GET', `/api/workflows/${id}/versions`)).body.data
const messages = (differences: { message: string }[]) => differences.map(({ message }) => message)

test('a save is a version, told in the sentences of its steps, and restored as a new one', async () => {
  const id = await created('Tidy')
  const hook = { kind: 'hook', collect: 60 }
  const steps = [
    { id: 'second', plugin: 'update-settings', options: { expiry_days: 90 } },
    { id: 'first', ...tags('a', 'b'), when: { type: ['pdf'] }, on_failure: 'stop' },
  ]
  await put(id, bodyOf('Tidy', { steps, when: [hook], parallel: 2 }))
  await put(id, bodyOf('Tidy', { steps, parallel: 2 }))
  await put(id, bodyOf('Tidier', { when: [] }))
  const all = await versions(id)
  expect(all.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
  expect(messages(all[1].differences)).toMatchInlineSnapshot(`
    [
      "Batches of files: 1 → 2",
      "When, added: a program calls its address",
      "Step 1, added: expiry 90 days",
      "Step 2: Adds a → Adds a, b",
      "Step 2, Adds a, b: Condition: all files → Type: pdf, If it fails: none → stop",
    ]
  `)
  expect(messages(all[0].differences)).toMatchInlineSnapshot(`
    [
      "Name: Tidy → Tidier",
      "Batches of files: 2 → 1",
      "When, removed: a program calls its address",
      "Step 1: Adds a, b → Adds a",
      "Step 1, Adds a: Condition: Type: pdf → all files, If it fails: stop → none",
      "Step removed: expiry 90 days",
    ]
  `)
  expect(all[2].differences).toEqual([])
  const old = await app.owner.call('GET', `/api/workflows/${id}/versions/2`)
  expect(messages(old.body.differences)).toEqual(messages(all[0].differences))
  expect(old.body.steps[1].summary).toBe('Adds a, b')
  const restored = await app.owner.call('POST', `/api/workflows/${id}/restore`, { version: 2 })
  expect(restored.body).toMatchObject({
    name: 'Tidy',
    steps: [{ id: 'second' }, { id: 'first' }],
    when: [hook],
  })
  expect((await versions(id))[0]).toMatchObject({ version: 4, restored: 2, by: 'test' })
  const missing = await app.owner.call('POST', `/api/workflows/${id}/restore`, { version: 9 })
  expect(missing.status).toBe(404)
})

test('an operation keeps the version that it runs', async () => {
  const id = await created('Run')
  const run = async () => {
    const select = { filter: {} }
    const body = { workflow: id, select, dry_run: true }
    return (await app.owner.call('POST', '/api/operations', body)).body.workflow_version
  }
  expect(await run()).toBe(1)
  await put(id, bodyOf('Run', { parallel: 3 }))
  expect(await run()).toBe(2)
})

test(`the last ${KEPT_VERSIONS} are kept`, async () => {
  const id = await created('Often')
  await app.owner.scope.query(
    `with w as (update workflows set version = :kept where shop_id = :shop and id = :id returning 1)
     insert into workflow_versions (shop_id, workflow_id, version, body, made_by)
     select shop_id, workflow_id, n, body, made_by from workflow_versions, generate_series(2, :kept) n, w
     where shop_id = :shop and workflow_id = :id`,
    { id: parsePublicId('workflow', id), kept: KEPT_VERSIONS },
  )
  await put(id, bodyOf('Often', { parallel: 2 }))
  const all = await versions(id)
  expect([all.length, all[0].version, all.at(-1).version]).toEqual([
    KEPT_VERSIONS,
    KEPT_VERSIONS + 1,
    2,
  ])
})
