// Requirements of every storefront. An implementation's test passes a world whose catalog has the
// variants of `SUITE_VARIANTS`.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codePoint } from '../code-points.ts'
import { skuKey } from '../../server/core/sku-key.ts'
import type { Storefront } from '../../server/storefront/storefront.ts'
import { sized } from '../scale.ts'

/** Handle, variant title and SKU. */
export type SuiteVariant = readonly [product: string, variant: string, sku: string]

export interface StorefrontWorld {
  storefront: Storefront
  /** The internal number of a shop that the app has access to. */
  shop: number
  shopDomain: string
  /**
   * A session token signed by the platform; `over` replaces claims, `signing` sets how it is
   * signed.
   */
  sessionToken(over?: Record<string, unknown>, signing?: { secret?: string; alg?: string }): string
  close(): Promise<void>
}

/**
 * SKUs that break a careless search: spaces, quotes, operators, wildcards, escapes, prefixes of one
 * another, Unicode.
 */
const ODD_SKUS: readonly string[] = [
  'EB-001',
  'EB-001-PDF',
  'eb-001',
  'EB 001',
  'EB_001',
  'EB.001',
  'gift wrap pack',
  'RATIO 16:9',
  'MOCK-12"-PSD',
  "BOSUN'S-01",
  `"quoted"`,
  `'quoted'`,
  'a\\b',
  'a\\',
  '\\"',
  '(v2)',
  '3D-04 (v2)',
  'AND',
  'OR',
  'NOT',
  'A OR B',
  'x AND NOT y',
  '-minus',
  '- minus',
  '--',
  'star*',
  '*',
  '**',
  'star*fish',
  'sku:EB-001',
  'title:*',
  ':',
  '::',
  '>=5',
  '<1',
  'tab\there',
  '日本-01',
  'ŁÓDŹ',
  'łódź',
  'É-combined',
  'E\u0301-combined',
  '🎧 audio',
  '100%',
  '$price',
  '{"json":1}',
  '#hash',
  'a,b',
  'a;b',
  'ß',
  'SS',
]

export const SUITE_VARIANTS: readonly SuiteVariant[] = [
  ...ODD_SKUS.map((sku, at) => [`odd-${at}`, 'Default Title', sku] as const),
  ['several-formats', 'PDF', 'FORMATS'],
  ['several-formats', 'EPUB', 'FORMATS'],
  ['twin-a', 'Default Title', 'TWIN'],
  ['twin-b', 'Default Title', 'TWIN'],
  ['no-sku', 'Default Title', ''],
  ...Array.from({ length: 300 }, (_, at) => ['many', `Variant ${at}`, 'MANY'] as const),
]

const WITH_SKU = SUITE_VARIANTS.filter(([, , sku]) => sku !== '')
const isExact = (text: string): boolean => WITH_SKU.some(([, , sku]) => sku === text)

/**
 * Whether the text is exactly a variant's SKU or, as `skuKey` compares them, the SKU of exactly one
 * product.
 */
function isKnown(text: string): boolean {
  if (isExact(text)) return true
  const near = WITH_SKU.filter(([, , sku]) => skuKey(sku) === skuKey(text))
  return new Set(near.map(([product]) => product)).size === 1
}

/** The platform's search tells `ß` and `SS` apart: `ss` finds one or both of them. */
const isDecided = (text: string): boolean => isExact(text) || skuKey(text) !== skuKey('ß')

const never = new AbortController().signal

