// The bodies of the requests to the demo shop's front.
import { z } from 'zod'
import { emailAddress } from '../../../plugins/contract/index.ts'
import { firstOf } from '../../core/lazy.ts'
import { OrderProblem } from './order.ts'

const MAX_LINES = 200
const MAX_UNITS = 1000
const MAX_LOCATIONS = 99

const line = z.strictObject({
  sku: z.string().min(1).max(255),
  quantity: z.coerce.number().int().min(1).max(MAX_UNITS).default(1),
  location: z.number().int().min(0).max(MAX_LOCATIONS).optional(),
  /** The SKU of the bundle that it is a component of. */
  bundle_sku: z.string().min(1).max(255).optional(),
})
export type LineBody = z.output<typeof line>

/** `PARTIALLY_PAID`: half of it, such as a deposit. */
const PLACED_STATUSES = ['PAID', 'PARTIALLY_PAID', 'AUTHORIZED', 'PENDING'] as const

export const orderBody = z.strictObject({
  /** Null: a phone checkout, a till, or a draft order. */
  email: emailAddress('Enter an email address').nullable().default(null),
  phone: z.string().max(40).nullish(),
  financial_status: z.enum(PLACED_STATUSES).default('PAID'),
  /** Where it was placed: `web`, `pos`, `shopify_draft_order` … */
  source: z.string().min(1).max(100).default('web'),
  locale: z.string().min(2).max(20).nullish(),
  name: z.string().trim().max(100).nullish(),
  /** Placed without a customer account. */
  guest: z.boolean().default(false),
  /** It was placed before the app was installed: no webhook reports it. */
  created_at: z.iso.datetime().optional(),
  lines: z.array(line).min(1, 'At least one line').max(MAX_LINES),
})
const changes = z.array(
  z.strictObject({
    sku: z.string().optional(),
    id: z.string().optional(),
    quantity: z.coerce.number().int().min(0).max(MAX_UNITS).default(1),
  }),
)
export const refundBody = z.strictObject({ lines: changes.max(MAX_LINES).optional() })
export const editBody = z
  .strictObject({
    /** Lines to change to this quantity; a SKU that the order does not have is added. */
    lines: z
      .array(line.extend({ quantity: z.coerce.number().int().min(0).max(MAX_UNITS) }))
      .max(MAX_LINES)
      .default([]),
    /** Does what `lines` adds leave a balance that the customer has not paid? */
    unpaid: z.boolean().default(false),
    /** Lines to add. They leave a balance due. */
    add: z.array(line).max(MAX_LINES).default([]),
  })
  .refine(({ lines, add }) => lines.length + add.length > 0, 'Send lines or add')
export const riskBody = z.strictObject({
  recommendation: z.enum(['ACCEPT', 'CANCEL', 'INVESTIGATE', 'NONE']),
})

export const skuBody = z.strictObject({
  sku: z.string().min(1).max(255),
  new_sku: z.string().min(1).max(255),
})

export const customerBody = z.strictObject({
  tags: z.array(z.string().trim().min(1).max(255)).max(250),
})

export const dataRequestBody = z.strictObject({
  email: emailAddress('Enter an email address'),
})

/** The body after its schema. Throws `OrderProblem` with what is wrong. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  const { path, message } = firstOf(parsed.error.issues)
  throw new OrderProblem(`${path.join('.') || 'body'}: ${message}`)
}
