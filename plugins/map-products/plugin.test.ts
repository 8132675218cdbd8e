import { inEnglish } from '../../test/english.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createMatcher } from '../../server/matching/match.ts'
import { createTitleCache } from '../../server/matching/title-cache.ts'
import { createCatalogPort } from '../../server/ports/catalog.ts'
import { toPublicId } from '../../server/core/ids.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import { refreshDue } from '../../test/mirror.ts'
import { openStorefront } from '../../server/startup/ports.ts'
import type { Storefront } from '../../server/storefront/storefront.ts'
import { openTestDatabase, silent } from '../../test/database.ts'
import { fileItem, importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import {
  english,
  reasonOfRule,
  PortError,
  type Catalog,
  type CatalogVariant,
  type Item,
  type Outcome,
  type FileView,
  type Mapping,
  type NameRule,
  type ProductNames,
} from '../contract/index.ts'
import { mapProducts } from './plugin.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let storefront: Storefront
let catalog: Catalog
beforeAll(async () => {
  database = await openTestDatabase()
  const environment = {
    platform: null,
    demo: { catalog: null, bucket: 2000, restore: 1000 },
    baseUrl: null,
    port: 3000,
  }
  const secrets = createSecrets('a secret of more than thirty-two characters')
  storefront = await openStorefront({ environment, database, secrets, log: silent })
  const never = new AbortController().signal
  await refreshDue({ database, storefront, refreshed: () => Promise.resolve(), log: silent }, never)
  const shop = storefront.demo!.shop.id
  catalog = createCatalogPort(
    forShop(database, shop),
    storefront.catalog(shop),
    createMatcher(createTitleCache()),
  )
})
afterAll(async () => {
  await storefront.close()
  await database.drop()
})

const context = (given: Parameters<typeof writeContext>[0] = {}) =>
  writeContext({ catalog, ...given })
const mappedTo = (product_id: string): Mapping => ({
  product_id,
  product_title: 'x',
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'x',
})
const named = (id: string, product_sku?: string) =>
  importItem(id, product_sku ? { entry: { product_names: { skus: [product_sku] } } } : {})
const file = (filename: string, given: Partial<FileView> = {}) =>
  fileItem(filename, { filename, ...given })
const outcomesOf = async (items: readonly Item[], options: object = {}, given = context()) => {
  const outcomes: Outcome[] = await Array.fromAsync(
    mapProducts.plan(items, mapProducts.options.parse(options), given),
  )
  return new Map(outcomes.map((outcome) => [outcome.item, outcome]))
}

const added = (outcome: Outcome | undefined): readonly Mapping[] =>
  outcome?.status === 'ok' ? (outcome.change?.mappings?.add ?? []) : []
const productOf = async (sku: string) =>
  (await catalog.findBySku([sku], new AbortController().signal)).get(sku)![0]!

pluginSuite(mapProducts, () =>
  Promise.resolve({
    items: [
      named('a', 'EB-001'),
      named('b'),
      named('c', 'TIDE-2025'),
      file('Slow Bread.pdf'),
      file('nothing like it.pdf'),
    ],
    context: context(),
    state: () => null,
  }),
)

describe('map-products', () => {
  it('maps the SKU that the entry names, with score and reason', async () => {
    const outcomes = await outcomesOf([named('a', 'EB-001')])
    expect(added(outcomes.get('a'))).toMatchObject([
      { product_title: 'The Tide Tables of Memory', sku: 'EB-001', method: 'sku', score: 1 },
    ])
    expect(english(added(outcomes.get('a'))[0]!.reason)).toContain('EB-001')
  })

  it('maps a SKU with look-alike letters of Cyrillic to the one SKU that it can be', async () => {
    const outcomes = await outcomesOf([named('a', '\u0415\u0412-001')])
    expect(added(outcomes.get('a'))).toMatchObject([{ sku: 'EB-001', method: 'sku', score: 1 }])
    expect(english(added(outcomes.get('a'))[0]!.reason)).toBe(
      'The import names the SKU in another spelling, as \u0415\u0412-001',
    )
  })

  it.each(['eb-005', ' EB-005 ', 'Eb-005'])(
    'maps %j to the one product that has it in another case',
    async (sku) => {
      const outcome = (await outcomesOf([named('a', sku)])).get('a')
      expect(added(outcome)).toMatchObject([{ sku: 'EB-005', method: 'sku', score: 1 }])
      expect((await outcomesOf([file('a.pdf', { wanted_sku: sku })])).get('a.pdf')).toMatchObject({
        status: 'ok',
      })
    },
  )

  it('maps to the product if several of its variants share the SKU', async () => {
    const outcome = (await outcomesOf([named('a', 'EB-007')])).get('a')
    expect(added(outcome)).toMatchObject([
      { variant_id: null, product_title: 'Sea Glass: A Novel' },
    ])
  })

  it('asks for a review if several products share the SKU', async () => {
    const outcome = (await outcomesOf([named('a', 'TIDE-2025')])).get('a')
    const candidates = [{ sku: 'TIDE-2025' }, { sku: 'TIDE-2025' }]
    expect(outcome).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'sku_ambiguous' }],
      candidates,
    })
    expect(outcome).not.toHaveProperty('change')
  })

  it('retries an import’s unknown SKU before anything is guessed', async () => {
    const wanting = (filename: string, wanted_sku: string) => file(filename, { wanted_sku })
    const items = [wanting('Slow Bread.pdf', 'EB-001'), wanting('Slow Bread 2.pdf', 'NO-SUCH')]
    const found = [...(await outcomesOf(items)).values()].map((one) => added(one)[0]?.method)
    expect(found.toSorted()).toEqual(['sku', 'title'])
    const exact = await outcomesOf(items, { match_by: [] })
    expect(added(exact.get('Slow Bread.pdf'))).toMatchObject([{ method: 'sku', sku: 'EB-001' }])
    expect(exact.get('Slow Bread 2.pdf')).toMatchObject({
      status: 'skipped',
      reason: 'No product matches it',
    })
  })

  it('offers the products that have the SKU, not their variants', async () => {
    const variant = (product: number, id: number): CatalogVariant => ({
      product_id: `p${product}`,
      product_title: `Product ${product}`,
      variant_id: `v${id}`,
      variant_title: 'x',
      sku: 'TWICE',
    })
    const twice = new Map([['TWICE', [variant(1, 1), variant(1, 2), variant(2, 3)]]])
    const given = context({ catalog: { ...catalog, findBySku: () => Promise.resolve(twice) } })
    const outcome = (await outcomesOf([named('a', 'TWICE')], {}, given)).get('a')
    // oxfmt-ignore
    expect(outcome?.status === 'ok' && outcome.candidates?.map(({ product_id, variant_id }) => [product_id, variant_id])).toEqual([['p1', null], ['p2', 'v3']])
    expect(inEnglish(outcome)).toMatchObject({
      warnings: [{ message: '2 products have the SKU TWICE: choose one' }],
    })
  })

  it('warns of a SKU that is not in the catalog, with the specification’s text, and guesses nothing instead', async () => {
    const item = importItem('a', {
      entry: { product_names: { skus: ['eb-9999'] }, filename: 'Slow Bread.pdf' },
    })
    const outcome = (await outcomesOf([item])).get('a')
    expect(outcome).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'sku_not_found', message: 'Product SKU not found' }],
    })
    expect(added(outcome)).toEqual([])
  })

  describe('several products of one file', () => {
    const naming = (product_names: ProductNames) => importItem('a', { entry: { product_names } })
    const titles = (outcome: Outcome | undefined) =>
      added(outcome).map(({ product_title }) => product_title)

    it.each([
      ['one text', { skus: ['EB-001; EB-005;EB-001'] }],
      ['a list', { skus: ['EB-001', 'EB-005'] }],
    ])('are those of all SKUs of %s', async (_, names) => {
      const outcome = (await outcomesOf([naming(names)])).get('a')
      expect(added(outcome).map(({ sku }) => sku)).toEqual(['EB-001', 'EB-005'])
      expect(outcome).not.toHaveProperty('warnings')
    })

    it('are known and unknown: each unknown one is a warning', async () => {
      const outcome = (await outcomesOf([naming({ skus: ['EB-001;NO-1;NO-2'] })])).get('a')
      expect(added(outcome).map(({ sku }) => sku)).toEqual(['EB-001'])
      expect(inEnglish(outcome)).toMatchObject({
        warnings: [
          { code: 'sku_not_found', message: 'Product SKU not found: NO-1' },
          { code: 'sku_not_found', message: 'Product SKU not found: NO-2' },
        ],
      })
    })

    it('are not meant by a SKU that contains the separator', async () => {
      const asked: string[][] = []
      const whole: CatalogVariant = { ...(await productOf('EB-001')), sku: 'A;B' }
      const findBySku: Catalog['findBySku'] = (skus) => {
        asked.push([...skus])
        return Promise.resolve(new Map(skus.includes('A;B') ? [['A;B', [whole]]] : []))
      }
      const given = context({ catalog: { ...catalog, findBySku } })
      const outcome = (await outcomesOf([naming({ skus: ['A;B'] })], {}, given)).get('a')
      expect(added(outcome)).toMatchObject([{ sku: 'A;B' }])
      expect(asked).toEqual([['A;B']])
    })

    it('are found by handles and ids too, also by the numbers of ids', async () => {
      const { product_id, product_title } = await productOf('EB-001')
      const other = await productOf('EB-005')
      const row = await database.pool.query('select handle from products where id = $1', [
        other.product_id,
      ])
      const names = { handles: [row.rows[0].handle, 'no-such'], ids: [product_id, '7'] }
      const outcome = (await outcomesOf([naming(names)])).get('a')
      expect(titles(outcome)).toEqual([other.product_title, product_title])
      expect(added(outcome)).toMatchObject([{ method: 'manual' }, { method: 'manual' }])
      expect(inEnglish(outcome)).toMatchObject({
        warnings: [
          { code: 'product_not_found', message: 'The catalog has no product no-such' },
          { code: 'product_not_found', message: 'The catalog has no product 7' },
        ],
      })
      const number = product_id.slice(product_id.lastIndexOf('/') + 1)
      expect(titles((await outcomesOf([naming({ ids: [number] })])).get('a'))).toEqual([
        product_title,
      ])
    })
  })

  describe('the products that a row names', () => {
    const row = (names: ProductNames, mode: 'add' | 'replace', mappings: readonly Mapping[]) => ({
      ...file('a.pdf', { mappings }),
      wanted: { products: { names, mode } },
    })
    const changeOf = async (item: Item) => {
      const outcome = (await outcomesOf([item])).get('a.pdf')
      return outcome?.status === 'ok' ? (outcome.change?.mappings ?? null) : outcome
    }

    it('are added, or replace those of the file; the same ones change nothing', async () => {
      const gone = mappedTo('gid://shopify/Product/999999999')
      const had: Mapping = { ...mappedTo('x'), ...(await productOf('EB-001')) }
      const ids = [had.product_id, gone.product_id]
      expect(await changeOf(row({ ids }, 'replace', [had, gone]))).toBeNull()
      expect(await changeOf(row({ skus: ['EB-001'] }, 'replace', [had]))).toBeNull()
      expect(await changeOf(row({ ids: [had.product_id] }, 'replace', [had, gone]))).toEqual({
        remove: [{ product_id: gone.product_id, variant_id: null }],
        add: [],
      })
      expect(await changeOf(row({ skus: ['EB-005'] }, 'add', [had]))).toMatchObject({
        add: [{ sku: 'EB-005' }],
      })
      expect(await changeOf(row({}, 'replace', [had]))).toMatchObject({
        remove: [{ product_id: had.product_id }],
      })
    })

    it('replace nothing while one of them is unknown', async () => {
      const had = mappedTo('gid://shopify/Product/999999999')
      expect(await changeOf(row({ skus: ['EB-005;NO'] }, 'replace', [had]))).toMatchObject({
        add: [{ sku: 'EB-005' }],
      })
      expect(await changeOf(row({ skus: ['NO'] }, 'replace', [had]))).toBeNull()
    })

    it('are left alone by a row that names none: it is not guessed either', async () => {
      const item = { ...file('Slow Bread.pdf'), wanted: {} }
      expect((await outcomesOf([item])).get('Slow Bread.pdf')).toEqual({
        item: 'Slow Bread.pdf',
        status: 'ok',
      })
    })
  })

  it('an unavailable storefront fails only files that name a SKU, to be retried', async () => {
    const away = {
      ...catalog,
      findBySku: () => Promise.reject(new PortError('storefront_unavailable', 'away', true)),
    }
    const outcomes = await outcomesOf(
      [named('a', 'EB-001'), named('b')],
      {},
      context({ catalog: away }),
    )
    expect(outcomes.get('a')).toMatchObject({
      status: 'failed',
      code: 'storefront_unavailable',
      retryable: true,
    })
    expect(outcomes.get('b')).toMatchObject({ status: 'ok' })
  })
})

