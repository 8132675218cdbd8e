// Deliveries: what each order entitles its buyer to, and the merchant's changes to it.
import { z } from 'zod'
import {
  checkAsk,
  emailAddress,
  FILE_SETTINGS,
  sayPlain,
  sayFixed,
} from '../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { parsePublicId, requirePublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import { fromCursor, listPage, uuid } from '../../http/cursors.ts'
import { endpointsOf, type Caller, type Endpoint, type Reply } from '../../http/endpoint.ts'
import {
  downloadLimit,
  errorSchema,
  expiryDays,
  listOf,
  page,
  timestamp,
} from '../../http/schemas.ts'
import { askFields, withAskTerm } from '../links/model/ask-terms.ts'
import { normalPhone } from './delivery-text.ts'
import {
  changeDelivery,
  correctAddress,
  holdDelivery,
  releaseDelivery,
  resendDelivery,
  revokeDelivery,
  type ChangeParts,
} from './changes.ts'
import { listDeliveries, readDelivery } from './deliveries.ts'
import { deliveryFilterFields, deliveryFilterOf } from './delivery-filter.ts'
import { deliveryExtras } from './extras.ts'
import {
  deliveryDetailRecord,
  deliveryDetailSchema,
  type DeliveryFileRecord,
  deliveryRecord,
  deliverySchema,
} from './record.ts'

/** What the answers of endpoints about deliveries need. */
export interface DeliveryRouteParts {
  secrets: Secrets
  baseUrl: string
  clock: () => Date
}

export const MAX_FILES = 1000
const MAX_ADDED = 1000

const endpoint = endpointsOf({ tag: 'Deliveries' })
export const whole = { description: 'The delivery', schema: deliveryDetailSchema }
const readers = ['files:read', 'links:write'] as const

export const deliveryRoutes = (parts: DeliveryRouteParts): Endpoint[] => [
  list(parts),
  read(parts),
  change(parts),
  correct(parts),
  actionRoute(parts, {
    name: 'resend',
    summary: 'Send the buyer’s email or text message again',
    status: 202,
    conflict: 'It is not ready, or has no email address and no phone number',
    act: resendDelivery,
  }),
  actionRoute(parts, {
    name: 'revoke',
    summary: 'Revoke a delivery permanently',
    status: 200,
    act: revokeDelivery,
  }),
  actionRoute(parts, {
    name: 'hold',
    summary: 'Hold a delivery',
    status: 200,
    conflict: 'It was revoked',
    act: holdDelivery,
  }),
  actionRoute(parts, {
    name: 'release',
    summary: 'Release a delivery that is held',
    status: 200,
    conflict: 'It was revoked',
    act: releaseDelivery,
  }),
]

const list = (parts: DeliveryRouteParts) =>
  endpoint('GET /api/deliveries', {
    summary: 'List deliveries, newest first',
    scope: readers,
    query: z.strictObject({ ...page, ...deliveryFilterFields }),
    replies: { 200: { description: 'A page of deliveries', schema: listOf(deliverySchema) } },
    handler: async ({ caller, query: { limit, cursor, ...given } }) => {
      const before = fromCursor(cursor, [uuid])?.[0]
      const filter = { ...deliveryFilterOf(given), before, limit: limit + 1 }
      const rows = await listDeliveries(caller.scope, filter)
      const record = recordParts(parts, caller)
      return {
        body: listPage(
          rows,
          limit,
          (last) => [last.id],
          (row) => deliveryRecord(row, record),
        ),
      }
    },
  })

const read = (parts: DeliveryRouteParts) =>
  endpoint('GET /api/deliveries/{id}', {
    summary: 'Read a delivery',
    description: 'With its files and their terms, the order’s lines, its emails and downloads.',
    scope: readers,
    replies: { 200: whole },
    handler: ({ caller, params }) => answer(parts, caller, idOf(params.id)),
  })

const phone = z
  .string()
  .max(40, sayPlain('At most 40 characters'))
  .refine(
    (text) => normalPhone(text) !== null,
    sayPlain('Enter a phone number with its country, like +4915112345678'),
  )

