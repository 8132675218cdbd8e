import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../../test/app.ts'
import { makeFiles } from '../../../../test/files.ts'

let app: TestApp
let owner: Client
beforeAll(async () => {
  app = await openTestApp()
  owner = app.owner
  await makeFiles(owner.scope, [
    { filename: 'a.pdf', tags: ['x'] },
    { filename: 'b.pdf', tags: ['x'] },
    { filename: 'c.zip' },
  ])
})
afterAll(() => app.close())

const save = (body: object) => owner.call('POST', '/api/views', body)
const views = async () => (await owner.call('GET', '/api/views')).body.data

it('are saved with their number of files, listed by name, changed in part and deleted', async () => {
  const made = await save({ name: ' Tagged x ', filter: { tags: ['x'], type: 'pdf' } })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^saved_[0-9a-f]{32}$/),
      name: 'Tagged x',
      list: 'files',
      query: 'tags=x&type=pdf',
      filter: { tags: ['x'], type: ['pdf'] },
      sort: '-created_at',
      columns: null,
      files: 2,
      files_is_exact: true,
      rows: 2,
      rows_is_exact: true,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  ])
  await save({ name: 'All', columns: ['size'], sort: '-downloads' })
  expect(
    (await views()).map(({ name, files }: { name: string; files: number }) => [name, files]),
  ).toEqual([
    ['All', 3],
    ['Tagged x', 2],
  ])
  const change = (body: object) => owner.call('PATCH', `/api/views/${made.body.id}`, body)
  expect((await change({ name: 'ZIP', filter: { type: ['zip'] } })).body).toMatchObject({
    name: 'ZIP',
    filter: { type: ['zip'] },
    sort: '-created_at',
    files: 1,
  })
  expect((await change({ columns: ['tags', 'size'] })).body).toMatchObject({
    name: 'ZIP',
    columns: ['tags', 'size'],
  })
  expect((await change({ columns: null, sort: 'filename' })).body).toMatchObject({
    columns: null,
    sort: 'filename',
  })
  expect(await change({ name: 'ALL' })).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict', param: 'name' } },
  })
  // A view is of its shop alone.
  const stranger = await app.stranger('views-other.myshopify.com')
  expect((await stranger.call('GET', '/api/views')).body.data).toEqual([])
  expect((await owner.call('DELETE', `/api/views/${made.body.id}`)).status).toBe(204)
  expect((await owner.call('DELETE', `/api/views/${made.body.id}`)).status).toBe(404)
  expect((await change({ name: 'Again' })).status).toBe(404)
})

it.each([
  ['text', 'search=a+pdf&tags=x&sort=filename'],
  ['an object', { search: 'a pdf', tags: ['x'], sort: 'filename' }],
])('take a query of the list as %s, which lists what they show', async (form, query) => {
  const made = await save({ name: `By ${form}`, list: 'files', query })
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      query: 'search=a+pdf&tags=x&sort=filename',
      filter: { search: 'a pdf', tags: ['x'] },
      sort: 'filename',
      files: 1,
    },
  ])
  const address = `/api/views/${made.body.id}`
  const listed = await owner.call('GET', `/api/files?${made.body.query}`)
  expect(listed.body.data).toMatchObject([{ filename: 'a.pdf' }])
  const changed = await owner.call('PATCH', address, { query: 'type=zip' })
  expect(changed.body).toMatchObject({ query: 'type=zip', sort: '-created_at', files: 1 })
  expect((await owner.call('GET', address)).body).toEqual(changed.body)
  await owner.call('DELETE', address)
})

it('of other lists have the query of that list, and a name of their own', async () => {
  const made = await save({ name: 'By hand', list: 'operations', query: 'kind=bulk&search=tags' })
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      list: 'operations',
      query: 'kind=bulk&search=tags',
      filter: null,
      sort: null,
      columns: null,
      files: null,
    },
  ])
  expect((await save({ name: 'By hand', list: 'links', query: { status: 'active' } })).status).toBe(
    201,
  )
  const of = async (list: string) =>
    (await owner.call('GET', `/api/views?list=${list}`)).body.data.map(
      ({ name, query }: { name: string; query: string }) => [name, query],
    )
  expect([await of('operations'), await of('links'), await of('deliveries')]).toEqual([
    [['By hand', 'kind=bulk&search=tags']],
    [['By hand', 'status=active']],
    [],
  ])
  const address = `/api/views/${made.body.id}`
  expect((await owner.call('PATCH', address, { query: 'status=paused' })).body).toMatchObject({
    name: 'By hand',
    query: 'status=paused',
  })
  expect((await owner.call('PATCH', address, { filter: {} })).status).toBe(422)
  for (const list of ['operations', 'links'])
    for (const [, query] of await of(list))
      expect((await owner.call('GET', `/api/${list}?${query}`)).status).toBe(200)
  await owner.call('DELETE', address)
})

