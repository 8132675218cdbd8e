// What an open page polls, in one small answer: the counts of its frame, and whether its lists may
// have changed. An idle page polls nothing else. And what happened to a file.
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { fromCursor, text, time, toCursor } from '../../http/cursors.ts'
import { itemError, listOf, page, timestamp } from '../../http/schemas.ts'
import { shownChange } from '../operations/item-record.ts'
import { readFileHistory, type HistoryRow } from './file-history.ts'
import type { Engine } from '../../engine/engine.ts'
import { countOpen } from '../mapping/model/reviews.ts'
import { countUnread } from '../../core/outbox/notices.ts'
import { operationId } from '../operations/record.ts'
import { listOpenings } from '../downloads/gates/openings.ts'
import { listRefused } from '../orders/deliveries.ts'
import {
  openingRecord,
  openingSchema,
  refusalRecord,
  refusalSchema,
  refusedReasonSchema,
} from '../orders/record.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'

/** The page asks every few seconds. */
const MAX_REVIEWS = 1000

const activitySchema = z
  .object({
    unread: z.number().int().meta({ description: 'Unread notices' }),
    reviews: z
      .number()
      .int()
      .meta({ description: `Open reviews, counted up to ${MAX_REVIEWS}` }),
    running: z.boolean().meta({ description: 'Whether an operation is running' }),
    latest_operation: z
      .string()
      .nullable()
      .meta({ description: 'The newest operation; null: none yet' }),
  })
  .meta({ id: 'Activity' })

export const activityRoutes = (engine: Engine): Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/api/activity',
    summary: 'Read what is new: counts, and whether an operation is running',
    tag: 'Session',
    scope: 'operations:read',
    replies: { 200: { description: 'What is new', schema: activitySchema } },
    handler: async ({ caller: { scope } }) => {
      const [unread, reviews, running, newest] = await Promise.all([
        countUnread(scope),
        countOpen(scope, MAX_REVIEWS),
        engine.list(scope, { status: 'running', limit: 1 }),
        engine.list(scope, { limit: 1 }),
      ])
      const [latest] = newest
      return {
        body: {
          ...{ unread, reviews, running: running.length > 0 },
          latest_operation: latest ? operationId(latest) : null,
        },
      }
    },
  }),
  fileHistory(),
  linkOpenings(),
]

const change = z.record(z.string(), z.unknown()).nullable()

const historyEntry = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('operation'),
      at: timestamp,
      operation_id: z.string(),
      title: z.string().meta({ description: 'Of its workflow' }),
      requested_by: z.string(),
      status: z.enum(['done', 'failed']),
      error: itemError.nullable(),
      before: change,
      after: change.meta({ description: 'As the operation’s items show it' }),
      undone: z.boolean(),
    }),
    z.object({
      kind: z.literal('link'),
      at: timestamp,
      email: z.string().nullable(),
      revoked_at: timestamp.nullable(),
    }),
    z.object({
      kind: z.literal('delivery'),
      at: timestamp,
      delivery_id: z.string(),
      order_name: z.string(),
      email: z.string().nullable(),
      withdrawn: z.boolean(),
    }),
    z.object({
      kind: z.literal('downloads'),
      at: timestamp,
      day: z.iso.date().meta({ description: 'In UTC' }),
      downloads: z.number().int(),
    }),
    z.object({
      kind: z.literal('refused'),
      at: timestamp.meta({ description: 'The last attempt of its minute' }),
      reason: refusedReasonSchema,
      times: z.number().int(),
      address: z.string().meta({ description: 'Shortened: 203.0.113.0/24' }),
      agent: z.string(),
      email: z.string().nullable(),
      delivery_id: z.string().nullable(),
      order_name: z.string().nullable(),
    }),
    z.object({
      kind: z.literal('view'),
      at: timestamp.meta({ description: 'The last request of its hour' }),
      address: z.string().meta({ description: 'Shortened: 203.0.113.0/24' }),
      agent: z.string(),
      email: z.string().nullable(),
      delivery_id: z.string().nullable(),
      order_name: z.string().nullable(),
    }),
  ])
  .meta({ id: 'FileHistoryEntry' })

const fileHistory = (): Endpoint =>
  endpoint({
    method: 'get',
    path: '/api/files/{id}/history',
    summary: 'List what happened to a file, newest first',
    description:
      'Imports and other operations with what they changed, links, deliveries, the downloads of each day, downloads that were refused, and views in a browser. Operations are listed as long as they are kept.',
    tag: 'Files',
    scope: 'files:read',
    params: z.strictObject({ id: z.string() }),
    query: z.strictObject(page),
    replies: { 200: { description: 'A page of entries', schema: listOf(historyEntry) } },
    handler: async ({ caller, params, query: { limit, cursor } }) => {
      const [exact_at, key] = fromCursor(cursor, [time, text]) ?? []
      const rows = await readFileHistory(caller.scope, requirePublicId('file', params.id), {
        before: exact_at === undefined || key === undefined ? null : { exact_at, key },
        limit: limit + 1,
      })
      if (!rows) throw new AppError('not_found')
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        body: {
          data: shown.map(entryOf),
          next_cursor: last ? toCursor([last.exact_at, last.key]) : null,
        },
      }
    },
  })

const linkOpenings = (): Endpoint =>
  endpoint({
    method: 'get',
    path: '/api/links/{id}/openings',
    summary: 'List who opened a link that asks before a download',
    description:
      'With the downloads that were refused, wrong answers among them, newest first. For a pack’s link also those of its files.',
    tag: 'Links',
    scope: ['files:read', 'links:write'],
    params: z.strictObject({ id: z.string() }),
    replies: {
      200: {
        description: 'The openings and refusals that are kept',
        schema: z
          .object({ openings: z.array(openingSchema), refusals: z.array(refusalSchema) })
          .meta({ id: 'LinkOpenings' }),
      },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('link', params.id)
      const [known] = await caller.scope.from<{ id: string }>('links').where('id', id).select('id')
      if (!known) throw new AppError('not_found')
      const [openings, refusals] = await Promise.all([
        listOpenings(caller.scope, id),
        listRefused(caller.scope, id),
      ])
      return {
        body: { openings: openings.map(openingRecord), refusals: refusals.map(refusalRecord) },
      }
    },
  })

function entryOf(row: HistoryRow): z.output<typeof historyEntry> {
  const at = row.at.toISOString()
  switch (row.kind) {
    case 'operation': {
      const { operation, kind, before, after, ...facts } = row.facts
      return {
        ...{ ...facts, at, kind: 'operation', operation_id: toOperationId(kind, operation) },
        ...shownChange({ before, after }),
      }
    }
    case 'link': {
      const { email, revoked_at } = row.facts
      return {
        kind: 'link',
        at,
        email,
        revoked_at: revoked_at && new Date(revoked_at).toISOString(),
      }
    }
    case 'delivery': {
      const { delivery, ...facts } = row.facts
      return { ...facts, kind: 'delivery', at, delivery_id: toPublicId('delivery', delivery) }
    }
    case 'downloads':
      return { ...row.facts, kind: 'downloads', at }
    case 'view': {
      const { delivery, ...facts } = row.facts
      const delivery_id = delivery && toPublicId('delivery', delivery)
      return { ...facts, kind: 'view', at, delivery_id }
    }
    case 'refused': {
      const { delivery, ...facts } = row.facts
      const delivery_id = delivery && toPublicId('delivery', delivery)
      return { ...facts, kind: 'refused', at, delivery_id }
    }
  }
}
