// Packs: named, ordered groups of files, and the products that their files get.
import { z } from 'zod'
import { packName, sayFixed, sayPlain, searchText } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { fromCursor, text, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, page, shownProduct, timestamp } from '../../http/schemas.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import { fileIds } from '../operations/selection.ts'
import { channelOf } from '../operations/routes.ts'
import { createPack, deletePack, lockPack, orderPack } from './model/changes.ts'
import { addProduct, changePack, chosenProducts } from './model/products.ts'
import { productOfPack } from './model/sale.ts'
import { listPacks, readPack, type PackRow } from './model/list.ts'

const MAX_PRODUCTS = 250

const packSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    files: z.number().int().describe('Their number, trash excluded'),
    size_bytes: z.number().int().describe('The size of all of them'),
    products: z.array(shownProduct),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Pack' })

const products = z
  .array(
    z.strictObject({
      product_id: z.string().min(1).max(255),
      variant_id: z.string().min(1).max(255).nullable().optional(),
    }),
  )
  .max(MAX_PRODUCTS, sayFixed('At most {count} products', { count: MAX_PRODUCTS }))
  .describe('The products of its files; replaces the current ones')

const endpoint = endpointsOf({ tag: 'Packs', scope: 'files:write' })
const whole = { description: 'The pack', schema: packSchema }
const refused = { description: 'Every problem', schema: errorSchema }
const taken = { description: 'Another pack has this name', schema: errorSchema }

export interface PackRouteParts {
  engine: Engine
  limits: Limits
  storefront: Pick<Storefront, 'createProduct'>
}

export const packRoutes = (parts: PackRouteParts): Endpoint[] => [
  list(),
  create(),
  read(),
  change(parts),
  sell(parts),
  order(parts),
  remove(),
]

const list = () =>
  endpoint('GET /api/packs', {
    summary: 'List packs, by name',
    scope: 'files:read',
    query: z.strictObject({
      ...page,
      search: searchText(255).default('').describe('The name has each of these words'),
    }),
    replies: { 200: { description: 'A page of packs', schema: listOf(packSchema) } },
    handler: async ({ caller, query: { limit, cursor, search } }) => {
      const after = fromCursor(cursor, [text])?.[0]
      const rows = await listPacks(caller.scope, {
        search,
        after: after ?? null,
        limit: limit + 1,
      })
      return { body: listPage(rows, limit, (last) => [last.name_key], recordOf) }
    },
  })

const create = () =>
  endpoint('POST /api/packs', {
    summary: 'Create a pack',
    description:
      'Files are added to it by the action `move-to-pack`, or by `pack_ids` of one file.',
    atomic: true,
    body: z
      .strictObject({ name: packName, products: products.default([]) })
      .meta({ id: 'PackRequest' }),
    replies: { 201: whole, 409: taken, 422: refused },
    handler: async ({ caller, body }) => {
      const chosen = await chosenProducts(caller.scope, body.products)
      const id = await retryTransaction(caller.scope, (tx) => createPack(tx, body.name, chosen))
      const pack = await requirePack(caller.scope, id)
      return { status: 201, headers: { Location: `/api/packs/${pack.id}` }, body: pack }
    },
  })

const read = () =>
  endpoint('GET /api/packs/{id}', {
    summary: 'Read a pack',
    description: 'Its files in their order: `GET /api/files?pack={id}&sort=pack_position`.',
    scope: 'files:read',
    replies: { 200: whole },
    handler: async ({ caller, params }) => ({
      body: await requirePack(caller.scope, idOf(params.id)),
    }),
  })

const change = ({ engine }: PackRouteParts) =>
  endpoint('PATCH /api/packs/{id}', {
    summary: 'Rename a pack, or replace its products',
    description: 'An operation (`job_id`) then updates the mappings of its files.',
    body: z
      .strictObject({ name: packName.optional(), products: products.optional() })
      .meta({ id: 'PackChange' }),
    replies: {
      200: {
        description: 'The pack; `job_id` is null if no mapping changes',
        schema: packSchema.extend({ job_id: z.string().nullable() }),
      },
      409: taken,
      422: refused,
    },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params.id)
      const before = await requirePack(caller.scope, id)
      const chosen =
        body.products && (await chosenProducts(caller.scope, body.products, before.products))
      const by = { name: caller.name, channel: channelOf(caller) }
      const job = await changePack(
        engine,
        caller.scope,
        id,
        { name: body.name, products: chosen },
        by,
      )
      return {
        body: {
          ...(await requirePack(caller.scope, id)),
          job_id: job && toOperationId('bulk', job),
        },
      }
    },
  })

