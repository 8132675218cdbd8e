// Typing errors of SKUs: what is offered, and what is never guessed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { fillMirror } from '../../test/mirror.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { nearSkus } from './near-skus.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
const SKUS = [
  'EB-001',
  'EB-002',
  'Harbour-Chart',
  'TWIN-O',
  'twin-0',
  'A-1',
  'B-1',
  'EB-01',
  'Karte-ü',
]
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await fillMirror(
    scope,
    SKUS.map((sku) => ({ title: sku, skus: [sku] })),
  )
})
afterAll(() => database.drop())

test.each([
  ['EB-00l', 'EB-001', 'a letter for a digit'],
  ['EB-OO2', 'EB-002', 'two letters for digits, in capitals'],
  ['E8-001', 'EB-001', 'a digit for a letter'],
  ['EB001', 'EB-001', 'no delimiter'],
  ['harbourchart', 'Harbour-Chart', 'no delimiter, in another case'],
  ['Harbor-Chart', 'Harbour-Chart', 'a letter is missing'],
  ['Harbour-Chartt', 'Harbour-Chart', 'a letter is doubled'],
  ['Hrabour Chart', 'Harbour-Chart', 'two letters in the other order, and another delimiter'],
  ['Harbour-Chert', 'Harbour-Chart', 'another letter'],
  ['Kartee-ü', 'Karte-ü', 'a word beside other letters'],
])('%s may be %s: %s', async (typed, meant) =>
  expect(await nearSkus(scope, [typed])).toEqual(new Map([[typed, meant]])),
)

test.each([
  ['EB-003', 'another number is another product'],
  ['EB-010', 'a digit more too'],
  ['C-1', 'one letter of a short word too'],
  ['TWIN-Q', 'nothing looks like it'],
  ['TW1N-o', 'two SKUs can be meant'],
  ['', 'nothing was typed'],
  ['constructor', 'a name of every object'],
  ['x'.repeat(300), 'longer than SKUs are'],
])('%s is none of the shop: %s', async (typed) =>
  expect(await nearSkus(scope, [typed])).toEqual(new Map()),
)

test('many SKUs are answered together, and each once', async () => {
  const typed = Array.from({ length: 250 }, (_, n) => `none-${n}`)
  expect(await nearSkus(scope, [...typed, 'EB-00l', 'EB-00l', 'E8-002'])).toEqual(
    new Map([
      ['EB-00l', 'EB-001'],
      ['E8-002', 'EB-002'],
    ]),
  )
})
