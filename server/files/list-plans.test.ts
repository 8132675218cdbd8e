// Lists of a large shop are read by indexes: checks PostgreSQL's plans with EXPLAIN.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { sized } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { toPublicId } from '../core/ids.ts'
import { firstOf } from '../core/lazy.ts'
import { compileFilter, type FileFilter } from './filter.ts'
import { countFiles, cursorOf, FILE_SORTS, listFilePage, totalOfFiles } from './list.ts'

const FILES = sized(8000, 40_000)
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
/** Large: a quarter of all files; small: about thirty. */
let packs: { large: string; small: string }
beforeAll(async () => {
  database = await openTestDatabase()
  for (const domain of ['large.myshopify.com', 'other.myshopify.com']) {
    const shop = await createTestShop(database, domain)
    scope ??= forShop(database, shop)
    await insertManyFiles(database.pool, { shop, count: FILES, prefix: domain, mapped: 0.9 })
    packs ??= await fillPacks()
  }
  await fillLinks()
  await fillDeliveries()
  await scope.query(
    `insert into blobs (shop_id, hash, size_bytes)
       select :shop, sha256(n::text::bytea), 1 from generate_series(1, :most) n`,
    { most: FILES },
  )
  await database.pool.query('vacuum analyze')
})
afterAll(() => database.drop())

/** Puts half of the files into packs. */
async function fillPacks() {
  const ids = await scope.query<{ id: string }>(
    `insert into packs (shop_id, name, name_key) select :shop, 'Pack ' || n, 'pack ' || n
       from generate_series(1, 300) n
     returning id`,
  )
  await scope.query(
    `insert into pack_files (shop_id, pack_id, file_id, position)
     select :shop, (:ids::uuid[])[case when place <= :most / 4 then 1
       else 2 + place % 299 end], id, place
     from (select id, row_number() over (order by id)::int as place from files
       where shop_id = :shop) o
     where place <= :most / 2`,
    { ids: ids.map(({ id }) => id), most: FILES },
  )
  return { large: toPublicId('pack', ids[0]!.id), small: toPublicId('pack', ids[299]!.id) }
}

/** Gives every second file a link with an address. */
async function fillLinks(): Promise<void> {
  const half = `from files where shop_id = :shop and mod(hashtext(id::text), 2) = 0`
  await scope.query(`insert into public_addresses (shop_id, file_id) select shop_id, id ${half}`)
  await scope.query(
    `insert into links (shop_id, file_id, key_hash)
       select shop_id, id, sha256(id::text::bytea) ${half}`,
  )
}

