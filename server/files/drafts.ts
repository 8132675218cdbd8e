// The draft of a file that an import will create: the entry's wishes over the shop's import
// defaults.
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
import { normalizeTags } from './rules.ts'

/** What the engine keeps of a file while it is made, or changed. */
export interface Draft extends FileSettings {
  filename: string
  tags: string[]
  mappings: (Mapping & { created_at?: string })[]
  /** Of a file that exists: into the trash or out of it, and when it had gone there. */
  deleted?: boolean
  deleted_at?: string | null
  /** Of a file that exists: gone for good. */
  purged?: boolean
  /** Of a file that exists, where an undo sets them back. */
  version?: number
  /** What that version has. */
  size_bytes?: number
  mapping_state?: MappingState
  /**
   * Of a file that exists: its pack, or the name of one that may have to be made; and its place
   * there, behind the others if absent.
   */
  pack_id?: string | null
  new_pack?: string
  pack_position?: number | null
  /** What the packs are called that it leaves and comes into. */
  pack_names?: { from: string | null; to: string | null }
  updated_at?: string
}

export interface DraftWishes extends EntrySettings {
  filename: string
  tags?: readonly string[]
  /** The pack that the new file goes into, by its name. */
  pack?: string
}

export function draftFrom(wishes: DraftWishes, defaults: ShopDefaults): Draft {
  return {
    filename: wishes.filename.normalize('NFC'),
    tags: normalizeTags(wishes.tags ?? []),
    mappings: [],
    ...usualSettings(),
    ...shopDefaultsIn(defaults),
    ...givenSettings(wishes),
    ...(wishes.pack === undefined ? {} : { new_pack: wishes.pack }),
  }
}

const shopDefaultsIn = (defaults: ShopDefaults) =>
  Object.fromEntries(SHOP_SETTINGS.map((name) => [name, defaults[name]])) as Pick<
    ShopDefaults,
    ShopSettingName
  >

/** The settings that an import or a row of a CSV file gives. */
export const givenSettings = (given: EntrySettings): Partial<FileSettings> =>
  Object.fromEntries(
    ENTRY_SETTINGS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )

/** A draft of changes to a file that exists: the file as it stands. */
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
   * What a preview promised, as [before, after]: if it is not the same any more, nothing is
   * changed.
   */
  promised?: readonly [before: unknown, after: unknown] | null
}