it('of other lists are counted as the list shows them, up to a bound, by callers who may read it', async () => {
  await owner.scope.query(
    `insert into links (shop_id, file_id, key_hash)
     select :shop, (select id from files where shop_id = :shop limit 1),
       decode(lpad(to_hex(n), 64, '0'), 'hex') from generate_series(1, 101) n`,
  )
  await owner.scope.query(
    `update files set mapping_state = 'mapped' where shop_id = :shop and deleted_at is null`,
  )
  const all = await save({ name: 'All links', list: 'links', query: '' })
  expect(all.body).toMatchObject({ rows: 100, rows_is_exact: false, files: null })
  await owner.scope.query(
    `delete from links where shop_id = :shop and id in (select id from links limit 90)`,
  )
  const rows = async (client: Client, list: string) =>
    (await client.call('GET', `/api/views?list=${list}`)).body.data.map(
      ({ name, rows, rows_is_exact }: Record<string, unknown>) => [name, rows, rows_is_exact],
    )
  const gone = `file_${'0'.repeat(32)}`
  await save({ name: 'Of a file', list: 'links', query: '' })
  // The file was deleted after the view was saved.
  await owner.scope.query(
    `update saved_views set query = :query where shop_id = :shop and name = 'Of a file'`,
    { query: `file_id=${gone}` },
  )
  await save({ name: 'Waiting', list: 'deliveries', query: 'status=held' })
  expect(await rows(owner, 'links')).toEqual([
    ['All links', 11, true],
    ['By hand', 11, true],
    ['Of a file', 0, true],
  ])
  expect(await rows(owner, 'deliveries')).toEqual([['Waiting', 0, true]])
  const reader = await app.clientWith(['files:read'])
  await save({ name: 'Runs', list: 'operations', query: 'status=failed' })
  expect(await rows(reader, 'operations')).toEqual([['Runs', null, true]])
  expect(await rows(owner, 'operations')).toEqual([['Runs', 0, true]])
})

it('two that save under one name at the same time: one gets a clear error', async () => {
  const answers = await Promise.all([save({ name: 'Same' }), save({ name: 'same' })])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(answers.find(({ status }) => status === 409)?.body.error).toMatchObject({
    param: 'name',
    message: 'Another view has this name',
  })
})

it('a list has at most 20, also if several are saved at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 22 }, (_, n) => save({ name: `View ${n}` })),
  )
  expect(answers.filter(({ status }) => status === 409)[0]?.body.error.message).toBe(
    'A list has at most 20 saved views: delete one first',
  )
  expect(await views()).toHaveLength(20)
})

it.each([
  ['no name', { name: ' ' }, ['name']],
  ['a long name', { name: 'x'.repeat(51) }, ['name']],
  ['the trash', { name: 'a', filter: { deleted: true } }, ['filter.deleted']],
  ['an unknown order', { name: 'a', sort: 'colour' }, ['sort']],
  ['the order of a pack', { name: 'a', sort: 'pack_position' }, ['sort']],
  ['an unknown list', { name: 'a', list: 'orders' }, ['list']],
  ['both forms', { name: 'a', query: 'type=pdf', filter: {} }, ['query']],
  ['an unknown parameter', { name: 'a', query: 'colour=red' }, ['query.colour']],
  ['a wrong parameter', { name: 'a', query: { larger_than: 'x' } }, ['query.larger_than']],
  ['a parameter twice', { name: 'a', query: 'type=pdf&type=zip' }, ['query']],
  ['the trash by a query', { name: 'a', query: 'deleted=true' }, ['query.deleted']],
  ['a parameter of another list', { name: 'a', list: 'links', query: 'tags=x' }, ['query.tags']],
  ['a wrong value', { name: 'a', list: 'deliveries', query: 'status=x' }, ['query.status']],
  ['a page', { name: 'a', list: 'links', query: 'cursor=x' }, ['query.cursor']],
  ['a value twice', { name: 'a', list: 'links', query: 'status=active&status=expired' }, ['query']],
  [
    'an address of a buyer',
    { name: 'a', list: 'deliveries', query: 'search=ann%40example.com' },
    ['query.search'],
  ],
  ['columns of another list', { name: 'a', list: 'links', columns: ['size'] }, ['columns']],
  ['an unknown column', { name: 'a', columns: ['colour'] }, ['columns']],
  ['a column twice', { name: 'a', columns: ['size', 'size'] }, ['columns']],
])('refuses %s', async (_what, body, params) => {
  const { status, body: reply } = await save(body)
  expect(status).toBe(422)
  expect(reply.error.details.map(({ param }: { param: string }) => param)).toEqual(params)
})
