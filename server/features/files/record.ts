// A file as the API shows it.
import { z } from 'zod'
import { settingFields, shownSettings, dayAt } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { FileRow } from '../../files/list.ts'
import { MATCHED_FIELDS, type FileMatch } from '../../files/matched.ts'
import { publicUrl } from '../../files/public-addresses.ts'
import { readShop } from '../../files/shop-settings.ts'
import { toPublicId } from '../../core/ids.ts'
import { storedReason } from '../../core/texts.ts'
import { mappingMethod, messageText, shownProduct, timestamp } from '../../http/schemas.ts'

const shownPack = z.object({ id: z.string(), name: z.string() })

export const fileSchema = z
  .object({
    id: z.string(),
    filename: z.string(),
    size_bytes: z.number().int(),
    content_type: z.string(),
    upload_date: z.iso.date().describe('The day of its upload in the time zone of the shop'),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp.nullable().describe('When it was moved to the trash'),
    products: z.array(z.string()),
    mappings: z.array(
      shownProduct.extend({
        method: mappingMethod,
        score: z.number(),
        reason: z.string(),
        reason_text: messageText,
        created_at: timestamp,
      }),
    ),
    tags: z.array(z.string()),
    pack: shownPack.nullable().describe('The first of `packs`'),
    packs: z.array(shownPack).describe('In the order in which it entered them'),
    downloads: z.number().int(),
    paid_by: z.number().int().describe('The number of orders that it was ever delivered with'),
    ...settingFields,
    public_url: z.url().nullable().describe('Its address while it is public and asks for nothing'),
    version: z.number().int(),
    sha256: z
      .string()
      .nullable()
      .describe(
        'The SHA-256 digest of its bytes in hex; null while it is not computed yet: reading the file alone computes it',
      ),
    link_url: z
      .string()
      .nullable()
      .describe('The address that buyers of a link are sent to; null: it is no link'),
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why it cannot be downloaded: its bytes are damaged, or a virus was found in them'),
    matched: z
      .array(z.object({ field: z.enum(MATCHED_FIELDS), value: z.string() }))
      .optional()
      .describe(
        'In a list that was searched: the fields in which words were found, with their text',
      ),
  })
  .meta({ id: 'File' })

export interface FileView {
  baseUrl: string
  /** Of the shop. */
  timeZone: string
}

/** Reads what a shop's files are shown with. */
export const fileView = async (scope: ShopScope, baseUrl: string): Promise<FileView> => ({
  baseUrl,
  timeZone: (await readShop(scope)).settings.time_zone,
})

export function fileRecord(
  row: FileRow,
  { baseUrl, timeZone }: FileView,
  matched?: FileMatch[],
): z.output<typeof fileSchema> {
  const packs = row.packs.map(({ id, name }) => ({ id: toPublicId('pack', id), name }))
  return {
    id: toPublicId('file', row.id),
    filename: row.filename,
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    upload_date: dayAt(row.created_at, timeZone),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
    products: [...new Set(row.mappings.map(({ product_id }) => product_id))],
    mappings: row.mappings.map((mapping) => ({
      ...mapping,
      ...storedReason(mapping.reason),
      variant_id: mapping.variant_id || null,
      created_at: new Date(mapping.created_at).toISOString(),
    })),
    tags: row.tags,
    pack: packs[0] ?? null,
    packs,
    downloads: row.downloads,
    paid_by: row.paid_by,
    ...shownSettings(row),
    allowed_referrers: [...row.allowed_referrers],
    public_url: publicUrlOf(row, baseUrl),
    version: row.version,
    sha256: row.sha256,
    link_url: row.link_url,
    problem: problemOf(row),
    ...(matched ? { matched } : {}),
  }
}

/** Why a file cannot be downloaded. */
function problemOf({ bytes_damaged, quarantine: found }: FileRow) {
  if (bytes_damaged) return { code: 'file_damaged', message: 'Its bytes are damaged' }
  if (found === null) return null
  return { code: 'file_quarantined', message: `It is in quarantine: ${found} was found in it` }
}

const publicUrlOf = (
  { visibility, deleted_at, public_token, filename, ask_for: asked }: FileRow,
  baseUrl: string,
): string | null =>
  visibility === 'public' && deleted_at === null && asked === null && public_token
    ? publicUrl(baseUrl, public_token, filename)
    : null