describe('guessing', () => {
  it('uses the SKU in the file name, then the title; files without a match are reported', async () => {
    const outcomes = await outcomesOf([
      file('EB-004-EPUB_sample.zip'),
      file('slow-bread_v2.pdf'),
      file('invoice.pdf'),
    ])
    expect(added(outcomes.get('EB-004-EPUB_sample.zip'))).toMatchObject([
      {
        method: 'filename',
        sku: 'EB-004-EPUB',
        score: 0.95,
        variant_id: expect.stringContaining('ProductVariant'),
      },
    ])
    expect(added(outcomes.get('slow-bread_v2.pdf'))).toMatchObject([
      { method: 'title', product_title: 'Slow Bread', score: 0.94 },
    ])
    expect(outcomes.get('invoice.pdf')).toMatchObject({
      status: 'skipped',
      reason: 'No product matches it',
    })
  })

  it('asks for a review if several products match', async () => {
    const outcome = (await outcomesOf([file('TIDE-2025_map.pdf')])).get('TIDE-2025_map.pdf')
    expect(inEnglish(outcome)).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'several_products' }],
      unchanged: 'It matches 2 products: choose one in Reviews',
    })
    expect(
      outcome?.status === 'ok' && outcome.candidates?.map(({ method, sku }) => [method, sku]),
    ).toEqual([
      ['filename', 'TIDE-2025'],
      ['filename', 'TIDE-2025'],
    ])
  })

  it('runs for imports only if requested, and an import without a match continues', async () => {
    const item = importItem('a', { entry: { filename: 'Slow Bread.pdf' } })
    const off = context({ request: { auto_map: false } })
    expect((await outcomesOf([item], {}, off)).get('a')).toEqual({ item: 'a', status: 'ok' })
    expect(added((await outcomesOf([item])).get('a'))).toHaveLength(1)
    expect((await outcomesOf([importItem('b')])).get('b')).toEqual({ item: 'b', status: 'ok' })
  })

  it('prefers its options to the shop’s settings', async () => {
    const items = [file('slow-bred-rolls.pdf'), file('EB-001_x.pdf')]
    const by = async (options: object) =>
      [...(await outcomesOf(items, options)).values()].map((one) => added(one).length)
    expect(await by({})).toEqual([0, 1])
    expect(await by({ threshold: 0.5 })).toEqual([1, 1])
    expect(await by({ threshold: 0.5, match_by: ['title'] })).toEqual([1, 0])
    expect(await by({ match_by: [] })).toEqual([0, 0])
  })

  it('skips files that have products, unless they are to be replaced', async () => {
    const { product_id } = await productOf('EB-001')
    const mapping = mappedTo(product_id)
    const item = file('Slow Bread.pdf', { mappings: [mapping] })
    expect((await outcomesOf([item])).get(item.id)).toMatchObject({
      status: 'skipped',
      reason: 'It has a product already',
    })
    expect((await outcomesOf([item], { replace: true })).get(item.id)).toMatchObject({
      change: { mappings: { remove: 'all', add: [{ product_title: 'Slow Bread' }] } },
    })
  })
})

