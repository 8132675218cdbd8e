// Answers to customers' requests for their data, which the merchant passes on.
import { z } from 'zod'
import { dayAt } from '../../../plugins/contract/index.ts'
import { readShop } from '../../files/shop-settings.ts'
import { deleteAnswer, listAnswers, readAnswer, type CustomerAnswer } from './customer-data-rows.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { fromCursor, uuid, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { listOf, shortPage, timestamp } from '../../http/schemas.ts'

const answerSchema = z
  .object({
    id: z.string(),
    customer_id: z.string().nullable().describe('The platform’s id of the customer'),
    order_ids: z.array(z.string()),
    size_bytes: z.number().int(),
    created_at: timestamp,
    expires_at: timestamp.describe('It is deleted then'),
  })
  .meta({ id: 'CustomerDataAnswer' })

const endpoint = endpointsOf({ tag: 'Settings', scope: 'settings:write' })

interface CustomerDataParts {
  secrets: Secrets
  log: Logger
}

export const customerDataRoutes = (parts: CustomerDataParts): Endpoint[] => [
  list(),
  download(parts),
  remove(),
]

const list = (): Endpoint =>
  endpoint('GET /api/customer-data', {
    summary: 'List answers to customers’ requests for their data, newest first',
    query: z.strictObject(shortPage),
    replies: { 200: { description: 'A page of answers', schema: listOf(answerSchema) } },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const before = fromCursor(cursor, [uuid])?.[0]
      const rows = await listAnswers(caller.scope, {
        limit: limit + 1,
        ...(before ? { before } : {}),
      })
      return { body: listPage(rows, limit, (last) => [last.id], recordOf) }
    },
  })

const download = ({ secrets, log }: CustomerDataParts): Endpoint =>
  endpoint('GET /api/customer-data/{id}', {
    summary: 'Download the stored data about a customer',
    description:
      'A JSON document, as an attachment: links, downloads with their IP addresses, orders and ' +
      'messages. It contains personal data. Every download is logged.',
    replies: {
      200: {
        description: 'The document',
        schema: z.record(z.string(), z.unknown()).meta({ id: 'CustomerData' }),
      },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('answer', params.id)
      const found = await readAnswer(caller.scope, secrets, id)
      if (!found) throw new AppError('not_found')
      log.info('a customer’s data was downloaded', {
        shop: caller.scope.shop,
        answer: id,
        by: caller.subject,
      })
      const { settings } = await readShop(caller.scope)
      const day = dayAt(found.answer.created_at, settings.time_zone)
      const name = `customer-data-${day}.json`
      return {
        headers: { 'Content-Disposition': `attachment; filename="${name}"` },
        body: JSON.parse(found.document),
      }
    },
  })

const remove = (): Endpoint =>
  endpoint('DELETE /api/customer-data/{id}', {
    summary: 'Delete an answer before it expires',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      if (!(await deleteAnswer(caller.scope, requirePublicId('answer', params.id))))
        throw new AppError('not_found')
      return { status: 204, body: null }
    },
  })

const recordOf = ({ id, created_at, expires_at, ...answer }: CustomerAnswer) => ({
  id: toPublicId('answer', id),
  ...answer,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
})
