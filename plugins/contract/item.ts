// The items that a plugin works on, with their files or entries, and the changes that it may
// request.
import type { FileFacts } from './file-facts.ts'
import type { FileSettings } from './settings.ts'
import type { AnyText } from './text.ts'

/**
 * What entries say about the place of their bytes, by the type of the source. A channel with its own
 * bytes adds its type beside the plugin that takes them (plugins/take-drop/port.ts).
 */
export interface EntrySources {
  /** `headers`: of its requests, in lower case; other hosts than that of the address never get them. */
  url: { url: string; headers?: Readonly<Record<string, string>> }
  /** Nothing is fetched: the file is a link, and its buyers are sent to the address. */
  link: { url: string }
}

/** The source of an entry's bytes. */
export type EntrySource = {
  [Type in keyof EntrySources]: { type: Type } & EntrySources[Type]
}[keyof EntrySources]

/** What happens to a new file whose name another file has. `skip`: it is left out. */
export const ON_CONFLICT = ['error', 'skip', 'rename', 'overwrite', 'new_version'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** A file that a channel requested to import. Absent settings come from the shop's defaults. */
export interface Entry {
  filename: string
  /** Whether invisible marks were removed from its name. */
  name_cleaned?: true
  source: EntrySource
  /** How its source names its products; others are then not guessed. */
  product_names?: ProductNames
  /** The products that its source names, if they were found before the import. */
  products?: readonly Mapping[]
  /**
   * The beginnings of its name that may be SKUs, the longest first. The first one that a product
   * has counts.
   */
  sku_prefixes?: readonly string[]
  /** The text that is matched instead of the filename: an object's key with its folders. */
  match_as?: string
  on_conflict: OnConflict
  /** The SHA-256 hash that its bytes must have, 64 lower-case hex digits. */
  sha256?: string
  /** The file whose next version it becomes, a bare UUID. The file's current name is ignored. */
  replaces?: string
  /**
   * What its source states: settings, `tags`, `packs` and `products`. The file whose bytes it
   * replaces gets these too.
   */
  states?: readonly string[]
  /**
   * Tags that a file whose bytes it replaces loses; it keeps its others. Absent: the stated tags replace
   * all of them.
   */
  tags_removed?: readonly string[]
  /** The archive that it was unpacked from, its path there, and its bytes. */
  unpacked_from?: { archive: string; path: string; bytes: StagedBlob }
  /** As `tags_removed`: the names of the packs that such a file leaves. */
  packs_removed?: readonly string[]
}

/** How the source of a file names its products. */
export interface ProductNames {
  /**
   * Each is a SKU, or several with `;` between them. A SKU that contains `;` counts as a whole if a
   * product has it.
   */
  skus?: readonly string[]
  handles?: readonly string[]
  /** Ids of products as the platform writes them, or only their numbers. */
  ids?: readonly string[]
}

/** Stored bytes that are not yet a file's version: they become one when the item is committed. */
export interface StagedBlob {
  /** The BLAKE3 hash of the bytes, 64 lower-case hex digits. */
  hash: string
  size_bytes: number
  location: string
  /**
   * The media type that the source named, or null. Admission decides what the file is served as.
   */
  content_type: string | null
  /** The media type detected from the bytes; absent: not detected. */
  found_type?: string
  /** Whether the bytes end before their format does. Detected in PDF, ZIP and MP4. */
  cut_off?: true
  /** The address that buyers are sent to, if the bytes are an internet shortcut. */
  link_url?: string
  /** Set by a source whose bytes count in the shop's quota until they are imported. */
  reserved?: true
  /** What the bytes were before steps changed them; it is stored with the version. */
  source?: SourceBytes
  /** Whether they are those of `Item.known`: steps that work on bytes are left out. */
  present?: true
}

/** What the server said about the bytes at an address, for a later conditional request. */
export interface SourceAnswer {
  /** The SHA-256 hash of the address: it may contain a password. */
  address: string
  host: string
  etag?: string
  last_modified?: string
}

/** The bytes of an entry before steps changed them. */
export interface SourceBytes {
  hash: string
  size_bytes: number
  /** A hash of the steps that work on bytes, with their options. */
  steps?: string
  answer?: SourceAnswer
}

/** The current version of the file that an entry would give bytes to, made by the same steps. */
export interface KnownVersion {
  bytes: StagedBlob
  source: SourceBytes
}

/** One file or entry inside an operation. */
export interface Item {
  /** The item's id, unique within the operation. */
  id: string
  /** The item's place in the operation's frozen order, from 0. */
  position: number
  file: FileView
  entry: Entry | null
  /** The bytes that an earlier step staged for this item. */
  staged: StagedBlob | null
  /** Absent: there is none, or other steps made it. */
  known?: KnownVersion
  /** The change that a CSV row asks for, if it names an existing file. */
  wanted: RowChange | null
}

/** Packs by names, as people and programs write them. */
export type NamedPacks =
  | { add?: readonly string[]; remove?: readonly string[] }
  | { replace: readonly string[] }

/** The change of one file that a row of a table asks for. */
export interface RowChange extends Omit<FileChange, 'packs'> {
  /** Its packs, which are looked up by another step. */
  packs?: NamedPacks
  /** Its products, which are looked up by another step; `replace`: it loses all others. */
  products?: { names: ProductNames; mode: 'add' | 'replace' }
}

/** A change to one file's record. Absent fields stay as they are. */
export interface FileChange {
  set?: Partial<FileSettings> & { filename?: string }
  tags?: { add?: readonly string[]; remove?: readonly string[] } | { replace: readonly string[] }
  mappings?: {
    add?: readonly Mapping[]
    remove?: 'all' | readonly { product_id: string; variant_id: string | null }[]
  }
  /**
   * The packs that the file enters, after their files, where a name that no pack has creates one;
   * and those that it leaves, bare UUIDs. `all`: it stays only in those of `add`.
   */
  packs?: {
    add?: readonly ({ id: string } | { name: string })[]
    remove?: 'all' | readonly string[]
  }
  /** Whether the file moves into the trash, or out of it. */
  deleted?: boolean
  /** Set if the file is purged, with its versions, mappings and links. */
  purged?: true
}

/** What a person should know about an item that is done. */
export interface Warning {
  code: string
  message: AnyText
}

/** A product that may fit, for a person to decide. */
export type Candidate = Mapping

/**
 * A file that is made from another one. Settings, tags and products come from the item's file, if
 * there is one.
 */
export interface StagedFile {
  /** The name of the new file, which gets a number if the name is taken. */
  filename: string
  bytes: StagedBlob
  tags?: readonly string[]
}

/**
 * A file that was unpacked from the bytes of an import's entry. What the import says about the entry
 * holds for it too.
 */
export interface UnpackedFile {
  /** Its path in the archive. */
  path: string
  filename: string
  name_cleaned?: true
  bytes: StagedBlob
  /** Tags and the pack of a new file, in addition to those of the entry. */
  change?: FileChange
  /** Absent: that of the entry. */
  on_conflict?: OnConflict
  match_as?: string
  sku_prefixes?: readonly string[]
}

/**
 * The terms of a buyer's link. An absent term is the file's own setting; null means that it never
 * expires or is unlimited.
 */
export interface LinkTerms {
  expiry_days?: number | null | undefined
  download_limit?: number | null | undefined
  view_limit?: number | null | undefined
  /** Null: it can be viewed as long as it is valid. */
  view_days?: number | null | undefined
  email?: string | null | undefined
  /** `nothing`, `email`, or the hash of a password; null: what the file asks for. */
  ask_for?: string | null | undefined
}

/** A buyer's link to the item's file. */
export interface NewLink extends LinkTerms {
  /** Whether to send the link to `email` once it exists. */
  send?: boolean
}

/** A file for past buyers of its products. */
export interface GiveRequest {
  /** Only buyers of this product; null: of all products of the file. */
  product_id: string | null
  /** One email for each order. */
  send: boolean
  /** Emails an hour at most; null: one after another, after all others. */
  per_hour: number | null
}

/** Access that past buyers had in another app. */
export interface AccessRequest {
  /** The stored table of those buyers, a bare UUID. */
  move: string
  /** Whether each buyer gets an email with each link. */
  send: boolean
}

/** A message about the file to a program that gives no answer. */
export interface PostRequest {
  /** `webhook_…` */
  webhook: string
  /** Whether the message has an address of the file's bytes. */
  bytes: boolean
}

// A file as plugins see it.

/** Whether a file that a product gets after it was sold goes to its past buyers. */
export const NEW_FILES_CHOICES = ['never', 'ask', 'always'] as const
export type NewFilesChoice = (typeof NEW_FILES_CHOICES)[number]

/**
 * A file attached to a product, or to one of its variants, with the match method and its
 * confidence.
 */
export interface Mapping {
  product_id: string
  product_title: string
  /** The variant that the file belongs to; null: the whole product. */
  variant_id: string | null
  sku: string | null
  /**
   * How the product was found. `pack`: the file is in a pack that has the product. `rule`: a rule of
   * the shop about names.
   */
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
  /** The confidence, from 0 to 1. An exact SKU is 1. */
  score: number
  /** Why: it is stored as a message with its values, and shown in the reader's language. */
  reason: AnyText
  /** Whether it goes to past buyers of the product, as its rule says; absent: as the product says. */
  new_files?: NewFilesChoice | null
}

/** A file's current state, or the draft of one that an import will create (then `id` is null). */
export interface FileView extends FileSettings {
  id: string | null
  filename: string
  /** The number of its current version. Null during its import. */
  version: number | null
  size_bytes: number | null
  content_type: string | null
  tags: readonly string[]
  mappings: readonly Mapping[]
  /** The packs that the file is in, bare UUIDs, in the order in which it entered them. */
  packs: readonly string[]
  /** The names of further packs that it is put into; absent: none. */
  new_packs?: readonly string[]
  /** Absent: no condition of the step asks for them. */
  facts?: FileFacts
  /**
   * The SKUs that its import named, even if no product has them, with `;` between several. Null: it
   * named none, or the import is still running.
   */
  wanted_sku: string | null
  /** The time when the file was created, ISO 8601. Null during its import. */
  created_at: string | null
}
