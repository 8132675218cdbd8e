// SKUs that people and programs write in different ways: one code, unless a letter or a digit differs.
import { expect, it } from 'vitest'
import { otherSkuKeys, skuKey } from './sku-key.ts'

it.each([
  ['AB–001', 'AB-001'],
  ['AB−001', 'AB-001'],
  ['AB⁃001', 'AB-001'],
  ['AB˗001', 'AB-001'],
  ['AB  001', 'AB 001'],
  ['AB \u00a0001', 'AB 001'],
  ['AB\u2007001', 'AB 001'],
  ['AB\u0085001', 'AB 001'],
  ['AB\u2800001', 'AB 001'],
  ['A\u034fB\u2060C', 'ABC'],
  ['ＡＢ－００１', 'AB-001'],
  ['½-KIT', '1/2-KIT'],
  ['A∕B', 'A/B'],
  ['HOOP-10″', 'HOOP-10"'],
  ['HOOP-10”', 'HOOP-10"'],
  ['„A“', '"A"'],
  ['O’NEIL', "O'NEIL"],
  ['STRAẞE', 'straße'],
])('%j is %j', (one, other) => expect(skuKey(one)).toBe(skuKey(other)))

it.each([
  ['AB-001', 'AB-0011'],
  ['AB 001', 'AB001'],
  ['AB/1', 'AB-1'],
  ["HOOP-10'", 'HOOP-10"'],
])('%j is not %j', (one, other) => expect(skuKey(one)).not.toBe(skuKey(other)))

it('may be written with x for ×', () =>
  expect(otherSkuKeys(skuKey('PRINT-20×30'))).toContain(skuKey('print-20x30')))
