import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/code-points.ts'
import { quoteSearchValue } from '../storefront/catalog.ts'
import { parseSearch, type Expression } from './search-query.ts'
import { indexed, keyword, ordered, search, words, type Fields } from './search.ts'

const ROWS = [
  {
    id: 10,
    sku: 'EB-001',
    title: 'Slow Bread',
    tags: ['ebook', 'baking'],
    vendor: 'Harbour Press',
  },
  { id: 11, sku: 'eb 001', title: 'Slow Boats', tags: [], vendor: 'Harbour Press' },
  { id: 12, sku: 'EB-0012', title: 'Bread, Slowly', tags: ['ebook'], vendor: 'O’Neil & Co' },
  { id: 13, sku: '', title: 'Tide (2025): Tables', tags: ['Sheet Music'], vendor: '' },
]
const bySku = (folded: string) =>
  ROWS.flatMap(({ sku }, row) => (fold(sku) === folded ? [row] : []))
const fold = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, ' ')
const title = words((row) => ROWS[row]!.title)
const sku = indexed((row) => ROWS[row]!.sku, bySku)
const FIELDS: Fields = {
  id: ordered((row) => ROWS[row]!.id, Number),
  sku,
  title,
  tag: keyword((row) => ROWS[row]!.tags),
  vendor: keyword((row) => ROWS[row]!.vendor),
}

const run = (query: string) => search(parseSearch(query), FIELDS, title, ROWS.length)
const ids = (query: string) => (run(query).found ?? [0, 1, 2, 3]).map((row) => ROWS[row]!.id).sort()

test.each<[string, number[]]>([
  ['', [10, 11, 12, 13]],
  ['   ', [10, 11, 12, 13]],
  ['sku:EB-001', [10, 11]],
  ['SKU:eb-001', [10, 11]],
  ['sku:"EB-001"', [10, 11]],
  ["sku:'EB-001'", [10, 11]],
  ['sku:EB-00', []],
  ['sku:EB-00*', [10, 11, 12]],
  ['sku:*', [10, 11, 12]],
  ['-sku:*', [13]],
  ['NOT sku:*', [13]],
  ['slow', [10, 11]],
  ['slow*', [10, 11, 12]],
  ['slow bread', [10]],
  ['"slow bread"', [10]],
  ['"bread slow"', []],
  ['title:slow AND title:bread', [10]],
  ['title:slow title:bread OR id:13', [10, 13]],
  ['title:slow (title:bread OR id:11)', [10, 11]],
  ['title:slow -(title:bread OR id:13)', [11]],
  ['(title:slow', [10, 11]],
  ['title:slow) id:10', [10]],
  ['tag:ebook', [10, 12]],
  ['tag:"sheet music"', [13]],
  ['tag:baking,"', [10]],
  ['vendor:"harbour press"', [10, 11]],
  ['vendor:"O’Neil & Co"', [12]],
  ['title:"Tide \\(2025\\)\\: Tables"', [13]],
  ['title:Tide\\ \\(2025\\)', [13]],
  ['id:>11', [12, 13]],
  ['id:>=11 id:<13', [11, 12]],
  ['id:nonsense', [10, 11, 12, 13]],
  ['AND OR', [10, 11, 12, 13]],
  ['and', []],
  ['sku:"unclosed', []],
  [':', [10, 11, 12, 13]],
  [':bread id:10', [10]],
])('%s', (query, expected) => expect(ids(query)).toEqual(expected))

test('an unknown field is ignored, with a warning', () => {
  expect(ids('colour:red title:bread')).toEqual([10, 12])
  expect(run('colour:red title:bread').warnings).toEqual([
    { field: 'colour', message: 'Invalid search field for this query.', code: 'invalid_field' },
  ])
})

test('a quoted value matches exactly its text', () => {
  const terms = (expression: Expression | null): Expression[] =>
    expression === null
      ? []
      : 'of' in expression
        ? [expression.of].flat().flatMap(terms)
        : [expression]
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: codePoint }), { minLength: 1, maxLength: 5 }),
      (texts) => {
        const query = texts.map((text) => `sku:${quoteSearchValue(text)}`).join(' OR ')
        const read = terms(parseSearch(query)).map((term) =>
          'value' in term ? [term.field, term.value + (term.prefix ? '*' : '')] : [],
        )
        expect(read).toEqual(texts.map((text) => ['sku', text]))
      },
    ),
  )
})

test('any text can be parsed', () => {
  fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => void parseSearch(text)))
  fc.assert(fc.property(fc.stringMatching(/^[ab():"'\\* \-<>=ANDORT]*$/), (text) => void run(text)))
})