describe('files named by SKU prefix', () => {
  const prefixed = (filename: string) =>
    importItem(filename, { file: { filename }, entry: { filename, sku_prefixes: [] } })

  it.each(['EB-002 notes.txt', 'eb-002-notes.txt', '[EB-002] notes.txt', 'EB 002.pdf', 'EB-002'])(
    '%s is mapped, also without auto-map',
    async (name) => {
      const item = prefixed(name)
      const given = { ...context(), request: { auto_map: false } }
      const outcome = (await outcomesOf([item], {}, given)).get(item.id)
      expect(added(outcome)).toMatchObject([{ sku: 'EB-002', method: 'filename' }])
    },
  )

  it.each(['notes EB-002.txt', 'EB-0022.txt', 'Slow Bread.pdf', 'x.txt'])(
    '%s waits for a person: no SKU is at the start, and titles are not compared',
    async (name) => {
      const item = prefixed(name)
      const outcome = (await outcomesOf([item])).get(item.id)
      expect(outcome).toMatchObject({ status: 'ok' })
      expect(added(outcome)).toEqual([])
    },
  )

  it('asks for a review if several products have the SKU', async () => {
    const item = prefixed('TIDE-2025 plan.pdf')
    const candidates = [{ sku: 'TIDE-2025' }, { sku: 'TIDE-2025' }]
    expect((await outcomesOf([item])).get(item.id)).toMatchObject({ status: 'ok', candidates })
  })
})

