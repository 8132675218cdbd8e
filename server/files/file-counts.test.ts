// The kept counts agree with the files after every kind of change, and are corrected where not.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { createLogger } from '../core/log.ts'
import { addNotedCounts, checkCounts, countOfTag, readCounts, sweepCounts } from './file-counts.ts'
import { countFiles, EXACT_TOTAL, listTags, totalOfFiles } from './list.ts'
import { usageOfShop } from './quotas.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await insertManyFiles(database.pool, { shop: scope.shop, count: 200, mapped: 0.3 })
})
afterAll(() => database.drop())

/** Every kept total is that of the rows; nothing has to be corrected. */
async function expectRight(): Promise<void> {
  for (const filter of [
    {},
    { mapped: true },
    { mapped: false },
    { type: ['pdf'] },
    { tags: ['tenth'] },
  ])
    expect(await totalOfFiles(scope, filter), JSON.stringify(filter)).toEqual({
      total: await countFiles(scope, filter),
      isExact: true,
    })
  const [usage, { files, stored }] = [
    await usageOfShop(scope),
    await scope.one<{ files: number; stored: number }>(
      `select (select count(*) from files where shop_id = :shop and deleted_at is null)::int as files,
         (select coalesce(sum(b.size_bytes), 0) from blob_locations l join blobs b using (shop_id, hash)
           where l.shop_id = :shop)::float8 as stored`,
    ),
  ]
  expect([usage.files, usage.bytes + usage.leaving]).toEqual([files, stored])
  expect(await checkCounts(scope)).toBe(0)
}

test('counts follow new, changed, deleted, restored and purged files, in the same transaction', async () => {
  await expectRight()
  const changes = [
    `update files set tags = array['tenth', 'new'] where shop_id = :shop and extension = 'pdf'`,
    `update files set mapping_state = 'mapped' where shop_id = :shop and extension = 'pdf'`,
    `update files set extension = 'txt', size_bytes = 7 where shop_id = :shop and tags @> '{tenth}'`,
    `update files set deleted_at = now() where shop_id = :shop and mapping_state = 'mapped'`,
    `update files set deleted_at = null where shop_id = :shop and extension = 'txt'`,
    `delete from files where shop_id = :shop and deleted_at is not null`,
  ]
  for (const change of changes) {
    await scope.transaction(async (tx) => {
      await tx.query(change)
      expect((await totalOfFiles(tx, {})).total).toBe(await countFiles(tx, {}))
    })
    await expectRight()
  }
  expect(await countOfTag(scope, 'new')).toBe(await countFiles(scope, { tags: ['new'] }))
  const [first] = await listTags(scope, { search: 'NEW', limit: 10, after: null })
  expect(first).toEqual({ tag: 'new', files: await countOfTag(scope, 'new') })
})

test('tags are listed with changes that are not in the kept counts yet, in the same order', async () => {
  const page = (after: readonly [number, string] | null = null) =>
    listTags(scope, { search: '', limit: 2, after })
  const all = async () => {
    const pages = []
    for (let rows = await page(); rows.length > 0;) {
      pages.push(...rows)
      const last = rows.at(-1)!
      rows = await page([last.files, last.tag])
    }
    return pages
  }
  const counted = () =>
    scope.query(
      `select tag, count(*) as files from files, unnest(tags) as tag
       where shop_id = :shop and deleted_at is null group by tag order by files desc, tag`,
    )
  await addNotedCounts(scope)
  await scope.query(
    `update files set tags = array['fresh'] || tags[2:] where shop_id = :shop and extension = 'txt'`,
  )
  await scope.query(
    `update files set tags = tags || '{batch-0}' where shop_id = :shop and not tags @> '{batch-0}'`,
  )
  const before = await all()
  expect(before).toEqual(await counted())
  expect(await scope.query('select from file_count_changes where shop_id = :shop')).not.toEqual([])
  await addNotedCounts(scope)
  expect(await all()).toEqual(before)
})

test('wrong counts are found and corrected by the shop’s turn, once a day', async () => {
  await addNotedCounts(scope)
  const right = await readCounts(scope, ['all', 'extension'])
  await scope.query(
    `update file_counts set files = files + 5 where shop_id = :shop and kind = 'all'`,
  )
  const lines: string[] = []
  const log = createLogger('warn', (line) => void lines.push(line))
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour))
  const turn = 24 + (scope.shop % 24)
  await sweepCounts(database, at(turn - 1), { log })
  expect(lines).toEqual([])
  await sweepCounts(database, at(turn), { log })
  expect(lines.join('')).toContain('kept counts of files were wrong')
  expect(await readCounts(scope, ['all', 'extension'])).toEqual(right)
})

test('other totals are counted up to a bound', async () => {
  await insertManyFiles(database.pool, { shop: scope.shop, count: EXACT_TOTAL + 1, prefix: 'more' })
  const filter = { search: 'more', older_than_days: 1 }
  const all = await countFiles(scope, filter)
  expect(all).toBeLessThan(EXACT_TOTAL)
  expect(await totalOfFiles(scope, filter)).toEqual({ total: all, isExact: true })
  expect(await totalOfFiles(scope, { search: 'more' })).toEqual({
    total: EXACT_TOTAL,
    isExact: false,
  })
  expect(await countFiles(scope, { search: 'more' }, 11)).toBe(11)
})

test('links that have reached their limit are known, and those that got more are not', async () => {
  const [file] = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop limit 1',
  )
  const known = () => scope.query('select link_id from used_up_links where shop_id = :shop')
  await scope.query(
    `insert into links (shop_id, file_id, key_hash, download_limit, downloads)
     select :shop, :file, sha256(convert_to('k' || n, 'utf8')), 2, n from generate_series(0, 2) n`,
    { file: file!.id },
  )
  expect(await known()).toHaveLength(1)
  await scope.query(`update links set downloads = downloads + 1 where shop_id = :shop`)
  expect(await known()).toHaveLength(2)
  await scope.query(`update links set download_limit = 9 where shop_id = :shop`)
  expect(await known()).toEqual([])
})
