// The contract between the engine and every kind of work on a batch of files. A plugin imports this
// file and libraries, nothing else. Sizes are bytes, times are milliseconds unless a name says
// otherwise.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { ActionSpec, Form, ReportSpec } from './presentation.ts'
import { ENTRY_SETTINGS, type FileSettings } from './settings.ts'
import type { Condition } from './conditions.ts'
import type { FileView, Mapping } from './file-view.ts'
import type { Pack } from './packs.ts'

export * from './advice.ts'
export * from './cells.ts'
export * from './conditions.ts'
export * from './documents.ts'
export * from './file-view.ts'
export * from './packs.ts'
export * from './presentation.ts'
export * from './referrers.ts'
export * from './settings.ts'
export * from './unsafe-characters.ts'

export type PluginKind = 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'

/**
 * How an operation of this plugin is undone. `fields`: by the engine, from what its outcomes
 * changed and created (fields, versions, mappings, new files, links). `none`: not at all, because
 * it changes something that no outcome contains.
 */
export type Undo = 'fields' | 'none'

/** Where an entry's bytes come from. */
export type EntrySource =
  | { type: 'url'; url: string }
  /** Received from a browser; a bare UUID. */
  | { type: 'upload'; id: string }
  /** A file of a drop folder, a bare UUID, as far as `claim` is still the newest import's. */
  | { type: 'drop'; id: string; claim: string }
  /** An object of the connection that a sync is about, from the synced folder. */
  | { type: 'cloud'; path: string }

/** What a channel asked to import. Absent settings come from the shop's import defaults. */
export interface Entry {
  filename: string
  source: EntrySource
  product_sku?: string
  /** What may be a SKU at the beginning of its name, longest first; the first known one counts. */
  sku_prefixes?: readonly string[]
  /** What guessing reads instead of the filename: an object's key, with its folders. */
  match_as?: string
  on_conflict: 'error' | 'rename' | 'overwrite' | 'new_version'
  /** The file whose next version it becomes, a bare UUID. The file's current name is ignored. */
  replaces?: string
}

/**
 * Bytes that are safely stored but not yet a file's version: they become one when the item is
 * committed.
 */
