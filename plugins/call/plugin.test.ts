import { expect, it } from 'vitest'
import { fileItem, importItem, packsPort, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type {
  Item,
  Mapping,
  Outcome,
  ProgramAnswer,
  ProgramCall,
  ProgramChange,
  WriteContext,
} from '../contract/index.ts'
import { PortError, uuidOf } from '../contract/index.ts'
import { call } from './plugin.ts'

const WEBHOOK = `webhook_${'0'.repeat(32)}`
const PACK = `pack_${'1'.repeat(32)}`
const product = (id: string, title: string) => ({ product_id: id, product_title: title })
const BOOK = product('gid://shopify/Product/1', 'Book')
const MAP = product('gid://shopify/Product/2', 'Map')
const variant = (sku: string, of: typeof BOOK, n = 1) => ({
  ...of,
  variant_id: `gid://shopify/ProductVariant/${n}`,
  variant_title: '',
  sku,
})
const mapping = (of: typeof BOOK, more: Partial<Mapping> = {}): Mapping => ({
  ...of,
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'Chosen',
  ...more,
})

const VARIANTS = new Map([
  ['B-1', [variant('B-1', BOOK)]],
  ['SAME', [variant('SAME', BOOK), variant('SAME', MAP)]],
  ['SIZES', [variant('SIZES', MAP, 1), variant('SIZES', MAP, 2)]],
])

const catalog: WriteContext['catalog'] = {
  ...writeContext().catalog,
  findBySku: (skus) =>
    Promise.resolve(new Map([...VARIANTS].filter(([sku]) => skus.includes(sku)))),
  findProducts: (by, values) =>
    Promise.resolve(
      new Map(
        [[by === 'handle' ? 'book' : BOOK.product_id, BOOK] as const].filter(([name]) =>
          values.includes(name),
        ),
      ),
    ),
  findProduct: (id, variantId) =>
    Promise.resolve(
      id === MAP.product_id && variantId === 'v1'
        ? { ...MAP, variant: { id: 'v1', title: 'Large', sku: 'M-L' } }
        : null,
    ),
}
const packs = packsPort([
  { id: uuidOf(PACK), name: 'Guides', products: [mapping(BOOK, { method: 'pack' })] },
])

/** A program that answers each file; `worked` has the items that it was told to work on. */
function contextOf(answerOf: (item: Item) => ProgramAnswer, worked = new Set<string>()) {
  const answers = async function* ({ items }: ProgramCall, signal: AbortSignal) {
    signal.throwIfAborted()
    await Promise.resolve()
    if (items.length > 0) yield new Map(items.map((item) => [item.id, answerOf(item)]))
  }
  return writeContext({
    catalog,
    packs,
    programs: {
      preview: answers,
      call: (given, signal) => {
        if (!signal.aborted) for (const { id } of given.items) worked.add(id)
        return answers(given, signal)
      },
    },
  })
}

const changing = (change: ProgramChange): ProgramAnswer => ({
  status: 'change',
  change,
  warnings: [],
})
const outcomesOf = (
  items: readonly Item[],
  answerOf: (item: Item) => ProgramAnswer,
  options: object = {},
): Promise<Outcome[]> => {
  const context = contextOf(answerOf)
  return Array.fromAsync(
    call.run!(items, call.options.parse({ webhook: WEBHOOK, ...options }), context),
  )
}
const outcomeOf = async (file: Item['file'] | null, change: ProgramChange) => {
  const item = fileItem('f', file ?? {})
  const [outcome] = await outcomesOf([item], () => changing(change))
  return outcome
}

pluginSuite(call, () => {
  const worked = new Set<string>()
  const answers: ProgramAnswer[] = [
    { status: 'change', change: { tags: { add: ['map'] } }, warnings: ['Hard to read'] },
    { status: 'unchanged', reason: 'Labelled already', warnings: [] },
    { status: 'skipped', reason: 'No text in it' },
  ]
  const items = answers.map((_, n) => fileItem(String(n), {}, n))
  const context = contextOf(({ position }) => answers[position]!, worked)
  return Promise.resolve({
    items,
    options: { webhook: WEBHOOK },
    context,
    state: () => [...worked],
  })
})

it('does what the program answers', async () => {
  const answers: Record<string, ProgramAnswer> = {
    a: {
      status: 'change',
      change: { set: { filename: 'b.pdf', expiry_days: 7 }, tags: { replace: ['x'] } },
      warnings: ['Blurred'],
    },
    b: { status: 'unchanged', reason: 'Labelled already', warnings: [] },
    c: { status: 'skipped', reason: 'No text' },
    d: {
      status: 'failed',
      code: 'program_refused',
      message: 'Full',
      retryable: true,
      retry_after: 5,
    },
  }
  const items = Object.keys(answers).map((id, n) => fileItem(id, {}, n))
  expect(await outcomesOf(items, ({ id }) => answers[id]!)).toEqual([
    {
      item: 'a',
      status: 'ok',
      change: { set: { filename: 'b.pdf', expiry_days: 7 }, tags: { replace: ['x'] } },
      warnings: [{ code: 'program_warning', message: 'Blurred' }],
    },
    { item: 'b', status: 'ok', unchanged: 'Labelled already' },
    { item: 'c', status: 'skipped', reason: 'No text' },
    { item: 'd', ...answers['d'] },
  ])
})

it.each([
  ['sku', { sku: 'B-1' }, { ...BOOK, variant_id: 'gid://shopify/ProductVariant/1', sku: 'B-1' }],
  ['a SKU of several variants', { sku: 'SIZES' }, { ...MAP, variant_id: null }],
  ['handle', { handle: 'book' }, { ...BOOK, variant_id: null }],
  ['number', { id: '1' }, { ...BOOK, variant_id: null }],
  ['variant', { id: '2', variant_id: 'v1' }, { ...MAP, variant_id: 'v1', sku: 'M-L' }],
])('adds a product by its %s', async (_, target, expected) => {
  expect(await outcomeOf(null, { products: { add: [target] } })).toMatchObject({
    status: 'ok',
    change: { mappings: { add: [{ ...expected, method: 'manual' }] } },
  })
})

it.each([
  [{ sku: 'none' }, 'sku_not_found'],
  [{ sku: 'SAME' }, 'sku_ambiguous'],
  [{ handle: 'none' }, 'product_not_found'],
  [{ id: '9' }, 'product_not_found'],
  [{ id: '2', variant_id: 'v2' }, 'product_not_found'],
])('fails only the file for which %j is named', async (target, code) => {
  const items = [fileItem('a'), fileItem('b')]
  const outcomes = await outcomesOf(items, ({ id }) =>
    changing(id === 'a' ? { products: { add: [target] } } : { tags: { add: ['x'] } }),
  )
  expect(outcomes).toMatchObject([
    { item: 'a', status: 'failed', code, retryable: false },
    { item: 'b', status: 'ok' },
  ])
})

it('removes the products that the answer names, and no others', async () => {
  const gone = mapping(product('gid://shopify/Product/77', 'Gone'))
  const mappings = [mapping(BOOK), mapping(MAP, { variant_id: 'v1', sku: 'M-L' }), gone]
  const removed = async (remove: NonNullable<ProgramChange['products']>['remove']) => {
    const file = fileItem('f', { mappings }).file
    const outcome = await outcomeOf(file, { products: { remove } })
    const change = outcome?.status === 'ok' ? outcome.change?.mappings?.remove : []
    return Array.isArray(change) ? change.map(({ product_id }) => product_id) : change
  }
  expect(await removed('all')).toHaveLength(3)
  expect(await removed([{ handle: 'book' }])).toEqual([BOOK.product_id])
  expect(await removed([{ sku: 'M-L' }])).toEqual([MAP.product_id])
  // The catalog does not have it any more.
  expect(await removed([{ id: '77' }])).toEqual([gone.product_id])
  expect(await removed([{ id: '2', variant_id: 'v9' }])).toEqual([])
})

it('moves files into packs, whose products follow', async () => {
  const expected = { mappings: { add: [{ ...BOOK, method: 'pack' }] } }
  expect(await outcomeOf(null, { packs: { add: [{ id: PACK }] } })).toMatchObject({
    change: { packs: { add: [{ id: expect.stringMatching(/^1{8}-/) }] }, ...expected },
  })
  expect(
    await outcomeOf(null, {
      packs: { add: [{ id: PACK }], remove: 'all' },
      products: { add: [{ sku: 'SIZES' }] },
    }),
  ).toMatchObject({ change: { mappings: { add: [MAP, BOOK] } } })
  expect(await outcomeOf(null, { packs: { add: [{ name: 'New' }] } })).toMatchObject({
    change: { packs: { add: [{ name: 'New' }] } },
  })
  expect(
    await outcomeOf(null, { packs: { remove: [{ id: `pack_${'2'.repeat(32)}` }] } }),
  ).toMatchObject({
    status: 'failed',
    code: 'pack_not_found',
  })
})

it('fails files with products if the catalog cannot be reached', async () => {
  const away = new PortError('storefront_unavailable', 'away', true)
  const context = contextOf(({ id }) =>
    changing(id === 'a' ? { products: { add: [{ sku: 'B-1' }] } } : { tags: { add: ['x'] } }),
  )
  const broken = { ...context, catalog: { ...catalog, findBySku: () => Promise.reject(away) } }
  const items = [fileItem('a'), fileItem('b')]
  const options = call.options.parse({ webhook: WEBHOOK })
  expect(await Array.fromAsync(call.run!(items, options, broken))).toMatchObject([
    { status: 'failed', code: 'storefront_unavailable', retryable: true },
    { status: 'ok' },
  ])
})

it('without an answer it calls nobody, and has the files sent', async () => {
  const context = writeContext()
  const options = call.options.parse({ webhook: WEBHOOK, answer: false, bytes: true })
  const items = [fileItem('a'), importItem('b')]
  const expected = ['a', 'b'].map((item) => ({
    item,
    status: 'ok',
    post: { webhook: WEBHOOK, bytes: true },
  }))
  for (const work of [call.plan, call.run!])
    expect(await Array.fromAsync(work(items, options, context))).toEqual(expected)
})