/** Sells every second file, each in a separate order. */
async function fillDeliveries(): Promise<void> {
  await scope.query(
    `with sold as (
       select id as file, gen_random_uuid() as delivery from files
       where shop_id = :shop and mod(hashtext(id::text), 2) = 0
     ), ordered as (
       insert into orders (shop_id, id, name, ordered_at, changed_at)
       select :shop, file::text, '#1', now(), now() from sold
     ), delivered as (
       insert into deliveries (shop_id, id, order_id) select :shop, delivery, file::text from sold
     )
     insert into delivery_files (shop_id, delivery_id, line_id, file_id)
     select :shop, delivery, 'line', file from sold`,
  )
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** A scope that explains every query instead of running it. */
async function explained(work: (explaining: ShopScope) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  const explaining: ShopScope = {
    ...scope,
    query: async <Row extends object>(sql: string, bindings = {}) => {
      if (!/\bfiles\b/.test(sql)) return scope.query<Row>(sql, bindings)
      const [row] = await scope.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (format json) ${sql}`,
        bindings,
      )
      plans.push(...nodes(row!['QUERY PLAN'][0]!.Plan))
      return [{ count: 0, hits: 0, ids: '{}' }] as unknown as Row[]
    },
    one: async (sql, bindings) => firstOf(await explaining.query(sql, bindings)),
    first: async <Row extends object>(sql: string, bindings = {}) =>
      (await explaining.query<Row>(sql, bindings))[0] ?? null,
    has: async (sql, bindings) => (await explaining.query(sql, bindings)).length > 0,
  }
  await work(explaining)
  return plans
}

const indexes = (plans: readonly Plan[]) => plans.flatMap((plan) => plan['Index Name'] ?? [])
const scannedWhole = (plans: readonly Plan[]) =>
  plans.filter((plan) => plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] === 'files')

const FILTERS: [string, FileFilter, RegExp][] = [
  ['by rare tags', { tags: ['ebook', 'batch-7'] }, /^files_tags$/],
  ['by part of a name', { name_contains: 'course-00123' }, /^files_search$/],
  ['by words', { search: 'Course-00123 batch-7' }, /^files_search$/],
  ['by type', { type: ['pdf'] }, /^files_/],
  ['the largest', { larger_than: 199_900_000 }, /^files_size$/],
  ['the oldest', { uploaded_before: '2000-01-01' }, /^files_created$/],
  ['without a product', { mapped: false }, /^files_/],
  ['by one of several tags', { tags_any: ['batch-7', 'batch-8'] }, /^files_/],
  ['by the end of a name', { name_ends: '00123.pdf' }, /^files_name_parts$/],
  ['by a pattern', { name_like: '*00123*' }, /^files_name_parts$/],
]

describe('a list of many files', () => {
  it.each(FILE_SORTS.filter((sort) => !sort.endsWith('pack_position')))(
    'sorted by %s is read in the order of an index, on any page',
    async (sort) => {
      const [row] = await listFilePage(scope, {
        filter: {},
        sort,
        after: null,
        limit: 1,
        offset: FILES / 2,
      })
      for (const after of [null, cursorOf(row!, sort)]) {
        const plans = await explained((on) =>
          listFilePage(on, { filter: {}, sort, after, limit: 50 }),
        )
        expect(scannedWhole(plans)).toEqual([])
        expect(
          indexes(plans).some((name) =>
            /^(files_(created|name|size)|file_downloads_order)$/.test(name),
          ),
        ).toBe(true)
      }
    },
  )
  it.each(['pack_position', '-pack_position'])(
    'of one pack sorted by %s is read in that order, on any page',
    async (sort) => {
      for (const pack of Object.values(packs)) {
        const filter = { pack }
        const [row] = await listFilePage(scope, { filter, sort, after: null, limit: 1 })
        for (const after of [null, cursorOf(row!, sort)]) {
          const plans = await explained((on) =>
            listFilePage(on, { filter, sort, after, limit: 50 }),
          )
          expect(scannedWhole(plans)).toEqual([])
          expect(indexes(plans)).toContain('pack_files_place')
          expect(
            plans.some(
              (plan) =>
                plan['Node Type'] === 'Sort' && plan.Plans?.[0]?.['Relation Name'] === 'pack_files',
            ),
          ).toBe(false)
        }
      }
    },
  )
  it.each(FILE_SORTS)(
    'of one pack is found by an index, sorted by %s and counted',
    async (sort) => {
      for (const pack of Object.values(packs)) {
        const listed = await explained((on) =>
          listFilePage(on, { filter: { pack }, sort, after: null, limit: 50 }),
        )
        const counted = await explained((on) => countFiles(on, { pack }))
        for (const plans of [listed, counted]) expect(scannedWhole(plans)).toEqual([])
        expect(indexes(counted).some((name) => name.startsWith('pack_files_'))).toBe(true)
      }
    },
  )
  it('finds related rows by their keys, for any size of the shop', async () => {
    const plans = await explained((on) =>
      listFilePage(on, { filter: {}, sort: '-created_at', after: null, limit: 50 }),
    )
    expect(plans.filter((plan) => plan['Node Type'] === 'Seq Scan')).toEqual([])
    expect(indexes(plans)).toEqual(
      expect.arrayContaining([
        'mappings_pkey',
        'links_file',
        'delivery_files_file',
        'packs_pkey',
        'public_addresses_pkey',
      ]),
    )
  })
  it.each(FILTERS)('%s uses the index for it, listed and counted', async (_, filter, index) => {
    const listed = await explained((on) =>
      listFilePage(on, { filter, sort: '-created_at', after: null, limit: 50 }),
    )
    const counted = await explained((on) => countFiles(on, filter))
    for (const plans of [listed, counted]) {
      expect(scannedWhole(plans)).toEqual([])
      expect(indexes(plans).find((name) => index.test(name))).toBeDefined()
    }
  })
})

it('looks up the words of a search once for the page and its total', async () => {
  const statements: string[] = []
  const noted: ShopScope = {
    ...scope,
    query: (sql, bindings) => {
      statements.push(sql)
      return scope.query(sql, bindings)
    },
    one: async (sql, bindings) => firstOf(await noted.query(sql, bindings)),
    first: async <Row extends object>(sql: string, bindings = {}) =>
      (await noted.query<Row>(sql, bindings))[0] ?? null,
    has: async (sql, bindings) => (await noted.query(sql, bindings)).length > 0,
  }
  const filter: FileFilter = { find: 'course 4711' }
  const condition = await compileFilter(noted, filter)
  const lookups = statements.length
  await listFilePage(noted, { filter: condition, sort: '-created_at', after: null, limit: 50 })
  const { total } = await totalOfFiles(noted, filter, { condition, most: Infinity })
  expect(statements).toHaveLength(lookups + 2)
  expect(total).toBe(await countFiles(scope, filter))
})
