// One tag in each form of Unicode.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { compileFilter, type FileFilter } from './filter.ts'
import { listTags, totalOfFiles } from './list.ts'

const TYPED = 'e\u0301te\u0301'
const STORED = 'été'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
})
afterAll(() => database.drop())

async function selected(filter: FileFilter): Promise<string[]> {
  const { sql, bindings } = await compileFilter(scope, filter)
  const rows = await scope.query<{ filename: string }>(
    `select filename from files where files.shop_id = :shop and ${sql} order by name_key`,
    bindings,
  )
  return rows.map(({ filename }) => filename)
}

test('lists, counts and searches find it as it is typed', async () => {
  const all = ['a.pdf', 'b.pdf', 'c.pdf']
  await makeFiles(
    scope,
    all.map((filename) => ({ filename, tags: [STORED, 'x'] })),
  )
  expect(await listTags(scope, { search: TYPED, limit: 10, after: null })).toEqual([
    { tag: STORED, files: 3 },
  ])
  expect(await selected({ tags: [TYPED] })).toEqual(all)
  expect(await selected({ find: TYPED })).toEqual(all)
  expect(await selected({ find: TYPED.toUpperCase() })).toEqual(all)
  expect((await totalOfFiles(scope, { tags: [TYPED] })).total).toBe(3)
})
