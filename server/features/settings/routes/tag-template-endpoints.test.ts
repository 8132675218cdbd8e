import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../../test/app.ts'

let app: TestApp
let owner: Client
beforeAll(async () => {
  app = await openTestApp()
  owner = app.owner
})
afterAll(() => app.close())

const create = (body: object) => owner.call('POST', '/api/tag-templates', body)
const names = async () =>
  (await owner.call('GET', '/api/tag-templates')).body.data.map(
    ({ name }: { name: string }) => name,
  )

it('are created, listed by name, changed in part and deleted', async () => {
  const made = await create({ name: ' Summer sale ', tags: ['summer', ' sale', 'summer'] })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^template_[0-9a-f]{32}$/),
      name: 'Summer sale',
      tags: ['summer', 'sale'],
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  await create({ name: 'autumn', tags: ['autumn'] })
  expect(await names()).toEqual(['autumn', 'Summer sale'])
  const change = (body: object) => owner.call('PATCH', `/api/tag-templates/${made.body.id}`, body)
  expect(await change({ tags: ['winter'] })).toMatchObject({
    status: 200,
    body: { name: 'Summer sale', tags: ['winter'] },
  })
  expect((await change({ name: 'Winter' })).body).toEqual({
    ...made.body,
    name: 'Winter',
    tags: ['winter'],
  })
  expect((await change({ name: 'AUTUMN' })).status).toBe(409)
  expect((await owner.call('DELETE', `/api/tag-templates/${made.body.id}`)).status).toBe(204)
  expect((await owner.call('DELETE', `/api/tag-templates/${made.body.id}`)).status).toBe(404)
  expect((await change({ name: 'Again' })).status).toBe(404)
  expect(await names()).toEqual(['autumn'])
})
it('have unique names, in any case', async () => {
  expect((await create({ name: 'Twice', tags: ['a'] })).status).toBe(201)
  expect(await create({ name: 'TWICE', tags: ['b'] })).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict', param: 'name' } },
  })
})
it.each([
  ['nothing', {}, ['name', 'tags']],
  ['no name and no tag', { name: ' ', tags: [] }, ['name', 'tags']],
  ['a tag that can’t be one', { name: 'a', tags: ['ok', 'a;b', ' '] }, ['tags', 'tags']],
  ['too many tags', { name: 'a', tags: Array.from({ length: 251 }, (_, n) => `t${n}`) }, ['tags']],
  ['another field', { name: 'a', tags: ['b'], colour: 'red' }, ['colour']],
])('refuses %s', async (_what, body, params) => {
  const { status, body: reply } = await create(body)
  expect(status).toBe(422)
  expect(reply.error.details.map(({ param }: { param: string }) => param)).toEqual(params)
})
it('reading needs files:read, the rest files:write', async () => {
  const reader = await app.clientWith(['files:read'])
  expect((await reader.call('GET', '/api/tag-templates')).status).toBe(200)
  expect((await reader.call('POST', '/api/tag-templates', { name: 'a', tags: ['b'] })).status).toBe(
    403,
  )
})