/** More downloads or views of files that have a limit. */
const addedUses = z
  .number()
  .int()
  .min(1, sayPlain('At least 1'))
  .max(MAX_ADDED, sayFixed('At most {limit}', { limit: MAX_ADDED }))
  .optional()

const laterTime = timestamp
  .refine((at) => at >= '1970', sayPlain('Send a time after 1970'))
  .nullable()
  .optional()

const changeBody = z
  .strictObject({
    email: emailAddress('Send an email address').optional(),
    phone: phone
      .optional()
      .describe('The number for text messages, of a delivery without an email address'),
    expiry_days: expiryDays.optional().describe('Days from now; null: never'),
    download_limit: downloadLimit.optional(),
    more_downloads: addedUses.describe('Added to the limits of files that have one'),
    view_limit: FILE_SETTINGS.view_limit.schema.optional(),
    more_views: addedUses.describe('Added to the limits of views of files that have one'),
    view_days: FILE_SETTINGS.view_days.schema
      .optional()
      .describe(
        'Days from now for views; null: as long as the link is valid. Absent: views that have ended work again if `expiry_days` is given',
      ),
    ...askFields,
    file_ids: z
      .array(z.string())
      .min(1, sayPlain('At least one file'))
      .max(MAX_FILES, sayFixed('At most {count} files', { count: MAX_FILES }))
      .optional()
      .describe('The files that the terms are for; absent: all'),
    terms: z
      .array(
        z.strictObject({
          file_id: z.string(),
          expires_at: laterTime.describe('Null: never'),
          available_at: laterTime.describe(
            'When the buyer gets the file; null: now. It then no longer follows the file’s release date',
          ),
          download_limit: downloadLimit.optional(),
          view_limit: FILE_SETTINGS.view_limit.schema.optional(),
          view_expires_at: laterTime.describe(
            'When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid',
          ),
          first_use_hours: FILE_SETTINGS.first_use_hours.schema
            .optional()
            .describe(
              'Hours from the first download or view, also if that has been; null: the use ends nothing',
            ),
          customer_tag: FILE_SETTINGS.customer_tag.schema
            .optional()
            .describe(
              'The tag that the customer of the order must have, instead of that of the file; null: none',
            ),
        }),
      )
      .min(1, sayPlain('At least one file'))
      .max(MAX_FILES, sayFixed('At most {count} files', { count: MAX_FILES }))
      .refine(
        (terms) => new Set(terms.map(({ file_id }) => file_id)).size === terms.length,
        sayPlain('Name each file once'),
      )
      .optional()
      .describe('The terms of single files; they win over the terms for all'),
    replace: z
      .array(z.strictObject({ file_id: z.string(), with: z.string() }))
      .max(MAX_FILES, sayFixed('At most {count} files', { count: MAX_FILES }))
      .optional()
      .describe('The buyer gets the other file in its place'),
  })
  .superRefine((body, context) => {
    checkAsk(body, context)
    const { download_limit, more_downloads } = body
    if (download_limit !== undefined && more_downloads !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['more_downloads'],
        message: sayPlain('Send either download_limit or more_downloads'),
      })
    if (body.view_limit !== undefined && body.more_views !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['more_views'],
        message: sayPlain('Send either view_limit or more_views'),
      })
  })
  .meta({ id: 'DeliveryChange' })

/** What the terms of a change replace; downloads, views and the first use of the buyer are no edit. */
const termsOf = (file: DeliveryFileRecord) => ({
  file_id: file.file_id,
  ask_for: file.ask_for,
  customer_tag: file.customer_tag,
  expires_at: file.first_use_hours === null ? file.expires_at : null,
  available_at: file.available_at,
  download_limit: file.download_limit,
  first_use_hours: file.first_use_hours,
  view_limit: file.view_limit,
  view_expires_at: file.view_expires_at,
})