export interface StagedBlob {
  /** BLAKE3, 64 lower-case hex digits. */
  hash: string
  size_bytes: number
  location: string
  /** As the source named it, or null. Admission decides what the file is served as. */
  content_type: string | null
  /** The media type detected from the bytes; absent: not detected. */
  found_type?: string
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
  /** The change that came with it: of a CSV row that names an existing file. */
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
  /**
   * Into the pack, after its files; a name creates the pack if there is none of that name. null:
   * out of its pack.
   */
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

/** A plugin gives exactly one of these for each item. */
export type Outcome = { item: string } & Decision

/** An outcome without the id of its item. */
export type Decision =
  | {
      status: 'ok'
      change?: FileChange
      /** The file's new version. */
      bytes?: StagedBlob
      /** The version that `bytes` replaces is deleted when the undo window ends. */
      drop_previous?: boolean
      /**
       * Why there was nothing to do. Later steps run; if none of them does anything either, the
       * file counts as skipped for this reason. (`skipped` prevents later steps, and prevents an
       * import from creating the file.)
       */
      unchanged?: string
      /** The item is done: later steps of the workflow leave it alone. */
      last?: true
      /** New files, kept by (item, place in this list), so that a second run makes none twice. */
      created?: readonly StagedFile[]
      link?: LinkWanted
      /** Everyone whose paid delivery contains the file gets a mail about its new version. */
      buyers?: 'tell'
      candidates?: readonly Candidate[]
      warnings?: readonly Warning[]
    }
  | { status: 'skipped'; reason: string }
  | Failure

/**
 * `code` is one of the codes in server/errors.ts. `retryable`: another attempt could help. The
 * engine decides when and how often.
 */
export interface Failure {
  status: 'failed'
  code: string
  message: string
  /** What the merchant can act on, in addition to the message: `The server answered 403`. */
  detail?: string
  retryable: boolean
}

export interface CatalogVariant {
  product_id: string
  product_title: string
  variant_id: string
  variant_title: string
  sku: string
}

export const MATCH_METHODS = ['sku', 'filename', 'title', 'tags'] as const
export type MatchMethod = (typeof MATCH_METHODS)[number]

/**
 * How a file is matched by guessing: these methods in this order, and the least score, from 0 to 1.
 */
export interface MatchRules {
  by: readonly MatchMethod[]
  threshold: number
}

/**
 * Either the mapping, or several candidates to choose from, or suggestions with too low a score, or
 * nothing.
 */
export interface Match {
  mapping: Mapping | null
  candidates: readonly Candidate[]
  suggestions: readonly Candidate[]
}

export interface CatalogProduct {
  product_id: string
  product_title: string
  /** The requested variant, or null: the whole product. */
  variant: { id: string; title: string; sku: string | null } | null
}

/** The shop's catalog. Throws `PortError` if it cannot be reached. */
export interface Catalog {
  /**
   * The variants of each SKU in the live catalog; a SKU may have several. Without an exact match:
   * those of the one product whose SKU differs only in case or in spaces around it. Unknown SKUs
   * are absent.
   */
  findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
  /** Finds products by names and tags; one answer for each file, in their order. */
  match(
    files: readonly Pick<FileView, 'filename' | 'tags'>[],
    rules: MatchRules,
    signal: AbortSignal,
  ): Promise<readonly Match[]>
  /** The product, or that variant of it; null if the catalog has no such product or variant. */
  findProduct(
    productId: string,
    variantId: string | null,
    signal: AbortSignal,
  ): Promise<CatalogProduct | null>
}

/** What a guarded request would fetch. */
export interface Probe {
  size_bytes: number | null
  content_type: string | null
}

/**
 * Guarded reading from the internet: every address is checked before it is used. Both throw
 * `PortError`.
 */
export interface RemoteReader {
  /** Requests only the headers. */
  probe(url: string, signal: AbortSignal): Promise<Probe>
}

export interface RemoteFetcher extends RemoteReader {
  /** Fetches the whole body into the shop's storage location; a failure leaves nothing behind. */
  download(url: string, signal: AbortSignal): Promise<StagedBlob>
}

export interface Stage {
  /** Stores a stream's bytes in the shop's storage location; a failure leaves nothing behind. */
  write(bytes: Readable, contentType: string | null, signal: AbortSignal): Promise<StagedBlob>
}

/**
 * Complete uploads that belong to no file yet. Both throw `PortError` `upload_lost` if one is gone.
 */
export interface UploadReader {
  /** Bytes. */
  sizeOf(id: string): Promise<number>
}

export interface Uploads extends UploadReader {
  /** Into the shop's storage location, without a copy if possible. Idempotent. */
  take(id: string, signal: AbortSignal): Promise<StagedBlob>
}

/**
 * Files in drop folders, by their bare UUIDs. Both throw `PortError` `drop_file_gone` where a file
 * was moved, deleted or replaced since the import got it.
 */
export interface DropReader {
  /** Bytes. */
  sizeOf(id: string, claim: string): Promise<number>
}

export interface DropFolders extends DropReader {
  /** They are in the store already. Nobody else changes the file from now on. */
  take(id: string, claim: string): Promise<StagedBlob>
}

/** What a sync has to do about one item. */
export type CloudTask =
  /** Bring the object's bytes here. `pack`: the subfolder that it is in. */
  | { does: 'fetch'; path: string; size_bytes: number; pack: string | null; warning?: Warning }
  /** The file changes as the item's `wanted` says: it was renamed, moved or deleted there. */
  | { does: 'change' }
  /** Carry a change of ours to the provider. `says`: what, as a sentence. */
  | { does: 'send'; says: string; warning?: Warning }

/** What a sync found out, by the items' ids. Items that a newer sync has replaced are absent. */
export interface CloudReader {
  tasksOf(
    sync: string,
    items: readonly Pick<Item, 'id' | 'position'>[],
  ): Promise<ReadonlyMap<string, CloudTask>>
}

export interface Cloud extends CloudReader {
  /**
   * Carries out the items' tasks `fetch` and `send`; one result an item, as each ends: with staged
   * bytes, with nothing (it is done), or with the error. Nothing is left behind on this machine.
   */
  carryOut(
    sync: string,
    items: readonly Pick<Item, 'id' | 'position'>[],
    signal: AbortSignal,
  ): AsyncIterable<{ item: string; bytes?: StagedBlob; error?: PortError }>
}

/** Where the bytes of a file are, by the names of storage locations. */
export interface StoredAt {
  /** For each version, oldest first. */
  versions: readonly { location: string; size_bytes: number; current: boolean }[]
  /** Other locations that have a copy of the current version. */
  copies: readonly string[]
}

export interface StoredReader {
  /** By bare UUIDs; files that are purged or in the trash are absent. */
  locate(fileIds: readonly string[]): Promise<ReadonlyMap<string, StoredAt>>
}

export interface Relocated {
  /** How many bytes were copied. */
  copied: number
  /** Nothing had to be copied. */
  unchanged: boolean
  /** The item's staged bytes in their new place; null: it has none, or they were not moved. */
  bytes: StagedBlob | null
}

/** The bytes of existing files. */
export interface StoredFiles extends StoredReader {
  /**
   * Moves all versions of the item's file, and the bytes staged for it, to another storage
   * location. `keep`: leaves them, and copies what becomes its current version there. The bytes are
   * read back before any row points at them. Throws `PortError`. Idempotent.
   */
  relocate(
    item: Item,
    location: string,
    options: { keep: boolean },
    signal: AbortSignal,
  ): Promise<Relocated>
  /**
   * Copies the item's bytes (staged ones first) to the backup location, reads them back, and stores
   * the file's settings, tags and mappings with the copy. Throws `PortError` if the copy is
   * damaged. Idempotent.
   */
  backUp(item: Item, signal: AbortSignal): Promise<void>
}

/** A private folder for one piece of work. Names are those of files directly in it. */
export interface WorkFolder {
  path: string
  /**
   * Copies the bytes of an item (staged ones first) or of a file into it, under that name; gives
   * their size. Throws `PortError`: `file_not_found`, or the error of the storage location.
   */
  bring(source: ByteSource, name: string): Promise<number>
  /** Stores one of its files in the shop's storage location. */
  stage(name: string, contentType: string | null): Promise<StagedBlob>
}

/** An item, or a file by its bare UUID. */
export type ByteSource = Pick<Item, 'staged'> & { file: Pick<FileView, 'id'> }

export interface LocalFile {
  /** Where a copy of the bytes is. */
  path: string
  size_bytes: number
  /** The folder of the copy: results can be written here and staged. */
  folder: WorkFolder
}

/** Reads files' bytes. The folders are removed when `use` ends, in any case. */
export interface Bytes {
  /** Throws `PortError` `file_not_found`. */
  sizeOf(item: ByteSource): Promise<number>
  /** A file of this shop by its bare UUID, or null. */
  find(fileId: string): Promise<{ filename: string; size_bytes: number } | null>
  /** Calls `use` with a copy of the item's bytes. Throws as `WorkFolder.bring` does. */
  withFile<T>(
    item: ByteSource,
    use: (file: LocalFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /** Calls `use` with an empty folder, for work on several files. */
  withFolder<T>(use: (folder: WorkFolder) => Promise<T>, signal: AbortSignal): Promise<T>
}

/**
 * Limits of a script in the sandbox. All calls share its processes: only `wallMs` may differ
 * between them.
 */
export interface SandboxLimits {
  /** Memory of one process. */
  memoryBytes: number
  /** Size of each file that it writes. */
  fileBytes?: number
  /** Time for one input. */
  wallMs: number
  /** How many processes run concurrently, at most. */
  parallel: number
  /** A process is replaced after this many inputs. */
  uses: number
  /** A process that is idle for this long is ended. */
  idleMs: number
}

export interface SandboxCall<Answer> {
  /** JSON. Bytes are passed as paths in a work folder. */
  input: unknown
  /** The schema of the answer. Any other answer counts as a crash. */
  answer: z.ZodType<Answer>
  limits: SandboxLimits
  signal: AbortSignal
  /** Stops with `tooMuch` if the folder exceeds this many bytes. */
  within?: { folder: string; bytes: number; tooMuch: PortError }
}

/**
 * Runs a plugin's script on untrusted files, in a process with limits and without this process's
 * environment.
 */
export interface Sandbox {
  /**
   * The script calls `serveRequests` of `plugins/sandbox.ts`. Throws `PortError`: what the script
   * refused with, or `memory_limit`, `time_limit`, `processor_crashed`.
   */
  run<Answer>(script: URL, call: SandboxCall<Answer>): Promise<Answer>
}

export interface Packs {
  /** By its bare UUID or by its name, ignoring case; null if there is none. */
  find(pack: { id: string } | { name: string }): Promise<Pack | null>
}

/** The actions of this installation, as messages name them. */
export interface Actions {
  /** By its id; null for other ids, such as imports. */
  find(
    id: string,
  ): { result: string; report: ReportSpec; advice: Readonly<Record<string, string>> } | null
  /** The next step after an error, as a sentence; null if no plugin knows one. */
  adviceFor(code: string): string | null
}

/** Messages that are sent when the operation's end is committed: never before, never twice. */
export interface Notifier {
  email(message: { template: string; data: Record<string, unknown> }): void
  notice(notice: {
    level: 'info' | 'success' | 'warning' | 'critical'
    title: string
    body: string
  }): void
  /** To the shop's numbers, once for each operation. Short: a text message has 160 characters. */
  sms(text: string): void
}

/** What a delivery is made for. Only plugins that need `delivery` get it, and only on deliveries. */
export interface DeliveryView {
  /** The order as the buyer knows it, `#1001`; its time is ISO 8601. */
  order: { name: string; confirmation_number: string | null; ordered_at: string }
  /** What the platform tells of the buyer. All of it is personal data. */
  buyer: { name: string | null; email: string | null; locale: string | null }
  /** How many units the buyer has bought of what brought this file (a bare UUID); at least 1. */
  quantityOf(fileId: string): number
}

export interface DeliveryPort extends DeliveryView {
  /**
   * Tells the shop once the delivery is ready, and once only: a second message of the same title
   * is the same message. `email`: to the shop's recipients too.
   */
  tell(message: { title: string; body: string; email: boolean }): void
}

/** The shop's lists of licence keys, by their ids `licences_…`. */
export interface LicenceReader {
  /** Null: there is no such list. */
  find(list: string): Promise<{ name: string; left: number } | null>
}

export interface Licences extends LicenceReader {
  /**
   * The delivery has `count` keys of the list for this file (a bare UUID) afterwards; those that it
   * has already count. All or none. Throws `PortError` `licence_keys_used_up` and
   * `licence_list_not_found`.
   */
  assign(list: string, fileId: string, count: number): Promise<void>
}

/** The shop's settings that plugins follow. */
export interface ShopSettings {
  auto_map: boolean
  /** Empty: files are mapped by hand only. */
  match_by: readonly MatchMethod[]
  /** 0 to 1. */
  match_threshold: number
  /** The message about an import names the files that have no product. */
  notify_unmapped: boolean
  email_on_complete: boolean
  email_on_errors: boolean
  recipients: readonly string[]
  /** A text message when a large import has ended. */
  sms_on_large_import: boolean
  sms_recipients: readonly string[]
  /** A name of the IANA list. */
  time_zone: string
}

/** What every plugin gets. */
export interface BaseContext {
  /** Aborts on pause, cancel, shutdown and loss of the lease: stop soon and start nothing new. */
  signal: AbortSignal
  shop: { name: string; domain: string; settings: ShopSettings }
  /**
   * What the caller of this operation asked for; each overrides the shop's setting of that name.
   */
  request: {
    auto_map?: boolean
    notify?: boolean
    /** Of an operation that a sync is: which one, a bare UUID. */
    sync?: string
  }
  limits: {
    file_bytes: number
    large_file_bytes: number
    background: { delete: number; update: number }
    /** An import of so many files is large. */
    sms_files: number
  }
}

/** Read-only ports, for plans. */
export interface ReadPorts {
  catalog: Catalog
  remote: RemoteReader
  uploads: UploadReader
  drop: DropReader
  cloud: CloudReader
  packs: Packs
  stored: StoredReader
  actions: Actions
  delivery: DeliveryView
  licences: LicenceReader
}

/** Ports for runs. */
export interface WritePorts extends ReadPorts {
  remote: RemoteFetcher
  uploads: Uploads
  drop: DropFolders
  cloud: Cloud
  stage: Stage
  stored: StoredFiles
  bytes: Bytes
  sandbox: Sandbox
  delivery: DeliveryPort
  licences: Licences
}

/** Ports for steps on the whole operation. */
export interface OperationPorts extends WritePorts {
  notify: Notifier
  artifacts: Artifacts
  listings: Listings
}

export type PortId = keyof OperationPorts

/** The names of all ports. */
export const PORTS = Object.keys({
  ...{
    catalog: 0,
    remote: 0,
    uploads: 0,
    drop: 0,
    cloud: 0,
    packs: 0,
    stored: 0,
    actions: 0,
    stage: 0,
    bytes: 0,
  },
  ...{ sandbox: 0, notify: 0, artifacts: 0, listings: 0, delivery: 0, licences: 0 },
} satisfies Record<PortId, 0>) as PortId[]

/**
 * The contexts of a plugin that needs these ports: for a plan, a run, and a run on the whole
 * operation.
 */
export type ReadContext<Port extends PortId = PortId> = BaseContext &
  Pick<ReadPorts, Port & keyof ReadPorts>
export type WriteContext<Port extends PortId = PortId> = BaseContext &
  Pick<WritePorts, Port & keyof WritePorts>
export type OperationContext<Port extends PortId = PortId> = BaseContext &
  Pick<OperationPorts, Port>

/** The document of an operation: at most one, kept with its results. */
export interface Artifacts {
  /** Takes effect when the step ends; a second one replaces the first. */
  write(filename: string, contentType: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

export const EXPORT_COLUMNS = [
  'id',
  'filename',
  'size_bytes',
  'upload_date',
  'products',
  'tags',
  'downloads',
  ...ENTRY_SETTINGS,
  'url',
] as const

export type ExportColumn = (typeof EXPORT_COLUMNS)[number]

/**
 * The operation's files and links as documents, written by the database: a page of rows is one
 * text.
 */
export interface Listings {
  /** Files in their frozen order, without those that were deleted. */
  files(
    format: 'csv' | 'json',
    columns: readonly ExportColumn[],
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>
  /** Links that this operation created, in the order of its items. */
  links(signal: AbortSignal): AsyncIterable<readonly MadeLink[]>
}

export interface MadeLink {
  filename: string
  /** The whole address, including its key. */
  url: string
  email: string | null
  /** ISO 8601. */
  expires_at: string | null
  download_limit: number | null
}

/** An operation as its own last steps see it. */
export interface OperationView {
  id: string
  action: string
  /** The title of its workflow. */
  title: string
  total: number
  done: number
  failed: number
  skipped: number
  cancelled: number
  /** How many bytes fewer its files have now; negative if they have more. */
  bytes_saved: number
  status: 'success' | 'partial' | 'failed' | 'cancelled'
  started_at: Date
  /** All items in order, a page at a time, with their results. */
  items(): AsyncIterable<readonly FinishedItem[]>
  /**
   * Only items that failed or have a warning. `products`: also items that are done and have no
   * product.
   */
  telling(products: boolean): AsyncIterable<readonly ToldItem[]>
}

/** An item in a message: its file's name and its result. */
export interface ToldItem extends Pick<
  FinishedItem,
  'status' | 'error' | 'product_mapped' | 'warnings'
> {
  filename: string
  /** The source address, without query, user info and fragment. */
  url: string | null
}

export interface FinishedItem extends Item {
  status: 'done' | 'failed' | 'skipped' | 'cancelled'
  error: { code: string; message: string; detail?: string } | null
  product_mapped: boolean
  warnings: readonly Warning[]
}

export interface OperationReport {
  warnings?: readonly Warning[]
  /**
   * New files, identified by (step, place in this list). Their settings are the shop's defaults.
   */
  created?: readonly StagedFile[]
}

interface PluginBase<Options extends z.ZodType, Port extends PortId> {
  /** verb-noun, unique. */
  id: string
  kind: PluginKind
  title: string
  /** Its .meta({ title, help, widget, sensitive }) draws the form. */
  options: Options
  undo: Undo
  /** The ports that its context has. It gets no others. */
  needs?: readonly Port[]
  /**
   * What it will do with these options, in a short line for a person: `Adds the tags summer, sale`.
   */
  summary?(options: z.output<Options>): string
  /**
   * Its entries in the menus of files; the first one is its name in history, schedules and
   * workflows. Absent: one with its title, if it acts on files. Empty: it is only a step of
   * workflows.
   */
  actions?: readonly ActionSpec[]
  /** What its form has in addition to the schema of its options. */
  form?: Form
  /** It creates new files from the files that it works on. */
  makesFiles?: true
  report?: ReportSpec
  /** The event that webhooks are told of when an operation with this step has changed files. */
  announces?: 'file.deleted' | 'mapping.changed'
  /**
   * By error code: the next step of a person whose files failed with it, as a sentence. Codes of
   * ports have one already.
   */
  advice?: Readonly<Record<string, string>>
}

/** Works on the items of a batch. */
export interface ItemPlugin<
  Options extends z.ZodType = z.ZodType,
  Port extends PortId = PortId,
> extends PluginBase<Options, Port> {
  scope?: 'items'
  /**
   * `imports`: items with an entry. `files`: existing files. `trash`: files in the trash. `all`:
   * files in the trash or not. `rows`: files with a change from a CSV row. `deliveries`: the files
   * of one buyer's delivery. Absent: everything except files in the trash.
   */
  worksOn?: 'imports' | 'files' | 'trash' | 'all' | 'rows' | 'deliveries'
  /** The API scope needed to run it; absent: `files:write`. */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /**
   * The step reads or writes files' bytes: its batches are small and its items are marked as
   * running.
   */
  bytes?: boolean
  /** Most items of a batch, if more than usual: it starts something costly once a batch. */
  batch?: number
  /**
   * Its plan uses external systems (the catalog, the internet): it is called with no transaction
   * open, because none may wait for them.
   */
  outside?: boolean
  /**
   * It renames files, which may take each other's names: batches run one after another, in their
   * order.
   */
  ordered?: true
  /** Batches run one after another, because the order of the files shows in the result. */
  sequential?: true
  /**
   * The id of another plugin that must work on the same items directly before it with these
   * options. That plugin takes no options.
   */
  precededBy?(options: z.output<Options>): string | null
  /**
   * Reads and changes nothing: gives what `run` would do, or without a `run` what is to be done;
   * one outcome for each item. It may first be called with files that are not loaded: reading such
   * a file throws, and `plan` is called again with the files loaded. If it reads none and makes the
   * same change to all, the database makes that change.
   */
  plan(
    items: readonly Item[],
    options: z.output<Options>,
    context: ReadContext<Port>,
  ): AsyncIterable<Outcome>
  /**
   * Only if external systems or bytes are used: then its outcomes carry the changes, and `plan`
   * serves previews.
   */
  run?(
    items: readonly Item[],
    options: z.output<Options>,
    context: WriteContext<Port>,
  ): AsyncIterable<Outcome>
}

/** Runs once, after all items have ended, on the operation as a whole. */
export interface OperationPlugin<
  Options extends z.ZodType = z.ZodType,
  Port extends PortId = PortId,
> extends PluginBase<Options, Port> {
  scope: 'operation'
  /**
   * As for an item plugin; absent: `files:write`, or none for a plugin that only sends messages.
   */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /** Runs after a failed or cancelled operation too. */
  always?: boolean
  /**
   * false: it works on all files together and needs no result for each. An operation with only such
   * steps writes no items, and ends as its steps do.
   */
  ledger?: false
  /**
   * It writes a document with `context.artifacts`. An operation has one document, so a workflow has
   * one such step.
   */
  document?: true
  /** What it would do, one sentence each. */
  plan(
    operation: OperationView,
    options: z.output<Options>,
    context: ReadContext<Port>,
  ): AsyncIterable<string>
  /**
   * A `PortError` ends the operation as failed. For a `notify` plugin it is a warning, because the
   * work itself is done.
   */
  run(
    operation: OperationView,
    options: z.output<Options>,
    context: OperationContext<Port>,
  ): Promise<OperationReport>
}

export type Plugin = ItemPlugin | OperationPlugin

/**
 * Keeps the types of options and ports while a plugin is written, and drops them for the list of
 * plugins. Its `plan` and `run` get the ports in `needs` and no others.
 */
export function definePlugin<Options extends z.ZodType, Port extends PortId = never>(
  plugin: ItemPlugin<Options, Port>,
): ItemPlugin

export function definePlugin<Options extends z.ZodType, Port extends PortId = never>(
  plugin: OperationPlugin<Options, Port>,
): OperationPlugin

export function definePlugin(plugin: Plugin): Plugin {
  return plugin.scope === 'operation' ? narrowedOperation(plugin) : narrowedItems(plugin)
}

function narrowedItems(plugin: ItemPlugin): ItemPlugin {
  const { run, needs = [] } = plugin
  const plan: ItemPlugin['plan'] = (items, options, context) =>
    plugin.plan(items, options, narrowed(context, needs))
  if (!run) return { ...plugin, plan }
  return {
    ...plugin,
    plan,
    run: (items, options, context) => run(items, options, narrowed(context, needs)),
  }
}

function narrowedOperation(plugin: OperationPlugin): OperationPlugin {
  const { plan, run, needs = [] } = plugin
  return {
    ...plugin,
    plan: (operation, options, context) => plan(operation, options, narrowed(context, needs)),
    run: (operation, options, context) => run(operation, options, narrowed(context, needs)),
  }
}

/** The context without the ports that are not needed. */
function narrowed<Context extends BaseContext>(
  context: Context,
  needs: readonly PortId[],
): Context {
  const { signal, shop, request, limits } = context
  const given = Object.entries(context).filter(([name]) => needs.includes(name as PortId))
  return { signal, shop, request, limits, ...Object.fromEntries(given) } as Context
}

export type FailurePolicy = 'drop' | 'keep' | 'stop'

/** One step of a workflow: a plugin with its options, and when it applies. */
export interface Step {
  /** Fixed within the workflow: history and undo refer to it. */
  id: string
  plugin: string
  options?: Record<string, unknown>
  /** Items that do not meet this skip the step. */
  when?: Condition
  /**
   * What a failed item means: it is left out (`drop`), it continues unchanged with the next step
   * and a warning (`keep`), or the whole operation ends (`stop`). Absent: `keep` in an import for
   * the kinds optimize and act, because the file would be lost; otherwise `drop`.
   */
  onFailure?: FailurePolicy
}

/** Steps of plugins with options, as data. */
export interface Workflow {
  id: string
  title: string
  /** Its name in history and in the API. */
  action: string
  kind: 'import' | 'bulk' | 'delivery'
  /** Chains of batches that may run concurrently; 1 is strictly one batch after another. */
  parallel: number
  steps: readonly Step[]
}

/**
 * Thrown by a port when an external system fails: the plugin turns it into a failed outcome with
 * `failed(item, error)`.
 */
export class PortError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly detail: string | undefined
  constructor(
    code: string,
    message: string,
    retryable: boolean,
    options?: ErrorOptions & { detail?: string },
  ) {
    super(message, options)
    this.name = 'PortError'
    this.code = code
    this.retryable = retryable
    this.detail = options?.detail
  }
}

/** The failed outcome for a `PortError`. Other errors are bugs and are rethrown. */
export function failed(item: Item, error: unknown): Outcome {
  if (!(error instanceof PortError)) throw error
  const { code, message, retryable, detail } = error
  return {
    item: item.id,
    status: 'failed',
    code,
    message,
    retryable,
    ...(detail === undefined ? {} : { detail }),
  }
}

/** A `plan` that decides about each item from its file and the options alone. */
export const planEach = <Options>(decide: (item: Item, options: Options) => Decision) =>
  async function* (
    items: readonly Item[],
    options: Options,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<Outcome> {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, ...decide(item, options) }
    }
  }

/**
 * Works on up to `limit` of `items` concurrently and yields each result when it is ready, in no
 * order. Starts no more when `signal` aborts. After an error, waits for the running ones and
 * rejects with the first error.
 */
export async function* concurrently<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Set<Promise<void>>()
  const finished: R[] = []
  const errors: unknown[] = []
  let next = 0
  while (true) {
    while (running.size < limit && next < items.length && errors.length === 0 && !signal.aborted) {
      const task: Promise<void> = work(items[next++]!).then(
        (result) => void finished.push(result),
        (error: unknown) => void errors.push(error),
      )
      const tracked: Promise<void> = task.finally(() => running.delete(tracked))
      running.add(tracked)
    }
    while (finished.length > 0) yield finished.shift()!
    if (running.size > 0) await Promise.race(running)
    // All running work may have ended while the consumer was busy: start more.
    else if (next === items.length || errors.length > 0 || signal.aborted) break
  }
  if (errors.length > 0) throw errors[0]
  signal.throwIfAborted()
}