const PRICE = /^\d{1,9}(\.\d{1,2})?$/
const MAX_TITLE = 255

const saleSchema = z
  .strictObject({
    title: z
      .string()
      .trim()
      .min(1, sayPlain('Enter a title'))
      .max(MAX_TITLE, sayFixed('A title has at most {count} characters', { count: MAX_TITLE }))
      .optional()
      .describe('Absent: the name of the pack'),
    price: z
      .string()
      .regex(PRICE, sayPlain('Write a price as 12.50'))
      .optional()
      .describe('In the shop’s currency; absent: 0, until it is set in the admin of the store'),
  })
  .meta({ id: 'PackSale' })

const soldSchema = packSchema.extend({
  job_id: z.string().nullable(),
  product: z.object({
    product_id: z.string(),
    product_title: z.string(),
    is_new: z.boolean().describe('False: it was created before'),
    admin_url: z.url().describe('Its page in the admin of the store'),
  }),
})

const sell = ({ engine, storefront }: PackRouteParts) =>
  endpoint('POST /api/packs/{id}/product', {
    summary: 'Create the product that sells a pack',
    description:
      'A draft with one variant that is not shipped, in the shop’s catalog; the pack gets it in addition to its products. A repeated request finds the product that was created for this pack, as the merchant left it. To sell the pack as a product that exists, change `products` of the pack.',
    body: saleSchema,
    replies: {
      200: {
        description:
          'The pack. `job_id`: the operation that maps its files to the product; null if no mapping changes',
        schema: soldSchema,
      },
      403: {
        description: 'The store does not allow the app to create products',
        schema: errorSchema,
      },
      409: { description: 'It is being created, or the store refused it', schema: errorSchema },
      422: refused,
      503: { description: 'The store could not be asked', schema: errorSchema },
    },
    handler: async ({ caller, params, body, signal }) => {
      const id = idOf(params.id)
      const { name } = await requirePack(caller.scope, id)
      const sale = { title: body.title ?? name, price: body.price ?? null }
      const made = await productOfPack(storefront, caller.scope, id, sale, signal)
      const product = {
        product_id: made.id,
        product_title: made.title,
        variant_id: null,
        sku: null,
      }
      const by = { name: caller.name, channel: channelOf(caller) }
      const job = await addProduct(engine, caller.scope, id, product, by)
      return {
        body: {
          ...(await requirePack(caller.scope, id)),
          job_id: job && toOperationId('bulk', job),
          product: {
            product_id: made.id,
            product_title: made.title,
            is_new: made.isNew,
            admin_url: adminPage(caller.shop.domain, made.id),
          },
        },
      }
    },
  })

/** Of a product in the admin of the store. */
const adminPage = (domain: string, product: string): string =>
  `https://${domain}/admin/products/${product.split('/').at(-1)}`

const order = ({ limits }: PackRouteParts) =>
  endpoint('PUT /api/packs/{id}/order', {
    summary: 'Order a pack’s files',
    description: 'Files that are not listed stay after these, in their current order.',
    atomic: true,
    body: z.strictObject({ file_ids: fileIds(limits) }).meta({ id: 'PackOrder' }),
    replies: { 200: whole, 422: refused },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params.id)
      await retryTransaction(caller.scope, async (tx) => {
        await lockPack(tx, id)
        await orderPack(tx, id, body.file_ids)
      })
      return { body: await requirePack(caller.scope, id) }
    },
  })

const remove = () =>
  endpoint('DELETE /api/packs/{id}', {
    summary: 'Delete a pack; its files stay',
    description: 'They lose the products of the pack, and its links stop working.',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      const id = idOf(params.id)
      await retryTransaction(caller.scope, (tx) => deletePack(tx, id))
      return { status: 204, body: null }
    },
  })

const idOf = (id: string) => requirePublicId('pack', id)

async function requirePack(scope: ShopScope, id: string): Promise<z.output<typeof packSchema>> {
  const pack = await readPack(scope, id)
  if (!pack) throw new AppError('not_found')
  return recordOf(pack)
}

const recordOf = ({
  id,
  name,
  files,
  size_bytes,
  products,
  ...times
}: PackRow): z.output<typeof packSchema> => ({
  id: toPublicId('pack', id),
  name,
  files,
  size_bytes,
  products,
  created_at: times.created_at.toISOString(),
  updated_at: times.updated_at.toISOString(),
})
