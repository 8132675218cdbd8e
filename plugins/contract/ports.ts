// The ports through which a plugin reaches bytes, other systems and people.
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { FileChange, FileView, Item, KnownVersion, StagedBlob } from './item.ts'
import type { Failure, PortError } from './outcome.ts'
import type { Pack, PackShelf } from './pack.ts'
import type { ReportSpec } from './form.ts'
import type { AnyText } from './text.ts'

/** The properties of a file that a guarded request would fetch. */
export interface Probe {
  size_bytes: number | null
  content_type: string | null
  /** The type of the first bytes, where they were read and have one. */
  found_type?: string
}

/**
 * Guarded reading from the internet: every address is checked before it is used. All functions
 * throw `PortError`.
 */
export interface RemoteReader {
  /** The size and type of the file at this address. Only its headers are requested. */
  probe(url: string, signal: AbortSignal): Promise<Probe>
  /**
   * The same port, with up to `count` requests at a time. Requests that wait for their host do not
   * count, so that a slow host does not delay others.
   */
  atMost(count: number): RemoteReader
  withHeaders(headers: Readonly<Record<string, string>>): RemoteReader
}

/** Guarded fetching from the internet. */
export interface RemoteFetcher extends RemoteReader {
  atMost(count: number): RemoteFetcher
  withHeaders(headers: Readonly<Record<string, string>>): RemoteFetcher
  /**
   * Fetches the whole body into the shop's storage location; a failure leaves nothing behind.
   * @param known the version that was made of this address, if any: the server is asked whether its
   *   bytes have changed since. If they have not, the version's bytes are returned
   * @param sha256 the hash that the bytes must have: otherwise it throws `sha256_mismatch`
   */
  download(
    url: string,
    signal: AbortSignal,
    known?: KnownVersion,
    sha256?: string,
  ): Promise<StagedBlob>
}

/** Storing new bytes. */
export interface Stage {
  /** Stores a stream's bytes in the shop's storage location; a failure leaves nothing behind. */
  write(bytes: Readable, contentType: string | null, signal: AbortSignal): Promise<StagedBlob>
}

/** The storage locations of a file's bytes, by their names. */
export interface StoredAt {
  /** The place of each version, the oldest first. */
  versions: readonly { location: string; size_bytes: number; current: boolean }[]
  /** Other locations that have a copy of the current version. */
  copies: readonly string[]
}

/** Where the bytes of existing files are. */
export interface StoredReader {
  /** The places of files, by their bare UUIDs. Files that are purged or in the trash are absent. */
  locate(fileIds: readonly string[]): Promise<ReadonlyMap<string, StoredAt>>
}

/** What a relocation did. */
export interface RelocationResult {
  /** The number of copied bytes. */
  copied: number
  /** Whether everything was in its place already. */
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
  ): Promise<RelocationResult>
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
   * Copies the bytes of an item (staged ones first) or of a file into it, under that name; returns
   * their size. Throws `PortError`: `file_not_found`, or the error of the storage location.
   */
  bring(source: ByteSource, name: string): Promise<number>
  /** Stores one of its files in the shop's storage location. */
  stage(name: string, contentType: string | null): Promise<StagedBlob>
}

/** An item, or a file by its bare UUID. */
export type ByteSource = Pick<Item, 'staged'> & { file: Pick<FileView, 'id'> }

/** A copy of a file's bytes on this machine. */
export interface LocalFile {
  /** The path of a copy of the bytes. */
  path: string
  size_bytes: number
  /** The folder of the copy: results can be written here and staged. */
  folder: WorkFolder
}

