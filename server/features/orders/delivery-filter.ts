// What the list of deliveries, and reports about them, are limited to.
import { z } from 'zod'
import { requirePublicId } from '../../core/ids.ts'
import { publicId } from '../../core/public-id.ts'
import type { DeliveryFilter } from './deliveries.ts'
import { DELIVERY_STATUSES } from './entitlement.ts'

/** Every condition must hold. */
export const deliveryFilterFields = {
  email: z.string().max(320).optional().describe('The buyer’s address, ignoring case'),
  order: z.string().max(100).optional().describe('The order’s id, name or confirmation number'),
  search: z
    .string()
    .max(320)
    .optional()
    .describe('The beginning of the email address or of the order’s name'),
  status: z.enum(DELIVERY_STATUSES).optional(),
  reach: z
    .literal('unreachable')
    .optional()
    .describe(
      'Ready, and its buyer has no email address and got no text message, or the last message did not arrive',
    ),
  state: z
    .literal('blocked')
    .optional()
    .describe('Ready, and files are used up, expired or not prepared'),
  file_id: publicId('file', 'a file').optional().describe('It contains this file'),
  product: z
    .string()
    .max(255)
    .optional()
    .describe('Its order has this product: the platform’s id, its number, or a SKU'),
}

export const deliveryFilterOf = ({
  email,
  order,
  search,
  status,
  reach,
  state,
  file_id,
  product,
}: z.output<z.ZodObject<typeof deliveryFilterFields>>): Omit<DeliveryFilter, 'limit'> => ({
  email: email?.trim(),
  order: order?.trim(),
  search: search?.trim(),
  listed: [status, state, reach].filter((one) => one !== undefined),
  file: file_id === undefined ? undefined : requirePublicId('file', file_id),
  product,
})
