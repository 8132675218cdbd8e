import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { inEnglish } from '../../test/english.ts'
import { fillMirror } from '../../test/mirror.ts'
import { nameKey } from '../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { createMatcher } from './match.ts'
import { laterRuns, startRuns } from './sku-in-name.ts'
import { findSpelledSkus } from './spelled-skus.ts'
import { createTitleCache } from './title-cache.ts'

const keysOf = (runs: readonly { key: string; weak: boolean }[], weak: boolean) =>
  runs.filter((run) => run.weak === weak).map(({ key }) => key)

describe('SKUs at the beginning of a name', () => {
  test.each([
    ['BREAD_x.pdf', ['bread-x-pdf', 'bread-x', 'bread']],
    ['a-b.c d', ['a-b-c-d', 'a-b-c', 'a-b', 'a']],
    ['EB 001.pdf', ['eb-001-pdf', 'eb-001', 'eb']],
    ['EB-010(2).pdf', ['eb-010-2-pdf', 'eb-010-2', 'eb-010', 'eb']],
    ['K_x', ['k-x', 'k']],
    ['K-x', ['k-x', 'k']],
    ['K', ['k']],
    ['K.pdf', ['k-pdf', 'k']],
    ['(EB-1) x', ['eb-1-x', 'eb-1', 'eb']],
    ['', []],
    ['--.-', []],
  ])('%s', (name, keys) => expect(startRuns(name).map(({ key }) => key)).toEqual(keys))

  test.each([
    ['K_x', []],
    ['K-x', ['k']],
    ['K.pdf', []],
    ['EB 001.pdf', ['eb']],
  ])('too short to count in %s: %j', (name, weak) =>
    expect(keysOf(startRuns(name), true)).toEqual(weak),
  )
})

test('SKUs elsewhere in a name begin and end at delimiters; plain words and numbers are weak, and extensions are ignored', () => {
  const runs = laterRuns('Guide EB-006 [2].mp3')
  expect(keysOf(runs, false)).toEqual(['eb-006', 'eb-006-2', 'eb-006-2-mp3', '006-2-mp3', '2-mp3'])
  expect(keysOf(runs, true)).toEqual(['eb', '006', '006-2', '2'])
})

