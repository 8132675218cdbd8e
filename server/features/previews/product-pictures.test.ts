// The pictures of products are fetched once, made small, and fetched again for another address.
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { WAIT_MS } from '../../../test/wait.ts'
import { createLogger } from '../../core/log.ts'
import { addMappings } from '../../files/mappings.ts'
import { createSandboxes } from '../../ports/sandbox.ts'
import {
  createProductPictures,
  sweepProductPictures,
  type ProductPictureParts,
} from './product-pictures.ts'

const PRODUCT = 'gid://shopify/Product/1'
const PICTURE = 'https://cdn.shopify.com/files/cover.png?v=1'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
const log = createLogger('error', () => {})
const sandboxes = createSandboxes(log)
const asked: string[] = []
const served = new Map<string, Buffer>()

const client: ProductPictureParts['client'] = {
  open: (url) => {
    asked.push(url)
    const bytes = served.get(url) ?? Buffer.from('no image')
    return Promise.resolve({ body: [bytes].values() } as unknown as Awaited<
      ReturnType<ProductPictureParts['client']['open']>
    >)
  },
}

beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
})
afterAll(async () => {
  sandboxes.close()
  await depot.close()
  await database.drop()
})

const setPicture = (url: string, { id = PRODUCT, status = 'ACTIVE' } = {}) =>
  depot.scope.query(
    `insert into products (shop_id, id, title, title_key, handle, status, image_url)
     values (:shop, :id, 'Birds', 'birds', 'birds', :status, :url)
     on conflict (shop_id, id) do update set image_url = :url`,
    { id, status, url },
  )

const mapped = (product: string) => ({
  product_id: product,
  product_title: 'Birds',
  variant_id: null,
  sku: null,
  score: 1,
  reason: '',
  method: 'manual' as const,
})

/** A link of a file that has these products. */
async function linkOf(products: readonly string[]): Promise<string> {
  const { id, file } = await depot.addLink(Buffer.from(products.join('')), {})
  await addMappings(
    depot.scope,
    products.map((product) => ({ fileId: file, mapping: mapped(product) })),
  )
  return id
}

test('of a file with several products is that of the first which is offered', async () => {
  const read = createProductPictures({
    client,
    sandboxOf: () => sandboxes.of(depot.scope.shop),
    log,
  })
  const [archived, offered] = ['gid://shopify/Product/5', 'gid://shopify/Product/6']
  await setPicture('https://example.com/archived.png', { id: archived, status: 'ARCHIVED' })
  await setPicture('https://example.com/offered.png', { id: offered })
  expect(await read(depot.scope, await linkOf([archived, offered]), WAIT_MS)).toBeNull()
  expect(asked.splice(0)).toEqual(['https://example.com/offered.png'])
  expect(await read(depot.scope, await linkOf([archived]), WAIT_MS)).toBeNull()
  expect(asked).toEqual([])
})

test('of the product of a link’s file: fetched once, small, and again when the address changes', async () => {
  const background = { width: 900, height: 600, channels: 3, background: '#274a5a' } as const
  served.set(`${PICTURE}&width=320`, await sharp({ create: background }).png().toBuffer())
  const file = await depot.addFile(Buffer.from('a'), { mapping_state: 'mapped' })
  const { id: link } = await depot.addLink(Buffer.from('b'), {})
  await depot.scope.query('update links set file_id = :file where shop_id = :shop and id = :link', {
    file,
    link,
  })
  const read = createProductPictures({
    client,
    sandboxOf: () => sandboxes.of(depot.scope.shop),
    log,
  })
  const picture = () => read(depot.scope, link, WAIT_MS)
  expect(await picture()).toBeNull()
  await addMappings(depot.scope, [{ fileId: file, mapping: mapped(PRODUCT) }])
  await setPicture(PICTURE)
  const [first, second] = await Promise.all([picture(), picture()])
  expect(await sharp(first as Buffer).metadata()).toMatchObject({ format: 'webp', width: 160 })
  expect(second).toEqual(first)
  expect(await picture()).toEqual(first)
  expect(asked).toEqual([`${PICTURE}&width=320`])
  // Kept that it cannot be opened, so that it is not fetched with each page.
  await setPicture('https://example.com/torn.png')
  expect([await picture(), await picture()]).toEqual([null, null])
  expect(asked).toEqual([`${PICTURE}&width=320`, 'https://example.com/torn.png'])
  expect(await sweepProductPictures(database)).toBe(0)
  await depot.scope.query('delete from products where shop_id = :shop')
  expect([await picture(), await sweepProductPictures(database)]).toEqual([null, 2])
})
