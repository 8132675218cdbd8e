// What is kept of reviews agrees with their files and candidates after every kind of change.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../../test/database.ts'
import { insertManyFiles } from '../../../../test/factories.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { hitOfTitle } from '../../../matching/hits.ts'
import {
  countOpen,
  countUnambiguous,
  decideReviews,
  listReviewGroups,
  listReviews,
  recordReviews,
  reopenRejected,
} from './reviews.ts'

const COUNT = 60

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let operation: string
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await insertManyFiles(database.pool, { shop: scope.shop, count: COUNT, mapped: 0 })
  const made = await scope.one<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total)
     values (:shop, 'bulk', 'map-products', 'api', '{}', 'test', 0) returning id`,
  )
  operation = made.id
  await ask('deleted_at is null')
})
afterAll(() => database.drop())

const files = async (where: string): Promise<string[]> =>
  (
    await scope.query<{ id: string }>(
      `select id from files where shop_id = :shop and ${where} order by filename`,
    )
  ).map(({ id }) => id)

/** Reviews of files, of six kinds: two products, by a title, and some with two equal candidates. */
async function ask(where: string): Promise<void> {
  const found = (await files(where)).map((fileId, n) => {
    const candidate = (product: number, likeness: number) =>
      hitOfTitle(`gid://shopify/Product/${product}`, 'A title', likeness)
    const best = candidate(1 + (n % 2), 0.9 - (n % 7) / 100)
    const other = candidate(3, n % 3 === 0 ? best.score : 0.5)
    return { fileId, candidates: [best, other], replaces: n % 5 === 0 }
  })
  await scope.transaction((tx) => recordReviews(tx, operation, found as never))
}

/** What the lists say, and what the rows say without anything that is kept. */
async function expectRight(): Promise<void> {
  const rows = await scope.query<{ sure: boolean; product: string; id: string }>(
    `select r.id, r.candidates #>> '{0,product_id}' as product,
       (r.candidates -> 0 ->> 'score')::real > (r.candidates -> 1 ->> 'score')::real as sure
     from reviews r join files f on f.shop_id = r.shop_id and f.id = r.file_id
     where r.shop_id = :shop and r.status = 'open' and f.deleted_at is null
       and (f.mapping_state <> 'mapped' or r.replaces and not exists (select from mappings m
         where m.shop_id = r.shop_id and m.file_id = r.file_id and m.created_at > r.created_at))
     order by r.id desc`,
  )
  const listed = await listReviews(scope, { status: 'open', limit: 1000 })
  expect(listed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  expect(await countOpen(scope)).toBe(rows.length)
  expect(await countOpen(scope, 7)).toBe(Math.min(7, rows.length))
  expect(await countUnambiguous(scope, [0, 2])).toEqual([rows.filter(({ sure }) => sure).length, 0])
  const { groups, open } = await listReviewGroups(scope, { limit: 1000 })
  expect(open).toBe(rows.length)
  const counts = [...Map.groupBy(rows, ({ product }) => product).values()].map((of) => of.length)
  expect(groups.map(({ count }) => count)).toEqual(counts.toSorted((a, b) => b - a))
  for (const { review, count } of groups) {
    const like = { status: 'open', like: review.id, limit: 1000 } as const
    expect((await listReviews(scope, like)).length).toBe(count)
  }
}

test('lists, groups and counts follow every change of files and of reviews', async () => {
  await expectRight()
  const half = `id < (select id from files where shop_id = :shop order by id offset ${COUNT / 2} limit 1)`
  const changes = [
    `update files set mapping_state = 'mapped' where shop_id = :shop and ${half}`,
    `insert into mappings (shop_id, file_id, product_id, product_title, method, score,
       reason)
     select shop_id, id, 'gid://shopify/Product/9', 'Other', 'manual', 1, 'x' from files
     where shop_id = :shop and ${half} and abs(hashtext(filename)) % 2 = 0`,
    `update files set deleted_at = now() where shop_id = :shop and abs(hashtext(filename)) % 3 = 0`,
    `update files set deleted_at = null where shop_id = :shop and abs(hashtext(filename)) % 6 = 0`,
    `update files set mapping_state = 'unmapped' where shop_id = :shop and abs(hashtext(filename)) % 5 = 0`,
    `delete from files where shop_id = :shop and abs(hashtext(filename)) % 7 = 0`,
  ]
  for (const change of changes) {
    await scope.query(change)
    await expectRight()
  }
  const open = (await listReviews(scope, { status: 'open', limit: 1000 })).map(({ id }) => id)
  await decideReviews(scope, open.slice(0, 20), 'rejected', 'a person')
  await expectRight()
  await scope.query(`update files set mapping_state = 'mapped' where shop_id = :shop and id in (
    select file_id from reviews where status = 'rejected' order by id limit 10)`)
  await scope.transaction((tx) => reopenRejected(tx, open.slice(0, 20)))
  await expectRight()
  await ask(`mapping_state <> 'mapped'`)
  await expectRight()
})

test('a file that is mapped while its review is recorded needs no review', async () => {
  const [file] = await files(`mapping_state <> 'mapped' and deleted_at is null`)
  await scope.query('delete from reviews where shop_id = :shop')
  const review = {
    fileId: file!,
    candidates: [hitOfTitle('gid://shopify/Product/1', 'A', 0.9)],
    replaces: false,
  }
  let mapping: Promise<unknown> = Promise.resolve()
  await scope.transaction(async (tx) => {
    await recordReviews(tx, operation, [review as never])
    mapping = scope.query(
      `update files set mapping_state = 'mapped' where shop_id = :shop and id = :id`,
      { id: file },
    )
    await expect
      .poll(
        async () =>
          (
            await database.pool.query(
              `select from pg_locks where not granted and database = (
               select oid from pg_database where datname = current_database())
             union all select from pg_stat_activity
             where wait_event_type = 'Lock' and datname = current_database()`,
            )
          ).rows.length,
      )
      .toBeGreaterThan(0)
  })
  await mapping
  expect(await countOpen(scope)).toBe(0)
  await expectRight()
})
