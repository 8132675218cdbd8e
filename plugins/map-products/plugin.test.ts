import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStorefront } from '../../server/storefront/open.ts'
import type { Storefront } from '../../server/storefront/storefront.ts'
import { createSecrets } from '../../server/secrets.ts'
import { openTestDatabase, silent } from '../../test/database.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type Item, type Outcome } from '../contract.ts'
import { mapProducts } from './plugin.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let storefront: Storefront
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
})
afterAll(async () => {
  await storefront.close()
  await database.drop()
})

const context = () => writeContext({ catalog: storefront.catalog(storefront.demoShop!.id) })
const named = (id: string, product_sku?: string) => importItem(id, product_sku ? { entry: { product_sku } } : {})
const outcomesOf = async (items: readonly Item[], given = context()) => {
  const outcomes: Outcome[] = await Array.fromAsync(mapProducts.plan(items, {}, given))
  return new Map(outcomes.map((outcome) => [outcome.item, outcome]))
}

pluginSuite(mapProducts, () =>
  Promise.resolve({ items: [named('a', 'EB-001'), named('b')], context: context(), state: () => null }),
)

describe('map-products', () => {
  it('maps the SKU that the entry names, with score and reason', async () => {
    const outcomes = await outcomesOf([named('a', 'EB-001')])
    expect(outcomes.get('a')).toMatchObject({
      status: 'ok',
      change: {
        mappings: {
          add: [
            {
              product_title: 'The Tide Tables of Memory',
              sku: 'EB-001',
              method: 'sku',
              score: 1,
              reason: expect.stringContaining('EB-001'),
            },
          ],
        },
      },
    })
  })

  it('maps to the product where several of its variants share the SKU', async () => {
    const outcome = (await outcomesOf([named('a', 'EB-007')])).get('a')
    expect(outcome).toMatchObject({
      change: { mappings: { add: [{ variant_id: null, product_title: 'Sea Glass: A Novel' }] } },
    })
  })

  it('leaves it to a person where several products share the SKU', async () => {
    const outcome = (await outcomesOf([named('a', 'TIDE-2025')])).get('a')
    const candidates = [{ sku: 'TIDE-2025' }, { sku: 'TIDE-2025' }]
    expect(outcome).toMatchObject({ status: 'ok', warnings: [{ code: 'sku_ambiguous' }], candidates })
    expect(outcome).not.toHaveProperty('change')
  })

  it('warns of a SKU that the catalog does not have, in the specification’s words', async () => {
    const outcome = (await outcomesOf([named('a', 'eb-001')])).get('a')
    expect(outcome).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'sku_not_found', message: 'Product SKU not found' }],
    })
  })

  it('a storefront that is away fails those that name a SKU, to be tried again, and no others', async () => {
    const away = { findBySku: () => Promise.reject(new PortError('storefront_unavailable', 'away', true)) }
    const outcomes = await outcomesOf([named('a', 'EB-001'), named('b')], writeContext({ catalog: away }))
    expect(outcomes.get('a')).toMatchObject({ status: 'failed', code: 'storefront_unavailable', retryable: true })
    expect(outcomes.get('b')).toMatchObject({ status: 'ok' })
  })
})