/** Reads files' bytes. The folders are removed when `use` ends, in any case. */
export interface Bytes {
  /** The number of bytes. Throws `PortError` `file_not_found`. */
  sizeOf(item: ByteSource): Promise<number>
  /** A file of this shop by its bare UUID, or null. */
  find(fileId: string): Promise<{ filename: string; size_bytes: number } | null>
  /** Calls `use` with a copy of the item's bytes. Throws as `WorkFolder.bring` does. */
  withFile<T>(
    item: ByteSource,
    use: (file: LocalFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /**
   * Texts whose encoding is not known, such as names in an archive: they are read together, because
   * one alone may be too short to tell. `sure`: no other encoding fits nearly as well.
   */
  readTexts(
    texts: readonly Uint8Array[],
  ): Promise<{ texts: readonly string[]; encoding: string; sure: boolean }>
  /** Calls `use` with an empty folder, for work on several files. */
  withFolder<T>(use: (folder: WorkFolder) => Promise<T>, signal: AbortSignal): Promise<T>
}

/**
 * Limits of a script in the sandbox. All calls share its processes: only `wallMs` may differ
 * between them.
 */
export interface SandboxLimits {
  /** The most memory of one process. */
  memoryBytes: number
  /** The largest size of each file that it writes. */
  fileBytes?: number
  /** The most time for one input. */
  wallMs: number
  /** The largest number of concurrent processes. */
  parallel: number
  /** A process is replaced after this many inputs. */
  uses: number
  /** A process that is idle for this long is ended. */
  idleMs: number
}

/** One call of a script. */
export interface SandboxCall<Answer> {
  /** The input of the script, as JSON. Bytes are passed as paths in a work folder. */
  input: unknown
  /** The schema of the answer. An answer that does not match it counts as a crash. */
  answer: z.ZodType<Answer>
  limits: SandboxLimits
  signal: AbortSignal
  /** A limit of a folder: the call throws `tooMuch` if the folder exceeds it. */
  within?: { folder: string; bytes: number; tooMuch: PortError }
}

/** A text in a script's answer. */
export const answeredText: z.ZodType<AnyText> = z.union([
  z.string().max(1000),
  z.object({
    message: z.string().max(1000),
    values: z.record(z.string().max(64), z.union([z.string().max(1000), z.number()])),
  }),
])

/**
 * Runs a plugin's script on untrusted files, in a process with limits and without this process's
 * environment.
 */
export interface Sandbox {
  /**
   * Runs the script, which must call `serveRequests` of `plugins/contract/sandbox.ts`.
   * @returns its answer, checked by the schema
   * @throws `PortError`: what the script refused with, or `memory_limit`, `time_limit`,
   *   `processor_crashed`
   */
  run<Answer>(script: URL, call: SandboxCall<Answer>): Promise<Answer>
}

/** The virus scanner of the installation. */
export interface VirusScanner {
  /**
   * The scanner's name of what it found in the bytes; null: nothing. Throws `PortError`:
   * `scanner_unavailable`, `file_not_found`, or the error of the storage location.
   */
  scan(source: ByteSource, signal: AbortSignal): Promise<string | null>
}

/** A file as it is compared with others of the same content. */
export interface ContentFile extends Pick<FileView, 'mappings' | 'packs'> {
  /** The hash of its current bytes. */
  content: string
  /** Whether it is in the trash. */
  deleted: boolean
  /** The number of buyers who hold a working link to it. */
  buyers: number
}

/** Reads files by their bare UUIDs, also those in the trash. Files that do not exist are absent. */
export interface ContentReader {
  read(fileIds: readonly string[]): Promise<ReadonlyMap<string, ContentFile>>
}

/** The shop's packs, for reading. */
export interface Packs {
  /** Finds a pack by its bare UUID or by its name, ignoring case. Null: there is none. */
  find(pack: { id: string } | { name: string }): Promise<Pack | null>
  /** Finds those that exist of several, by bare UUIDs and by names, with one query. */
  read(packs: { ids?: readonly string[]; names?: readonly string[] }): Promise<PackShelf>
}

/** The actions of this installation, as messages name them. */
export interface Actions {
  /** Finds an action by its id. Null: no action has this id; an import, for example. */
  find(
    id: string,
  ): { result: string; report: ReportSpec; advice: Readonly<Record<string, string>> } | null
  /** The next step after an error, as a sentence. Null: no plugin knows one. */
  adviceFor(code: string): string | null
}

/**
 * The delivery that a plugin works on. Only plugins that need `delivery` get it, and only in
 * workflows for deliveries.
 */
export interface DeliveryView {
  /** The order as the buyer knows it, `#1001`; its time is ISO 8601. */
  order: { name: string; confirmation_number: string | null; ordered_at: string }
  /** The platform's data about the buyer. All of it is personal data. */
  buyer: { name: string | null; email: string | null; locale: string | null }
  /**
   * How many units the buyer bought of the product or variant that has this file (a bare UUID); at
   * least 1.
   */
  quantityOf(fileId: string): number
}

/** The delivery, with what a step may do in it. */
export interface DeliveryPort extends DeliveryView {
  /**
   * Notifies the shop when the delivery is ready. A second message with the same title is ignored.
   * `email`: sent to the shop's recipients too.
   */
  notifyShop(message: { title: AnyText; body: AnyText; email: boolean }): void
}

/** What an import of past orders finds or makes. */
export interface PastOrderCounts {
  /** Orders that the platform shows. */
  orders: number
  /** Deliveries that do not exist yet. */
  deliveries: number
  /** Their different buyers. */
  buyers: number
}

/** Orders that were placed before the app was installed. Both methods throw `PortError`. */
export interface PastOrderReader {
  /** Reads all orders since then and writes nothing. */
  count(since: Date, signal: AbortSignal): Promise<PastOrderCounts>
}

export interface PastOrders extends PastOrderReader {
  /**
   * Makes the deliveries, page by page: a second call for the same operation continues where the
   * first one ended. Orders that are delivered already stay as they are.
   * @param seen called with the number of orders that were worked on, and that of all.
   */
  import(
    about: { operation: string; since: Date; mail: boolean },
    seen: (done: number, total: number) => Promise<void>,
    signal: AbortSignal,
  ): Promise<{ orders: number; deliveries: number; failed: number }>
}

/** The shop's lists of licence keys, by their ids `licences_…`. */
export interface LicenceReader {
  /**
   * Finds a list and the number of its keys that are left, null if it generates them. Null: there
   * is no such list.
   */
  find(list: string): Promise<{ name: string; left: number | null } | null>
}

/** Assigning licence keys. */
export interface Licences extends LicenceReader {
  /**
   * Assigns keys for this file (a bare UUID), all that are missing or none. `unit`: until each
   * order line with the file has a key for each unit, at most 100; the files of a line share its
   * keys. `file`: until the file has one. Throws `PortError` `licence_keys_used_up` and
   * `licence_list_not_found`.
   */
  assign(list: string, fileId: string, per: 'unit' | 'file'): Promise<void>
  /** Reads the keys that the delivery has for this file (a bare UUID) and for its units. */
  keysOf(fileId: string): Promise<string[]>
}

/** A product as another program names it. */
export type NamedTarget =
  | { sku: string }
  | { handle: string }
  | { id: string; variant_id?: string | undefined }

/** What another program asks for one file. It names products and packs as merchants do. */
export interface ProgramChange extends Pick<FileChange, 'set' | 'tags'> {
  products?: {
    add?: readonly NamedTarget[] | undefined
    remove?: 'all' | readonly NamedTarget[] | undefined
  }
  /** A pack's id is `pack_…`; a name that no pack has creates one. `all`: it is only in those of `add`. */
  packs?: {
    add?: readonly NamedPack[] | undefined
    remove?: 'all' | readonly NamedPack[] | undefined
  }
}

/** A pack as another program names it. */
export type NamedPack = { id: string } | { name: string }

/** The answer of another program about one file, checked; what is invalid has failed. */
export type ProgramAnswer =
  | { status: 'change'; change: ProgramChange; warnings: readonly string[] }
  | { status: 'unchanged'; reason: AnyText; warnings: readonly string[] }
  | { status: 'skipped'; reason: AnyText }
  | Failure

/** What another program is asked. */
export interface ProgramCall {
  /** The webhook whose address is called and whose secret signs: `webhook_…`. */
  webhook: string
  items: readonly Item[]
  /** `op_…` or `import_…`; null: the files are only tried. */
  operation: string | null
  /** Whether the program gets an address of each file's bytes. */
  bytes: boolean
}

/** The answers of one request after another, by the ids of the items. */
export type ProgramAnswers = AsyncIterable<ReadonlyMap<string, ProgramAnswer>>

/** Asks other programs what they would do. */
export interface ProgramReader {
  /**
   * Asks with `dry_run`, so that the program does nothing.
   * @returns one answer for each item, in requests of at most 100 files
   * @throws only the signal's reason
   */
  preview(call: ProgramCall, signal: AbortSignal): ProgramAnswers
}

/** Other programs that work on files: those behind the addresses of the shop's webhooks. */
export interface Programs extends ProgramReader {
  /** As `preview`, but the program does its work. A repeated call has the same ids. */
  call(call: ProgramCall, signal: AbortSignal): ProgramAnswers
}
