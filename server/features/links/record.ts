// A link as every answer shows it.
import { z } from 'zod'
import { FILE_SETTINGS, flag, searchText } from '../../../plugins/contract/index.ts'
import { requirePublicId, toPublicId, type IdPrefix } from '../../core/ids.ts'
import { publicId } from '../../core/public-id.ts'
import { timestamp } from '../../http/schemas.ts'
import type { LinkFilter } from './model/list.ts'
import { copiedAddress, type CopiedLinks } from './model/copied.ts'
import { shownAskSchema } from './model/ask-terms.ts'
import { shownAskOf, linkAddress, LINK_STATUSES, type Link } from './model/links.ts'

export const linkSchema = z
  .object({
    id: z.string(),
    file_id: z.string().nullable(),
    pack_id: z.string().nullable(),
    filename: z.string().describe('The name of the file or the pack'),
    url: z.url().nullable().describe('Only with `links:write`'),
    copy_url: z
      .url()
      .nullable()
      .describe(
        'The address to give to a buyer, as `copied_links` of the buyer’s page says; only with `links:write`',
      ),
    email: z.string().nullable(),
    expires_at: timestamp.nullable(),
    available_at: timestamp
      .nullable()
      .describe('When it becomes available, or did; null: when it was created'),
    first_use_hours: z
      .number()
      .int()
      .nullable()
      .describe('It expires this many hours after its first use; null: the use ends nothing'),
    first_used_at: timestamp.nullable(),
    download_limit: z.number().int().nullable(),
    downloads: z.number().int(),
    view: FILE_SETTINGS.view.schema
      .nullable()
      .describe(
        'What the buyer may do with the file now: `download` for types that no browser shows; null: a pack’s link',
      ),
    view_limit: z.number().int().nullable().describe('Null: unlimited'),
    views: z
      .number()
      .int()
      .describe('Those that were counted: a link without `view_limit` counts none'),
    view_expires_at: timestamp
      .nullable()
      .describe(
        'When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid',
      ),
    ask_for: shownAskSchema,
    status: z
      .enum(LINK_STATUSES)
      .describe('Of its downloads; for a file that is only viewed, of its views'),
    created_at: timestamp,
  })
  .meta({ id: 'Link' })

export type LinkRecord = z.output<typeof linkSchema>

export interface LinkReader {
  baseUrl: string
  /** The reader may see the address. */
  mayUse: boolean
  copied: CopiedLinks
}

export const linkRecord = (link: Link, { baseUrl, mayUse, copied }: LinkReader): LinkRecord => ({
  id: toPublicId('link', link.id),
  file_id: link.file_id && toPublicId('file', link.file_id),
  pack_id: link.pack_id && toPublicId('pack', link.pack_id),
  filename: link.name,
  url: mayUse ? linkAddress(baseUrl, link.key) : null,
  copy_url: mayUse ? copiedAddress(baseUrl, link.key, copied) : null,
  email: link.email,
  expires_at: link.expires_at?.toISOString() ?? null,
  available_at: link.available_at?.toISOString() ?? null,
  first_use_hours: link.use_hours,
  first_used_at: link.first_used_at?.toISOString() ?? null,
  download_limit: link.download_limit,
  downloads: link.downloads,
  view: link.view,
  view_limit: link.view_limit,
  views: link.views,
  view_expires_at: link.view_expires_at?.toISOString() ?? null,
  ask_for: shownAskOf(link.asks),
  status: link.status,
  created_at: link.created_at.toISOString(),
})

/** Every condition must hold. */
export const linkFilterFields = {
  file_id: publicId('file', 'a file').optional(),
  pack_id: publicId('pack', 'a pack').optional(),
  own: flag
    .optional()
    .describe('With `file_id`: without the links that a pack’s link or a delivery gave to it'),
  operation_id: publicId(['op', 'import'], 'an operation')
    .optional()
    .describe('Links that this operation created'),
  status: z.enum(LINK_STATUSES).optional(),
  email: z.string().max(320).optional().describe('Created for this address, ignoring case'),
  search: searchText(255)
    .optional()
    .describe(
      'Each of these words is in the name or a tag of the file or in the name of the pack, or the address begins with it',
    ),
}
type GivenFilter = z.output<z.ZodObject<typeof linkFilterFields>>

export function linkFilterOf({
  file_id,
  pack_id,
  own,
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
    isOwn: own,
    operation: bare(['op', 'import'], operation_id),
    status,
    email: email?.trim(),
    search: search?.trim(),
  }
}