describe('the shop’s rules', () => {
  const withRules = async (...rules: [NameRule['kind'], string, sku: string | null][]) => {
    const made = rules.map(async ([kind, text, sku]): Promise<NameRule> => ({
      kind,
      text,
      variant_id: null,
      sku_template: null,
      new_files: null,
      product_id: sku === null ? 'gone' : (await productOf(sku)).product_id,
    }))
    const all = await Promise.all(made)
    return { ...context(), catalog: { ...catalog, rules: () => Promise.resolve(all) } }
  }

  it('come after the SKU that an import names and before guesses; the first that matches counts', async () => {
    const given = await withRules(['is', 'EB-001 plan', 'EB-005'], ['starts', 'EB', 'EB-004-PDF'])
    const items = [
      importItem('named', {
        entry: { product_names: { skus: ['EB-001'] }, filename: 'EB-001 plan.pdf' },
      }),
      importItem('unknown', {
        entry: { product_names: { skus: ['NONE'] }, filename: 'EB-001 plan.pdf' },
      }),
      importItem('prefixed', { entry: { sku_prefixes: ['EBX'], filename: 'EBX_1.pdf' } }),
      file('EB-001 plan.pdf'),
      file('EB-001 other.pdf'),
    ]
    const off = { ...given, request: { auto_map: false } }
    const outcomes = await outcomesOf(items, {}, off)
    expect(added(outcomes.get('named'))).toMatchObject([{ method: 'sku' }])
    expect(added(outcomes.get('unknown'))).toEqual([])
    const rule = { method: 'rule', score: 1, reason: reasonOfRule({ kind: 'starts', text: 'EB' }) }
    expect(added(outcomes.get('prefixed'))).toMatchObject([rule])
    expect(added(outcomes.get('EB-001 plan.pdf'))).toMatchObject([
      { ...rule, reason: reasonOfRule({ kind: 'is', text: 'EB-001 plan' }) },
    ])
    expect(added(outcomes.get('EB-001 other.pdf'))).toMatchObject([rule])
    const own = await outcomesOf(items, { match_by: ['filename'] }, given)
    expect(added(own.get('EB-001 other.pdf'))).toMatchObject([{ method: 'filename' }])
  })

  it('give no product to files that are made for one buyer', async () => {
    const given = await withRules(['starts', 'EB', 'EB-004-PDF'])
    const item = importItem('own', { entry: { filename: 'EB-001 plan.pdf' } })
    expect(added((await outcomesOf([item], {}, given)).get('own'))).toHaveLength(1)
    const own = { ...given, request: { private: true } }
    expect((await outcomesOf([item], {}, own)).get('own')).toEqual({ item: 'own', status: 'ok' })
  })

  it('make the SKU from the name; an unknown SKU is left to the next rule', async () => {
    const rule = (text: string, sku_template: string): NameRule => ({
      kind: 'pattern',
      text,
      product_id: null,
      variant_id: null,
      sku_template,
      new_files: null,
    })
    const rules = [rule('Guide *_*', 'EB-{1}'), rule('*_*', '{2}')]
    const given = { ...context(), catalog: { ...catalog, rules: () => Promise.resolve(rules) } }
    const items = ['Guide 002_x.pdf', 'Guide 9999_EB-004-PDF.pdf', 'x_TIDE-2025.zip', 'x_none.pdf']
    const outcomes = await outcomesOf(
      items.map((name) => file(name)),
      {},
      given,
    )
    const reason = reasonOfRule({ kind: 'pattern', text: 'Guide *_*' })
    expect(added(outcomes.get('Guide 002_x.pdf'))).toMatchObject([
      { method: 'rule', sku: 'EB-002', score: 1, reason },
    ])
    expect(added(outcomes.get('Guide 9999_EB-004-PDF.pdf'))).toMatchObject([
      { method: 'rule', sku: 'EB-004-PDF' },
    ])
    // Two products have this SKU.
    expect(outcomes.get('x_TIDE-2025.zip')).toMatchObject({
      candidates: [{ method: 'rule' }, { method: 'rule' }],
    })
    expect(outcomes.get('x_none.pdf')).toMatchObject({ status: 'skipped' })
  })

  it('are passed over if their product is gone, and leave files that have a product', async () => {
    const given = await withRules(['starts', 'EB', null], ['contains', '-001', 'EB-005'])
    const mapping = mappedTo('x')
    const items = [file('EB-001.pdf'), file('EB-001 b.pdf', { mappings: [mapping] })]
    const outcomes = await outcomesOf(items, {}, given)
    expect(added(outcomes.get('EB-001.pdf'))).toMatchObject([
      { reason: reasonOfRule({ kind: 'contains', text: '-001' }) },
    ])
    expect(outcomes.get('EB-001 b.pdf')).toMatchObject({ status: 'skipped' })
  })
})

