// An operation as its own last steps see it, and what they report.
import type { Item, StagedFile, Warning } from './item.ts'
import type { AnyText } from './text.ts'
import { ENTRY_SETTINGS } from './settings.ts'

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
  /** The done files that were as wanted already, so that nothing was changed; of an import 0. */
  unchanged: number
  cancelled: number
  /** How many bytes fewer its files have than before; negative if they have more. */
  bytes_saved: number
  status: 'success' | 'partial' | 'failed' | 'cancelled'
  /** Why the whole operation ended early. Null or absent: it did not. */
  stopped?: { code: string; message: AnyText } | null
  started_at: Date
  /** What it is about, in addition to its action. */
  about: OperationSubject
  /**
   * Counts an import's done items whose files existed before it: a sync changes some, moves some to
   * the trash, and sends some to the provider without a change here.
   */
  present(): Promise<PresentFiles>
  /**
   * Counts the paid deliveries, neither revoked nor withdrawn, that lost a file because it was
   * moved to the trash.
   */
  lostDeliveries(): Promise<number>
  /** All items in order, a page at a time, with their results. */
  items(): AsyncIterable<readonly FinishedItem[]>
  /**
   * Only the items that failed or have a warning. With `products`, also items that are done and
   * have no product; of an import, only files that it brought.
   */
  reported(products: boolean): AsyncIterable<readonly ReportedItem[]>
}

export interface OperationSubject {
  /** What an import of its channel is called in a title: `Import`, `Sync`. */
  importWord: AnyText
  /** The name of its connection or table, or its first file and the number of others. */
  label: AnyText | null
  /** The name of the schedule that started it. */
  schedule: string | null
}

export interface PresentFiles {
  changed: number
  trashed: number
  unchanged: number
  /** Archives whose files were imported instead of them. */
  unpacked: number
}

/** An item in a message: its file's name and its result. */
export interface ReportedItem extends Pick<
  FinishedItem,
  'status' | 'error' | 'product_mapped' | 'warnings'
> {
  filename: string
  /** The source address, without query, user info and fragment. */
  url: string | null
}

export interface FinishedItem extends Item {
  status: 'done' | 'failed' | 'skipped' | 'cancelled'
  error: { code: string; message: AnyText; detail?: AnyText } | null
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

// The ports of steps on the whole operation: messages, its document, and lists of its files.

/** Messages that are sent when the operation's end is committed: never before, never twice. */
export interface Notifier {
  email(message: {
    template: string
    data: Record<string, unknown>
    /** The addresses that it goes to; absent: the recipients in the shop's settings. */
    to?: readonly string[]
    /** The most mails of this template that the shop sends within 24 hours; absent: any number. */
    most?: number
  }): void
  notice(notice: {
    level: 'info' | 'success' | 'warning' | 'critical'
    title: AnyText
    body: AnyText
  }): void
  /**
   * Sends a text message to the shop's numbers, once for each operation. Keep it short: a text
   * message has 160 characters.
   */
  sms(text: string): void
}

/** The progress of a step that works on something else than the operation's files. */
export interface Progress {
  /** It shows `done` of `total`. */
  show(done: number, total: number): Promise<void>
}

/** The document of an operation: at most one, kept with its results. */
export interface Artifacts {
  /** Writes the document, which is kept when the step ends. A second one replaces the first. */
  write(filename: string, contentType: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

/** Reads what is known of the places that documents are sent to, for previews. */
export interface DocumentReader {
  /** The name of a cloud connection (`connection_…`); null: there is none. */
  connection(id: string): Promise<string | null>
}

/** A document of an operation that an earlier step wrote, and sending it. */
export interface Documents extends DocumentReader {
  /** What an earlier step of this operation wrote; null: nothing. */
  written(): Promise<{ filename: string; size_bytes: number } | null>
  /**
   * Writes the document into a cloud connection, in the background after the step's end: again after
   * a failure, and over the document of the same path that was sent before. The shop is told if it
   * fails for good.
   */
  send(to: { connection: string; path: string }): void
}

export const EXPORT_COLUMNS = [
  'id',
  'filename',
  'size_bytes',
  'upload_date',
  'products',
  'tags',
  'downloads',
  'paid_by',
  ...ENTRY_SETTINGS,
  'pack',
  'sha256',
  'link_url',
  'url',
] as const

export type ExportColumn = (typeof EXPORT_COLUMNS)[number]

/** How much the operation's files are together. */
export interface FilesSize {
  /** The number of files, without those that were deleted. */
  files: number
  bytes: number
}

/** Sizes of the operation's files, for previews. */
export interface ListingReader {
  size(): Promise<FilesSize>
}

/**
 * The operation's files and links as documents. Lists are written by the database: a page of rows
 * is one text.
 */
export interface Listings extends ListingReader {
  /** The operation's files in their frozen order, without those that were deleted. */
  files(
    format: 'csv' | 'json',
    columns: readonly ExportColumn[],
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>
  /**
   * The bytes of the operation's files as one ZIP file, without those that were deleted. Throws
   * `PortError` if a file cannot be read.
   */
  zip(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Links that this operation created, in the order of its items. */
  links(signal: AbortSignal): AsyncIterable<readonly MadeLink[]>
}

export interface MadeLink {
  filename: string
  /** The whole address, including its key. */
  url: string
  email: string | null
  /** The time when the link expires, ISO 8601; null: never. */
  expires_at: string | null
  download_limit: number | null
}