const change = (parts: DeliveryRouteParts) =>
  endpoint('PATCH /api/deliveries/{id}', {
    summary: 'Change the terms of a delivery, or its buyer’s address',
    description:
      'An absent field is left unchanged. A corrected address or phone number gets a new link, and the old one stops: send it with `resend`.',
    scope: 'links:write',
    body: changeBody,
    edits: ({ file_list }) => {
      const terms = (file_list as DeliveryFileRecord[]).map(termsOf)
      return () => terms
    },
    replies: {
      200: whole,
      409: { description: 'A phone number, and it has an email address', schema: errorSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params.id)
      const { file_ids, replace, terms, ...common } = await withAskTerm(caller.scope, body)
      const change = {
        ...common,
        file_ids: file_ids?.map(bareFile),
        terms: terms?.map((one) => ({ ...one, file_id: bareFile(one.file_id) })),
        replace: replace?.map((one) => ({
          file_id: bareFile(one.file_id),
          with: bareFile(one.with),
        })),
      }
      await retryTransaction(caller.scope, (tx) => changeDelivery(tx, id, change, partsOf(parts)))
      return answer(parts, caller, id)
    },
  })

const correct = (parts: DeliveryRouteParts) =>
  endpoint('POST /api/deliveries/{id}/correct-address', {
    summary: 'Correct the buyer’s address or phone number, and send the message again',
    description:
      'With the same address, mails to it are allowed again. The new address or number gets a new link, and the old one stops. A number is for a delivery without an email address, in a shop with the setting `text_buyers`.',
    scope: 'links:write',
    atomic: true,
    body: z
      .strictObject({
        email: emailAddress('Enter an email address').optional(),
        phone: phone.optional(),
      })
      .refine(({ email, phone }) => (email === undefined) !== (phone === undefined), {
        path: ['email'],
        message: sayPlain('Send either email or phone'),
      })
      .meta({ id: 'AddressCorrection' }),
    replies: {
      202: whole,
      409: {
        description: 'It is not ready, or the number cannot be used',
        schema: errorSchema,
      },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const id = idOf(params.id)
      await retryTransaction(caller.scope, (tx) => correctAddress(tx, id, body, partsOf(parts)))
      return { ...(await answer(parts, caller, id)), status: 202 }
    },
  })

const NO_FILE = '00000000-0000-0000-0000-000000000000'
/** A malformed id names no file. */
export const bareFile = (file: string) => parsePublicId('file', file) ?? NO_FILE

interface Act {
  name: 'resend' | 'revoke' | 'hold' | 'release'
  summary: string
  status: 200 | 202
  /** The description of the reply 409. */
  conflict?: string
  act(scope: ShopScope, id: string, parts: ChangeParts): Promise<void>
}

const actionRoute = (parts: DeliveryRouteParts, { name, summary, status, conflict, act }: Act) =>
  endpoint(`POST /api/deliveries/{id}/${name}`, {
    summary,
    scope: 'links:write',
    atomic: true,
    replies: conflict
      ? { [status]: whole, 409: { description: conflict, schema: errorSchema } }
      : { [status]: whole },
    handler: async ({ caller, params }) => {
      const id = idOf(params.id)
      await retryTransaction(caller.scope, (tx) => act(tx, id, partsOf(parts)))
      return { ...(await answer(parts, caller, id)), status }
    },
  })

const idOf = (id: string) => requirePublicId('delivery', id)

export const partsOf = ({ secrets, clock }: DeliveryRouteParts): ChangeParts => ({
  secrets,
  now: clock(),
})

const recordParts = ({ secrets, baseUrl }: DeliveryRouteParts, caller: Caller) => ({
  shop: caller.scope.shop,
  secrets,
  baseUrl,
  mayUse: caller.scopes.has('links:write'),
})

/** The whole delivery. Throws `not_found`. */
export async function answer(
  parts: DeliveryRouteParts,
  caller: Caller,
  id: string,
): Promise<Reply> {
  const row = await readDelivery(caller.scope, id, parts.clock())
  if (!row) throw new AppError('not_found')
  const record = recordParts(parts, caller)
  // The keys of a delivery that is not ready can still return to their list.
  const show = record.mayUse && row.status === 'ready'
  const extras = await deliveryExtras(caller.scope, parts.secrets, row.id, { show })
  return { body: deliveryDetailRecord(row, extras, record) }
}
