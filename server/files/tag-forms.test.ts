// One tag in each form of Unicode, also in rows that were written before.
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as oneForm from '../../migrations/0056_one-form-of-tags.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { checkCounts } from './file-counts.ts'
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

test('the migration writes tags in one form, and leaves other files as they are', async () => {
  await makeFiles(scope, [
    { filename: 'a.pdf', tags: ['x'] },
    { filename: 'b.pdf', tags: ['x'] },
    { filename: 'c.pdf', tags: [STORED, 'x'] },
  ])
  const write = (filename: string, tags: string[]) =>
    scope.query('update files set tags = :tags where shop_id = :shop and filename = :filename', {
      filename,
      tags,
    })
  await write('a.pdf', ['first', TYPED, 'last'])
  await write('b.pdf', [STORED, 'x', TYPED])
  await scope.query(
    `insert into tag_templates (shop_id, name, name_key, tags) values (:shop, 'a', 'a', :tags)`,
    { tags: [TYPED] },
  )
  await oneForm.up(database.knex)
  const { rows } = await database.pool.query<{ tags: string[] }>(
    `select tags from (select filename as name, tags from files
       union all select 'template', tags from tag_templates) each order by name`,
  )
  expect(rows.map(({ tags }) => tags)).toEqual([
    ['first', STORED, 'last'],
    [STORED, 'x'],
    [STORED, 'x'],
    [STORED],
  ])
  expect(await checkCounts(scope)).toBe(0)
  expect(await listTags(scope, { search: TYPED, limit: 10, after: null })).toEqual([
    { tag: STORED, files: 3 },
  ])
})

test('lists, counts and searches find it as it is typed', async () => {
  const all = ['a.pdf', 'b.pdf', 'c.pdf']
  expect(await selected({ tags: [TYPED] })).toEqual(all)
  expect(await selected({ find: TYPED })).toEqual(all)
  expect(await selected({ find: TYPED.toUpperCase() })).toEqual(all)
  expect((await totalOfFiles(scope, { tags: [TYPED] })).total).toBe(3)
})
