// "A shop has at most N": of requests that are sent at the same time, only as many succeed as there are
// places.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

interface Maximum {
  path: string
  table: string
  most: number
  body: (name: string) => object
}

const MAXIMA: readonly Maximum[] = [
  {
    path: '/api/tag-templates',
    table: 'tag_templates',
    most: 500,
    body: (name) => ({ name, tags: ['summer'] }),
  },
  {
    path: '/api/csv/mappings',
    table: 'csv_column_mappings',
    most: 200,
    body: (name) => ({ name, headers: ['Name'], mapping: { filename: 'Name' } }),
  },
  {
    path: '/api/schedules',
    table: 'triggers',
    most: 100,
    body: (name) => ({ name, cron: '0 2 1 * *', action: 'delete-files', filter: {} }),
  },
  {
    path: '/api/connections',
    table: 'connections',
    most: 100,
    body: (name) => ({ name, provider: 'demo' }),
  },
  {
    path: '/api/views',
    table: 'saved_views',
    most: 20,
    body: (name) => ({ name, list: 'files', filter: {} }),
  },
  {
    path: '/api/licence-lists',
    table: 'licence_lists',
    most: 500,
    body: (name) => ({ name }),
  },
]

test.each(MAXIMA)('$path: $most', async ({ path, table, most, body }) => {
  const { scope } = app.owner
  const create = async (name: string) => {
    const { status, body: answer } = await app.owner.call('POST', path, body(name))
    return status === 201 ? status : answer.error.code
  }
  expect(await create('the first')).toBe(201)
  const left = 2
  await scope.query(
    `insert into ${table} select (jsonb_populate_record(one.given, jsonb_build_object('id', uuidv7(),
         'name', 'copy ' || n, 'name_key', 'copy ' || n))).*
     from (select t as given from ${table} t where shop_id = :shop limit 1) one,
       generate_series(1, :copies::int) n`,
    { copies: most - 1 - left },
  )
  const names = Array.from({ length: 6 }, (_, n) => `at the same time ${n}`)
  const answers = await Promise.all(names.map(create))
  expect(answers.filter((answer) => answer === 201)).toHaveLength(left)
  expect(await scope.query(`select from ${table} where shop_id = :shop`)).toHaveLength(most)
})