describe('a chosen product', () => {
  it('is mapped to all files, in addition to their products or instead', async () => {
    const { product_id, variant_id, product_title } = await productOf('EB-004-PDF')
    const other: Mapping = { ...mappedTo('gid://shopify/Product/1'), method: 'sku' }
    const items = [file('a.pdf'), file('b.pdf', { mappings: [other] })]
    const kept = await outcomesOf(items, { product_id })
    expect([...kept.values()].flatMap(added)).toMatchObject(
      [1, 2].map(() => ({
        product_title,
        variant_id: null,
        method: 'manual',
        reason: 'Chosen manually',
      })),
    )
    const replaced = (await outcomesOf(items, { product_id, variant_id, replace: true })).get(
      'b.pdf',
    )
    expect(replaced).toMatchObject({
      change: {
        mappings: {
          add: [{ variant_id, sku: 'EB-004-PDF' }],
          remove: [{ product_id: 'gid://shopify/Product/1', variant_id: null }],
        },
      },
    })
  })
  it('fails them without a retry if it is not in the catalog', async () => {
    const { product_id } = await productOf('EB-001')
    const { variant_id } = await productOf('EB-004-PDF')
    for (const options of [{ product_id: 'gid://shopify/Product/1' }, { product_id, variant_id }])
      expect((await outcomesOf([file('a.pdf')], options)).get('a.pdf')).toMatchObject({
        status: 'failed',
        code: 'product_not_found',
        retryable: false,
      })
    expect(mapProducts.options.safeParse({ variant_id }).success).toBe(false)
  })
  it('is set for each file: the accepted candidates', async () => {
    const { product_id } = await productOf('EB-001')
    const [a, b] = [file('a.pdf'), file('b.pdf')]
    const choices = [
      { file_id: toPublicId('file', a.file.id!), product_id, score: 0.9, reason: 'Accepted' },
    ]
    const outcomes = await outcomesOf([a, b], { choices })
    expect(added(outcomes.get('a.pdf'))).toMatchObject([
      { product_id, score: 0.9, reason: 'Accepted', method: 'manual' },
    ])
    expect(outcomes.get('b.pdf')).toMatchObject({ status: 'skipped' })
    for (const file_id of [a.file.id, 'file_1', ''])
      expect(mapProducts.options.safeParse({ choices: [{ file_id, product_id }] }).success).toBe(
        false,
      )
  })
})
