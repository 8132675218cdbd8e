// Files: lists, one file, its bytes, and the tags in use.
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { filterFields } from '../../files/filter.ts'
import {
  countFiles,
  cursorOf,
  FILE_SORTS,
  listFiles,
  listTags,
  locateFile,
  readFile,
  type FileRow,
} from '../../files/list.ts'
import { requirePublicId, toPublicId } from '../../ids.ts'
import type { BlobStore } from '../../store/store.ts'
import { sendContent } from '../content.ts'
import { fromCursor, toCursor } from '../cursors.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { listOf, page, timestamp } from '../schemas.ts'

const fileSchema = z
  .object({
    id: z.string(),
    filename: z.string(),
    size_bytes: z.number().int(),
    content_type: z.string(),
    upload_date: z.iso.date(),
    created_at: timestamp,
    updated_at: timestamp,
    products: z.array(z.string()),
    mappings: z.array(
      z.object({
        product_id: z.string(),
        product_title: z.string(),
        variant_id: z.string().nullable(),
        sku: z.string().nullable(),
        method: z.string(),
        score: z.number(),
        reason: z.string(),
        created_at: timestamp,
      }),
    ),
    tags: z.array(z.string()),
    downloads: z.number().int(),
    expiry_days: z.number().int().nullable(),
    download_limit: z.number().int().nullable(),
    visibility: z.enum(['public', 'private']),
    cdn: z.boolean(),
    download_notification: z.boolean(),
    download_tracking: z.boolean(),
    allowed_referrers: z.array(z.string()),
    version: z.number().int(),
  })
  .meta({ id: 'File' })

const byId = z.strictObject({ id: z.string() })

export function fileRoutes(stores: ReadonlyMap<string, BlobStore>, clock: () => Date): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/files',
      summary: 'List files',
      tag: 'Files',
      scope: 'files:read',
      query: z.strictObject({ ...page, ...filterFields, sort: z.enum(FILE_SORTS).default('-created_at') }),
      replies: {
        200: {
          description: 'A page of files; `total` is how many match',
          schema: listOf(fileSchema).extend({ total: z.number().int() }),
        },
      },
      handler: async ({ caller, query }) => {
        const { limit, cursor, sort, ...filter } = query
        const after = fromCursor(cursor, 2)
        const [rows, total] = await Promise.all([
          listFiles(caller.scope, { filter, sort, after, limit: limit + 1 }),
          countFiles(caller.scope, filter),
        ])
        const shown = rows.slice(0, limit)
        const next = rows.length > limit ? toCursor(cursorOf(shown.at(-1)!, sort)) : null
        return { body: { data: shown.map(fileRecord), next_cursor: next, total } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/files/{id}',
      summary: 'Read a file',
      tag: 'Files',
      scope: 'files:read',
      params: byId,
      replies: {
        200: { description: 'The file', schema: fileSchema.extend({ links_active: z.number().int() }) },
      },
      handler: async ({ caller, params }) => {
        const row = await readFile(caller.scope, requirePublicId('file', params.id), clock())
        if (!row) throw new AppError('not_found')
        return { body: { ...fileRecord(row), links_active: row.links_active } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/files/{id}/content',
      summary: 'Download a file’s current bytes',
      description: 'Not counted as a download. Answers `Range` and `If-None-Match`.',
      tag: 'Files',
      scope: 'files:read',
      params: byId,
      replies: { 200: { description: 'The bytes', schema: null } },
      handler: async ({ caller, params, ctx }) => {
        const found = await locateFile(caller.scope, requirePublicId('file', params.id))
        if (!found) throw new AppError('not_found')
        await sendContent(ctx, stores.get(found.location)!, caller.scope.shop, found)
        return null
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/tags',
      summary: 'List the tags in use, most used first',
      tag: 'Files',
      scope: 'files:read',
      query: z.strictObject({ limit: page.limit }),
      replies: {
        200: {
          description: 'Tags',
          schema: listOf(z.object({ tag: z.string(), files: z.number().int() })),
        },
      },
      handler: async ({ caller, query }) => ({
        body: { data: await listTags(caller.scope, query.limit), next_cursor: null },
      }),
    }),
  ]
}

export function fileRecord(row: FileRow): z.output<typeof fileSchema> {
  return {
    id: toPublicId('file', row.id),
    filename: row.filename,
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    upload_date: row.created_at.toISOString().slice(0, 10),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    products: [...new Set(row.mappings.map(({ product_id }) => product_id))],
    mappings: row.mappings.map((mapping) => ({
      ...mapping,
      variant_id: mapping.variant_id || null,
      created_at: new Date(mapping.created_at).toISOString(),
    })),
    tags: row.tags,
    downloads: row.downloads,
    expiry_days: row.expiry_days,
    download_limit: row.download_limit,
    visibility: row.visibility,
    cdn: row.cdn,
    download_notification: row.download_notification,
    download_tracking: row.download_tracking,
    allowed_referrers: row.allowed_referrers,
    version: row.version,
  }
}
