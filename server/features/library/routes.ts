// Buyers for the merchant: who they are, what they have and downloaded, and their library's mail.
import { z } from 'zod'
import { say, emailAddress } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import { lastOf } from '../../core/lazy.ts'
import type { Secrets } from '../../core/secrets.ts'
import { fromCursor, text, toCursor } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, page, timestamp } from '../../http/schemas.ts'
import { readBuyerPage } from '../downloads/buyer-page.ts'
import { deliveryDetailSchema, openingRecord, refusalRecord } from '../orders/record.ts'
import { isBuyer, listBuyers, readBuyer, type BuyerSummary } from './buyers.ts'
import { hasItems } from './items.ts'
import { requestLibrary } from './keys.ts'
import { openAddressLimit } from './requests.ts'

export interface BuyerRouteParts {
  database: Database
  secrets: Secrets
  clock: () => Date
}

const buyerSchema = z
  .object({
    email: z.string().describe('In lower case'),
    orders: z.number().int(),
    files: z.number().int().describe('In deliveries and links that were not revoked'),
    blocked_files: z
      .number()
      .int()
      .describe('Of them, those whose downloads or views are used up or have ended'),
    downloads: z.number().int(),
    last_download_at: timestamp.nullable(),
    last_order_at: timestamp.nullable(),
  })
  .meta({ id: 'Buyer' })

const { download_list, refusals, views, openings } = deliveryDetailSchema.shape
const buyerDetailSchema = buyerSchema
  .extend({
    library: z
      .object({ sent_at: timestamp.nullable(), opened_at: timestamp.nullable() })
      .describe('When its link was last sent, and when it was last opened'),
    download_list,
    refusals,
    views,
    openings,
    licence_keys: z
      .array(
        z.object({
          file_id: z.string(),
          filename: z.string(),
          key: z.string(),
          revoked: z.boolean().describe('By the shop, or with a refund'),
        }),
      )
      .describe('Keys that were shown to the buyer; only with `links:write`'),
  })
  .meta({ id: 'BuyerDetail' })

const endpoint = endpointsOf({ tag: 'Buyers' })
const readers = ['files:read', 'links:write'] as const
const email = emailAddress('Send an email address')
const time = (at: Date | null): string | null => at?.toISOString() ?? null

export const buyerRoutes = (parts: BuyerRouteParts): Endpoint[] => [
  list(),
  read(parts),
  send(parts),
]

const list = () =>
  endpoint('GET /api/buyers', {
    summary: 'List buyers by email address',
    scope: readers,
    query: z.strictObject({
      ...page,
      search: z.string().max(320).optional().describe('The beginning of the email address'),
    }),
    replies: { 200: { description: 'A page of buyers', schema: listOf(buyerSchema) } },
    handler: async ({ caller, query: { limit, cursor, search } }) => {
      const after = fromCursor(cursor, [text])?.[0]
      const rows = await listBuyers(caller.scope, {
        search: search?.trim(),
        after,
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      const next = rows.length > limit ? toCursor([lastOf(shown).email]) : null
      return { body: { data: shown.filter(isBuyer).map(buyerRecord), next_cursor: next } }
    },
  })

const read = ({ secrets }: BuyerRouteParts) =>
  endpoint('GET /api/buyers/detail', {
    summary: 'Read a buyer',
    description:
      'With the last downloads, refused downloads and licence keys. Read the deliveries with `GET /api/deliveries?email=` and the links with `GET /api/links?email=`.',
    scope: readers,
    query: z.strictObject({ email }),
    replies: { 200: { description: 'The buyer', schema: buyerDetailSchema } },
    handler: async ({ caller, query }) => {
      const row = await readBuyer(caller.scope, secrets, query.email.toLowerCase())
      if (!row) throw new AppError('not_found')
      const { library } = row
      return {
        body: {
          ...buyerRecord(row),
          library: { sent_at: time(library.sent_at), opened_at: time(library.opened_at) },
          download_list: row.download_list.map((download) => ({
            ...download,
            at: download.at.toISOString(),
            file_id: toPublicId('file', download.file_id),
          })),
          views: row.view_list.map((view) => ({
            ...view,
            at: view.at.toISOString(),
            file_id: toPublicId('file', view.file_id),
          })),
          refusals: row.refused_list.map(refusalRecord),
          openings: row.opening_list.map(openingRecord),
          licence_keys: caller.scopes.has('links:write')
            ? row.licence_keys.map((one) => ({ ...one, file_id: toPublicId('file', one.file_id) }))
            : [],
        },
      }
    },
  })

const send = (parts: BuyerRouteParts) => {
  const limit = openAddressLimit(parts)
  return endpoint('POST /api/buyers/library', {
    summary: 'Send a buyer the link to their library',
    scope: 'links:write',
    body: z.strictObject({ email }).meta({ id: 'LibraryRequest' }),
    replies: {
      202: { description: 'The mail is being sent', schema: z.object({ email: z.string() }) },
      404: { description: 'The address has no files', schema: errorSchema },
      409: { description: 'Libraries are off in the settings', schema: errorSchema },
      429: { description: 'It was sent often within the last hour', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, body }) => {
      const address = body.email.toLowerCase()
      if (!(await readBuyerPage(scope)).page.library)
        throw new AppError('conflict', {
          message: say(
            'Buyers cannot open their library: turn it on in the settings of the buyer’s page',
          ),
        })
      if (!(await hasItems(scope, address)))
        throw new AppError('not_found', {
          message: say('This address has no files: nothing is ready, or all of it was revoked'),
        })
      const { exceeded, retryAfter } = await limit(scope.shop, address)
      if (exceeded)
        throw new AppError('rate_limited', {
          message: say('This link was sent 3 times within an hour: wait before you send it again'),
          retryAfter,
        })
      await requestLibrary(scope, parts.secrets, {
        email: address,
        locale: null,
        now: parts.clock(),
      })
      return { status: 202, body: { email: address } }
    },
  })
}

const buyerRecord = (row: BuyerSummary): z.output<typeof buyerSchema> => ({
  email: row.email,
  orders: row.orders,
  files: row.files,
  blocked_files: row.blocked,
  downloads: row.downloads,
  last_download_at: time(row.last_download_at),
  last_order_at: time(row.last_order_at),
})
