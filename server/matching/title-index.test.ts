import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { fillMirror } from '../../test/mirror.ts'
import { forShop } from '../core/db/for-shop.ts'
import { createTitleCache } from './title-cache.ts'
import { scoreTitle, titleIndexBuilder } from './title-index.ts'
import { stemOf, wordsOf, wordsOfName } from './words.ts'

// oxfmt-ignore
const WORDS = ['knot', 'knots', 'rope', 'ropes', 'slow', 'bread', 'the', 'tide', 'tables', 'café', 'of', 'final', '2', '12', '2025', '日本']
const title = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '))
const name = fc.oneof(
  title,
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  // A title with a wrong letter.
  fc
    .tuple(title, fc.nat(20), fc.constantFrom('x', ' ', '7', ''))
    .map(([text, at, by]) => text.slice(0, at) + by + text.slice(at + 1)),
)
const indexOf = (titles: readonly string[]) => {
  const builder = titleIndexBuilder()
  titles.forEach((one, at) => builder.add(String(at).padStart(3, '0'), one))
  return builder.build()
}

describe('the index', () => {
  test('finds the same as comparing with every title, for any threshold and margin', () => {
    fc.assert(
      fc.property(
        fc.array(title, { minLength: 1, maxLength: 30 }),
        fc.array(name, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0.01, 0.3, 0.5, 0.8, 1),
        fc.constantFrom(0, 0.05, 0.3),
        (titles, names, floor, margin) => {
          const index = indexOf(titles)
          for (const one of names) {
            const words = wordsOfName(one)
            const all = titles
              .map((text, at) => ({
                id: String(at).padStart(3, '0'),
                score: scoreTitle(words, wordsOf(text)),
              }))
              .filter(({ score }) => score >= floor)
              .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
            const close = all.filter(({ score }) => score >= all[0]!.score - margin)
            expect(index.search(words, { floor, margin, limit: 100 })).toEqual(close)
            expect(index.search(words, { floor, margin, limit: 2 })).toEqual(close.slice(0, 2))
          }
        },
      ),
      { numRuns: 500 },
    )
  })
  test('finds all titles with the best score', () => {
    const index = indexOf(['tables knot the', 'ropes café the', 'knot'])
    const words = wordsOfName('slow café tables')
    const found = index.search(words, { floor: 0.01, margin: 0, limit: 100 })
    expect(found.map(({ id }) => id)).toEqual(['000', '001'])
  })
  test('with no titles, or for a name without words, finds nothing', () => {
    expect(indexOf([]).search(wordsOfName('a.pdf'), { floor: 0, margin: 1, limit: 9 })).toEqual([])
    expect(
      indexOf(['a', '–']).search(wordsOfName('--.pdf'), { floor: 0.1, margin: 1, limit: 9 }),
    ).toEqual([])
  })
})

describe('words', () => {
  test.each([
    ['Slow-Bread_final (2).pdf', ['slow', 'bread'], ['2']],
    ['The Lighthouse Keeper’s Ledger', ['the', 'lighthouse', 'keepers', 'ledger'], []],
    ['Café & Crème', ['cafe', 'and', 'creme'], []],
    ['TideTables2025.v03.epub', ['tide', 'tables'], ['2025', '3']],
    ['Final Version.pdf', ['final', 'version'], []],
    ['archive.tar.gz', ['archive'], []],
    ['007 007.pdf', [], ['7']],
    ['日本 ŁÓDŹ.pdf', ['日本', 'lodz'], []],
  ])('of %s', (text, letters, numbers) =>
    expect(wordsOfName(text)).toMatchObject({ letters, numbers }),
  )
  test.each([
    ['a.pdf', 'a'],
    ['Vol. 2', 'Vol. 2'],
    ['vol.2', 'vol.2'],
    ['song.mp3', 'song'],
    ['.env', '.env'],
    ['a.backup-of-monday', 'a.backup-of-monday'],
    ['', ''],
  ])('the stem of %s', (text, stem) => expect(stemOf(text)).toBe(stem))
})

describe('cached indexes', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  const shopOf = async (domain: string) => forShop(database, await createTestShop(database, domain))
  const options = { floor: 0.8, margin: 0, limit: 5 }
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.drop())

  test('are built once, and again when the mirror has changed', async () => {
    const scope = await shopOf('kept.myshopify.com')
    const cache = createTitleCache()
    expect((await cache.of(scope)).size).toBe(0)
    await fillMirror(scope, [{ title: 'Slow Bread' }])
    const [first, same] = await Promise.all([cache.of(scope), cache.of(scope)])
    expect(first).toBe(same)
    expect(first.search(wordsOf('slow bread'), options)).toHaveLength(1)
    await fillMirror(scope, [{ title: 'Slow Bread' }])
    expect(await cache.of(scope)).toBe(first)
    await fillMirror(scope, [{ title: 'Slow Bread' }, { title: 'Slow Breads' }])
    expect((await cache.of(scope)).size).toBe(2)
  })

  test('are evicted when there is no room for all, least recently used first', async () => {
    const cache = createTitleCache(5)
    const shops = await Promise.all(
      ['a', 'b', 'c'].map((one) => shopOf(`room-${one}.myshopify.com`)),
    )
    for (const scope of shops) await fillMirror(scope, [{ title: 'One' }, { title: 'Two' }])
    const [a, b, c] = shops
    const [ofA, ofB] = [await cache.of(a!), await cache.of(b!)]
    expect(await cache.of(a!)).toBe(ofA)
    await cache.of(c!)
    expect(cache.titles).toBe(4)
    expect(await cache.of(a!)).toBe(ofA)
    expect(await cache.of(b!)).not.toBe(ofB)
  })

  test('one that could not be built is built again', async () => {
    const scope = await shopOf('again.myshopify.com')
    const cache = createTitleCache()
    // oxfmt-ignore
    const broken = { ...scope, query: (sql: string, bindings = {}) => sql.includes('from products') ? Promise.reject(new Error('away')) : scope.query(sql, bindings) } as typeof scope
    await expect(cache.of(broken)).rejects.toThrow('away')
    expect((await cache.of(scope)).size).toBe(0)
  })
})
