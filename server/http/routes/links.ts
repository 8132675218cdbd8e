// Links: made for files, listed with their addresses.
import { z } from 'zod'
import type { ShopScope } from '../../db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../errors.ts'
import { createLinks, listLinks, type Link } from '../../files/links.ts'
import { parsePublicId, requirePublicId, toPublicId, type IdPrefix } from '../../ids.ts'
import type { Secrets } from '../../secrets.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { downloadLimit, errorSchema, expiryDays, listOf, page, timestamp } from '../schemas.ts'

/** Above this it is an operation of its own. */
const FILES_AT_ONCE = 100

const linkSchema = z
  .object({
    id: z.string(),
    file_id: z.string(),
    url: z.url().nullable().meta({ description: 'Shown to `links:write` alone' }),
    email: z.email().nullable(),
    expires_at: timestamp.nullable(),
    download_limit: z.number().int().nullable(),
    downloads: z.number().int(),
    status: z.enum(['active', 'expired', 'exhausted', 'revoked', 'withdrawn']),
    created_at: timestamp,
  })
  .meta({ id: 'Link' })

const terms = { expiry_days: expiryDays.optional(), download_limit: downloadLimit.optional() }

const linksBody = z
  .strictObject({
    file_ids: z
      .array(z.string())
      .min(1, 'At least one file')
      .max(FILES_AT_ONCE, `At most ${FILES_AT_ONCE} files a call`),
    ...terms,
    email: z.email('Send an e-mail address').max(320).optional(),
    per_file: z
      .array(z.strictObject({ file_id: z.string(), ...terms }))
      .max(FILES_AT_ONCE)
      .optional(),
  })
  .meta({ id: 'LinksRequest' })

export interface LinkRouteParts {
  secrets: Secrets
  baseUrl: string
  clock: () => Date
}

export function linkRoutes(parts: LinkRouteParts): Endpoint[] {
  const record = (link: Link, mayUse: boolean): z.output<typeof linkSchema> => ({
    id: toPublicId('link', link.id),
    file_id: toPublicId('file', link.file_id),
    url: mayUse ? `${parts.baseUrl}/download?key=${link.key}` : null,
    email: link.email,
    expires_at: link.expires_at?.toISOString() ?? null,
    download_limit: link.download_limit,
    downloads: link.downloads,
    status: link.status,
    created_at: link.created_at.toISOString(),
  })
  return [
    endpoint({
      method: 'post',
      path: '/api/links',
      summary: 'Make download links for files',
      description: 'One link a file, all or none. What is absent comes from the file’s own settings.',
      tag: 'Links',
      scope: 'links:write',
      body: linksBody,
      replies: {
        201: { description: 'The links, in the order of `file_ids`', schema: listOf(linkSchema) },
        422: { description: 'Every problem', schema: errorSchema },
      },
      handler: async ({ caller, body }) => {
        const wanted = { ...body, file_ids: uuidsOf(body.file_ids), per_file: perFile(body) }
        const links = await createLinks(caller.scope, parts.secrets, wanted, parts.clock())
        return { status: 201, body: { data: links.map((link) => record(link, true)), next_cursor: null } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/links',
      summary: 'List links, newest first',
      tag: 'Links',
      scope: 'files:read',
      query: z.strictObject({ ...page, file_id: z.string().optional() }),
      replies: { 200: { description: 'A page of links', schema: listOf(linkSchema) } },
      handler: async ({ caller, query }) => {
        const { limit, cursor, file_id } = query
        const links = await listLinks(
          caller.scope,
          parts.secrets,
          await placeOf(caller.scope, limit, cursor, file_id),
          parts.clock(),
        )
        const mayUse = caller.scopes.has('links:write')
        return { body: { ...links, data: links.data.map((link) => record(link, mayUse)) } }
      },
    }),
  ]
}

async function placeOf(scope: ShopScope, limit: number, cursor: string | undefined, file: string | undefined) {
  const fileId = file === undefined ? undefined : requirePublicId('file', file)
  if (fileId !== undefined) {
    const [known] = await scope.from<{ id: string }>('files').where('id', fileId).select('id')
    if (!known) throw new AppError('not_found')
  }
  return { limit, cursor, fileId }
}

function uuidsOf(ids: readonly string[]): string[] {
  const details: ErrorDetail[] = []
  const found = ids.map((id, index) =>
    checked('file', id, () => details.push({ index, param: 'file_ids', ...NO_FILE })),
  )
  ids.forEach((id, index) => {
    if (ids.indexOf(id) !== index)
      details.push({ index, param: 'file_ids', code: 'invalid_value', message: 'This file is named twice' })
  })
  if (details.length > 0) throw new AppError('validation_failed', { param: 'file_ids', details })
  return found
}

function perFile(body: z.output<typeof linksBody>) {
  const details: ErrorDetail[] = []
  const own = (body.per_file ?? []).map((one, index) => {
    if (!body.file_ids.includes(one.file_id))
      details.push({ index, param: 'file_id', code: 'invalid_value', message: 'This file is not in file_ids' })
    return { ...one, file_id: parsePublicId('file', one.file_id) ?? '' }
  })
  if (details.length > 0) throw new AppError('validation_failed', { param: 'per_file', details })
  return own
}

const NO_FILE = { code: 'not_found', message: 'There is no such file' } as const

function checked(prefix: IdPrefix, id: string, wrong: () => void): string {
  const uuid = parsePublicId(prefix, id)
  if (uuid === null) wrong()
  return uuid ?? ''
}
