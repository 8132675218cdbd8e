// What a plugin is: the one contract between the engine and every kind of work on a batch of files.
// A plugin imports this file and libraries, nothing else. Sizes are bytes, times are milliseconds
// unless a name says otherwise.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { ActionSpec, Form, ReportSpec } from './presentation.ts'
import type { FileSettings } from './settings.ts'

export * from './advice.ts'
export * from './cells.ts'
export * from './conditions.ts'
export * from './documents.ts'
export * from './packs.ts'
export * from './presentation.ts'
export * from './referrers.ts'
export * from './settings.ts'

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

export type PluginKind = 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'

/**
 * How an operation made of this plugin is taken back. `fields`: by the engine, which has kept what
 * its outcomes changed and made (fields, versions, mappings, new files, links). `none`: not at all,
 * since it changes something that no outcome tells of.
 */
export type Undo = 'fields' | 'none'

/**
 * A file attached to a product, or to one of its variants, with how it was found and how sure that
 * is.
 */
export interface Mapping {
  product_id: string
  product_title: string
  /** null: the file belongs to the whole product. */
  variant_id: string | null
  sku: string | null
  /** `pack`: it has the product because its pack does. */
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack'
  /** 0 to 1. An exact SKU is 1. */
  score: number
  reason: string
}

/** A file as it stands, or the draft of one that an import will create (then `id` is null). */
export interface FileView extends FileSettings {
  id: string | null
  filename: string
  size_bytes: number | null
  content_type: string | null
  tags: readonly string[]
  mappings: readonly Mapping[]
  /** The pack that it is in, a bare UUID. */
  pack_id: string | null
  /**
   * The SKU that its import named, whether a product has it or not; null where it named none, and
   * while an import makes the file.
   */
  wanted_sku: string | null
  /** When it came, ISO 8601; null while an import makes it. */
  created_at: string | null
}

/** Where an entry's bytes come from. */
export type EntrySource =
  | { type: 'url'; url: string }
  /** What a browser has sent; a bare UUID. */
  | { type: 'upload'; id: string }

/**
 * What a channel asked to import. Settings that the entry leaves out come from the shop's import
 * defaults.
 */
export interface Entry {
  filename: string
  source: EntrySource
  product_sku?: string
  on_conflict: 'error' | 'rename' | 'overwrite' | 'new_version'
  /**
   * The file whose next version it is to be, a bare UUID; what that one is called by then is no
   * matter.
   */
  replaces?: string
}

/**
 * Bytes that are safely stored but not yet any file's version: they become one when the item is
 * committed.
 */
export interface StagedBlob {
  /** BLAKE3, 64 lower-case hex digits. */
  hash: string
  size_bytes: number
  location: string
  /** As the source named it, or null. What the file is served as is decided at admission. */
  content_type: string | null
  /**
   * The media type that the bytes themselves show; absent: they show none, or were not looked at.
   */
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
  /** What came with it to be done: of a CSV row that names a file which exists. */
  wanted: FileChange | null
}

/** A change to one file's record. A field that is absent stays as it is. */
export interface FileChange {
  set?: Partial<FileSettings> & { filename?: string }
  tags?: { add?: readonly string[]; remove?: readonly string[] } | { replace: readonly string[] }
  mappings?: {
    add?: readonly Mapping[]
    remove?: 'all' | readonly { product_id: string; variant_id: string | null }[]
  }
  /**
   * Into the pack, behind the files that it has; a name makes the pack where there is none of that
   * name. null: out of its pack.
   */
  pack?: { id: string } | { name: string } | null
  /** Into the trash, or out of it. */
  deleted?: boolean
  /** Gone for good, with its versions, mappings and links. */
  purged?: true
}

export interface Warning {
  code: string
  message: string
}

/** A product that might be meant, for a person to decide. */
export type Candidate = Mapping

/**
 * A file that is made of another one. Settings, tags and products come from the item's file where
 * it has one.
 */
export interface StagedFile {
  /** Numbered where the name is taken. */
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
  /** It is sent to that address once it is made. */
  send?: boolean
}

