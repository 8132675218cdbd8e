// Reads the complete records of files for operations, many per query, each with the version of its
// row, so that a later write can detect a concurrent change.
import { SETTING_NAMES, type FileView, type Mapping } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { textOfColumns } from '../core/db/text-columns.ts'
import { TRASH_EXPIRED } from './trash.ts'
import { present } from '../core/present.ts'

export interface KeptMapping extends Mapping {
  /** The time of the mapping with every digit, so that an undo can restore it exactly. */
  created_at: string
}

export type MappingState = 'never' | 'mapped' | 'unmapped'

/** A file with all fields of its rows. Times are text with every digit. */
export interface FileRecord extends FileView {
  id: string
  version: number
  mapping_state: MappingState
  updated_at: string
  deleted_at: string | null
  /** The file's days in the trash have ended: the next sweep purges it. */
  trash_expired: boolean
  /** A text that changes with every write to the file's row. */
  row_version: string
  /** A running operation has claimed the file. */
  claimed: boolean
  pack_position: number | null
  mappings: readonly KeptMapping[]
}

const COLUMNS = `id, filename, version, size_bytes, content_type, tags, ${SETTING_NAMES.join(', ')},
  mapping_state, pack_id, pack_position, wanted_sku,
  created_at::text as created_at, updated_at::text as updated_at,
  deleted_at::text as deleted_at, coalesce(${TRASH_EXPIRED}, false) as trash_expired,
  xmin::text as row_version,
  exists (select from file_claims c where c.shop_id = files.shop_id and c.file_id = files.id)
    as claimed`

/** The files of `ids` (bare UUIDs) that exist, in the trash or not. */
export async function readRecords(
  tx: ShopScope,
  ids: readonly string[],
): Promise<Map<string, FileRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<FileRecord & { mappings: KeptMapping[] }>(
    `select ${COLUMNS} from files where shop_id = :shop and id = any(:ids::uuid[])`,
    { ids },
  )
  const records = new Map(
    rows.map((row) => [row.id, Object.assign(row, { mappings: [] as KeptMapping[] })]),
  )
  const mapped = rows.filter(({ mapping_state }) => mapping_state === 'mapped').map(({ id }) => id)
  if (mapped.length === 0) return records
  const mappings = await tx.query<KeptMapping & { file_id: string }>(
    `select file_id, product_id, product_title, nullif(variant_id, '') as variant_id, sku, method,
       score, ${textOfColumns('reason')} as reason, created_at::text as created_at
     from mappings where shop_id = :shop and file_id = any(:mapped::uuid[])
       order by file_id, product_title, variant_id`,
    { mapped },
  )
  for (const { file_id, ...mapping } of mappings)
    present(records.get(file_id), 'The file').mappings.push(mapping)
  return records
}
