import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameKey } from '../../plugins/contract.ts'
import { skuPrefixes } from './sku-prefix.ts'

describe('SKUs that a name may begin with', () => {
  test.each([
    ['BREAD_x.pdf', ['bread_x.pdf', 'bread_x', 'bread']],
    ['a-b.c d', ['a-b.c d', 'a-b.c', 'a-b']],
    ['EB 001.pdf', ['eb 001.pdf', 'eb 001']],
    ['K_x', ['k_x', 'k']],
    ['K-x', ['k-x']],
    ['K', ['k']],
    ['K.pdf', ['k.pdf', 'k']],
    ['_x', ['_x']],
    ['', []],
  ])('%s', (name, prefixes) => expect(skuPrefixes(name)).toEqual(prefixes))

  // The catalog as a set: what the look-up in the mirror answers.
  const longest = (name: string, catalog: readonly string[]) => {
    const keys = new Set(catalog.map(nameKey))
    return skuPrefixes(name).find((prefix) => keys.has(prefix))
  }
  const sku = fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '-', '.', ' ', 'é'), minLength: 3, maxLength: 8 }).filter((text) => text.trim() === text) // prettier-ignore
  const rest = fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '-', '.', ' '), maxLength: 10 })

  test('the longest SKU of the catalog that the name begins with, and that ends at a delimiter', () => {
    fc.assert(
      fc.property(
        fc.array(sku, { maxLength: 20 }),
        sku,
        fc.constantFrom('_', '-', '.', ' ', ''),
        rest,
        (catalog, own, delimiter, tail) => {
          const name = delimiter === '' ? own : `${own}${delimiter}${tail}`
          const all = [...catalog, own]
          const key = nameKey(name)
          const ends = (at: number) => at === key.length || '_-. '.includes(key[at]!)
          const expected = all.map(nameKey).filter((one) => key.startsWith(one) && ends(one.length)).sort((a, b) => b.length - a.length)[0] // prettier-ignore
          expect(longest(name, all)).toBe(expected)
          expect(longest(name.toUpperCase(), all)).toBe(longest(name.toLowerCase(), all))
        },
      ),
      { numRuns: 1000 },
    )
  })
  test('a SKU that goes on in the name is none', () => {
    fc.assert(
      fc.property(sku, fc.constantFrom('a', 'Z', '9', 'é'), (own, letter) => {
        expect(skuPrefixes(`${own}${letter}`)).not.toContain(nameKey(own))
      }),
    )
  })
})
