// Every recipe can be saved as it is, or lacks only what the merchant has to choose.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { bodyOf, isChanged } from './draft.ts'
import { draftOfRecipe, RECIPES } from './recipes.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test.each(RECIPES.map(({ id, open }) => [id, open] as const))(
  '%s is complete',
  async (id, open) => {
    const draft = draftOfRecipe(id)
    expect(draft).not.toBeNull()
    const { status, body } = await app.owner.call('POST', '/api/workflows/check', bodyOf(draft!))
    const params = body.problems.map(({ param }: { param: string }) => param)
    expect({ status, params }).toEqual({ status: 200, params: open ? [open] : [] })
  },
)

test.each(RECIPES.filter(({ open }) => !open).map(({ id }) => id))(
  '%s is the same as a document',
  async (id) => {
    const body = bodyOf(draftOfRecipe(id)!)
    const { body: saved } = await app.owner.call('POST', '/api/workflows', body)
    const read = async (of: string) =>
      (await app.owner.call('GET', `/api/workflows/${of}.json`)).body
    const document = await read(saved.id)
    // One workflow has the orders: the copy takes them from the first.
    await app.owner.call('PATCH', '/api/settings', { delivery_workflow: null })
    const copy = { ...document, name: `Copy of ${id}` }
    const route = `/api/workflows/by-name/${encodeURIComponent(copy.name)}`
    const made = await app.owner.call('PUT', route, copy)
    expect(await read(made.body.id)).toEqual(copy)
    expect((await app.owner.call('PUT', route, copy)).body.status).toBe('unchanged')
  },
)

test('the address of a recipe is its id, and an unknown one is none', () => {
  expect(draftOfRecipe('no such recipe')).toBeNull()
  expect(draftOfRecipe(null)).toBeNull()
  const [first, second] = [draftOfRecipe('clean-up')!, draftOfRecipe('clean-up')!]
  expect(isChanged(first, second)).toBe(false)
  expect(first.steps[0]!.key).not.toBe(second.steps[0]!.key)
})