export function storefrontSuite(name: string, open: () => Promise<StorefrontWorld>): void {
  describe(name, () => {
    let world: StorefrontWorld
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world.close())
    const find = (skus: readonly string[], signal = never) =>
      world.storefront.catalog(world.shop).findBySku(skus, signal)

    describe('sign-in', () => {
      const now = () => Math.floor(Date.now() / 1000)
      const refused = (token: string) =>
        expect(world.storefront.verifySessionToken(token)).rejects.toSatisfy(
          (error: Error & { code: string }) =>
            error.code === 'unauthenticated' &&
            error.cause === undefined &&
            !error.stack!.includes(token || 'no token'),
        )

      test('a valid token names its shop and user', async () => {
        expect(
          await world.storefront.verifySessionToken(world.sessionToken({ sub: '42' })),
        ).toEqual({
          shopDomain: world.shopDomain,
          user: '42',
          // oxlint-disable-next-line typescript/no-unsafe-assignment
          issuedAt: expect.any(Date),
        })
      })
      test.each<[string, () => string]>([
        ['no token', () => ''],
        ['not a token', () => 'a.b.c'],
        ['no algorithm', () => world.sessionToken({}, { alg: 'none' })],
        [
          'no algorithm and no signature',
          () => world.sessionToken({}, { alg: 'none' }).replace(/[^.]*$/, ''),
        ],
        ['another algorithm', () => world.sessionToken({}, { alg: 'HS512' })],
        [
          'another secret',
          () =>
            world.sessionToken({}, { secret: 'not the app’s secret, but long enough to be one' }),
        ],
        ['another app', () => world.sessionToken({ aud: 'another-app' })],
        [
          'several apps',
          () => world.sessionToken({ aud: [world.storefront.page.apiKey, 'another-app'] }),
        ],
        ['no app', () => world.sessionToken({ aud: undefined })],
        ['expired', () => world.sessionToken({ exp: now() - 60 })],
        ['never expires', () => world.sessionToken({ exp: undefined })],
        ['not yet valid', () => world.sessionToken({ nbf: now() + 60 })],
        ['valid since nobody knows', () => world.sessionToken({ nbf: undefined })],
        [
          'dest is another shop',
          () => world.sessionToken({ dest: 'https://other-shop.myshopify.com' }),
        ],
        [
          'iss is another shop',
          () => world.sessionToken({ iss: 'https://other-shop.myshopify.com/admin' }),
        ],
        ['no dest', () => world.sessionToken({ dest: undefined })],
        ['no user', () => world.sessionToken({ sub: undefined })],
        ...[
          'http://harbour.myshopify.com',
          'https://evil.example',
          'https://harbour.myshopify.com.evil.example',
          'https://harbour.myshopify.com@evil.example',
          'https://evil.example#.myshopify.com',
          'https://user:pass@harbour.myshopify.com',
          'https://harbour.myshopify.com:8443',
          'https://harbour.myshopify.com/other',
          'https://myshopify.com',
          'https://a.b.myshopify.com',
          'harbour.myshopify.com',
        ].map((dest): [string, () => string] => [
          `dest is ${dest}`,
          () => world.sessionToken({ dest, iss: dest }),
        ]),
      ])('refused: %s', (_, token) => refused(token()))
      test('a token with one changed letter is refused', () => {
        const [header, payload, signature] = world.sessionToken().split('.')
        const changed = JSON.stringify({ ...JSON.parse(atob(payload!)), sub: '2' })
        return refused([header, btoa(changed).replace(/=+$/, ''), signature].join('.'))
      })
      test('another shop’s token gives no access to this one', () =>
        expect(
          world.storefront.ensureAccess(
            world.shop,
            world.sessionToken({
              iss: 'https://other-shop.myshopify.com/admin',
              dest: 'https://other-shop.myshopify.com',
            }),
          ),
        ).rejects.toMatchObject({ code: 'unauthenticated' }))
      test('a shop that has access already is unchanged', async () => {
        await world.storefront.ensureAccess(world.shop, world.sessionToken())
        expect((await find(['FORMATS'])).size).toBe(1)
      })
    })

    describe('catalog', () => {
      test('returns product, variant and SKU', async () => {
        const [found] = (await find(['3D-04 (v2)'])).get('3D-04 (v2)')!
        expect(found).toEqual({
          product_id: expect.stringMatching(/^gid:\/\/shopify\/Product\/\d+$/),
          product_title: `Product odd-${ODD_SKUS.indexOf('3D-04 (v2)')}`,
          variant_id: expect.stringMatching(/^gid:\/\/shopify\/ProductVariant\/\d+$/),
          variant_title: 'Default Title',
          sku: '3D-04 (v2)',
        })
      })
      test('a search for nothing finds nothing', async () => {
        expect(await find([])).toEqual(new Map())
        expect(await find([''])).toEqual(new Map())
      })
      test('unknown SKUs are absent', async () => {
        const found = await find([
          'EB-00',
          'EB-0011',
          'EB-001 ',
          'Eb-001',
          'FORMATS',
          'x'.repeat(5000),
        ])
        expect([...found.keys()]).toEqual(['FORMATS'])
      })
      test.each(ODD_SKUS)('finds %j and nothing else', async (sku) => {
        const found = await find([sku])
        expect([...found.keys()]).toEqual([sku])
        expect(found.get(sku)!.map(({ product_title: title }) => title)).toEqual([
          `Product odd-${ODD_SKUS.indexOf(sku)}`,
        ])
      })
      test('finds all odd SKUs together', async () => {
        const found = await find([...ODD_SKUS, ...ODD_SKUS])
        expect([...found.keys()].sort()).toEqual([...ODD_SKUS].sort())
        for (const sku of ODD_SKUS)
          expect(found.get(sku)!.map((variant) => variant.sku)).toEqual([sku])
      })
      test('several variants of one product, and several products, can share a SKU', async () => {
        const found = await find(['FORMATS', 'TWIN'])
        expect(
          found
            .get('FORMATS')!
            .map((one) => one.variant_title)
            .sort(),
        ).toEqual(['EPUB', 'PDF'])
        expect(new Set(found.get('FORMATS')!.map((one) => one.product_id)).size).toBe(1)
        expect(new Set(found.get('TWIN')!.map((one) => one.product_id)).size).toBe(2)
      })
      test('continues if a SKU has more variants than a page holds', async () => {
        const variants = (await find(['MANY', 'EB-001'])).get('MANY')!
        expect(new Set(variants.map((one) => one.variant_id)).size).toBe(300)
      })
      test('a SKU whose Unicode forms belong to two products matches neither with another space', async () => {
        expect((await find(['É-combined ', ' E\u0301-combined'])).size).toBe(0)
      })
      test.each([
        [':\u{e0000}', ':', 'a character that cannot be seen'],
        ['\u200b100%', '100%', 'another one'],
        ['（ｖ２）', '(v2)', 'wide characters'],
        ['٣D-04 (v2) ', '3D-04 (v2)', 'the digit of another script'],
      ])('finds %j as %j: %s', async (text, sku) => {
        const found = await find([text])
        expect(found.get(text)?.map((variant) => variant.sku)).toEqual([sku])
      })
      test('accepts any text, and finds only exact matches', async () => {
        const text = fc
          .oneof(
            fc.string({ unit: codePoint, maxLength: 30 }),
            fc
              .array(fc.constantFrom(...ODD_SKUS, ' ', '"', '\\', '*', ')'), { maxLength: 4 })
              .map((parts) => parts.join('')),
          )
          .filter(isDecided)
        await fc.assert(
          fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (skus) => {
            const found = await find(skus)
            expect([...found.keys()].sort()).toEqual([...new Set(skus)].filter(isKnown).sort())
          }),
          { numRuns: sized(10, 40) },
        )
      })
      test('an abort ends only its own caller’s wait', async () => {
        const leaving = new AbortController()
        const left = find(['EB-001', 'FORMATS'], leaving.signal)
        const stayed = find(['FORMATS', 'TWIN'])
        leaving.abort(new Error('going'))
        await expect(left).rejects.toThrow('going')
        expect((await stayed).size).toBe(2)
        await expect(find(['TWIN'], leaving.signal)).rejects.toThrow('going')
      })
    })
  })
}