/** Exactly one of these for every item that a plugin is given. */
export type Outcome = { item: string } & (
  | {
      status: 'ok'
      change?: FileChange
      /** They become the file's new version. */
      bytes?: StagedBlob
      /** The version that `bytes` replaces goes once that can't be undone any more. */
      drop_previous?: boolean
      /**
       * Why there was nothing to do. Later steps go on; where none of them does anything either,
       * the file counts as skipped for this reason. (`skipped` keeps later steps from it, and an
       * import from making the file.)
       */
      unchanged?: string
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
)

/**
 * `code` is one of the codes in server/errors.ts; `retryable`: trying again could help. When and
 * how often is the engine's decision.
 */
export interface Failure {
  status: 'failed'
  code: string
  message: string
  /** What the merchant can do something about, beyond the message: `The server answered 403`. */
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
 * How a file is matched by guessing: by these in this order, and how sure it must be, from 0 to 1.
 */
export interface MatchRules {
  by: readonly MatchMethod[]
  threshold: number
}

/**
 * Either the mapping, or rivals to choose between, or those that are not sure enough, or nothing.
 */
export interface Match {
  mapping: Mapping | null
  candidates: readonly Candidate[]
  suggestions: readonly Candidate[]
}

export interface CatalogProduct {
  product_id: string
  product_title: string
  /** The variant that was asked for, or null: the whole product. */
  variant: { id: string; title: string; sku: string | null } | null
}

/** The shop's catalog. Throws `PortError` when it can't be reached. */
export interface Catalog {
  /**
   * Matches for each SKU that the live catalog has; a SKU may have several. Where none is exact:
   * those of the one product whose SKU differs only in case or in spaces around it. Unknown SKUs
   * are absent.
   */
  findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
  /**
   * Which products files are meant for, judged by their names and tags; an answer a file, in their
   * order.
   */
  match(
    files: readonly Pick<FileView, 'filename' | 'tags'>[],
    rules: MatchRules,
    signal: AbortSignal,
  ): Promise<readonly Match[]>
  /** The product, or that variant of it; null where the catalog has no such. */
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
  /** Asks for the headers alone. */
  probe(url: string, signal: AbortSignal): Promise<Probe>
}

export interface RemoteFetcher extends RemoteReader {
  /**
   * Fetches the whole body into the shop's primary location; on any failure nothing is left behind.
   */
  download(url: string, signal: AbortSignal): Promise<StagedBlob>
}

export interface Stage {
  /**
   * Stores a stream's bytes in the shop's primary location; on any failure nothing is left behind.
   */
  write(bytes: Readable, contentType: string | null, signal: AbortSignal): Promise<StagedBlob>
}

/**
 * Uploads that are complete and belong to no file yet. Both throw `PortError` `upload_lost` where
 * one is gone.
 */
export interface UploadReader {
  /** Bytes. */
  sizeOf(id: string): Promise<number>
}

export interface Uploads extends UploadReader {
  /**
   * Into the shop's storage location, without a copy where that can be done; once more gives the
   * same.
   */
  take(id: string, signal: AbortSignal): Promise<StagedBlob>
}

/** Where the bytes of a file are, by the names of storage locations. */
export interface StoredAt {
  /** Of each version, oldest first. */
  versions: readonly { location: string; size_bytes: number; current: boolean }[]
  /** Where copies of the current version are kept beside. */
  copies: readonly string[]
}

export interface StoredReader {
  /** By bare UUIDs; files that are gone, or in the trash, are absent. */
  locate(fileIds: readonly string[]): Promise<ReadonlyMap<string, StoredAt>>
}

export interface Relocated {
  /** How many bytes were copied. */
  copied: number
  /** All was there already. */
  unchanged: boolean
  /**
   * The item's staged bytes, where they are now; null: it has none, or they stay where they were.
   */
  bytes: StagedBlob | null
}

/** The bytes of files that exist. */
export interface StoredFiles extends StoredReader {
  /**
   * Moves all versions of the item's file to another storage location, and the bytes that are
   * staged for it; or (`keep`) leaves them and has a copy there of what is to be its current
   * version. The bytes are read back before anything points at them. Throws `PortError`; once more
   * is no matter.
   */
  relocate(
    item: Item,
    location: string,
    options: { keep: boolean },
    signal: AbortSignal,
  ): Promise<Relocated>
  /**
   * Copies the item's bytes to the backup location, the staged ones where it has some, and reads
   * them back, and keeps the file's settings, tags and mappings as they are with the copy. Throws
   * `PortError` when the copy is not whole; once more is no matter.
   */
  backUp(item: Item, signal: AbortSignal): Promise<void>
}

/** A private folder for one piece of work. Names are those of files directly in it. */
export interface WorkFolder {
  path: string
  /**
   * Copies the bytes of an item into it (those that an earlier step staged, else its file's), or of
   * a file, under that name; gives their size. Throws `PortError`: `file_not_found`, or what the
   * storage location says.
   */
  bring(source: ByteSource, name: string): Promise<number>
  /** Stores one of its files in the shop's primary location. */
  stage(name: string, contentType: string | null): Promise<StagedBlob>
}

/** An item, or a file by its bare UUID. */
export type ByteSource = Pick<Item, 'staged'> & { file: Pick<FileView, 'id'> }

export interface LocalFile {
  /** Where a copy of the bytes is. */
  path: string
  size_bytes: number
  /** The folder that the copy is in: what is made of it can be written here and staged. */
  folder: WorkFolder
}

/** Reads files' bytes. The folders are removed when `use` ends, in any case. */
export interface Bytes {
  /** Throws `PortError` `file_not_found`. */
  sizeOf(item: ByteSource): Promise<number>
  /** A file of this shop by its bare UUID; null: there is none. */
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
 * What a script in the sandbox may take. Its processes are shared by all calls: only `wallMs` may
 * differ.
 */
export interface SandboxLimits {
  /** Of one process. */
  memoryBytes: number
  /** Of each file that it writes. */
  fileBytes?: number
  /** For one input. */
  wallMs: number
  /** How many of them run at the same time, at most. */
  parallel: number
  /** A process is replaced after so many inputs. */
  uses: number
  /** An idle process is ended after this time. */
  idleMs: number
}

export interface SandboxCall<Answer> {
  /** JSON. Bytes are handed over as paths in a work folder. */
  input: unknown
  /** What the script may answer; anything else counts as a crash. */
  answer: z.ZodType<Answer>
  limits: SandboxLimits
  signal: AbortSignal
  /** Stops with `tooMuch` when the folder has more bytes than that. */
  within?: { folder: string; bytes: number; tooMuch: PortError }
}

/**
 * Runs a plugin's script on files from strangers, in a process with limits and without this
 * process's environment.
 */
export interface Sandbox {
  /**
   * The script calls `serveRequests` of `plugins/sandbox.ts`. Throws `PortError`: what the script
   * refused with, or `memory_limit`, `time_limit`, `processor_crashed`.
   */
  run<Answer>(script: URL, call: SandboxCall<Answer>): Promise<Answer>
}

export interface Pack {
  /** A bare UUID. */
  id: string
  name: string
  /** What a file in it is mapped to. */
  products: readonly Mapping[]
}

export interface Packs {
  /** By its bare UUID or by its name, in any case; null where there is none. */
  find(pack: { id: string } | { name: string }): Promise<Pack | null>
}

/** The actions of this installation, as messages name them. */
export interface Actions {
  /** By its id; null: none of that id, an import for example. */
  find(
    id: string,
  ): { result: string; report: ReportSpec; advice: Readonly<Record<string, string>> } | null
  /** The next step after an error, as a sentence; null where no plugin knows one. */
  adviceFor(code: string): string | null
}

/** Messages that leave when the operation's end is committed: never before, never twice. */
export interface Notifier {
  email(message: { template: string; data: Record<string, unknown> }): void
  notice(notice: {
    level: 'info' | 'success' | 'warning' | 'critical'
    title: string
    body: string
  }): void
}

/** The shop's settings that plugins obey. */
export interface ShopSettings {
  auto_map: boolean
  /** Empty: files are mapped by hand alone. */
  match_by: readonly MatchMethod[]
  /** 0 to 1. */
  match_threshold: number
  /** An import's message names the files that have no product. */
  notify_unmapped: boolean
  email_on_complete: boolean
  email_on_errors: boolean
  recipients: readonly string[]
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
  request: { auto_map?: boolean; notify?: boolean }
  limits: {
    file_bytes: number
    large_file_bytes: number
    background: { delete: number; update: number }
  }
}

/** Ports that change nothing: those that a plan may have. */
export interface ReadPorts {
  catalog: Catalog
  remote: RemoteReader
  uploads: UploadReader
  packs: Packs
  stored: StoredReader
  actions: Actions
}

/** Ports of a run. */
export interface WritePorts extends ReadPorts {
  remote: RemoteFetcher
  uploads: Uploads
  stage: Stage
  stored: StoredFiles
  bytes: Bytes
  sandbox: Sandbox
}

/** Ports of a step on the whole operation. */
export interface OperationPorts extends WritePorts {
  notify: Notifier
  artifacts: Artifacts
  listings: Listings
}
export type PortId = keyof OperationPorts

/** All that there are. */
export const PORTS = Object.keys({
  ...{ catalog: 0, remote: 0, uploads: 0, packs: 0, stored: 0, actions: 0, stage: 0, bytes: 0 },
  ...{ sandbox: 0, notify: 0, artifacts: 0, listings: 0 },
} satisfies Record<PortId, 0>) as PortId[]

/** What a plugin that needs these ports gets: to plan, to run, to run on the whole operation. */
export type ReadContext<Port extends PortId = PortId> = BaseContext &
  Pick<ReadPorts, Port & keyof ReadPorts>
export type WriteContext<Port extends PortId = PortId> = BaseContext &
  Pick<WritePorts, Port & keyof WritePorts>
export type OperationContext<Port extends PortId = PortId> = BaseContext &
  Pick<OperationPorts, Port>

/** What an operation produces to be fetched: one document, kept with its results. */
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
  'expiry_days',
  'download_limit',
  'url',
] as const
export type ExportColumn = (typeof EXPORT_COLUMNS)[number]

/**
 * The operation's files and links as documents, written by the database: a page of rows is one
 * piece of text.
 */
export interface Listings {
  /** Files in their frozen order. Those that are gone are left out. */
  files(
    format: 'csv' | 'json',
    columns: readonly ExportColumn[],
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>
  /** Links that this operation made, in the order of its items. */
  links(signal: AbortSignal): AsyncIterable<readonly MadeLink[]>
}

export interface MadeLink {
  filename: string
  /** The whole address, with its key. */
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
  /** What its workflow is called. */
  title: string
  total: number
  done: number
  failed: number
  skipped: number
  cancelled: number
  /** How many fewer its files have now; below zero where they have more. */
  bytes_saved: number
  status: 'success' | 'partial' | 'failed' | 'cancelled'
  started_at: Date
  /** All items in order, a page at a time, with how each ended. */
  items(): AsyncIterable<readonly FinishedItem[]>
  /**
   * Those of them that failed or carry a warning; `products`: and those that are done without a
   * product.
   */
  telling(products: boolean): AsyncIterable<readonly ToldItem[]>
}

/** What is told of an item: its file's name, and how it ended. */
export interface ToldItem extends Pick<
  FinishedItem,
  'status' | 'error' | 'product_mapped' | 'warnings'
> {
  filename: string
  /** Where it was to be fetched from, without query, user info and fragment. */
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
  /** New files, kept by (step, place in this list). Their settings are the shop's defaults. */
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
   * Its entries in the menus of files; the first one names it in history, schedules and workflows.
   * Absent: one under its title, where it acts on files. Empty: it is a step of workflows alone.
   */
  actions?: readonly ActionSpec[]
  /** What its form has beyond the schema of its options. */
  form?: Form
  /** It leaves new files beside those that it works on. */
  makesFiles?: true
  report?: ReportSpec
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
   * `imports`: it needs an entry to work on. `files`: a file that exists. `trash`: one in the
   * trash. `all`: a file, in the trash or not. `rows`: one that came with a change of its own, of a
   * CSV row. Absent: any but those in the trash.
   */
  worksOn?: 'imports' | 'files' | 'trash' | 'all' | 'rows'
  /** The API scope that someone needs who runs it; absent: `files:write`. */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /**
   * The step reads or writes files' bytes, so its batches are small and its items are marked as
   * running.
   */
  bytes?: boolean
  /**
   * Its plan asks the outside (the catalog, the internet): it is called while no transaction is
   * open, since none may wait for that.
   */
  outside?: boolean
  /**
   * It renames files, which may take each other's names: batches go one after another, in their
   * order.
   */
  ordered?: true
  /** Its files are worked on one batch after another, because their order shows in the result. */
  sequential?: true
  /**
   * The id of another plugin that works on the same items right before it, where these options want
   * that. It takes no options.
   */
  precededBy?(options: z.output<Options>): string | null
  /**
   * Reads, changes nothing: what `run` would do, or, where there is no `run`, what is to be done.
   * One outcome an item. It may first be called with files that are not read yet: looking at one
   * throws, and `plan` is called again. Where it looks at none and makes one change to all, the
   * database makes that change.
   */
  plan(
    items: readonly Item[],
    options: z.output<Options>,
    context: ReadContext<Port>,
  ): AsyncIterable<Outcome>
  /**
   * Only where the outside is touched: then its outcomes carry the changes and `plan` serves the
   * preview alone.
   */
  run?(
    items: readonly Item[],
    options: z.output<Options>,
    context: WriteContext<Port>,
  ): AsyncIterable<Outcome>
}

/** Works once, after all items have ended, on the operation as a whole. */
export interface OperationPlugin<
  Options extends z.ZodType = z.ZodType,
  Port extends PortId = PortId,
> extends PluginBase<Options, Port> {
  scope: 'operation'
  /** As of an item plugin; absent: `files:write`, or none where it only tells. */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /** Runs after a failed or cancelled operation too. */
  always?: boolean
  /**
   * false: it works on all files at once and needs no result of each. An operation of such steps
   * alone writes no items, and ends as its steps do.
   */
  ledger?: false
  /**
   * It writes a document with `context.artifacts`. An operation has one, so a workflow has one such
   * step.
   */
  document?: true
  /** What it would do, in a sentence each. */
  plan(
    operation: OperationView,
    options: z.output<Options>,
    context: ReadContext<Port>,
  ): AsyncIterable<string>
  /**
   * A `PortError` ends the operation as failed; of a `notify` plugin it is a warning, since the
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
 * Keeps the types of the options and of the ports while a plugin is written, and gives them up when
 * it is listed. Its `plan` and `run` get the ports that `needs` names and no others.
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

/**
 * What must hold of an item's file for a step to apply; every condition given, over fields that a
 * draft has too.
 */
export interface Condition {
  /** The name contains this, in any case. */
  search?: string | undefined
  /** Extensions, or document, image, video, audio, archive: one of these. */
  type?: readonly string[] | undefined
  /** Has all of these. */
  tags?: readonly string[] | undefined
  mapped?: boolean | undefined
  /** Bytes. */
  larger_than?: number | undefined
  smaller_than?: number | undefined
}

export type FailurePolicy = 'drop' | 'keep' | 'stop'

/** One step of a workflow: a plugin with its options, and when it applies. */
export interface Step {
  /** Fixed within the workflow: history and undo refer to it. */
  id: string
  plugin: string
  options?: Record<string, unknown>
  /** Items of which this does not hold pass the step by. */
  when?: Condition
  /**
   * What a failed item means: it alone is left out (`drop`), it continues with the next step as it
   * was, with a warning (`keep`), or the whole operation ends (`stop`). Absent: `keep` in an import
   * for the kinds optimize and act, since the file would be lost; otherwise `drop`.
   */
  onFailure?: FailurePolicy
}

/** Steps of plugins with options, as data. */
export interface Workflow {
  id: string
  title: string
  /** What history and the API call it. */
  action: string
  kind: 'import' | 'bulk'
  /** Chains of batches that may run at once; 1 is strictly one batch after another. */
  parallel: number
  steps: readonly Step[]
}

/**
 * What a port throws when the outside fails: the plugin turns it into a failed outcome with
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

/** The failed outcome for what a port threw; anything else is a fault of ours and is thrown on. */
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

/**
 * Works on `items` up to `limit` at a time and yields each result as it comes, in no order. Stops
 * starting new ones when `signal` aborts; rejects with the first error after the rest have settled.
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
    // All that ran may have ended while whoever asks was busy with a result: then there is still
    // more to start.
    else if (next === items.length || errors.length > 0 || signal.aborted) break
  }
  if (errors.length > 0) throw errors[0]
  signal.throwIfAborted()
}
