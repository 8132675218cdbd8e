// Drafts of files: for an import, the entry's settings over the shop's defaults; for a change, the
// file's record.
import {
  settingsOf,
  usualSettings,
  type FileSettings,
  type FileView,
  type Mapping,
  ENTRY_SETTINGS,
  SHOP_SETTINGS,
  type EntrySettings,
  type ShopSettingName,
  SETTING_NAMES,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { textOfColumns } from '../core/texts.ts'
import { present } from '../core/lazy.ts'
import { ENTRY_ORDER, type ChangedPacks, type PackPlace } from './pack-places.ts'
import type { ShopDefaults } from './shop-settings.ts'
import { cleanName, normalizeTags } from './rules.ts'
import { TRASH_EXPIRED } from './trash.ts'

/** The fields that the engine keeps of a file while steps create or change it. */
export interface Draft extends FileSettings {
  filename: string
  tags: string[]
  mappings: (Mapping & { created_at?: string })[]
  /** Moves an existing file into the trash or out of it, and sets the time when it was deleted. */
  deleted?: boolean
  deleted_at?: string | null
  /** Purges an existing file. */
  purged?: boolean
  /** The version and time of an existing file that an undo restores. */
  version?: number
  /** The size of that version. */
  size_bytes?: number
  mapping_state?: MappingState
  /** The packs that it is in, bare UUIDs. */
  packs?: readonly string[]
  /** The names of further packs that it enters, which may have to be created. */
  new_packs?: readonly string[]
  /** Its places in packs that it enters; absent: after the other files. */
  pack_places?: readonly PackPlace[]
  /** The packs that it enters and leaves, as they were found. */
  pack_change?: ChangedPacks
  updated_at?: string
}

export interface DraftOptions extends EntrySettings {
  filename: string
  tags?: readonly string[]
  /** The packs that the new file goes into, by their names. */
  packs?: readonly string[]
}

export function draftFrom(given: DraftOptions, defaults: ShopDefaults): Draft {
  return {
    filename: cleanName(given.filename),
    tags: normalizeTags(given.tags ?? []),
    mappings: [],
    ...usualSettings(),
    ...shopDefaultsIn(defaults),
    ...givenSettings(given),
    ...(given.packs && given.packs.length > 0 ? { new_packs: given.packs } : {}),
  }
}

const shopDefaultsIn = (defaults: ShopDefaults) =>
  Object.fromEntries(SHOP_SETTINGS.map((name) => [name, defaults[name]])) as Pick<
    ShopDefaults,
    ShopSettingName
  >

/** The settings in an import's entry or in a row of a CSV file. */
export const givenSettings = (given: EntrySettings): Partial<FileSettings> =>
  Object.fromEntries(
    ENTRY_SETTINGS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )

/** The draft of a change of an existing file, initially equal to its record. */
export const draftOfRecord = (record: FileRecord): Draft => ({
  filename: record.filename,
  tags: [...record.tags],
  mappings: [...record.mappings],
  packs: [...record.packs],
  ...settingsOf(record),
  deleted: record.deleted_at !== null,
})

/** A draft as plugins see it. */
export const viewOfDraft = (
  draft: Draft,
  sizeBytes: number | null,
  record: FileRecord | null = null,
): FileView => ({
  filename: draft.filename,
  tags: draft.tags,
  mappings: draft.mappings,
  ...settingsOf(draft),
  id: record?.id ?? null,
  version: record?.version ?? null,
  size_bytes: sizeBytes ?? record?.size_bytes ?? null,
  content_type: record?.content_type ?? null,
  packs: draft.packs ?? record?.packs ?? [],
  ...(draft.new_packs ? { new_packs: draft.new_packs } : {}),
  wanted_sku: record?.wanted_sku ?? null,
  created_at: record?.created_at ?? null,
})

export interface Change {
  record: FileRecord
  draft: Draft
  /**
   * What a preview promised, as [before, after]: if the result would differ now, nothing is
   * changed.
   */
  promised?: readonly [before: unknown, after: unknown] | null
}

// Reads the complete records of files for operations, many per query, each with the version of its
// row, so that a later write can detect a concurrent change.

export interface KeptMapping extends Mapping {
  /** The time of the mapping with every digit, so that an undo can restore it exactly. */
  created_at: string
}

type MappingState = 'never' | 'mapped' | 'unmapped'

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
  pack_places: readonly PackPlace[]
  mappings: readonly KeptMapping[]
}

const PLACES = `coalesce((select json_agg(json_build_object('id', m.pack_id,
    'position', m.position, 'added_at', m.added_at::text) order by ${ENTRY_ORDER})
  from pack_files m where m.shop_id = files.shop_id and m.file_id = files.id), '[]')`

const COLUMNS = `id, filename, version, size_bytes, content_type, tags, ${SETTING_NAMES.join(', ')},
  mapping_state, ${PLACES} as pack_places, wanted_sku,
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
  const rows = await tx.query<Omit<FileRecord, 'packs' | 'mappings'>>(
    `select ${COLUMNS} from files where shop_id = :shop and id = any(:ids::uuid[])`,
    { ids },
  )
  const records = new Map(
    rows.map((row) => [
      row.id,
      Object.assign(row, {
        packs: row.pack_places.map(({ id }) => id),
        mappings: [] as KeptMapping[],
      }),
    ]),
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
