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
} from '../../plugins/contract.ts'
import type { FileRecord, MappingState } from './records.ts'
import type { ShopDefaults } from './shop-settings.ts'
import { cleanName, normalizeTags } from './rules.ts'

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
  /**
   * Of an existing file: its pack, or the name of a pack that may have to be created; and its place
   * there, absent: after the other files.
   */
  pack_id?: string | null
  new_pack?: string
  pack_position?: number | null
  /** The names of the packs that it leaves and enters. */
  pack_names?: { from: string | null; to: string | null }
  updated_at?: string
}

export interface DraftOptions extends EntrySettings {
  filename: string
  tags?: readonly string[]
  /** The pack that the new file goes into, by its name. */
  pack?: string
}

export function draftFrom(given: DraftOptions, defaults: ShopDefaults): Draft {
  return {
    filename: cleanName(given.filename),
    tags: normalizeTags(given.tags ?? []),
    mappings: [],
    ...usualSettings(),
    ...shopDefaultsIn(defaults),
    ...givenSettings(given),
    ...(given.pack === undefined ? {} : { new_pack: given.pack }),
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
  pack_id: draft.pack_id === undefined ? (record?.pack_id ?? null) : draft.pack_id,
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
