// The public types of the package: build.ts copies this file and paths.ts as its declarations, so
// both contain types alone.
import type { Client } from 'openapi-fetch'
import type { AboutList, ListPath, Paths, RowOf, Schemas } from './paths.ts'

export type { AboutList, Endpoint, ListPath, Paths, QueryOf, RowOf, Schemas } from './paths.ts'

export interface StevedoreOptions {
  /** The installation; absent: `STEVEDORE_URL`, then the one that served the package. */
  url?: string
  /** An API key; absent: `STEVEDORE_KEY`. */
  key?: string
  /** The domain of the shop, for a key that works in several; absent: `STEVEDORE_SHOP`. */
  shop?: string
  /** Absent: the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** How long a request is repeated, in milliseconds, after 429, 5xx or no answer; absent: 2 min. */
  patience?: number
  /** Called before each repetition. */
  onRetry?: (about: { reason: string; waitMs: number }) => void
}

export type Operation = Schemas['Operation']
export type UploadResult = Schemas['UploadResult']
export type OnConflict = NonNullable<Schemas['CsvCheck']['on_conflict']>

export interface UploadOptions {
  /** The name that buyers see; absent: the last part of the path. */
  filename?: string
  onConflict?: OnConflict
  tags?: readonly string[]
  productSku?: string
  /** The name of a pack, created if there is none. */
  pack?: string
  /** The id of a batch; absent: the file is imported alone. */
  batch?: string
  /** The address of an upload to continue. */
  resume?: string
  /** The address of the upload, for `resume`, before a byte is sent. */
  onBegin?: (address: string) => void | Promise<void>
  /** Bytes that have arrived. */
  onProgress?: (bytes: number) => void
  signal?: AbortSignal
}

export type ImportEntry = Schemas['ImportEntry']

export interface ImportFilesOptions extends Omit<Schemas['ImportRequest'], 'files'> {
  /** With the same key, also of another run within 24 hours, the import runs once. */
  key?: string
  signal?: AbortSignal
}

export interface WaitOptions {
  /** With each answer. */
  onChange?: (operation: Operation) => void
  signal?: AbortSignal
}

export interface Stevedore extends Client<Paths, `${string}/${string}`> {
  /** The address of the installation. */
  readonly url: string
  /** The shop that each request names; undefined: that of the key. */
  readonly shop: string | undefined
  /** Any request, for what has no types; with the key, and repeated like the others. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The rows of all pages of a list. Throws `StevedoreError`. */
  all<Path extends ListPath>(path: Path, ...about: AboutList<Path>): AsyncGenerator<RowOf<Path>>
  /** Waits for the end of an operation or import, or for its preview. Throws `StevedoreError`. */
  wait(id: string, options?: WaitOptions): Promise<Operation>
  /**
   * Sends a file in pieces, continues after interruptions, and waits for its import.
   * @param file its path, or its bytes
   * @throws StevedoreError also if it was not imported
   */
  upload(file: string | Uint8Array, options?: UploadOptions): Promise<UploadResult>
  /**
   * Imports up to 100,000 addresses as one job: as JSON, or as lines if they are more than 1,000.
   * Resolves when the job has started. Throws `StevedoreError`: nothing is imported then.
   */
  importFiles(
    entries: Iterable<ImportEntry> | AsyncIterable<ImportEntry>,
    options?: ImportFilesOptions,
  ): Promise<Schemas['Import']>
  /**
   * Runs a POST or PUT at most once: with the same key, also of another run within 24 hours, it
   * gives the first answer.
   * @param key of 1 to 255 visible ASCII characters
   * @param call makes the request with these headers
   */
  once<Data>(
    key: string,
    call: (params: { header: { 'Idempotency-Key': string } }) => Promise<Answered<Data>>,
  ): Promise<Data>
}

/** What the methods of the client resolve with. */
export interface Answered<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Types and requests of one installation. */
export declare function stevedore(options?: StevedoreOptions): Stevedore

/** The data of an answer. Throws `StevedoreError` if the request was refused. */
export declare function dataOf<Data>(answer: Answered<Data>): NonNullable<Data>

export declare class StevedoreError extends Error {
  /** `not_reached`: there was no answer. */
  readonly code: string
  /** 0: there was no answer. */
  readonly status: number
  readonly details: readonly {
    param: string
    code: string
    message: string
    index?: number
    /** Of an import that was sent as lines. */
    line?: number
  }[]
  readonly requestId: string | null
}
