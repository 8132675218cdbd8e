// Files that products got after they were sold: which past buyers lack them. They are given by the
// action `give-files`.
import { z } from 'zod'
import { NEW_FILES_CHOICES } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { compileFilter } from '../../files/filter.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { cutPage } from '../../http/cursors.ts'
import { errorSchema, listOf, pageOfWhole } from '../../http/schemas.ts'
import { selectionSchema, type Selection } from '../operations/selection.ts'
import {
  chooseForProduct,
  forgetProduct,
  listNewFiles,
  listProductChoices,
  countPastBuyers,
} from './new-files.ts'

const choiceSchema = z.enum(NEW_FILES_CHOICES).nullable()
const productChoiceSchema = z
  .object({
    product_id: z.string(),
    title: z.string(),
    new_files: choiceSchema.describe('Null: as the setting `new_files` of the shop'),
  })
  .meta({ id: 'ProductNewFiles' })

const count = (description: string) => z.number().int().meta({ description })
const productId = z.string().min(1).max(100)

const newFilesSchema = z
  .object({
    product_id: z.string(),
    title: z.string(),
    files: z
      .array(z.object({ file_id: z.string(), filename: z.string() }))
      .describe('Its new files that a past buyer lacks'),
    orders: count('Orders that lack at least one of them'),
    buyers: count('Their different buyers'),
    new_files: choiceSchema.describe('The choice of the product; null: as the setting of the shop'),
  })
  .meta({ id: 'NewFiles' })

const pastBuyersSchema = z
  .object({
    files: count('Of the files, those that a past buyer lacks'),
    orders: count('Orders that lack at least one of them'),
    buyers: count('Their different buyers'),
  })
  .meta({ id: 'PastBuyers' })

const endpoint = endpointsOf({ tag: 'Deliveries' })

export const newFilesRoutes = ({ limits }: { limits: Limits }): Endpoint[] => [
  endpoint('GET /api/new-files', {
    summary: 'List new files that past buyers do not have, by product',
    description:
      'Files that a product got after it was sold, until they are given to its past buyers with the action `give-files`, or dismissed. The latest 100 products.',
    scope: ['files:read', 'links:write'],
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'By product', schema: listOf(newFilesSchema) } },
    handler: async ({ caller: { scope }, query }) => {
      const found = await listNewFiles(scope)
      const data = found.map(({ files, ...rest }) => ({
        ...rest,
        files: files.map(({ id, filename }) => ({ file_id: toPublicId('file', id), filename })),
      }))
      return { body: cutPage(data, query, ({ product_id }) => product_id) }
    },
  }),
  endpoint('POST /api/new-files/dismiss', {
    summary: 'Keep a product’s new files from its past buyers',
    description: 'They can still be given with the action `give-files`.',
    scope: 'links:write',
    body: z.strictObject({ product_id: productId }).meta({ id: 'NewFilesDismissal' }),
    replies: { 204: { description: 'The question is not asked any more', schema: null } },
    handler: async ({ caller: { scope }, body: { product_id } }) => {
      await forgetProduct(scope, product_id)
      return { status: 204, body: null }
    },
  }),
  ...choiceRoutes(),
  endpoint('POST /api/new-files/buyers', {
    summary: 'Count the past buyers who lack files',
    description: 'What the action `give-files` would do with these files. Writes nothing.',
    scope: ['files:read', 'links:write'],
    body: z
      .strictObject({ select: selectionSchema(limits), product_id: productId.optional() })
      .meta({ id: 'PastBuyersRequest' }),
    replies: {
      200: { description: 'The current numbers', schema: pastBuyersSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, body: { select, product_id = null } }) => ({
      body: await countPastBuyers(scope, {
        files: await selectedFiles(scope, select),
        product: product_id,
      }),
    }),
  }),
]

const choiceRoutes = (): Endpoint[] => [
  endpoint('GET /api/new-files/products', {
    summary: 'List products with their own choice about new files',
    description: 'All others follow the setting `new_files` of the shop. At most 1,000.',
    scope: 'files:read',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'By title', schema: listOf(productChoiceSchema) } },
    handler: async ({ caller: { scope }, query }) => ({
      body: cutPage(await listProductChoices(scope), query, ({ product_id }) => product_id),
    }),
  }),
  endpoint('PUT /api/new-files/products', {
    summary: 'Choose whether new files of a product go to its past buyers',
    description:
      'It counts for the files that are mapped to the product from now on, and for those that nobody has decided about. The choice of a mapping rule counts before it.',
    scope: 'settings:write',
    body: z
      .strictObject({ product_id: productId, new_files: choiceSchema })
      .meta({ id: 'ProductNewFilesChoice' }),
    replies: {
      204: { description: 'It was saved', schema: null },
      422: { description: 'The catalog has no such product', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, body: { product_id, new_files } }) => {
      await chooseForProduct(scope, product_id, new_files)
      return { status: 204, body: null }
    },
  }),
]

/** Bare UUIDs. */
async function selectedFiles(scope: ShopScope, select: Selection): Promise<readonly string[]> {
  if ('file_ids' in select) return select.file_ids
  const { sql, bindings } = await compileFilter(scope, select.filter)
  const rows = await scope.query<{ id: string }>(
    `select id from files where files.shop_id = :shop and ${sql}`,
    bindings,
  )
  return rows.map(({ id }) => id)
}
