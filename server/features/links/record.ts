// A link as every answer shows it.
import { z } from 'zod'
import type { LinkFilter } from './model/list.ts'
import { linkAddress, LINK_STATUSES, type Link } from './model/links.ts'
import { requirePublicId, toPublicId, type IdPrefix } from '../../core/ids.ts'
import { timestamp } from '../../http/schemas.ts'

export const linkSchema = z
  .object({
    id: z.string(),
    file_id: z.string().nullable(),
    pack_id: z.string().nullable(),
    filename: z.string().meta({ description: 'The name of the file or the pack' }),
    url: z.url().nullable().meta({ description: 'Only with `links:write`' }),
    email: z.string().nullable(),
    expires_at: timestamp.nullable(),
    available_at: timestamp.nullable().meta({
      description: 'When it becomes available, or did; null: when it was created',
    }),
    first_use_hours: z.number().int().nullable().meta({
      description: 'It expires this many hours after its first use; null: the use ends nothing',
    }),
    first_used_at: timestamp.nullable(),
    download_limit: z.number().int().nullable(),
    downloads: z.number().int(),
    status: z.enum(LINK_STATUSES),
    created_at: timestamp,
  })
  .meta({ id: 'Link' })

export type LinkRecord = z.output<typeof linkSchema>

/** `mayUse`: the reader may see the address. */
export const linkRecord = (link: Link, baseUrl: string, mayUse: boolean): LinkRecord => ({
  id: toPublicId('link', link.id),
  file_id: link.file_id && toPublicId('file', link.file_id),
  pack_id: link.pack_id && toPublicId('pack', link.pack_id),
  filename: link.name,
  url: mayUse ? linkAddress(baseUrl, link.key) : null,
  email: link.email,
  expires_at: link.expires_at?.toISOString() ?? null,
  available_at: link.available_at?.toISOString() ?? null,
  first_use_hours: link.use_hours,
  first_used_at: link.first_used_at?.toISOString() ?? null,
  download_limit: link.download_limit,
  downloads: link.downloads,
  status: link.status,
  created_at: link.created_at.toISOString(),
})

/** Every condition must hold. */
export const linkFilterFields = {
  file_id: z.string().optional(),
  pack_id: z.string().optional(),
  operation_id: z.string().optional().meta({ description: 'Links that this operation created' }),
  status: z.enum(LINK_STATUSES).optional(),
  email: z
    .string()
    .max(320)
    .optional()
    .meta({ description: 'Created for this address, ignoring case' }),
  search: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'The file’s name contains this, or the address begins with it' }),
}
type GivenFilter = z.output<z.ZodObject<typeof linkFilterFields>>

/** Throws `not_found` for a malformed id. */
export function linkFilterOf({
  file_id,
  pack_id,
  operation_id,
  status,
  email,
  search,
}: GivenFilter): LinkFilter {
  const bare = (prefix: IdPrefix | readonly IdPrefix[], id: string | undefined) =>
    id === undefined ? undefined : requirePublicId(prefix, id)
  return {
    fileId: bare('file', file_id),
    packId: bare('pack', pack_id),
    operation: bare(['op', 'import'], operation_id),
    status,
    email: email?.trim(),
    search: search?.trim(),
  }
}
