// The files of a connection at its provider. rclone reaches every provider; the sample provider of
// demo mode is a folder of this machine, so that it needs no program.
import type { CloudError } from './errors.ts'

export interface RemoteFile {
  /** The path, relative to the root of the connection. */
  path: string
  size_bytes: number
  hash: string | null
  /** The time of the last change in ISO 8601; null: the provider states none. */
  modified_at: string | null
}

export type FetchResult = { path: string } & ({ file: string } | { error: CloudError })

/** The files of one connection. All methods throw `CloudError`, or the reason of `signal`. */
export interface RemoteFiles {
  /** Whether a fetched file may have another size than its listing says. */
  approximate: boolean
  /**
   * Yields all files below the root, a page at a time. Throws for an incomplete listing, because
   * missing objects would count as deleted.
   */
  list(options: {
    signal: AbortSignal
    page: number
    onPage(files: RemoteFile[]): Promise<void>
  }): Promise<void>
  /** Reads the current state of one file. Throws `cloud_file_not_found`. */
  stat(path: string, signal: AbortSignal): Promise<RemoteFile>
  /** Lists the folders directly in `path`, by name. */
  folders(path: string, options: { signal: AbortSignal; most: number }): Promise<string[]>
  /**
   * Copies objects into `folder`, and gives each when its file is complete, or its error. The
   * caller removes the folder.
   *
   * @param options.bytes of all objects, as they are listed.
   */
  fetch(
    paths: readonly string[],
    options: { folder: string; bytes: number; signal: AbortSignal },
  ): AsyncGenerator<FetchResult>
  /** Creates or replaces the object with the bytes of `file`. Returns it as the provider has it. */
  put(path: string, file: string, signal: AbortSignal): Promise<RemoteFile>
  /** Renames the object. Throws `cloud_file_not_found` if it does not exist any more. */
  move(from: string, to: string, signal: AbortSignal): Promise<RemoteFile>
  /** Deletes the object. Idempotent: a missing object counts as deleted. */
  remove(path: string, signal: AbortSignal): Promise<void>
  /** Checks that the root can be listed. */
  probe(signal: AbortSignal): Promise<void>
}