describe('in a catalog', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  let shops = 0
  const shopWith = async (...products: readonly (readonly string[])[]) => {
    const scope = forShop(database, await createTestShop(database, `skus-${++shops}.myshopify.com`))
    // oxfmt-ignore
    await fillMirror(scope, products.map((skus, at) => ({ title: `Product ${at + 1}`, skus })))
    return scope
  }
  const never = new AbortController().signal
  const match = createMatcher(createTitleCache())
  const find = async (scope: ShopScope, ...names: string[]) => {
    const files = names.map((filename) => ({ filename, tags: [] }))
    const found = await match(scope, files, { by: ['filename'], threshold: 0.8 }, never)
    return found.map(({ mapping, candidates, suggestions }) => {
      if (mapping) return `${mapping.sku} ${mapping.score}`
      const say = (kind: string, all: typeof candidates) =>
        `${kind}: ${all.map(({ sku }) => sku).join(', ')}`
      return candidates.length > 0
        ? say('review', candidates)
        : suggestions.length > 0
          ? say('near', suggestions)
          : '–'
    })
  }
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.drop())

  test('a SKU is found anywhere between delimiters, in any case, with any delimiters', async () => {
    const scope = await shopWith(
      ['EB-001'],
      ['EB-003'],
      ['EB-006'],
      ['EB-010'],
      ['SEW 01'],
      ['3D-04 (v2)'],
      ['_Z-9_'],
    )
    const found = {
      'guide-EB-006.pdf': 'EB-006 0.9',
      'bread_EB-003.pdf': 'EB-003 0.9',
      'Letters (EB-006).pdf': 'EB-006 0.9',
      'EB-010(2).pdf': 'EB-010 0.95',
      'EB_001_under.pdf': 'EB-001 0.95',
      'eb.001.pdf': 'EB-001 0.99',
      'SEW-01_x.pdf': 'SEW 01 0.95',
      'my sew_01': 'SEW 01 0.9',
      '[3d_04-V2] print.zip': '3D-04 (v2) 0.95',
      'z-9.pdf': '_Z-9_ 0.99',
      'guideEB-006.pdf': '–',
      'guide-EB-0066.pdf': '–',
      'guide-EB006.pdf': '–',
    }
    expect(await find(scope, ...Object.keys(found))).toEqual(Object.values(found))
  })

  test('a SKU and a name may differ in dashes, spaces, widths and what cannot be seen', async () => {
    const scope = await shopWith(
      ['LD\u201301'],
      ['NB\u00a001'],
      ['SO\u00adFT-1'],
      ['\uff26\uff37\uff0d\uff10\uff11'],
      ['GRO\u00dfE-1'],
      ['ZW\u200b-7\ufeff'],
      ['AR-\u0661\u0662'],
    )
    const found = {
      'LD-01_x.pdf': 'LD\u201301 0.95',
      'ld\u201401_x.pdf': 'LD\u201301 0.95',
      'NB 01_x.pdf': 'NB\u00a001 0.95',
      'SOFT-1_x.pdf': 'SO\u00adFT-1 0.95',
      'FW-01_x.pdf': '\uff26\uff37\uff0d\uff10\uff11 0.95',
      'grosse-1.pdf': 'GRO\u00dfE-1 0.99',
      'GROẞE-1.pdf': 'GRO\u00dfE-1 0.99',
      'x\u200e zw-7.pdf': 'ZW\u200b-7\ufeff 0.9',
      '【ar-12】x.pdf': 'AR-\u0661\u0662 0.95',
      'so_ft-1.pdf': '–',
    }
    expect(await find(scope, ...Object.keys(found))).toEqual(Object.values(found))
  })

  test('a SKU in another spelling counts if it can be one SKU only, and no SKU is written like it', async () => {
    const scope = await shopWith(
      ['\u0410\u0412-1'],
      ['XY-7'],
      ['BÜCH-2'],
      ['カナ-3'],
      ['CO-4', '\u0421\u041e-4'],
      ['МИР-5'],
      ['CAFÉ'],
      ['K\u0391-6'],
      ['ÅR-8'],
    )
    const found = {
      'AB-1_x.pdf': '\u0410\u0412-1 0.85',
      'my ab_1.pdf': '\u0410\u0412-1 0.85',
      '\u0425Y-7_x.pdf': 'XY-7 0.85',
      '\u0425\u0423 7.pdf': 'XY-7 0.85',
      'BUECH-2_x.pdf': 'BÜCH-2 0.85',
      'Buch-2_x.pdf': 'BÜCH-2 0.85',
      'かな-3.pdf': 'カナ-3 0.85',
      'ｶﾅ-3.pdf': 'カナ-3 0.99',
      'CO-4.pdf': 'CO-4 0.99',
      'C\u041e-4.pdf': 'near: CO-4',
      'MИP-5.pdf': 'МИР-5 0.85',
      'cafe recipes.pdf': 'near: CAFÉ',
      'cafe.pdf': 'CAFÉ 0.85',
      'ka-6.pdf': 'K\u0391-6 0.85',
      'aar-8.pdf': 'ÅR-8 0.85',
      'XY%207%20guide.pdf': 'XY-7 0.95',
    }
    expect(await find(scope, ...Object.keys(found))).toEqual(Object.values(found))
    // oxfmt-ignore
    const [spelled] = await match(scope, [{ filename: 'AB-1.pdf', tags: [] }], { by: ['filename'], threshold: 0.8 }, never)
    expect(inEnglish(spelled!.mapping!.reason)).toBe(
      'The filename has the SKU \u0410\u0412-1 in another spelling',
    )
  })

  test('the SKU of an import is found in another spelling, if it can be one only', async () => {
    const scope = await shopWith(['\u0410\u0412-1', '\u0410\u0412-1'], ['CO-4'], ['\u0421\u041e-4'])
    const found = await findSpelledSkus(scope, ['AB-1', 'C\u041e-4', 'AB-2', ''])
    expect([...found].map(([sku, variants]) => [sku, variants.map((one) => one.sku)])).toEqual([
      ['AB-1', ['\u0410\u0412-1', '\u0410\u0412-1']],
    ])
  })

  test('the beginning of the name wins, then the longest; several products need a review', async () => {
    const scope = await shopWith(['EB-1'], ['EB-2'], ['EB-2-EPUB'], ['BOX'], ['SET-1', 'SET-2'])
    const found = {
      'EB-1 and EB-2.pdf': 'EB-1 0.95',
      'BOX EB-2.pdf': 'BOX 0.95',
      'x EB-2-EPUB.pdf': 'EB-2-EPUB 0.9',
      'x EB-1 EB-2.pdf': 'review: EB-1, EB-2',
      'x SET-1 SET-2.pdf': 'SET-1 0.9',
    }
    expect(await find(scope, ...Object.keys(found))).toEqual(Object.values(found))
    // oxfmt-ignore
    const [both] = await match(scope, [{ filename: 'x SET-1 SET-2.pdf', tags: [] }], { by: ['filename'], threshold: 0.8 }, never)
    expect(both!.mapping).toMatchObject({ variant_id: null, product_title: 'Product 5' })
  })

  test('if SKUs differ only in delimiters, those of the name decide; with others it needs a review', async () => {
    const scope = await shopWith(['AB-1'], ['AB_1'])
    expect(await find(scope, 'AB-1.pdf', 'x ab_1.pdf', 'AB 1.pdf')).toEqual([
      'AB-1 0.99',
      'AB_1 0.9',
      'review: AB-1, AB_1',
    ])
  })

  test('plain words, plain numbers and short SKUs are suggestions, unless the name begins with them', async () => {
    const scope = await shopWith(['BREAD'], ['2025'], ['K2'], ['GIFT-CARD'], ['EB-9'])
    const found = {
      'bread-recipes.pdf': 'BREAD 0.95',
      'my bread recipes.pdf': 'near: BREAD',
      '2025 plan.pdf': '2025 0.95',
      'plan 2025.pdf': 'near: 2025',
      'K2_map.pdf': 'K2 0.95',
      'map K2.pdf': 'near: K2',
      'my gift card.pdf': 'near: GIFT-CARD',
      'my_GIFT-CARD.pdf': 'GIFT-CARD 0.9',
      'bread 2025 EB-9.pdf': 'BREAD 0.95',
      'my bread 2025 EB-9.pdf': 'EB-9 0.9',
      'song.bread': '–',
    }
    expect(await find(scope, ...Object.keys(found))).toEqual(Object.values(found))
  })

  test('with start_only, words and numbers before other words are no SKUs', async () => {
    const scope = await shopWith(['BREAD'], ['2025'], ['K2'], ['EB-9'])
    const rules = { by: ['filename'] as const, threshold: 1, start_only: true }
    const found = {
      'bread recipes.pdf': null,
      '2025 plan.pdf': null,
      'K2 map.pdf': null,
      'my EB-9.pdf': null,
      'bread EB-9.pdf': null,
      'bread.pdf': 'BREAD',
      '2025.pdf': '2025',
      'K2_map.pdf': 'K2',
      'eb 9 x.pdf': 'EB-9',
    }
    const files = Object.keys(found).map((filename) => ({ filename, tags: [] }))
    const matches = await match(scope, files, rules, never)
    expect(matches.map(({ mapping }) => mapping?.sku ?? null)).toEqual(Object.values(found))
  })

  // A reference implementation without SQL: the name contains the SKU's parts in sequence.
  const sku = fc
    .array(fc.constantFrom('ab1', 'cd2', 'ef3', 'éf4'), { minLength: 1, maxLength: 4 })
    .chain((parts) =>
      fc.constantFrom('-', '_', '.', ' ', ' (').map((delimiter) => parts.join(delimiter)),
    )
  // oxfmt-ignore
  const partsOf = (text: string) => nameKey(text).split(/[ \-_.()[\]{}]+/).filter(Boolean).join('-')
  test('the longest SKU at the beginning of the name matches, with any delimiters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(sku, { minLength: 1, maxLength: 8, selector: partsOf }),
        // oxfmt-ignore
        fc.array(sku.map((text) => `${text}.pdf`), { minLength: 1, maxLength: 5 }),
        async (skus, names) => {
          // oxfmt-ignore
          const scope = await shopWith(...skus.map((one) => [one]))
          const answers = await find(scope, ...names)
          for (const [at, name] of names.entries()) {
            const whole = `${partsOf(name)}-`
            // oxfmt-ignore
            const begin = skus.filter((one) => whole.startsWith(`${partsOf(one)}-`)).sort((a, b) => partsOf(b).length - partsOf(a).length)[0]
            if (begin)
              expect(answers[at]).toMatch(new RegExp(`^${begin.replace(/[.(]/g, '\\$&')} 0.9`))
            else if (answers[at] === '–')
              expect(skus.some((one) => `-${whole}`.includes(`-${partsOf(one)}-`))).toBe(false)
          }
        },
      ),
      { numRuns: 15 },
    )
  })
})
