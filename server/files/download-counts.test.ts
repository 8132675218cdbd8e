// The kept numbers of downloads are those that links and public addresses have counted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { addNotedDownloads } from './download-counts.ts'
import { cursorOf, listFilePage } from './list.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'counts.myshopify.com'))
})
afterAll(() => database.drop())

/** The names in the list's order with their numbers, kept with the noted changes and counted. */
async function listed(sort: string, limit = 10) {
  const rows: string[] = []
  for (let after: ReturnType<typeof cursorOf> | null = null; ;) {
    const page = await listFilePage(scope, { filter: {}, sort, after, limit })
    for (const row of page) {
      expect(row.counted_downloads).toBe(row.downloads)
      rows.push(`${row.filename} ${row.downloads}`)
    }
    const last = page.at(-1)
    if (!last || page.length < limit) return rows
    after = cursorOf(last, sort)
  }
}

const link = (file_id: string | undefined, served: number) =>
  scope.query(
    `insert into links (shop_id, file_id, key_hash, served)
     values (:shop, :file_id, sha256(uuidv7()::text::bytea), :served)`,
    { file_id, served },
  )

test('a list sorted by downloads has the numbers of links and public addresses, also after links went', async () => {
  const [a, b] = await makeFiles(scope, [
    { filename: 'a' },
    { filename: 'b' },
    { filename: 'c' },
    { filename: 'd' },
  ])
  await link(a, 3)
  await link(a, 0)
  await link(b, 5)
  await scope.insert('public_addresses', { file_id: a, downloads: 4 })
  expect(await listed('-downloads', 2)).toEqual(['a 7', 'b 5', 'd 0', 'c 0'])
  expect(await listed('downloads', 3)).toEqual(['c 0', 'd 0', 'b 5', 'a 7'])

  await Promise.all([
    ...Array.from({ length: 5 }, () =>
      scope.query('update links set served = served + 2 where shop_id = :shop and file_id = :b', {
        b,
      }),
    ),
    scope.query('update public_addresses set downloads = downloads - 1 where shop_id = :shop'),
    ...Array.from({ length: 3 }, () => addNotedDownloads(scope, undefined, 2)),
  ])
  const right = ['b 15', 'a 6', 'd 0', 'c 0']
  expect(await listed('-downloads')).toEqual(right)
  await addNotedDownloads(scope)
  expect(await listed('-downloads', 3)).toEqual(right)
  const skipped = await listFilePage(scope, {
    filter: {},
    sort: '-downloads',
    after: null,
    offset: 1,
    limit: 2,
  })
  expect(skipped.map(({ filename }) => filename)).toEqual(['a', 'd'])

  await scope.query('delete from links where shop_id = :shop and served > 10')
  await scope.query('delete from files where shop_id = :shop and id = :a', { a })
  expect(await listed('-downloads')).toEqual(['d 0', 'c 0', 'b 0'])
  await addNotedDownloads(scope, undefined, 1)
  expect(await listed('-downloads')).toEqual(['d 0', 'c 0', 'b 0'])
  expect(await scope.query('select 1 from file_download_changes where shop_id = :shop')).toEqual([])
})

test('another change of a link notes nothing', async () => {
  const [file] = await makeFiles(scope, [{ filename: 'quiet' }])
  await link(file, 0)
  await scope.query('update links set revoked_at = now() where shop_id = :shop')
  expect(await scope.query('select 1 from file_download_changes where shop_id = :shop')).toEqual([])
})
