// Orders of the shop, and the files that it adds to one of them.
import { z } from 'zod'
import { checkAsk, FILE_SETTINGS, sayFixed, sayPlain } from '../../../plugins/contract/index.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import { cutPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import {
  downloadLimit,
  errorSchema,
  expiryDays,
  listOf,
  pageOfWhole,
  timestamp,
} from '../../http/schemas.ts'
import type { LiveOrders } from '../../storefront/orders.ts'
import { askFields, withAskTerm } from '../links/model/ask-terms.ts'
import {
  addToOrder,
  findOrders,
  onlyOrder,
  requireKept,
  takeFromOrder,
  type FoundOrder,
} from './added-files.ts'
import { answer, bareFile, MAX_FILES, partsOf, whole, type DeliveryRouteParts } from './routes.ts'

export interface AddedFilesRouteParts extends DeliveryRouteParts {
  storefront: { orders(shop: number): Pick<LiveOrders, 'find' | 'read'> }
}

const orderText = z
  .string()
  .trim()
  .min(1, sayPlain('Enter an order'))
  .max(100, sayPlain('At most 100 characters'))
  .describe('The order’s id, name (`#1001` or `1001`) or confirmation number')

const orderSchema = z
  .object({
    order_id: z.string().describe('The platform’s id of the order'),
    order_name: z.string(),
    email: z.string().nullable(),
    ordered_at: timestamp,
    delivery_id: z
      .string()
      .nullable()
      .describe('Null: it has no delivery, because none of its products had a file'),
  })
  .meta({ id: 'FoundOrder' })

const additionBody = z
  .strictObject({
    order: orderText,
    file_ids: z
      .array(z.string())
      .min(1, sayPlain('At least one file'))
      .max(MAX_FILES, sayFixed('At most {count} files', { count: MAX_FILES }))
      .refine((ids) => new Set(ids).size === ids.length, sayPlain('Name each file once')),
    expiry_days: expiryDays.optional().describe('Days from now; null: never; absent: the file’s'),
    download_limit: downloadLimit.optional().describe('Null: unlimited; absent: the file’s'),
    view_limit: FILE_SETTINGS.view_limit.schema
      .optional()
      .describe('Null: unlimited; absent: the file’s'),
    view_days: FILE_SETTINGS.view_days.schema
      .optional()
      .describe('Days from now for views; null: as long as the link is valid; absent: the file’s'),
    ...askFields,
    email: z
      .boolean()
      .default(false)
      .describe(
        'Tell the buyer: by email, or by text message where the order has no address and the shop sends them',
      ),
  })
  .superRefine(checkAsk)
  .meta({ id: 'OrderFiles' })

const endpoint = endpointsOf({ tag: 'Deliveries', scope: 'links:write' })

export const addedFilesRoutes = (parts: AddedFilesRouteParts): Endpoint[] => [
  find(parts),
  add(parts),
  take(parts),
]

const find = ({ storefront }: AddedFilesRouteParts) =>
  endpoint('GET /api/orders', {
    summary: 'Find an order',
    description: 'Also one without a delivery: it is looked up on the platform.',
    query: z.strictObject({ ...pageOfWhole, order: orderText }),
    replies: {
      200: { description: 'The orders of this name, usually one', schema: listOf(orderSchema) },
      503: { description: 'The platform did not answer', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, query: { order, ...query }, signal }) => {
      const found = await findOrders(scope, storefront.orders(scope.shop), order, signal)
      return { body: cutPage(found.map(orderRecord), query, ({ order_id }) => order_id) }
    },
  })

const orderRecord = ({
  id,
  name,
  email,
  ordered_at,
  delivery,
}: FoundOrder): z.output<typeof orderSchema> => ({
  order_id: id,
  order_name: name,
  email,
  ordered_at: ordered_at.toISOString(),
  delivery_id: delivery && toPublicId('delivery', delivery),
})

const add = (parts: AddedFilesRouteParts) =>
  endpoint('POST /api/orders/files', {
    summary: 'Add files to one order',
    description:
      'Files that were made for its buyer: no product gets them. They are on the buyer’s page until the order is cancelled or refunded. A paid order without a delivery gets one. Files that the buyer has already are left as they are.',
    body: additionBody,
    replies: {
      200: whole,
      404: { description: 'There is no such order', schema: errorSchema },
      409: {
        description:
          'It is not paid, cancelled, refunded or revoked, or several orders have the name',
        schema: errorSchema,
      },
      422: { description: 'Every problem', schema: errorSchema },
      503: { description: 'The platform did not answer', schema: errorSchema },
    },
    handler: async ({ caller, body, signal }) => {
      const { scope } = caller
      const { order, file_ids, email, ...terms } = await withAskTerm(scope, body)
      const files = file_ids.map(bareFile)
      // Before the platform is asked.
      await requireKept(scope, files)
      const orders = await findOrders(scope, parts.storefront.orders(scope.shop), order, signal)
      const addition = { files, terms, tell: email }
      return answer(
        parts,
        caller,
        await addToOrder(scope, onlyOrder(orders, order), addition, partsOf(parts)),
      )
    },
  })

const take = (parts: AddedFilesRouteParts) =>
  endpoint('DELETE /api/deliveries/{id}/files/{file_id}', {
    summary: 'Take a file back that was added to an order',
    description: 'The undo of `POST /api/orders/files`. A sent message stays with the buyer.',
    atomic: true,
    replies: { 200: whole },
    handler: async ({ caller, params }) => {
      const delivery = requirePublicId('delivery', params.id)
      const file = requirePublicId('file', params.file_id)
      await takeFromOrder(caller.scope, { delivery, file }, parts.clock())
      return answer(parts, caller, delivery)
    },
  })
