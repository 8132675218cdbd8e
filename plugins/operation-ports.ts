// The ports of steps on the whole operation: messages, its document, and lists of its files.
import { ENTRY_SETTINGS } from './settings.ts'
import type { AnyText } from './texts.ts'

/** Messages that are sent when the operation's end is committed: never before, never twice. */
export interface Notifier {
  email(message: { template: string; data: Record<string, unknown> }): void
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

export const EXPORT_COLUMNS = [
  'id',
  'filename',
  'size_bytes',
  'upload_date',
  'products',
  'tags',
  'downloads',
  ...ENTRY_SETTINGS,
  'sha256',
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
