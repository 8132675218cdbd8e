// Packs: named, ordered groups of files, and the products that their files get.
import { z } from 'zod'
import { packName, sayFixed, searchText, say, type Text } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { fromCursor, text, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, page, timestamp } from '../../http/schemas.ts'
import { present } from '../../core/lazy.ts'
import { withOptions } from '../../engine/steps.ts'
import { findProduct } from '../../storefront/mirror/lookup.ts'
import { fileIds } from '../operations/selection.ts'
import { channelOf } from '../operations/routes.ts'
import {
  createPack,
  deletePack,
  lockPack,
  orderPack,
  renamePack,
  replaceProducts,
} from './model/changes.ts'
import { listPacks, readPack, type PackRow, type PackProduct } from './model/list.ts'

const MAX_PRODUCTS = 250

const packSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    files: z.number().int().describe('Their number, trash excluded'),
    size_bytes: z.number().int().describe('The size of all of them'),
    products: z.array(
      z.object({
        product_id: z.string(),
        product_title: z.string(),
        variant_id: z.string().nullable(),
        sku: z.string().nullable(),
      }),
    ),
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
}

export const packRoutes = (parts: PackRouteParts): Endpoint[] => [
  list(),
  create(),
  read(),
  change(parts),
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
      'Files are moved into it by the action `move-to-pack`, or by `pack_id` of one file.',
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
      await requirePack(caller.scope, id)
      const chosen = body.products && (await chosenProducts(caller.scope, body.products))
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

// Changes of packs. New products of a pack change the mappings of its files; that is an operation,
// so it is in history and can be undone.

const ACTION = 'move-to-pack'

export interface ProductChoice {
  product_id: string
  variant_id?: string | null | undefined
}

/**
 * Looks the products up in the catalog. Throws `validation_failed`, which names each unknown or
 * repeated one.
 */
async function chosenProducts(
  scope: ShopScope,
  choices: readonly ProductChoice[],
): Promise<PackProduct[]> {
  const products = new Map<string, PackProduct>()
  const details: ErrorDetail[] = []
  for (const [index, { product_id, variant_id = null }] of choices.entries()) {
    const found = await findProduct(scope, product_id, variant_id)
    const key = `${product_id} ${variant_id ?? ''}`
    const wrong = (code: ErrorDetail['code'], message: Text) =>
      details.push({ index, param: 'products', code, message })
    if (!found) wrong('product_not_found', say('The catalog has no such product'))
    else if (products.has(key)) wrong('invalid_value', say('This product is named twice'))
    else
      products.set(key, {
        product_id,
        product_title: found.product_title,
        variant_id,
        sku: found.variant?.sku ?? null,
      })
  }
  if (details.length > 0) throw new AppError('validation_failed', { param: 'products', details })
  return [...products.values()]
}

/**
 * Returns the UUID of the operation that updates its files' mappings, or null if none of them
 * changes.
 */
function changePack(
  engine: Engine,
  scope: ShopScope,
  id: string,
  change: { name?: string | undefined; products?: readonly PackProduct[] | undefined },
  by: { name: string; channel: string },
): Promise<string | null> {
  return retryTransaction(scope, async (tx) => {
    await lockPack(tx, id)
    if (change.name !== undefined) await renamePack(tx, id, change.name)
    if (change.products === undefined || !(await replaceProducts(tx, id, change.products)))
      return null
    const [first] = await tx.query(
      'select from files where shop_id = :shop and pack_id = :id and deleted_at is null limit 1',
      { id },
    )
    if (!first) return null
    const pack = toPublicId('pack', id)
    return engine.start(tx, {
      workflow: withOptions(present(engine.workflow(ACTION), ACTION), ACTION, { pack }),
      channel: by.channel,
      source: { type: 'filter', filter: { pack } },
      request: {},
      requestedBy: by.name,
    })
  })
}
