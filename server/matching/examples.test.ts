// Runs the examples of docs/merchants/mapping.md, which describes the results for some files.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { fillMirror } from '../../test/mirror.ts'
import type { Match } from '../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { createMatcher } from './match.ts'
import { createTitleCache } from './title-cache.ts'

const text = readFileSync(new URL('../../docs/merchants/mapping.md', import.meta.url), 'utf8')
/** The rows of the table whose first heading is `heading`. */
function tableOf(heading: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `))
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  // oxfmt-ignore
  return lines.slice(start + 2, end).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()))
}
// oxfmt-ignore
const listOf = (cell: string) => cell.split(',').map((one) => one.trim()).filter(Boolean)

const catalog = tableOf('product').map(([title, skus, tags]) => ({
  title: title!,
  skus: listOf(skus!),
  tags: listOf(tags!),
}))
const examples = tableOf('file').map(
  ([file, tags, becomes]) => [file!.slice(1, -1), listOf(tags!), becomes!] as const,
)

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await fillMirror(scope, catalog)
})
afterAll(() => database.drop())

/** The result in the document's words. */
function wordsFor({ mapping, candidates, suggestions }: Match): string {
  const listed = (all: Match['candidates']) =>
    all.map((one) => `${one.product_title} ${one.score}`).join(', ')
  if (candidates.length > 0) return `review: ${listed(candidates)}`
  if (suggestions.length > 0) return `suggested: ${listed(suggestions)}`
  if (!mapping) return 'unmapped'
  const { product_title, sku, variant_id, method, score } = mapping
  return `${product_title}${variant_id ? ` (variant ${sku})` : ''}, by ${method}, ${score}`
}

test('the document has the expected number of examples', () =>
  expect([catalog.length, examples.length]).toEqual([15, 28]))

test.each(examples)('%s %j: %s', async (filename, tags, becomes) => {
  const rules = { by: ['sku', 'filename', 'title', 'tags'] as const, threshold: 0.8 }
  const match = createMatcher(createTitleCache())
  const [found] = await match(scope, [{ filename, tags }], rules, new AbortController().signal)
  expect(wordsFor(found!)).toBe(becomes)
})

test('a SKU always matches, regardless of the confidence threshold', async () => {
  const match = createMatcher(createTitleCache())
  // oxfmt-ignore
  const files = ['BREAD_sample chapter.pdf', 'slow-bread_final_v3.pdf', 'PRINT_A3.jpg'].map((filename) => ({ filename, tags: [] }))
  const found = await match(
    scope,
    files,
    { by: ['filename', 'title'], threshold: 1 },
    new AbortController().signal,
  )
  expect(found.map(wordsFor)).toEqual([
    'Slow Bread (variant BREAD), by filename, 0.95',
    'suggested: Slow Bread 0.94',
    'review: Anchor Poster 0.95, Compass Poster 0.95',
  ])
})
