// Lists of a large shop are read by their indexes: what PostgreSQL means to do with each, as EXPLAIN says it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import type { FileFilter } from './filter.ts'
import { countFiles, cursorOf, FILE_SORTS, listFiles } from './list.ts'

const FILES = 40_000
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  for (const domain of ['large.myshopify.com', 'other.myshopify.com']) {
    const shop = await createTestShop(database, domain)
    scope ??= forShop(database, shop)
    await insertManyFiles(database.pool, { shop, count: FILES, prefix: domain, mapped: 0.9 })
  }
  await database.pool.query('vacuum analyze')
}, 120_000)
afterAll(() => database.drop())

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** The scope with every query explained instead of run. */
async function explained(work: (explaining: ShopScope) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  const explaining: ShopScope = {
    ...scope,
    query: async <Row extends object>(sql: string, bindings = {}) => {
      const [row] = await scope.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (format json) ${sql}`, bindings)
      plans.push(...nodes(row!['QUERY PLAN'][0]!.Plan))
      return [{ count: 0 }] as unknown as Row[]
    },
  }
  await work(explaining)
  return plans
}

const indexes = (plans: readonly Plan[]) => plans.flatMap((plan) => plan['Index Name'] ?? [])
const scannedWhole = (plans: readonly Plan[]) =>
  plans.filter((plan) => plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] === 'files')

const FILTERS: [string, FileFilter, RegExp][] = [
  ['by rare tags', { tags: ['ebook', 'batch-7'] }, /^files_tags$/],
  ['by part of a name', { search: 'course-00123' }, /^files_name_parts$/],
  ['by type', { type: ['pdf'] }, /^files_/],
  ['the largest', { larger_than: 199_900_000 }, /^files_size$/],
  ['the oldest', { uploaded_before: '2000-01-01' }, /^files_created$/],
  ['without a product', { mapped: false }, /^files_/],
]

describe('a list of 40,000 files', () => {
  it.each(FILE_SORTS)('sorted by %s is read in the order of an index, on any page', async (sort) => {
    const [row] = await listFiles(scope, { filter: {}, sort, after: null, limit: 1 })
    for (const after of [null, cursorOf(row!, sort)]) {
      const plans = await explained((on) => listFiles(on, { filter: {}, sort, after, limit: 50 }))
      expect(scannedWhole(plans)).toEqual([])
      expect(indexes(plans).some((name) => /^files_(created|name|size)$/.test(name))).toBe(true)
    }
  })
  it.each(FILTERS)('%s uses the index for it, listed and counted', async (_, filter, index) => {
    const listed = await explained((on) => listFiles(on, { filter, sort: '-created_at', after: null, limit: 50 }))
    const counted = await explained((on) => countFiles(on, filter))
    for (const plans of [listed, counted]) {
      expect(scannedWhole(plans)).toEqual([])
      expect(indexes(plans).find((name) => index.test(name))).toBeDefined()
    }
  })
})
