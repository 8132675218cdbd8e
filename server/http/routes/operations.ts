// Operations: history, progress, and what became of each item. An import job is an operation under its import id.
import { z } from 'zod'
import { hasEnded, type Engine, type ItemRow, type OperationRow } from '../../engine/engine.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { AppError } from '../../errors.ts'
import { requirePublicId, toPublicId } from '../../ids.ts'
import { fromCursor, toCursor } from '../cursors.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { listOf, page, timestamp, warning } from '../schemas.ts'

const STATUSES = [
  'previewing',
  'previewed',
  'queued',
  'running',
  'paused',
  'success',
  'partial',
  'failed',
  'cancelled',
  'undone',
] as const
const ITEM_STATUSES = ['pending', 'running', 'done', 'failed', 'skipped', 'cancelled'] as const

const operationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['import', 'bulk']),
    action: z.string(),
    channel: z.string(),
    workflow: z.string(),
    status: z.enum(STATUSES),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    cancelled: z.number().int(),
    bytes: z.number().int(),
    percentage: z.number(),
    elapsed_seconds: z.number(),
    remaining_seconds: z.number().nullable(),
    requested_by: z.string(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    undo_until: timestamp.nullable(),
    artifact: z.string().nullable(),
    warnings: z.array(warning),
  })
  .meta({ id: 'Operation' })

const itemSchema = z
  .object({
    position: z.number().int(),
    status: z.enum(ITEM_STATUSES),
    filename: z.string(),
    file_id: z.string().nullable(),
    product_mapped: z.boolean(),
    attempt: z.number().int(),
    error: z
      .object({ code: z.string(), message: z.string(), detail: z.string().optional(), retryable: z.boolean() })
      .nullable(),
    warnings: z.array(warning),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Item' })

const itemStatuses = z
  .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(z.enum(ITEM_STATUSES)))
  .meta({ description: 'One status, or several separated by commas' })

const byId = z.strictObject({ id: z.string() })
const isImport = ({ kind }: OperationRow) => kind === 'import'
const publicId = (operation: OperationRow) => toPublicId(isImport(operation) ? 'import' : 'op', operation.id)

export const operationPath = (operation: OperationRow): string =>
  `/api/${isImport(operation) ? 'jobs' : 'operations'}/${publicId(operation)}`

export function operationRoutes(engine: Engine, clock: () => Date): Endpoint[] {
  const find = async (scope: ShopScope, id: string): Promise<OperationRow> => {
    const operation = await engine.get(scope, requirePublicId(['op', 'import'], id))
    // An import's id is import_…, a bulk operation's op_…: under the other name it does not exist.
    if (!operation || publicId(operation) !== id) throw new AppError('not_found')
    return operation
  }
  const one = (path: string, summary: string) =>
    endpoint({
      method: 'get',
      path,
      summary,
      tag: 'Operations',
      scope: 'operations:read',
      params: byId,
      replies: { 200: { description: 'As it stands now', schema: operationSchema } },
      handler: async ({ caller, params }) => ({ body: recordOf(await find(caller.scope, params.id), clock()) }),
    })
  return [
    one('/api/jobs/{id}', 'Read an import job'),
    one('/api/operations/{id}', 'Read an operation'),
    endpoint({
      method: 'get',
      path: '/api/operations',
      summary: 'List operations, newest first',
      tag: 'Operations',
      scope: 'operations:read',
      query: z.strictObject({
        ...page,
        status: z.enum(STATUSES).optional(),
        kind: z.enum(['import', 'bulk']).optional(),
      }),
      replies: { 200: { description: 'A page of operations', schema: listOf(operationSchema) } },
      handler: async ({ caller, query }) => {
        const before = fromCursor(query.cursor, 1)?.[0]
        const rows = await engine.list(caller.scope, {
          limit: query.limit + 1,
          ...(query.status ? { status: query.status } : {}),
          ...(query.kind ? { kind: query.kind } : {}),
          ...(before ? { before: requirePublicId('op', String(before)) } : {}),
        })
        const shown = rows.slice(0, query.limit)
        const next = rows.length > query.limit ? toCursor([toPublicId('op', shown.at(-1)!.id)]) : null
        return { body: { data: shown.map((row) => recordOf(row, clock())), next_cursor: next } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/operations/{id}/items',
      summary: 'List an operation’s items in order, each with its result',
      tag: 'Operations',
      scope: 'operations:read',
      params: byId,
      query: z.strictObject({ ...page, status: itemStatuses.optional() }),
      replies: { 200: { description: 'A page of items', schema: listOf(itemSchema) } },
      handler: async ({ caller, params, query }) => {
        const operation = await find(caller.scope, params.id)
        const after = fromCursor(query.cursor, 1)?.[0]
        const rows = await engine.items(caller.scope, operation.id, {
          limit: query.limit + 1,
          ...(query.status ? { statuses: query.status } : {}),
          ...(after === undefined ? {} : { after: Number(after) }),
        })
        const shown = rows.slice(0, query.limit)
        const next = rows.length > query.limit ? toCursor([shown.at(-1)!.position]) : null
        return { body: { data: shown.map(itemOf), next_cursor: next } }
      },
    }),
  ]
}

function recordOf(operation: OperationRow, now: Date): z.output<typeof operationSchema> {
  const ended = operation.done + operation.failed + operation.skipped + operation.cancelled
  const from = operation.started_at ?? operation.created_at
  const elapsed = Math.max(0, ((operation.finished_at ?? now).getTime() - from.getTime()) / 1000)
  const left = operation.total - ended
  const remaining = ended > 0 ? (elapsed / ended) * left : null
  return {
    id: publicId(operation),
    kind: operation.kind,
    action: operation.action,
    channel: operation.channel,
    workflow: operation.workflow.id,
    status: operation.status,
    total: operation.total,
    done: operation.done,
    failed: operation.failed,
    skipped: operation.skipped,
    cancelled: operation.cancelled,
    bytes: operation.bytes,
    percentage: operation.total === 0 ? 100 : Math.floor((ended / operation.total) * 1000) / 10,
    elapsed_seconds: Math.round(elapsed * 10) / 10,
    remaining_seconds: hasEnded(operation) ? 0 : remaining === null ? null : Math.round(remaining * 10) / 10,
    requested_by: operation.requested_by,
    created_at: operation.created_at.toISOString(),
    started_at: operation.started_at?.toISOString() ?? null,
    finished_at: operation.finished_at?.toISOString() ?? null,
    undo_until: null,
    artifact: null,
    warnings: operation.warnings,
  }
}

function itemOf(item: ItemRow): z.output<typeof itemSchema> {
  return {
    position: item.position,
    status: item.status,
    filename: item.after?.filename ?? item.draft.filename,
    file_id: item.file_id && toPublicId('file', item.file_id),
    product_mapped: item.after?.product_mapped ?? false,
    attempt: item.attempt,
    error: item.error,
    warnings: item.warnings ?? [],
    finished_at: item.finished_at?.toISOString() ?? null,
  }
}
