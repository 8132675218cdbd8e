// The items that a plugin works on, with their files or entries, and the changes that it may
// request.
import type { FileView, Mapping } from './file-view.ts'
import type { FileSettings } from './settings.ts'

/** The source of an entry's bytes. */
export type EntrySource =
  | { type: 'url'; url: string }
  /** Received from a browser; a bare UUID. */
  | { type: 'upload'; id: string }
  /**
   * A file of a drop folder, a bare UUID. Its bytes are given only while `claim` is the newest
   * import's.
   */
  | { type: 'drop'; id: string; claim: string }
  /** An object of the connection that the sync works on, in the synced folder. */
  | { type: 'cloud'; path: string }

/** A file that a channel requested to import. Absent settings come from the shop's defaults. */
export interface Entry {
  filename: string
  /** Invisible marks were removed from its name. */
  name_cleaned?: true
  source: EntrySource
  product_sku?: string
  /**
   * Beginnings of its name that may be SKUs, longest first; the first one that a product has
   * counts.
   */
  sku_prefixes?: readonly string[]
  /** The text that is matched instead of the filename: an object's key with its folders. */
  match_as?: string
  on_conflict: 'error' | 'rename' | 'overwrite' | 'new_version'
  /** The file whose next version it becomes, a bare UUID. The file's current name is ignored. */
  replaces?: string
}

/** Stored bytes that are not yet a file's version: they become one when the item is committed. */
export interface StagedBlob {
  /** BLAKE3, 64 lower-case hex digits. */
  hash: string
  size_bytes: number
  location: string
  /** As the source named it, or null. Admission decides what the file is served as. */
  content_type: string | null
  /** The media type detected from the bytes; absent: not detected. */
  found_type?: string
  /** The bytes end before their format does: of PDF, ZIP and MP4. */
  cut_off?: true
}

/** One file or entry inside an operation. */
export interface Item {
  /** Unique within the operation. */
  id: string
  /** Place in the operation's frozen order, from 0. */
  position: number
  file: FileView
  entry: Entry | null
  /** Bytes that an earlier step staged for this item. */
  staged: StagedBlob | null
  /** The change that the entry asks for: of a CSV row that names an existing file. */
  wanted: FileChange | null
}

/** A change to one file's record. Absent fields stay as they are. */
export interface FileChange {
  set?: Partial<FileSettings> & { filename?: string }
  tags?: { add?: readonly string[]; remove?: readonly string[] } | { replace: readonly string[] }
  mappings?: {
    add?: readonly Mapping[]
    remove?: 'all' | readonly { product_id: string; variant_id: string | null }[]
  }
  /** Into the pack, after its files; a name that no pack has creates one. null: out of its pack. */
  pack?: { id: string } | { name: string } | null
  /** Into the trash, or out of it. */
  deleted?: boolean
  /** Purged, with its versions, mappings and links. */
  purged?: true
}

export interface Warning {
  code: string
  message: string
}

/** A product that may fit, for a person to decide. */
export type Candidate = Mapping

/**
 * A file that is made from another one. Settings, tags and products come from the item's file, if
 * there is one.
 */
export interface StagedFile {
  /** Gets a number if the name is taken. */
  filename: string
  bytes: StagedBlob
  tags?: readonly string[]
}

/**
 * A buyer's link to the item's file. Absent: the file's own setting; null: never expires,
 * unlimited.
 */
export interface LinkWanted {
  expiry_days?: number | null
  download_limit?: number | null
  email?: string | null
  /** Send it to that address once it exists. */
  send?: boolean
}

/** A file for past buyers of its products. */
export interface GiveWanted {
  /** Only buyers of this product; null: of all products of the file. */
  product_id: string | null
  /** One email for each order. */
  send: boolean
}
